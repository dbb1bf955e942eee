// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuse/node_numbers.h"

namespace millpond::fuse {

namespace {
constexpr unsigned kObjectBits = 40;
constexpr unsigned kObjsetBits = 24;
constexpr std::uint64_t kObjectLimit = std::uint64_t{1} << kObjectBits;
constexpr std::uint64_t kNoObjset = (std::uint64_t{1} << kObjsetBits) - 1;
} // namespace

bool NodeNumbers::fits(ObjsetId objset)
{
    return objset.value() != 0 && objset.value() < kNoObjset;
}

std::optional<std::uint64_t> NodeNumbers::number(ObjsetId objset) const
{
    if (objset == m_root) {
        return 0;
    }
    return fits(objset) ? std::optional(objset.value()) : std::nullopt;
}

std::optional<std::uint64_t> NodeNumbers::encode(const Node& node) const
{
    const std::optional<std::uint64_t> objset = number(node.objset);
    if (!objset) {
        return std::nullopt;
    }
    if (node.kind != NodeKind::Object) {
        const std::uint64_t kind = static_cast<std::uint8_t>(node.kind);
        return kNoObjset << kObjectBits | kind << kObjsetBits | *objset;
    }
    const std::uint64_t object = node.object.value();
    if (object == 0 || object >= kObjectLimit) {
        return std::nullopt;
    }
    return *objset << kObjectBits | object;
}

std::optional<std::uint64_t> NodeNumbers::nodeId(const Node& node) const
{
    const bool isRoot =
        node.objset == m_root && (node.kind == NodeKind::DatasetFolder ||
                                  (node.kind == NodeKind::Object && node.object != ObjectId() &&
                                   node.object.value() == m_rootObject.load()));
    if (isRoot) {
        return kRootId;
    }
    const std::optional<std::uint64_t> id = encode(node);
    return id == kRootId ? std::nullopt : id;
}

std::uint64_t NodeNumbers::inode(const Node& node) const
{
    return encode(node).value_or(0);
}

std::optional<Node> NodeNumbers::node(std::uint64_t nodeId) const
{
    if (nodeId == kRootId) {
        return Node{NodeKind::DatasetFolder, m_root, {}};
    }
    const auto objsetOf = [this](std::uint64_t number) {
        return number == 0 ? m_root : ObjsetId(number);
    };
    const std::uint64_t objset = nodeId >> kObjectBits;
    const std::uint64_t object = nodeId & (kObjectLimit - 1);
    if (objset != kNoObjset) {
        return object == 0
                   ? std::nullopt
                   : std::optional(Node{NodeKind::Object, objsetOf(objset), ObjectId(object)});
    }
    const std::uint64_t kind = object >> kObjsetBits;
    if (kind == 0 || kind > static_cast<std::uint64_t>(NodeKind::DatasetFolder)) {
        return std::nullopt;
    }
    return Node{static_cast<NodeKind>(kind), objsetOf(object & kNoObjset), {}};
}

} // namespace millpond::fuse
