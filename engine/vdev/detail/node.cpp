// SPDX-License-Identifier: GPL-3.0-or-later
// How a parent's health follows from its children's: facts from OpenZFS' vdev.c
// (vdev_propagate_state), vdev_root.c, vdev_mirror.c and vdev_raidz.c.
#include "vdev/detail/node.h"

#include <algorithm>

#include <fmt/format.h>

namespace millpond::vdev::detail {

namespace {

struct Tally
{
    std::size_t concrete = 0;
    std::size_t faulted = 0;
    std::size_t degraded = 0;
    std::size_t offline = 0;
    std::size_t corrupt = 0;
    std::size_t data = 0; ///< top-level vdevs that are no logs
};

Tally tallyOf(const Node& node)
{
    Tally tally;
    for (const auto& child : node.children) {
        if (!child->concrete()) {
            continue;
        }
        const bool isLog =
            node.kind == VdevKind::Root && child->allocationClass == AllocationClass::Log;
        ++tally.concrete;
        tally.data += isLog ? 0U : 1U;
        tally.offline += child->state() == VdevState::Offline ? 1U : 0U;
        tally.corrupt += child->aux() == VdevAux::CorruptData ? 1U : 0U;
        if (!child->readable()) {
            // A pool can live without its log.
            ++(isLog ? tally.degraded : tally.faulted);
        } else if (child->state() == VdevState::Degraded) {
            ++tally.degraded;
        }
    }
    return tally;
}

void deriveRoot(Node& root, const Tally& tally)
{
    if (tally.faulted > 0 || tally.data == 0) {
        root.setState(VdevState::CannotOpen,
                      tally.corrupt > 0 ? VdevAux::CorruptData : VdevAux::NoReplicas);
    } else {
        root.setState(tally.degraded > 0 ? VdevState::Degraded : VdevState::Healthy, VdevAux::None);
    }
}

} // namespace

void Node::setState(VdevState state, VdevAux aux)
{
    m_state.store(state, std::memory_order_relaxed);
    m_aux.store(aux, std::memory_order_relaxed);
    if (leaf) {
        leaf->setReadable(state >= VdevState::Degraded);
    }
}

void Node::deriveState()
{
    if (kind != VdevKind::Root && kind != VdevKind::Raidz && !isMirrorLike()) {
        return;
    }
    const Tally tally = tallyOf(*this);
    if (kind == VdevKind::Root) {
        deriveRoot(*this, tally);
        return;
    }
    const bool lost =
        kind == VdevKind::Raidz ? tally.faulted > parity : tally.faulted == tally.concrete;
    if (lost && kind != VdevKind::Raidz && tally.offline == tally.concrete) {
        setState(VdevState::Offline, VdevAux::ChildrenOffline);
    } else if (lost) {
        setState(VdevState::CannotOpen, VdevAux::NoReplicas);
    } else {
        const bool whole = tally.faulted + tally.degraded == 0;
        setState(whole ? VdevState::Healthy : VdevState::Degraded, VdevAux::None);
    }
}

std::string Node::name() const
{
    if (isLeaf()) {
        return leaf->path();
    }
    switch (kind) {
    case VdevKind::Root:
        return "root";
    case VdevKind::Raidz:
        return fmt::format("raidz{}-{}", parity, id);
    default:
        return fmt::format("{}-{}", kindText(kind), id);
    }
}

std::vector<Leaf*> leavesOf(const Node& node)
{
    if (node.isLeaf()) {
        return {node.leaf.get()};
    }
    std::vector<Leaf*> leaves;
    for (const auto& child : node.children) {
        // NOLINTNEXTLINE(misc-no-recursion): VdevTree::kMaxDepth
        const std::vector<Leaf*> below = leavesOf(*child);
        leaves.insert(leaves.end(), below.begin(), below.end());
    }
    return leaves;
}

} // namespace millpond::vdev::detail
