// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/detail/vdev_properties.h"

#include "format/dsl.h"
#include "format/label.h"
#include "format/name.h"
#include "format/property.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <sys/stat.h>
#include <sys/sysmacros.h>

// What `zpool get` shows of vdevs. Most of it is computed; what can be set stands in the vdev's own
// ZAP: that of the root, of a top-level vdev, or of a leaf, in this order where it has two.
// Sources: OpenZFS module/zfs/vdev.c (vdev_prop_get), lib/libzfs/libzfs_pool.c
// (zpool_get_vdev_prop_value).

namespace millpond::api::detail {

namespace {
using format::Property;
using vdev::VdevKind;
using vdev::VdevStatus;

/// A vdev with its place in the tree.
struct Vdev
{
    const VdevStatus* status = nullptr;
    const Vdev* parent = nullptr;
    const Vdev* top = nullptr; ///< null: the root
    std::vector<const Vdev*> children;

    [[nodiscard]] bool isRoot() const { return status->depth == 0; }

    [[nodiscard]] bool isTop() const { return status->depth == 1; }

    [[nodiscard]] bool isLeaf() const
    {
        return status->kind == VdevKind::Disk || status->kind == VdevKind::File;
    }
};

/// Parents come before children; the vdevs stay where they are.
std::vector<Vdev> treeOf(const std::vector<VdevStatus>& rows)
{
    std::vector<Vdev> vdevs(rows.size());
    std::vector<Vdev*> path;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Vdev& vdev = vdevs[i];
        vdev.status = &rows[i];
        path.resize(std::min<std::size_t>(path.size(), rows[i].depth));
        if (!path.empty()) {
            vdev.parent = path.back();
            vdev.top = path.size() == 1 ? &vdev : path.back()->top;
            path.back()->children.push_back(&vdev);
        }
        path.push_back(&vdev);
    }
    return vdevs;
}

std::string textOf(const VdevStatus& status, std::string_view name)
{
    return status.config == nullptr ? std::string()
                                    : std::string(status.config->text(name).value_or(""));
}

std::uint64_t numberOf(const VdevStatus& status, std::string_view name)
{
    return status.config == nullptr ? 0 : status.config->u64(name).value_or(0);
}

std::uint64_t physicalBytes(const Vdev& vdev)
{
    return vdev.isLeaf() ? format::labelledSize(vdev.status->deviceSize) : 0;
}

std::uint64_t usableBytes(const Vdev& vdev) // NOLINT(misc-no-recursion): VdevTree::kMaxDepth
{
    if (vdev.isRoot() || vdev.status->asize != 0) {
        return vdev.isRoot() ? 0 : vdev.status->asize;
    }
    if (vdev.isLeaf()) {
        const std::uint64_t labels = format::kLabelStartBytes + format::kLabelEndBytes;
        return physicalBytes(vdev) - std::min(physicalBytes(vdev), labels);
    }
    std::uint64_t smallest = 0; // of a mirror within a mirror
    for (const Vdev* child : vdev.children) {
        const std::uint64_t bytes = usableBytes(*child);
        smallest = smallest == 0 ? bytes : std::min(smallest, bytes);
    }
    return smallest;
}

/// A disk that takes no hints of unused space says so; image files always can.
bool canTrim(const VdevStatus& leaf)
{
    struct stat status = {};
    if (leaf.openedAs.empty() || stat(leaf.openedAs.c_str(), &status) != 0) {
        return false;
    }
    if (!S_ISBLK(status.st_mode)) {
        return true;
    }
    const std::string device =
        fmt::format("/sys/dev/block/{}:{}/", major(status.st_rdev), minor(status.st_rdev));
    for (const char* queue : {"queue/", "../queue/"}) { // a partition has its disk's
        std::ifstream file(device + queue + "discard_max_bytes");
        std::uint64_t most = 0;
        if (file >> most) {
            return most != 0;
        }
    }
    return false;
}

class Builder
{
public:
    Builder(const pool::Pool& pool, const pool::SpaceFigures& space, const Vdev& vdev)
        : m_pool(pool)
        , m_space(space)
        , m_vdev(vdev)
        , m_status(*vdev.status)
    {
    }

    Status load();
    /// Nothing: this vdev does not have it, and that is not shown.
    std::optional<PoolProperty> native(const Property& property) const;
    PoolProperty user(const std::string& name) const;
    std::vector<PoolProperty> all() const;

    [[nodiscard]] PoolProperty ownName() const { return {"name", name(m_vdev), SourceKind::None}; }

private:
    [[nodiscard]] std::string name(const Vdev& vdev) const;

    struct Space
    {
        std::uint64_t size = 0, allocated = 0;
        std::optional<unsigned> fragmentation;
    };

