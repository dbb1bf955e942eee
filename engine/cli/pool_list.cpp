// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/compat_phrases.h"
#include "cli/json.h"
#include "cli/option_parser.h"
#include "cli/pool_commands.h"
#include "cli/pool_names.h"
#include "cli/repeat.h"
#include "cli/table_printer.h"
#include "cli/vdev_json.h"
#include "format/property.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace millpond::cli {

namespace {
constexpr std::string_view kUsageText =
    "list [-gHLpPv] [-o property[,...]] [-j [--json-int, --json-pool-key-guid]] ...\n"
    "\t    [-T d|u] [pool] [interval [count]]\n";
constexpr std::string_view kDefaultColumns = "name,size,allocated,free,checkpoint,expandsize,"
                                             "fragmentation,capacity,dedupratio,health,altroot";

constexpr OptionSpec kOptions[] = {{'g'},
                                   {'H'},
                                   {'L'},
                                   {'p', "parsable"},
                                   {'P'},
                                   {'v'},
                                   {'j', "json"},
                                   {'o', {}, true},
                                   {'T', {}, true},
                                   {'I', "json-int", false, true},
                                   {'K', "json-pool-key-guid", false, true}};

struct ListOptions
{
    bool forScripts = false, exact = false, vdevs = false, json = false, jsonInt = false,
         keyGuid = false;
    VdevNaming naming;
    std::vector<std::string> columns;
    std::string timestamp;
    Arguments pools;
    Repetition repetition;
};

/// pool -> property -> (value, source)
using Values = std::map<std::string_view, std::map<std::string_view, bus::PoolPropertyRow>>;

std::string shown(const format::Property* property, std::string_view raw, bool exact)
{
    return exact || property == nullptr ? std::string(raw) : format::formatProperty(*property, raw);
}

/// What a device has in the columns behind its name: always these, whatever -o says.
constexpr std::string_view kVdevColumns[] = {"size",
                                             "allocated",
                                             "free",
                                             "checkpoint",
                                             "expandsize",
                                             "fragmentation",
                                             "capacity",
                                             "dedupratio",
                                             "health"};

std::size_t vdevColumnWidth(std::string_view column)
{
    const auto* property = format::findProperty(format::PropertyScope::Pool, column);
    return property == nullptr ? 0 : format::columnWidth(*property);
}

std::string capacityText(const bus::VdevRow& row, bool exact)
{
    const double percent =
        row.size == 0 ? 0
                      : 100.0 * static_cast<double>(row.allocated) / static_cast<double>(row.size);
    if (exact) {
        return std::to_string(static_cast<std::uint64_t>(percent));
    }
    return fmt::format("{:.{}f}%", percent, percent < 10 ? 2 : percent < 100 ? 1 : 0);
}

std::string vdevCell(const bus::VdevRow& row, std::string_view column, const ListOptions& options)
{
    const auto bytes = [&](std::uint64_t value) {
        return options.exact ? std::to_string(value) : format::formatCount(value);
    };
    if (column == "health") {
        return std::string(row.state);
    }
    if (column == "size") {
        const std::uint64_t own = deviceBytes(row);
        const std::uint64_t size = own != 0 ? own : row.depth == 1 ? row.size : 0;
        return size == 0 ? "-" : bytes(size);
    }
    // Space is a matter of top-level devices.
    if (row.depth != 1 || row.isSpare || row.size == 0) {
        return "-";
    }
    if (column == "allocated" || column == "free") {
        return bytes(column == "free" ? row.free : row.allocated);
    }
    if (column == "capacity") {
        return capacityText(row, options.exact);
    }
    if (column == "checkpoint" && row.checkpointSpace != 0) {
        return bytes(row.checkpointSpace);
    }
    if (column == "fragmentation" && row.fragmentation != bus::kUnknown) {
        return std::to_string(row.fragmentation) + (options.exact ? "" : "%");
    }
    return "-";
}

std::size_t nameWidth(const std::vector<VdevSection>& sections, const ListOptions& options)
{
    std::size_t width = 9;
    for (const VdevSection& section : sections) {
        for (const bus::VdevRow& row : section.rows) {
            width = std::max(width, row.depth * 2 + vdevName(row, options.naming).size());
        }
    }
    return width;
}

std::string vdevLine(const bus::VdevRow& row, std::size_t width, const ListOptions& options)
{
    const std::string name = vdevName(row, options.naming);
    std::string line = options.forScripts
                           ? "\t" + name
                           : fmt::format("{:<{}}", std::string(row.depth * 2, ' ') + name, width);
    for (const std::string_view column : kVdevColumns) {
        const std::string cell = vdevCell(row, column, options);
        line += options.forScripts ? "\t" + cell
                                   : fmt::format("  {:>{}}", cell, vdevColumnWidth(column));
    }
    return line;
}

/// A class of devices begins with a line that is the same for scripts and for people.
std::string headingLine(std::string_view heading, std::size_t width)
{
    std::string line = fmt::format("{:<{}}", heading == "spares" ? "spare" : heading, width);
    for (const std::string_view column : kVdevColumns) {
        line += fmt::format("  {:>{}}", "-", vdevColumnWidth(column));
    }
    return line;
}

void addVdevs(TablePrinter& table,
              const std::vector<VdevSection>& sections,
              std::size_t width,
              const ListOptions& options)
{
    for (const VdevSection& section : sections) {
        if (!section.heading.empty()) {
            table.addLine(headingLine(section.heading, width));
        }
        for (const bus::VdevRow& row : section.rows) {
            if (row.depth != 0) {
                table.addLine(vdevLine(row, width, options));
            }
        }
    }
}

/// A vdev, with what a line of it has in columns as properties.
// NOLINTNEXTLINE(misc-no-recursion): a tree of vdevs is a few levels deep
Json vdevTreeJson(const VdevNode& node, const ListOptions& options)
{
    Json vdev = vdevJson(node, options.naming, {options.exact, options.jsonInt});
    Json& properties = vdev.member("properties");
    for (const std::string_view column : kVdevColumns) {
        properties.set(column,
                       jsonProperty(vdevCell(node.row, column, options), "-", {}, options.jsonInt));
    }
    for (const VdevNode& child : node.children) {
        vdev.member("vdevs").set(vdevName(child.row, options.naming), vdevTreeJson(child, options));
    }
    return vdev;
}

/// The data vdevs, beside them each class under its name.
Json vdevsJson(const std::vector<VdevSection>& sections, const ListOptions& options)
{
    Json vdevs = Json::object();
    for (const VdevSection& section : sections) {
        Json& into = section.heading.empty() ? vdevs : vdevs.member(sectionKey(section));
        for (const VdevNode& node : vdevTrees(section.rows)) {
            if (node.row.depth != 0) {
                into.set(vdevName(node.row, options.naming), vdevTreeJson(node, options));
            }
            for (const VdevNode& child : node.children) {
                if (node.row.depth == 0) {
                    into.set(vdevName(child.row, options.naming), vdevTreeJson(child, options));
                }
            }
        }
    }
    return vdevs;
}

struct Answer
{
    bus::Rows<bus::PoolRow> pools;
    bus::Rows<bus::VdevRow> vdevs;
    Values values;
};

int printJson(Console& console, const ListOptions& options, const Answer& answer)
{
    Json document = jsonDocument("zpool list");
    Json& pools = document.member("pools");
    for (const bus::PoolRow& row : answer.pools) {
        Json pool = poolJson(row, true, options.jsonInt);
        Json& properties = pool.member("properties");
        const auto mine = answer.values.find(row.name);
        for (const std::string& column : options.columns) {
            if (mine == answer.values.end() || column == "name") {
                continue;
            }
            const auto found = mine->second.find(column);
            if (found == mine->second.end()) {
                continue;
            }
            const auto* property = format::findProperty(format::PropertyScope::Pool, column);
            properties.set(column,
                           jsonProperty(shown(property, found->second.value, options.exact),
                                        found->second.source,
                                        {},
                                        options.jsonInt));
        }
        if (options.vdevs) {
            pool.set("vdevs", vdevsJson(vdevSections(answer.vdevs, row.guid), options));
        }
        pools.set(options.keyGuid ? std::to_string(row.guid) : std::string(row.name),
                  std::move(pool));
    }
    addTimestamp(document, options.timestamp, options.jsonInt);
    console.out(document.toText());
    return kDone;
}

void printTable(Console& console,
                const ListOptions& options,
                const Answer& answer,
                bool withHeadings)
{
    std::vector<TableColumn> columns;
    for (const std::string& name : options.columns) {
        const auto* property = format::findProperty(format::PropertyScope::Pool, name);
        columns.push_back({property == nullptr ? upperCase(name) : std::string(property->heading),
                           property != nullptr && property->rightAligned,
                           property == nullptr ? 0 : format::columnWidth(*property)});
    }
    TablePrinter table(std::move(columns), options.forScripts);
    // One width for all pools, so that their devices stand in line.
    const std::size_t width = nameWidth(vdevSections(answer.vdevs, 0), options);
    if (options.vdevs) {
        table.widen(0, width);
    }
    for (const bus::PoolRow& pool : answer.pools) {
        std::vector<std::string> cells;
        const auto mine = answer.values.find(pool.name);
        for (const std::string& name : options.columns) {
            const auto* property = format::findProperty(format::PropertyScope::Pool, name);
            if (name == "name") {
                cells.emplace_back(pool.name);
                continue;
            }
            const bool has = mine != answer.values.end() && mine->second.contains(name);
            cells.push_back(has ? shown(property, mine->second.at(name).value, options.exact)
                                : "-");
        }
        table.add(std::move(cells));
        if (options.vdevs) {
            addVdevs(table, vdevSections(answer.vdevs, pool.guid), width, options);
        }
    }
    table.print(console, withHeadings);
}

int listOnce(Console& console, const ListOptions& options, bool first)
{
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    int code = kDone;
    const auto names = knownPools(console, **client, options.pools, code);
    if (!names) {
        return code;
    }
    const auto status = (*client)->poolStatus(*names);
    if (!status) {
        return complain(console, status.error());
    }
    // The name is no property; asking for none would mean all.
    std::vector<std::string> asked = {"health"};
    std::copy_if(options.columns.begin(),
                 options.columns.end(),
                 std::back_inserter(asked),
                 [](const std::string& column) { return column != "name" && column != "health"; });
    const auto properties = (*client)->poolProperties(*names, asked);
    if (!properties) {
        return complain(console, properties.error());
    }
    const auto rows = bus::Rows<bus::PoolPropertyRow>::of(*properties);
    auto pools = bus::Rows<bus::PoolRow>::of(*status);
    auto vdevs = bus::Rows<bus::VdevRow>::of(*status);
    if (!rows || !pools || !vdevs) {
        return complain(console, !rows ? rows.error() : !pools ? pools.error() : vdevs.error());
    }
    Answer answer{std::move(*pools), std::move(*vdevs), {}};
    for (const bus::PoolPropertyRow& row : *rows) {
        answer.values[row.pool].insert_or_assign(row.property, row);
    }
    if (options.json) {
        (void)printJson(console, options, answer);
    } else if (!answer.pools.empty()) {
        printTable(console, options, answer, first || options.vdevs);
    } else if (!options.forScripts) {
        console.out(phrases::kNoPools);
    }
    return code;
}

Result<ListOptions> parse(const Arguments& arguments)
{
    auto parsed = MP_TRY(parseOptions(arguments, kOptions));
    MP_TRY(checkJsonOptions(parsed));
    ListOptions options;
    options.forScripts = parsed.has('H');
    options.exact = parsed.has('p') || parsed.has('I');
    options.vdevs = parsed.has('v');
    options.json = parsed.has('j');
    options.jsonInt = parsed.has('I');
    options.keyGuid = parsed.has('K');
    options.naming = vdevNaming(parsed);
    options.timestamp = parsed.valueOf('T');
    options.repetition = takeRepetition(parsed.operands);
    options.pools = std::move(parsed.operands);
    for (const std::string& name :
         splitList(parsed.has('o') ? parsed.valueOf('o') : kDefaultColumns)) {
        const auto* property = format::findProperty(format::PropertyScope::Pool, name);
        const bool known = property != nullptr || name == "name" ||
                           name.find(':') != std::string::npos || name.starts_with("feature@") ||
                           name.starts_with("unsupported@");
        if (!known) {
            return fail(ErrorCode::NoSuchProperty, fmt::format(phrases::kBadPropertyList, name));
        }
        options.columns.emplace_back(property == nullptr ? name : property->name);
    }
    return options;
}
} // namespace

int poolList(Console& console, const Arguments& arguments)
{
    const auto options = parse(arguments);
    if (!options) {
        return usageError(console, options.error().what(), kUsageText);
    }
    return repeat(console, options->repetition, [&](bool first) {
        console.out(options->json ? std::string() : timestampLine(options->timestamp));
        return listOnce(console, *options, first);
    });
}

} // namespace millpond::cli
