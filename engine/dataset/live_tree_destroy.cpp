// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/detail/extensible.h"
#include "dataset/freeing_queue.h"
#include "dataset/live_tree.h"
#include "format/dsl.h"
#include "format/error_log.h"
#include "object/zap.h"
#include "object/zap_writer.h"

#include <fmt/format.h>

#include <algorithm>

// Destroying datasets. All of the MOS' objects that belong to a dataset and its directory go in one
// txg; the dataset's own blocks go to the FreeingQueue.
//
// Sources: OpenZFS module/zfs/dsl_destroy.c (dsl_destroy_head_check_impl,
// dsl_destroy_head_sync_impl, dsl_async_dataset_destroy, dsl_dir_destroy_sync), dsl_deleg.c,
// dsl_dir.c (dsl_dir_remove_livelist), spa.c (spa_prop_clear_bootfs), spa_errlog.c.

namespace millpond::dataset {

using format::BookmarkPhys;
using format::DirUsed;
using object::Zap;
using object::ZapEntry;
using object::ZapWriter;

namespace {

constexpr std::string_view kBootFs = "bootfs";

std::unexpected<Error> busy(const LiveDirectory& directory, std::string_view why)
{
    return fail(ErrorCode::DatasetBusy,
                fmt::format("cannot destroy \"{}\": {}", directory.name, why));
}

} // namespace

bool LiveTree::isOwn(const LiveDirectory& directory) const
{
    return directory.phys.headDataset.value() == 0 || directory.name.starts_with('$');
}

Status LiveTree::checkDestroy(LiveDirectory& directory)
{
    if (directory.parent == nullptr || isOwn(directory)) {
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("\"{}\" cannot be destroyed", directory.name));
    }
    LiveDataset* live = MP_TRY(head(directory));
    const ObjectId previousId = live->phys.previousSnapshot;
    if (previousId.value() != 0) {
        const LiveDataset* previous = MP_TRY(dataset(ObjsetId(previousId.value())));
        if (previous->phys.nextSnapshot.value() == live->id.value()) {
            return busy(directory, "it has snapshots");
        }
        constexpr std::uint64_t kLastClone = 2; // and the next snapshot or live dataset
        if ((previous->phys.flags & format::DatasetFlag::kDeferDestroy) != 0 &&
            previous->phys.childCount == kLastClone && previous->phys.userRefs.value() == 0) {
            return fail(ErrorCode::UnsupportedMethod,
                        "the snapshot it is a clone of would have to be destroyed with it");
        }
    }
    const Zap children = MP_TRY(Zap::open(m_ports.mos, directory.phys.childDirectories));
    if (MP_TRY(children.count()) != 0) {
        return busy(directory, "it has children");
    }
    return {};
}

Status LiveTree::destroyHead(LiveDirectory& directory, FreeingQueue& queue, Txg txg)
{
    MP_TRY(checkDestroy(directory));
    LiveDataset* live = MP_TRY(head(directory));
    MP_TRY(dropLivelist(directory, txg));
    MP_TRY(destroyDataset(*live, queue, txg));
    MP_TRY(destroyDirectory(directory, txg));
    bury(directory, *live, txg);
    return {};
}

Status LiveTree::destroyDataset(LiveDataset& dataset, FreeingQueue& queue, Txg txg)
{
    {
        const MutexLock lock(m_mutex);
        setRefReservation(dataset, 0);
    }
    for (const format::Feature* feature : dataset.features) {
        MP_TRY(m_ports.features.count(feature->name, -1, txg));
    }
    MP_TRY(leaveOrigin(dataset, txg));
    MP_TRY(DeadlistWriter(m_lists, txg).destroy(dataset.phys.deadlist));

    const format::DslDirPhys& phys = dataset.directory->phys;
    const BlockSums sums{phys.usedBytes, phys.compressedBytes, phys.uncompressedBytes};
    useSpace(*dataset.directory, DirUsed::Head, SpaceDelta::of(sums).negated());
    if (!dataset.phys.root.isHole()) {
        MP_TRY(queue.bury({dataset.phys.root, dataset.phys.previousSnapshotTxg, sums}, txg));
    }
    MP_TRY(destroyBookmarks(dataset, txg));
    MP_TRY(forgetEverywhere(dataset.id, txg));
    MP_TRY(m_ports.mos.freeObject(txg, dataset.phys.snapshotNames));
    return detail::freeExtensible(m_lists, ObjectId(dataset.id.value()), txg);
}

/// What joinOrigin() did.
Status LiveTree::leaveOrigin(LiveDataset& dataset, Txg txg)
{
    const ObjectId previous = dataset.phys.previousSnapshot;
    if (previous.value() == 0) {
        return {};
    }
    LiveDataset* origin = MP_TRY(this->dataset(ObjsetId(previous.value())));
    const std::string name = fmt::format("{:x}", dataset.id.value());
    // Older programs left entries out of both.
    for (const ObjectId table : {origin->phys.nextClones, origin->directory->phys.clones}) {
        if (table.value() != 0) {
            MP_TRY(detail::removeIfThere(m_lists, table, name, txg));
        }
    }
    const MutexLock lock(m_mutex);
    --origin->phys.childCount;
    markDirty(*origin);
    return {};
}

