// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format/block_pointer.h"
#include "format/dsl.h"
#include "object/object_set.h"

#include <functional>
#include <vector>

namespace millpond::dataset {

using block::ReadContext;

/// Sums kept with a list of block pointers, in bytes.
struct BlockSums
{
    std::uint64_t allocated = 0, compressed = 0, uncompressed = 0;

    auto operator<=>(const BlockSums&) const = default;
};

/// What a block counts for in lists and in the figures of datasets: `charged` is what it takes (see
/// ChargedBytes). Metadata counts no more uncompressed than compressed [BP_GET_UCSIZE].
[[nodiscard]] BlockSums sumsOf(const format::BlockPointer& pointer, std::uint64_t charged);

/// Called for every block pointer of a list; `freed` matters for livelists only. False stops the
/// walk.
using BlockVisitor = std::function<Result<bool>(const format::BlockPointer&, bool freed)>;

/// A list of block pointers on disk [bpobj], with the lists it includes. Read in batches, so its
/// length costs no memory. Thread-safe.
class BpObject
{
public:
    /// BadDataset for an object that is no such list.
    [[nodiscard]] static Result<BpObject>
    open(object::ObjectSet& mos, ObjectId object, const ReadContext& context = {});

    /// What its header claims, lists included counted.
    [[nodiscard]] const BlockSums& sums() const { return m_sums; }

    [[nodiscard]] bool hasLogicalSums() const
    {
        return m_hasLogicalSums;
    } ///< else only `allocated`

    [[nodiscard]] std::uint64_t ownEntries() const { return m_entries; }

    /// Own entries, then those of the lists included, each once.
    [[nodiscard]] Status forEach(const BlockVisitor& visit, const ReadContext& context = {}) const;
    /// Numbers of the lists included directly.
    [[nodiscard]] Result<std::vector<ObjectId>>
    includedLists(const ReadContext& context = {}) const;
    /// All MOS objects this list is made of (itself, its array of lists, those lists): for the
    /// check.
    [[nodiscard]] Status forEachObject(const std::function<void(ObjectId)>& visit,
                                       const ReadContext& context = {}) const;

private:
    friend class BpObjectWalk;

    BpObject(object::ObjectSet& mos, object::DnodeRef dnode)
        : m_mos(&mos)
        , m_dnode(std::move(dnode))
    {
    }

    object::ObjectSet* m_mos;
    object::DnodeRef m_dnode;
    BlockSums m_sums;
    bool m_hasLogicalSums = false;
    std::uint64_t m_entries = 0;
    ObjectId m_listArray; ///< 0: none
    std::uint64_t m_listCount = 0;
};

/// Datasets being destroyed in the background [bptree]: trees whose blocks are still to be freed.
struct DyingTrees
{
    std::vector<format::BpTreeEntry> trees;
    BlockSums sums; ///< of all of them
};

[[nodiscard]] Result<DyingTrees>
readDyingTrees(object::ObjectSet& mos, ObjectId object, const ReadContext& context = {});

} // namespace millpond::dataset
