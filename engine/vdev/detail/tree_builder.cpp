// SPDX-License-Identifier: GPL-3.0-or-later
// Facts from OpenZFS' vdev.c (vdev_alloc, vdev_open) and vdev_label.c (vdev_config_generate).
#include "vdev/detail/tree_builder.h"

#include "format/label.h"

#include <algorithm>

#include <fmt/format.h>

namespace millpond::vdev::detail {

namespace {

using format::NvList;

constexpr std::uint64_t kMinAshift = 9;
constexpr std::uint64_t kMaxAshift = 16;
constexpr std::uint64_t kMaxParity = 3;
constexpr std::size_t kMaxRaidzWidth = 255; ///< a stripe is counted in one byte
constexpr std::uint64_t kMaxMetaslabShift = 50;
/// DVAs address 2^63 sectors of 512 bytes; sums of a few such sizes must not wrap.
constexpr std::uint64_t kMaxAsize = std::uint64_t{1} << 62;

Result<VdevKind> kindFromText(std::string_view type)
{
    constexpr std::array<std::pair<std::string_view, VdevKind>, 9> kKinds{
        {{"root", VdevKind::Root},
         {"disk", VdevKind::Disk},
         {"file", VdevKind::File},
         {"mirror", VdevKind::Mirror},
         {"raidz", VdevKind::Raidz},
         {"spare", VdevKind::Spare},
         {"replacing", VdevKind::Replacing},
         {"missing", VdevKind::Missing},
         {"hole", VdevKind::Hole}}};
    for (const auto& [text, kind] : kKinds) {
        if (text == type) {
            return kind;
        }
    }
    if (type == "indirect") {
        return fail(ErrorCode::UnsupportedVdev,
                    "a removed device (feature com.delphix:device_removal) is not supported");
    }
    if (type == "draid" || type == "dspare") {
        return fail(ErrorCode::UnsupportedVdev,
                    "distributed raidz (feature org.openzfs:draid) is not supported");
    }
    return fail(ErrorCode::UnsupportedVdev, fmt::format("unknown kind of vdev \"{}\"", type));
}

Error badConfig(const Node& node, std::string what)
{
    return Error(ErrorCode::BadConfig, "vdev configuration: " + what, {.vdev = node.guid});
}

/// Whether a vdev may stand at this place; OpenZFS makes no other trees.
Status checkPlace(const Node& node)
{
    const bool isRoot = node.kind == VdevKind::Root;
    if (isRoot != (node.parent == nullptr)) {
        return fail(badConfig(node, "the root is not where it should be"));
    }
    if (isRoot) {
        return {};
    }
    const bool isTop = node.parent->kind == VdevKind::Root;
    const bool topOnly = node.kind == VdevKind::Raidz || node.kind == VdevKind::Hole ||
                         node.kind == VdevKind::Missing;
    if (topOnly && !isTop) {
        return fail(badConfig(node, fmt::format("{} below another vdev", kindText(node.kind))));
    }
    return {};
}

Status checkRaidz(Node& node)
{
    const NvList& config = *node.config;
    if (config.has("raidz_expanding") || !config.u64Array("raidz_expand_txgs").empty()) {
        return fail(ErrorCode::UnsupportedVdev,
                    "an expanded raidz (feature org.openzfs:raidz_expansion) is not supported",
                    {.vdev = node.guid});
    }
    // Pools older than version 3 have single parity and do not say so.
    const std::uint64_t parity = config.u64("nparity").value_or(1);
    const std::size_t width = config.listArray("children").size();
    if (parity < 1 || parity > kMaxParity || width <= parity || width > kMaxRaidzWidth) {
        return fail(
            badConfig(node, fmt::format("raidz of {} devices with {} for parity", width, parity)));
    }
    node.parity = static_cast<std::uint32_t>(parity);
    return {};
}

AllocationClass classFromConfig(const NvList& config)
{
    if (config.u64("is_log").value_or(0) != 0) {
        return AllocationClass::Log;
    }
    const std::string_view bias = config.text("alloc_bias").value_or("");
    if (bias == "log") {
        return AllocationClass::Log;
    }
    if (bias == "special") {
        return AllocationClass::Special;
    }
    return bias == "dedup" ? AllocationClass::Dedup : AllocationClass::Normal;
}

/// What every leaf of a top-level vdev must have room for: the last, partial metaslab is never
/// used, so a device may be smaller by that. 0: not known.
std::uint64_t minimumLeafBytes(const Node& top)
{
    const std::uint64_t shift = top.config->u64("metaslab_shift").value_or(0);
    if (shift == 0 || shift > kMaxMetaslabShift) {
        return 0;
    }
    const std::uint64_t used = top.asize & ~((std::uint64_t{1} << shift) - 1);
    return top.kind == VdevKind::Raidz
               ? divideRoundUp(used, top.config->listArray("children").size())
               : used;
}

VdevAux auxOfDevice(const LeafDevice& found, std::uint64_t minimumBytes)
{
    if (found.problem != VdevAux::None) {
        return found.problem;
    }
    const Result<ByteCount> room = format::allocatableSize(found.device->size());
    if (!room) {
        return VdevAux::TooSmall;
    }
    return room->value() < minimumBytes ? VdevAux::BadLabel : VdevAux::None;
}

/// Persistent states first: an offline device is not opened even if it is there.
void setFirstState(Node& node, const LeafDevice& found, std::uint64_t minimumBytes)
{
    const NvList& config = *node.config;
    const auto set = [&](std::string_view name) { return config.u64(name).value_or(0) != 0; };
    const std::string_view aux = config.text("aux_state").value_or("");
    const VdevAux reason = aux == "external" ? VdevAux::External : VdevAux::TooManyErrors;
    if (set("faulted") || aux == "external") {
        node.setState(VdevState::Faulted, reason);
        return;
    }
    if (set("offline")) {
        node.setState(VdevState::Offline, VdevAux::None);
        return;
    }
    if (!found.device) {
        node.notPresent = true;
        const VdevAux why = found.problem == VdevAux::None ? VdevAux::OpenFailed : found.problem;
        if (set("removed") && why == VdevAux::OpenFailed) {
            node.setState(VdevState::Removed, VdevAux::None);
        } else {
            node.setState(VdevState::CannotOpen, why);
        }
        return;
    }
    const VdevAux problem = auxOfDevice(found, minimumBytes);
    if (problem != VdevAux::None) {
        node.notPresent = true;
        node.setState(VdevState::CannotOpen, problem);
    } else if (set("degraded")) {
        node.setState(VdevState::Degraded, reason);
    } else {
        node.setState(VdevState::Healthy, VdevAux::None);
    }
}

} // namespace

Result<std::unique_ptr<Node>> TreeBuilder::build(const NvList& config)
{
    return buildNode(config, 0, {});
}

Status TreeBuilder::readCommon(Node& node, const NvList& config, std::size_t index)
{
    node.config = &config;
    node.id = config.u64("id").value_or(index);
    node.dtlObject = config.u64("DTL").value_or(0);
    node.wholeDisk = config.u64("whole_disk").value_or(0) != 0;
    node.allocationClass = classFromConfig(config);
    if (node.kind == VdevKind::Hole || node.kind == VdevKind::Missing) {
        node.guid = VdevGuid(config.u64("guid").value_or(0));
        return {};
    }
    node.guid = VdevGuid(MP_TRY(config.requireU64("guid")));
    return {};
}

Status TreeBuilder::readTopLevel(Node& node)
{
    const NvList& config = *node.config;
    node.ashift = config.u64("ashift").value_or(kMinAshift);
    node.asize = config.u64("asize").value_or(0);
    const bool placeholder = node.kind == VdevKind::Hole || node.kind == VdevKind::Missing;
    if (placeholder) {
        node.asize = 0;
        node.ashift = 0;
        return {};
    }
    if (node.ashift < kMinAshift || node.ashift > kMaxAshift) {
        return fail(badConfig(node, fmt::format("sectors of 2^{} bytes", node.ashift)));
    }
    if (node.asize > kMaxAsize) {
        return fail(badConfig(node, fmt::format("a size of {} bytes", node.asize)));
    }
    return {};
}

Result<std::unique_ptr<Node>>
TreeBuilder::buildNode(const NvList& config, std::size_t index, const Above& above)
{
    if (above.depth > VdevTree::kMaxDepth) {
        return fail(ErrorCode::BadConfig, "vdev configuration: nested too deeply");
    }
    auto node = std::make_unique<Node>();
    node->kind = MP_TRY(kindFromText(MP_TRY(config.requireText("type"))));
    node->parent = above.parent;
    MP_TRY(readCommon(*node, config, index));
    MP_TRY(checkPlace(*node));
    Above inner{.parent = node.get(), .depth = above.depth + 1, .minimumBytes = above.minimumBytes};
    if (above.parent != nullptr && above.parent->kind == VdevKind::Root) {
        MP_TRY(readTopLevel(*node));
        inner.minimumBytes = minimumLeafBytes(*node);
    }
    if (node->kind == VdevKind::Raidz) {
        MP_TRY(checkRaidz(*node));
    }
    if (node->isLeaf()) {
        MP_TRY(buildLeaf(*node, inner));
    } else {
        MP_TRY(buildChildren(*node, inner));
    }
    return node;
}

Status TreeBuilder::buildChildren(Node& node, const Above& inner)
{
    if (node.kind == VdevKind::Hole) {
        node.setState(VdevState::Healthy, VdevAux::None);
        return {};
    }
    if (node.kind == VdevKind::Missing) {
        node.setState(VdevState::CannotOpen, VdevAux::BadGuidSum);
        return {};
    }
    const std::span<const NvList> children = node.config->listArray("children");
    const std::size_t limit =
        node.kind == VdevKind::Root ? VdevTree::kMaxTopLevels : VdevTree::kMaxChildren;
    if (children.empty() || children.size() > limit) {
        return fail(badConfig(node, fmt::format("{} children", children.size())));
    }
    node.children.reserve(children.size());
    for (std::size_t i = 0; i < children.size(); ++i) {
        // NOLINTNEXTLINE(misc-no-recursion): VdevTree::kMaxDepth
        node.children.push_back(MP_TRY(buildNode(children[i], i, inner)));
    }
    node.deriveState();
    return {};
}

Status TreeBuilder::buildLeaf(Node& node, const Above& inner)
{
    if (++m_leaves > VdevTree::kMaxLeaves) {
        return fail(badConfig(node, "too many devices"));
    }
    const auto device = m_devices.find(node.guid);
    const LeafDevice found = device == m_devices.end() ? LeafDevice() : device->second;
    node.leaf = std::make_unique<Leaf>(
        node.guid, std::string(node.config->text("path").value_or("")), found.device, m_context);
    setFirstState(node, found, inner.minimumBytes);
    return {};
}

} // namespace millpond::vdev::detail
