// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "block/block_source.h"
#include "dataset/live_tree.h"

#include <chrono>
#include <optional>
#include <span>

namespace millpond::dataset {

/// Where blocks go that nothing refers to any more. Implemented by pool/. Syncing context.
class FreeSink
{
public:
    virtual ~FreeSink() = default;
    /// The block's space is given back in `txg` or a later one.
    [[nodiscard]] virtual Status free(const format::BlockPointer& pointer, Txg txg) = 0;
};

/// All outlive the queue.
struct FreeingPorts
{
    LiveTree& tree;
    block::BlockSource& blocks;
    FreeSink& frees;
    const Clock& clock;
};

/// What is freed in the background: object sets of datasets that were destroyed [bptree], and
/// single blocks whose freeing takes time [free_bpobj]. Both are on disk, and survive. Theory
/// statement: freeing_queue.cpp. Syncing context, one thread.
class FreeingQueue
{
public:
    explicit FreeingQueue(const FreeingPorts& ports)
        : m_ports(ports)
    {
    }

    /// Of a new pool, after LiveTree::create(). Pools before version 26 have no such queue: then
    /// everything is freed at once.
    [[nodiscard]] Status create(Txg txg);
    [[nodiscard]] Status open();

    /// The blocks of an object set that were born after `birth`. `sums`: what they count for, given
    /// up by their directory before; it counts as being freed now.
    struct Dead
    {
        format::BlockPointer root;
        Txg birth;
        BlockSums sums;
    };

    [[nodiscard]] Status bury(const Dead& dead, Txg txg);
    /// Single blocks: gangs, deduplicated and cloned ones.
    [[nodiscard]] Status add(std::span<const format::BlockPointer> pointers, Txg txg);

    struct Budget
    {
        std::uint64_t blocks = ~std::uint64_t{0};
        std::chrono::nanoseconds time = std::chrono::nanoseconds::max();
    };

    struct Progress
    {
        std::uint64_t blocks = 0; ///< freed
        bool more = false;        ///< something is left
        /// Blocks can't be read, whose trees wait until they can: nothing else is left to do.
        bool stalled = false;
        std::optional<Error> damage; ///< the first
    };

    /// Frees as much as the budget allows, and a little more: it is only looked at before blocks of
    /// data and of dnodes. Once in a txg, before the MOS is synced. What can't be read is passed
    /// over, and tried again the next time. Errors: of the MOS, and of the sink.
    [[nodiscard]] Result<Progress> work(const Budget& budget, Txg txg);

    /// Whether there is anything to do.
    [[nodiscard]] Result<bool> isEmpty() const;

private:
    class Run;

    [[nodiscard]] Result<format::BpTreePhys> readTrees() const;
    [[nodiscard]] Status writeTrees(const format::BpTreePhys& phys, Txg txg);
    [[nodiscard]] Status createTrees(Txg txg);
    [[nodiscard]] Status freeTrees(Run& run);
    [[nodiscard]] Status endTrees(Txg txg);
    [[nodiscard]] Result<format::BpTreeEntry> readEntry(std::uint64_t index) const;
    [[nodiscard]] Status writeEntry(std::uint64_t index, const format::BpTreeEntry& entry, Txg txg);
    [[nodiscard]] Status freeList(Run& run);

    [[nodiscard]] object::LiveObjectSet& mos() const { return m_ports.tree.lists().mos; }

    FreeingPorts m_ports;
    ObjectId m_trees; ///< 0: no tree is being freed
    ObjectId m_list;  ///< 0: old pools
};

} // namespace millpond::dataset