Status LiveTree::destroyBookmarks(LiveDataset& dataset, Txg txg)
{
    const auto table =
        MP_TRY(detail::field(m_lists, ObjectId(dataset.id.value()), format::kDatasetBookmarks));
    if (!table) {
        return {};
    }
    const Zap bookmarks = MP_TRY(Zap::open(m_ports.mos, ObjectId(*table)));
    MP_TRY(bookmarks.forEach([&](const ZapEntry& entry) -> Result<bool> {
        const BookmarkPhys phys = MP_TRY(BookmarkPhys::decode(entry.values));
        if (phys.redaction.value() != 0) {
            return fail(ErrorCode::UnsupportedFeature,
                        "a bookmark of a redacted dataset cannot be destroyed");
        }
        if ((phys.flags & BookmarkPhys::kHasFreedBeforeNext) != 0) {
            MP_TRY(m_ports.features.count("bookmark_written", -1, txg));
        }
        return true;
    }));
    MP_TRY(m_ports.mos.freeObject(txg, ObjectId(*table)));
    return m_ports.features.count("bookmarks", -1, txg);
}

/// Pool-wide tables that name datasets.
Status LiveTree::forgetEverywhere(ObjsetId dataset, Txg txg)
{
    const auto inDirectory = [&](std::string_view name) {
        return detail::numberIn(m_lists, format::kPoolDirectoryObject, name);
    };
    if (const auto properties = MP_TRY(inDirectory(format::kPoolProperties))) {
        const ObjectId table(*properties);
        if (MP_TRY(detail::numberIn(m_lists, table, kBootFs)) == dataset.value()) {
            MP_TRY(ZapWriter(m_ports.mos, txg).remove(table, kBootFs));
        }
    }
    if (!m_ports.features.isActive("head_errlog")) {
        return {};
    }
    for (const std::string_view name : {format::kPoolErrorLogScrub, format::kPoolErrorLogLast}) {
        const ObjectId log(MP_TRY(inDirectory(name)).value_or(0));
        const std::string key = fmt::format("{:x}", dataset.value());
        if (const auto errors = MP_TRY(detail::numberIn(m_lists, log, key))) {
            MP_TRY(ZapWriter(m_ports.mos, txg).remove(log, key));
            MP_TRY(m_ports.mos.freeObject(txg, ObjectId(*errors)));
        }
    }
    return {};
}

Status LiveTree::destroyDirectory(LiveDirectory& directory, Txg txg)
{
    const format::DslDirPhys& phys = directory.phys;
    LiveDirectory& parent = *directory.parent;
    MP_TRY(countBelow(parent, format::kDirFilesystemCount, -1, txg));
    {
        const MutexLock lock(m_mutex);
        setReservation(directory, 0);
    }
    for (const ObjectId table : {phys.childDirectories, phys.properties, phys.clones}) {
        if (table.value() != 0) {
            MP_TRY(m_ports.mos.freeObject(txg, table));
        }
    }
    if (phys.permissions.value() != 0) {
        const Zap permissions = MP_TRY(Zap::open(m_ports.mos, phys.permissions));
        MP_TRY(permissions.forEach([&](const ZapEntry& entry) -> Result<bool> {
            MP_TRY(m_ports.mos.freeObject(txg, ObjectId(entry.first())));
            return true;
        }));
        MP_TRY(m_ports.mos.freeObject(txg, phys.permissions));
    }
    MP_TRY(ZapWriter(m_ports.mos, txg).remove(parent.phys.childDirectories, directory.name));
    return detail::freeExtensible(m_lists, directory.object, txg);
}

/// Out of the tree; kept for a while for whoever was admitted to it.
void LiveTree::bury(LiveDirectory& directory, LiveDataset& dataset, Txg txg)
{
    const MutexLock lock(m_mutex);
    directory.dirty = false;
    dataset.dirty = false;
    auto oldDirectory = m_directories.extract(directory.object);
    auto oldDataset = m_datasets.extract(dataset.id);
    m_buried.emplace(txg, Grave{std::move(oldDirectory.mapped()), std::move(oldDataset.mapped())});
}

// --- Livelists ---

Status LiveTree::dropLivelist(LiveDirectory& directory, Txg txg)
{
    const auto list = MP_TRY(detail::field(m_lists, directory.object, format::kDirLivelist));
    if (!list) {
        return {};
    }
    MP_TRY(ZapWriter(m_ports.mos, txg).remove(directory.object, format::kDirLivelist));
    MP_TRY(DeadlistWriter(m_lists, txg).destroy(ObjectId(*list)));
    return m_ports.features.count("livelist", -1, txg);
}

Status LiveTree::dropLivelists(Txg txg)
{
    if (!m_ports.features.isActive("livelist")) {
        return {};
    }
    std::vector<LiveDirectory*> pending{m_root};
    while (!pending.empty()) {
        LiveDirectory* at = pending.back();
        pending.pop_back();
        MP_TRY(dropLivelist(*at, txg));
        for (const std::string& name : MP_TRY(childNames(*at))) {
            pending.push_back(MP_TRY(child(*at, name)));
        }
    }
    return {};
}

} // namespace millpond::dataset