    [[nodiscard]] Space space() const;
    [[nodiscard]] std::uint64_t ashift() const;
    [[nodiscard]] std::optional<std::uint64_t> number(std::string_view name) const;
    [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
    [[nodiscard]] PoolProperty stored(const Property& property) const;

    const pool::Pool& m_pool;
    const pool::SpaceFigures& m_space;
    const Vdev& m_vdev;
    const VdevStatus& m_status;
    std::map<std::string, object::ZapEntry, std::less<>> m_stored;
};

Status Builder::load()
{
    std::uint64_t zap = m_vdev.isRoot() ? numberOf(m_status, format::kVdevRootZap) : 0;
    for (const std::string_view name : {format::kVdevTopZap, format::kVdevLeafZap}) {
        zap = zap == 0 ? numberOf(m_status, name) : zap;
    }
    for (object::ZapEntry& entry : MP_TRY(m_pool.mos().entries(ObjectId(zap)))) {
        std::string name = entry.name;
        m_stored.emplace(std::move(name), std::move(entry));
    }
    return {};
}

/// As other vdevs call it: a leaf by its path, the others by kind and number.
std::string Builder::name(const Vdev& vdev) const
{
    if (vdev.isRoot()) {
        return m_pool.name();
    }
    const VdevStatus& status = *vdev.status;
    if (vdev.isLeaf()) {
        return status.openedAs.empty() ? status.path : status.openedAs;
    }
    return fmt::format("{}-{}", vdev::kindText(status.kind), status.id);
}

/// Only the root and its children have space; OpenZFS counts it without parity, and what is in use
/// of it with.
Builder::Space Builder::space() const
{
    Space space;
    if (m_vdev.isRoot()) {
        for (const auto& [id, top] : m_space.tops) {
            const bool counts = top.allocationClass != vdev::AllocationClass::Log;
            space.size += counts ? top.deflated : 0;
        }
        space.allocated = m_space.allocated;
        space.fragmentation = m_space.fragmentationPercent;
    } else if (const auto top = m_space.tops.find(m_status.id);
               m_vdev.isTop() && top != m_space.tops.end()) {
        space = {top->second.deflated, top->second.allocated, top->second.fragmentationPercent};
    }
    return space;
}

std::uint64_t Builder::ashift() const
{
    if (!m_vdev.isRoot()) {
        return m_status.ashift != 0 ? m_status.ashift : m_vdev.top->status->ashift;
    }
    std::uint64_t largest = 0;
    for (const Vdev* child : m_vdev.children) {
        largest = std::max(largest, child->status->ashift);
    }
    return largest;
}

/// What is counted or computed.
std::optional<std::uint64_t> Builder::number(std::string_view name) const
{
    const Space room = space();
    const bool hasParity = m_status.kind == VdevKind::Raidz;
    const std::map<std::string_view, std::uint64_t> numbers = {
        {"capacity", room.size == 0 ? 0 : room.allocated * 100 / room.size},
        {"state", static_cast<std::uint64_t>(m_status.state)},
        {"guid", m_status.guid.value()},
        {"asize", usableBytes(m_vdev)},
        {"psize", physicalBytes(m_vdev)},
        {"ashift", ashift()},
        {"size", room.size},
        {"free", room.size - std::min(room.size, room.allocated)},
        {"allocated", room.allocated},
        {"expandsize", 0},
        {"fragmentation", room.fragmentation.value_or(0)},
        {"parity", hasParity ? m_status.parity : 0},
        {"numchildren", m_vdev.children.size()},
        {"read_errors", m_status.errors.read},
        {"write_errors", m_status.errors.write},
        {"checksum_errors", m_status.errors.checksum},
        {"initialize_errors", 0},
        {"trim_errors", 0},
        {"slow_ios", 0},
        {"null_ops", 0},
        {"read_ops", m_status.io.readOps},
        {"write_ops", m_status.io.writeOps},
        {"free_ops", 0},
        {"claim_ops", 0},
        {"trim_ops", 0},
        {"null_bytes", 0},
        {"read_bytes", m_status.io.readBytes},
        {"write_bytes", m_status.io.writeBytes},
        {"free_bytes", 0},
        {"claim_bytes", 0},
        {"trim_bytes", 0},
        {"removing", numberOf(m_status, "removing")},
        {"raidz_expanding", 0},
        {"trim_support", m_vdev.isLeaf() && canTrim(m_status) ? 1 : 0},
    };
    const auto found = numbers.find(name);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

/// What the configuration has.
std::optional<std::string> Builder::text(std::string_view wanted) const
{
    if (wanted == "path") {
        return m_vdev.isLeaf() ? name(m_vdev) : "";
    }
    if (wanted == "parent") {
        return m_vdev.parent == nullptr ? "" : name(*m_vdev.parent);
    }
    if (wanted == "children") {
        std::string names;
        for (const Vdev* child : m_vdev.children) {
            names += (names.empty() ? "" : ",") + name(*child);
        }
        return names;
    }
    const std::map<std::string_view, std::string_view> entries = {
        {"devid", "devid"},
        {"physpath", "phys_path"},
        {"encpath", "vdev_enc_sysfs_path"},
        {"fru", "fru"},
    };
    const auto entry = entries.find(wanted);
    return entry == entries.end() ? std::nullopt : std::optional(textOf(m_status, entry->second));
}

/// What can be set.
PoolProperty Builder::stored(const Property& property) const
{
    PoolProperty shown{std::string(property.name), {}, SourceKind::Default};
    const auto entry = m_stored.find(property.name);
    if (property.kind == format::PropertyKind::Text) {
        const bool isSet = entry != m_stored.end();
        shown.value = isSet ? entry->second.text() : "-";
        shown.source = isSet ? SourceKind::Local : SourceKind::Default;
        return shown;
    }
    const std::uint64_t value =
        entry == m_stored.end() ? property.defaultNumber : entry->second.first();
    shown.value = format::rawPropertyText(property, value);
    shown.source = value == property.defaultNumber ? SourceKind::Default : SourceKind::Local;
    return shown;
}

std::optional<PoolProperty> Builder::native(const Property& property) const
{
    PoolProperty shown{std::string(property.name), "-", SourceKind::None};
    if (property.name == "raidz_expanding" && m_status.kind != VdevKind::Raidz) {
        return std::nullopt;
    }
    const bool ofTops = property.name == "allocating" && !m_vdev.isRoot() && !m_vdev.isTop();
    const bool ofLeaves = property.name == "trim_support" && !m_vdev.isLeaf();
    if (ofTops || ofLeaves) {
        return shown;
    }
    if (const auto value = number(property.name)) {
        shown.value = format::rawPropertyText(property, *value);
        return shown;
    }
    if (auto value = text(property.name)) {
        shown.source = value->empty() ? SourceKind::Default : SourceKind::None;
        shown.value = value->empty() ? "-" : std::move(*value);
        return shown;
    }
    return stored(property);
}

PoolProperty Builder::user(const std::string& name) const
{
    const auto entry = m_stored.find(name);
    return entry == m_stored.end() ? PoolProperty{name, "-", SourceKind::Default}
                                   : PoolProperty{name, entry->second.text(), SourceKind::Local};
}

std::vector<PoolProperty> Builder::all() const
{
    std::vector<PoolProperty> properties;
    for (const Property& property : format::properties(format::PropertyScope::Vdev)) {
        if (auto shown = property.visible ? native(property) : std::nullopt) {
            properties.push_back(std::move(*shown));
        }
    }
    for (const auto& [name, entry] : m_stored) {
        // The vdev's internal notes have a colon in their names as well, but are numbers.
        if (format::isUserProperty(name) && entry.integerBytes == 1) {
            properties.push_back(user(name));
        }
    }
    return properties;
}

Status addNamed(const Builder& builder, const std::string& name, std::vector<PoolProperty>& to)
{
    if (name == "all") {
        std::ranges::move(builder.all(), std::back_inserter(to));
        return {};
    }
    if (name == "name") {
        to.push_back(builder.ownName());
        return {};
    }
    if (const Property* property = format::findProperty(format::PropertyScope::Vdev, name)) {
        if (auto shown = builder.native(*property)) {
            to.push_back(std::move(*shown));
        }
        return {};
    }
    if (!format::isUserProperty(name)) {
        return fail(ErrorCode::NoSuchProperty, fmt::format("vdevs have no property \"{}\"", name));
    }
    to.push_back(builder.user(name));
    return {};
}
} // namespace

Result<std::vector<VdevProperties>> vdevProperties(const pool::Pool& pool,
                                                   const pool::SpaceFigures& space,
                                                   std::span<const std::string> names)
{
    const std::vector<VdevStatus> rows = pool.vdevs().status();
    const std::vector<Vdev> vdevs = treeOf(rows);
    std::vector<VdevProperties> answer;
    for (const Vdev& vdev : vdevs) {
        if (vdev.status->kind == VdevKind::Hole) {
            continue; // keeps the numbers of the others and is nothing to see
        }
        Builder builder(pool, space, vdev);
        MP_TRY(builder.load());
        VdevProperties& each = answer.emplace_back();
        each.guid = vdev.status->guid;
        each.properties = names.empty() ? builder.all() : std::vector<PoolProperty>();
        for (const std::string& name : names) {
            MP_TRY(addNamed(builder, name, each.properties));
        }
    }
    return answer;
}

} // namespace millpond::api::detail
