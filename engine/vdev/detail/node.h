// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "vdev/detail/leaf.h"
#include "vdev/vdev.h"

#include <atomic>
#include <memory>
#include <vector>

namespace millpond::vdev::detail {

/// One vdev of the tree. Everything but state and counters is fixed once built.
class Node
{
public:
    VdevKind kind = VdevKind::Root;
    VdevGuid guid;
    std::uint64_t id = 0;
    std::uint32_t parity = 0;
    std::uint64_t ashift = 0; ///< of a top-level vdev
    std::uint64_t asize = 0;  ///< of a top-level vdev
    AllocationClass allocationClass = AllocationClass::Normal;
    bool wholeDisk = false;
    std::uint64_t dtlObject = 0;
    const format::NvList* config = nullptr;
    Node* parent = nullptr;
    std::vector<std::unique_ptr<Node>> children;
    std::unique_ptr<Leaf> leaf;
    bool notPresent = false;
    std::atomic<std::uint64_t> checksumErrors = 0; ///< for which no leaf is to blame

    [[nodiscard]] VdevState state() const { return m_state.load(std::memory_order_relaxed); }

    [[nodiscard]] VdevAux aux() const { return m_aux.load(std::memory_order_relaxed); }

    /// Callers of a tree in use hold its state lock.
    void setState(VdevState state, VdevAux aux);

    /// Counts in its parent's health: not a hole.
    [[nodiscard]] bool concrete() const { return kind != VdevKind::Hole; }

    [[nodiscard]] bool readable() const
    {
        return state() >= VdevState::Degraded && kind != VdevKind::Hole &&
               kind != VdevKind::Missing;
    }

    /// A mirror of its children: mirror, spare, replacing.
    [[nodiscard]] bool isMirrorLike() const
    {
        return kind == VdevKind::Mirror || kind == VdevKind::Spare || kind == VdevKind::Replacing;
    }

    [[nodiscard]] bool isLeaf() const { return kind == VdevKind::Disk || kind == VdevKind::File; }

    /// From its children's states; leaves, holes and missing vdevs keep theirs.
    void deriveState();

    /// "mirror-0", "raidz2-1", …; of a leaf its path.
    [[nodiscard]] std::string name() const;

private:
    std::atomic<VdevState> m_state = VdevState::Unknown;
    std::atomic<VdevAux> m_aux = VdevAux::None;
};

/// The leaves at or below a leaf or a mirror-like vdev: all hold the same bytes at the same
/// offsets.
[[nodiscard]] std::vector<Leaf*> leavesOf(const Node& node);

} // namespace millpond::vdev::detail
