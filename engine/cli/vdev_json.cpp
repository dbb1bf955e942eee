// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/vdev_json.h"

#include "cli/table_printer.h"
#include "format/property.h"

#include <algorithm>

namespace millpond::cli {

namespace {
/// The state itself, as against the words that `status` has for it.
std::string_view stateToken(const bus::VdevRow& row)
{
    if (row.isSpare && row.state != "UNAVAIL") {
        return "ONLINE";
    }
    return row.state == "UNAVAIL" ? "CANT_OPEN" : row.state;
}
} // namespace

Json JsonNumbers::plain(std::uint64_t value) const
{
    return jsonNumber(value, integers);
}

Json JsonNumbers::count(std::uint64_t value) const
{
    return exact ? plain(value) : Json::text(format::formatCount(value));
}

Json JsonNumbers::bytes(std::uint64_t value) const
{
    return exact ? plain(value) : Json::text(format::formatBytes(value));
}

Json JsonNumbers::time(std::uint64_t seconds) const
{
    return exact ? plain(seconds) : Json::text(seconds == 0 ? "-" : dateText(seconds));
}

namespace {
void addFacts(Json& vdev, const VdevNode& node, const JsonNumbers& numbers)
{
    const bus::VdevRow& row = node.row;
    vdev.set("vdev_type", row.type);
    vdev.set("guid", numbers.plain(row.guid));
    if (!row.path.empty()) {
        vdev.set("path", row.path);
    }
    // Parts of a log have no class of their own in what OpenZFS prints; parts of the others do.
    const bool inherits = node.topClass == "special" || node.topClass == "dedup";
    vdev.set("class", inherits ? node.topClass : row.allocClass).set("state", stateToken(row));
}
} // namespace

Json vdevJson(const VdevNode& node, const VdevNaming& naming, const JsonNumbers& numbers)
{
    Json vdev = Json::object();
    vdev.set("name", vdevName(node.row, naming));
    addFacts(vdev, node, numbers);
    return vdev;
}

Json vdevJson(const VdevNode& node, std::string_view name, const JsonNumbers& numbers)
{
    Json vdev = Json::object();
    vdev.set("name", name).set("type", "VDEV");
    addFacts(vdev, node, numbers);
    return vdev;
}

std::string_view sectionKey(const VdevSection& section)
{
    if (section.heading.empty()) {
        return "vdevs";
    }
    return section.heading == "cache" ? "l2cache" : std::string_view(section.heading);
}

} // namespace millpond::cli
