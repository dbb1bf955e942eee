// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/function_ref.h"
#include "dataset/bp_object.h"
#include "dataset/deadlist.h"
#include "dataset/feature_counts.h"
#include "object/live_object_set.h"

#include <optional>
#include <span>

namespace millpond::dataset {

/// What the writers of lists share. Lives as long as they do.
struct ListContext
{
    object::LiveObjectSet& mos;
    FeatureCounts& features;
    std::uint64_t version = 0; ///< of the pool
    /// What blocks count for; set.
    ChargedBytes charged;
};

/// Changes lists of block pointers [bpobj]. Syncing context, one thread.
class BpObjectWriter
{
public:
    BpObjectWriter(ListContext& context, Txg txg)
        : m_context(context)
        , m_txg(txg)
    {
    }

    /// An empty list. `blockBytes` is the size of its blocks.
    [[nodiscard]] Result<ObjectId> create(std::uint32_t blockBytes = kUsualBlockBytes);
    /// An empty list that is not written to before append() has been told: with the feature
    /// empty_bpobj one object stands for all of them.
    [[nodiscard]] Result<ObjectId> createEmpty();
    /// Puts pointers at the end. `freed` is for livelists only. The list must not be the pool's
    /// shared empty one: see isSharedEmpty().
    [[nodiscard]] Status
    append(ObjectId list, std::span<const format::BlockPointer> pointers, bool freed = false);
    /// Removes all entries of a list without sublists, keeping it.
    [[nodiscard]] Status clear(ObjectId list);
    /// Takes entries away, those of lists included too, as long as `take` says true; emptied lists
    /// that were included are freed. True: nothing is left. An error of `take` leaves the entries
    /// it was called for in an undefined state.
    using Take = FunctionRef<Result<bool>(const format::BlockPointer& pointer)>;
    [[nodiscard]] Result<bool> drain(ObjectId list, Take take);
    /// Frees a list with all it includes.
    [[nodiscard]] Status destroy(ObjectId list);

    /// The object standing for all empty lists, if `list` is it.
    [[nodiscard]] Result<bool> isSharedEmpty(ObjectId list);
    /// One list less that the shared one stands for.
    [[nodiscard]] Status releaseSharedEmpty();

    static constexpr std::uint32_t kUsualBlockBytes = 128 * 1024;

private:
    [[nodiscard]] Result<std::optional<ObjectId>> sharedEmpty();
    [[nodiscard]] Result<bool> drainEntries(std::span<const ObjectId> path, Take take);
    [[nodiscard]] Status dropLastIncluded(ObjectId list, ObjectId included);

    ListContext& m_context;
    Txg m_txg;
};

/// Changes deadlists [dsl_deadlist]. Syncing context, one thread.
class DeadlistWriter
{
public:
    DeadlistWriter(ListContext& context, Txg txg)
        : m_context(context)
        , m_lists(context, txg)
        , m_txg(txg)
    {
    }

    /// Without groups.
    [[nodiscard]] Result<ObjectId> create();
    /// With an empty group for each of the other one's groups below `before`
    /// [dsl_deadlist_clone]. Pools before version 26 get a list without groups.
    [[nodiscard]] Result<ObjectId> cloneGroups(ObjectId deadlist, Txg before);
    /// Begins a group for blocks born after `txg` [dsl_deadlist_add_key].
    [[nodiscard]] Status addGroup(ObjectId deadlist, Txg txg);
    /// Each pointer goes into the group with the largest txg below its birth.
    [[nodiscard]] Status insert(ObjectId deadlist, std::span<const format::BlockPointer> pointers);
    [[nodiscard]] Status destroy(ObjectId deadlist);

private:
    [[nodiscard]] bool oldFormat() const;

    ListContext& m_context;
    BpObjectWriter m_lists;
    Txg m_txg;
};

} // namespace millpond::dataset
