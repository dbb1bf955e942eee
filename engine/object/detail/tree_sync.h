// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "object/detail/live_object.h"
#include "object/live_object_set.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace millpond::object::detail {

/// A level 0 block to be written.
struct LeafWrite
{
    std::uint64_t index = 0;
    BufferRef data; ///< null: made by TreeJob::makeLeaf when its turn comes
    ByteOrder order = ByteOrder::Little;
    std::uint64_t fill = 1;
};

/// One object's tree: what is to be changed in it, and what comes of it.
struct TreeJob
{
    DnodeRef old; ///< as on disk, or an empty tree of the new shape
    /// In: as it is to be, with the tree of `old`. Out: levels, pointers, spill, usedBytes as well.
    Dnode dnode;
    std::vector<LeafWrite> leaves; ///< ascending
    /// None of them in `leaves`.
    BlockRanges holes;
    bool freeAll = false; ///< the object goes: every block, the spill block too
    BufferRef spill;      ///< to be written
    bool dropSpill = false;
    std::function<Result<LeafWrite>(std::uint64_t)> makeLeaf;

    /// What the passes hand each other: new pointers of a level by block number.
    std::map<std::uint64_t, format::BlockPointer> pointers;
    std::map<std::uint64_t, format::BlockPointer> nextPointers;
    /// Holes made on each level by freeing.
    std::vector<std::map<std::uint64_t, format::BlockPointer>> freedAt;
    /// The dnode's pointers of before it got more levels: first content of block 0 of this level.
    std::vector<format::BlockPointer> seeds;
    unsigned seedLevel = 0; ///< 0: none
};

/// Writes the trees of many objects bottom-up: level by level, all objects of a level together, in
/// batches of bounded memory. Frees first what became holes. For one thread (the sync's); reads and
/// writes are parallel.
class TreeSync
{
public:
    TreeSync(block::BlockSource& source, SyncContext& context, bool holeBirth)
        : m_source(source)
        , m_context(context)
        , m_holeBirth(holeBirth)
    {
    }

    [[nodiscard]] Status run(std::span<TreeJob> jobs);

    /// Tells the ledger what a write came to and keeps the dnode's used bytes; for blocks outside
    /// trees, too.
    [[nodiscard]] Status account(const block::WriteRequest& request, std::uint64_t& usedBytes);
    [[nodiscard]] Status kill(const format::BlockPointer& pointer, std::uint64_t& usedBytes);

private:
    struct Parent;
    struct Batch;

    Status freeHoles(TreeJob& job);
    Result<format::BlockPointer> freeBelow(TreeJob& job,
                                           const format::BlockPointer& pointer,
                                           unsigned level,
                                           std::uint64_t index,
                                           std::uint64_t first,
                                           std::uint64_t last);
    Result<BufferRef> readIndirect(const TreeJob& job,
                                   const format::BlockPointer& pointer,
                                   unsigned level,
                                   std::uint64_t index);
    void addLevels(TreeJob& job) const;
    Status writeSpills(std::span<TreeJob> jobs);
    Status runLevel(std::span<TreeJob> jobs, unsigned level);
    Status runBatch(std::span<Parent> parents, unsigned level);
    Status loadParent(Parent& parent, unsigned level);
    Status writeLeaves(std::span<Parent> parents);
    Status writeParents(std::span<Parent> parents, unsigned level);
    [[nodiscard]] format::BlockPointer hole(const format::BlockPointer& before,
                                            std::uint8_t type,
                                            unsigned level,
                                            std::uint64_t size) const;
    [[nodiscard]] block::WriteProperties
    policy(const Dnode& dnode, unsigned level, bool spill) const;

    block::BlockSource& m_source;
    SyncContext& m_context;
    bool m_holeBirth;
};

} // namespace millpond::object::detail
