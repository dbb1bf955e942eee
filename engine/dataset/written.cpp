// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/written.h"

namespace millpond::dataset {

namespace {

/// A walk back through the snapshots of a dataset down to a txg, adding up what died in between of
/// what was born before it.
struct WalkBack
{
    format::DslDatasetPhys last; ///< its previous snapshot is not newer than the txg
    std::uint64_t freed = 0;     ///< bytes that older data lost in the snapshots passed
};

Result<WalkBack> walkBack(DatasetTree& tree,
                          const Dataset& now,
                          Txg then,
                          const ChargedBytes& charged,
                          const ReadContext& context)
{
    WalkBack walk{.last = now.phys};
    while (walk.last.previousSnapshotTxg > then) {
        const auto deadlist = MP_TRY(Deadlist::open(tree.mos(), walk.last.deadlist, context));
        walk.freed += MP_TRY(deadlist.sumsOf({Txg(0), then}, charged, context)).allocated;
        const ObjsetId id(walk.last.previousSnapshot.value());
        auto previous = MP_TRY(tree.stored(id, context));
        if (previous.previousSnapshotTxg >= walk.last.previousSnapshotTxg) {
            // Without this a ring of snapshots would never end.
            return fail(ErrorCode::BadDataset,
                        "the chain of snapshots is not in order of creation",
                        {.objset = id, .dataset = now.name()});
        }
        walk.last = previous;
    }
    return walk;
}

} // namespace

Result<std::optional<std::uint64_t>>
writtenSincePrevious(DatasetTree& tree, const Dataset& now, const ReadContext& context)
{
    if (now.phys.previousSnapshot.value() == 0) {
        return std::nullopt;
    }
    const auto previous = MP_TRY(tree.stored(ObjsetId(now.phys.previousSnapshot.value()), context));
    const auto deadlist = MP_TRY(Deadlist::open(tree.mos(), now.phys.deadlist, context));
    return now.phys.referencedBytes - previous.referencedBytes + deadlist.sums().allocated;
}

Result<std::optional<std::uint64_t>> writtenSince(DatasetTree& tree,
                                                  const Dataset& then,
                                                  const Dataset& now,
                                                  const ChargedBytes& charged,
                                                  const ReadContext& context)
{
    const auto walk = MP_TRY(walkBack(tree, now, then.phys.creationTxg, charged, context));
    if (walk.last.previousSnapshot.value() != then.id.value()) {
        return std::nullopt;
    }
    const auto deadlist = MP_TRY(Deadlist::open(tree.mos(), walk.last.deadlist, context));
    return now.phys.referencedBytes - then.phys.referencedBytes + walk.freed +
           deadlist.sums().allocated;
}

Result<std::optional<std::uint64_t>> writtenSince(DatasetTree& tree,
                                                  const Bookmark& then,
                                                  const Dataset& now,
                                                  const ChargedBytes& charged,
                                                  const ReadContext& context)
{
    // A bookmark of a dataset that this one was cloned from counts too, if it is older than the
    // origin.
    DirectoryRef place = now.directory;
    bool related = place->object == then.directory->object;
    Txg newest = now.isSnapshot() ? now.phys.creationTxg : Txg(~std::uint64_t{0});
    while (!related) {
        const DatasetRef origin = MP_TRY(tree.origin(*place, context));
        if (!origin || origin->phys.creationTxg >= newest) {
            return std::nullopt;
        }
        newest = origin->phys.creationTxg;
        place = origin->directory;
        related = place->object == then.directory->object;
    }
    if (then.phys.creationTxg >= newest ||
        (then.phys.flags & format::BookmarkPhys::kHasFreedBeforeNext) == 0) {
        return std::nullopt;
    }
    const auto walk = MP_TRY(walkBack(tree, now, then.phys.creationTxg, charged, context));
    return now.phys.referencedBytes - then.phys.referencedBytes + walk.freed +
           then.phys.referencedFreedBeforeNext;
}

} // namespace millpond::dataset
