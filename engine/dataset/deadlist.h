// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/bp_object.h"

#include <map>

namespace millpond::dataset {

/// The blocks a dataset no longer references but its previous snapshot does [dsl_deadlist], grouped
/// by the snapshot after which they were born. Also what a livelist is made of. Thread-safe.
class Deadlist
{
public:
    /// `object` 0 is an empty list. Old pools (before version 26) keep one BpObject, shown as one
    /// group with key 0.
    [[nodiscard]] static Result<Deadlist>
    open(object::ObjectSet& mos, ObjectId object, const ReadContext& context = {});

    [[nodiscard]] const BlockSums& sums() const { return m_sums; }

    [[nodiscard]] bool isOldFormat() const { return m_old; }

    /// Smallest birth txg (exclusive) of a group → its list.
    [[nodiscard]] const std::map<Txg, ObjectId>& groups() const { return m_groups; }

    [[nodiscard]] Status forEach(const BlockVisitor& visit, const ReadContext& context = {}) const;
    /// Sums of the blocks born after `minimum` and up to `maximum`, at the resolution of the
    /// groups: exact where both are txgs of snapshots.
    [[nodiscard]] Result<BlockSums>
    sumsBetween(Txg minimum, Txg maximum, const ReadContext& context = {}) const;

private:
    explicit Deadlist(object::ObjectSet& mos)
        : m_mos(&mos)
    {
    }

    object::ObjectSet* m_mos;
    BlockSums m_sums;
    bool m_old = false;
    std::map<Txg, ObjectId> m_groups;
};

} // namespace millpond::dataset
