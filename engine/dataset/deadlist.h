// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/bp_object.h"

#include <map>

namespace millpond::dataset {

/// What a block counts for in the accounting of datasets, in bytes: its allocated size, deflated on
/// raidz. Only the pool knows; null stands for the allocated size.
using ChargedBytes = std::function<std::uint64_t(const format::BlockPointer&)>;

/// The blocks a dataset no longer references but its previous snapshot does [dsl_deadlist], grouped
/// by the snapshot after which they were born. Also what a livelist is made of. Thread-safe.
class Deadlist
{
public:
    /// `object` 0 is an empty list. Pools before version 26 keep a single BpObject: one group with
    /// key 0. BadDataset when it is neither.
    [[nodiscard]] static Result<Deadlist>
    open(object::ObjectSet& mos, ObjectId object, const ReadContext& context = {});

    /// What the list's header claims.
    [[nodiscard]] const BlockSums& sums() const { return m_sums; }

    [[nodiscard]] bool isOldFormat() const { return m_old; }

    /// Txg after which a group's blocks were born → its list.
    [[nodiscard]] const std::map<Txg, ObjectId>& groups() const { return m_groups; }

    [[nodiscard]] Status forEach(const BlockVisitor& visit, const ReadContext& context = {}) const;

    /// Sums of the blocks born after `after` and up to `upTo`; exact where both are txgs of
    /// snapshots. The old format has no groups: it is read through, and `charged` asked.
    struct Range
    {
        Txg after, upTo;
    };

    [[nodiscard]] Result<BlockSums>
    sumsOf(Range range, const ChargedBytes& charged, const ReadContext& context = {}) const;

private:
    explicit Deadlist(object::ObjectSet& mos)
        : m_mos(&mos)
    {
    }

    Status readGroups(object::DnodeRef dnode, const ReadContext& context);

    object::ObjectSet* m_mos;
    BlockSums m_sums;
    bool m_old = false;
    std::map<Txg, ObjectId> m_groups;
};

} // namespace millpond::dataset
