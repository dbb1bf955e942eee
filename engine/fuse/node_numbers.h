// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/types.h"

#include <atomic>
#include <compare>
#include <optional>

namespace millpond::fuse {

/// What a node of a mount is.
enum class NodeKind : std::uint8_t
{
    Object,           ///< a file or directory of a dataset or snapshot
    ControlDirectory, ///< a dataset's .zfs
    SnapshotFolder,   ///< a dataset's .zfs/snapshot
    DatasetFolder,    ///< the place of a dataset: its root directory where it is shown
};

struct Node
{
    NodeKind kind = NodeKind::Object;
    ObjsetId objset; ///< the dataset, also of the kinds that are no object of it
    ObjectId object; ///< Object only

    auto operator<=>(const Node&) const = default;
};

/// Names of nodes: one 64-bit number that is both what the kernel calls a node and st_ino, made of
/// object set (24 bits) and object (40 bits) and nothing else, so that it is the same after every
/// mount. The dataset at the mount's root shows plain object numbers (object set 0). Nodes that are
/// no objects have object set 0xffffff, and their kind and dataset in the object's place. The only
/// exception is the root: the kernel calls it 1, which no object of a dataset can be called (object
/// 1 is its master node), while its st_ino is a number like any other. Thread-safe.
class NodeNumbers
{
public:
    /// `root` is the dataset at the mount's root.
    explicit NodeNumbers(ObjsetId root)
        : m_root(root)
    {
    }

    [[nodiscard]] ObjsetId root() const { return m_root; }

    /// Known once the dataset at the root is shown.
    void setRootObject(ObjectId object) { m_rootObject.store(object.value()); }

    /// The kernel's name. Nothing when it does not fit, or is none that a node can have.
    [[nodiscard]] std::optional<std::uint64_t> nodeId(const Node& node) const;
    /// st_ino; the same but for the root. 0 for what has no name.
    [[nodiscard]] std::uint64_t inode(const Node& node) const;
    /// The way back; the root is the DatasetFolder of its dataset. Numbers that cannot be names are
    /// nothing.
    [[nodiscard]] std::optional<Node> node(std::uint64_t nodeId) const;

    /// False for a dataset that has to be the root of a mount of its own.
    [[nodiscard]] static bool fits(ObjsetId objset);

    static constexpr std::uint64_t kRootId = 1;

private:
    [[nodiscard]] std::optional<std::uint64_t> encode(const Node& node) const;
    [[nodiscard]] std::optional<std::uint64_t> number(ObjsetId objset) const;

    const ObjsetId m_root;
    std::atomic<std::uint64_t> m_rootObject = 0;
};

} // namespace millpond::fuse
