// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/dataset_ledger.h"

#include "base/check.h"
#include "dataset/detail/extensible.h"
#include "object/zap.h"

#include <algorithm>

// Sources: OpenZFS module/zfs/dsl_dataset.c (dsl_dataset_block_born, dsl_dataset_block_kill), zio.c
// (zio_checksum_to_feature, zio_compress_to_feature), dsl_bookmark.c.

namespace millpond::dataset {

using format::BookmarkPhys;
using format::ChecksumType;
using object::Zap;
using object::ZapEntry;

namespace {
/// Larger blocks need a feature.
constexpr std::uint64_t kOldMaxBlockBytes = 128 * KiB;

/// The feature a checksum needs; empty: none.
std::string_view featureOf(ChecksumType checksum)
{
    switch (checksum) {
    case ChecksumType::Sha512:
        return "sha512";
    case ChecksumType::Skein:
        return "skein";
    case ChecksumType::EdonR:
        return "edonr";
    case ChecksumType::Blake3:
        return "blake3";
    default:
        return {};
    }
}

bool isLost(const format::BlockPointer& pointer)
{
    return pointer.isHole() || pointer.isRedacted();
}
} // namespace

Status DatasetLedger::begin(LiveTree& tree, const LiveDataset& dataset)
{
    m_changes = {};
    m_freed.clear();
    m_previousTxg = dataset.phys.previousSnapshotTxg;
    m_originTxg = dataset.directory->originTxg;
    m_uniqueToPreviousAfter.reset();
    if (dataset.phys.previousSnapshot.value() != 0) {
        const LiveDataset* previous =
            MP_TRY(tree.dataset(ObjsetId(dataset.phys.previousSnapshot.value())));
        if (previous->phys.nextSnapshot.value() == dataset.id.value()) {
            m_uniqueToPreviousAfter = previous->phys.previousSnapshotTxg;
        }
    }
    return readBookmarks(tree, dataset);
}

/// Those that count what is given up after them, and after which no snapshot came.
Status DatasetLedger::readBookmarks(LiveTree& tree, const LiveDataset& dataset)
{
    ListContext& lists = tree.lists();
    if (!lists.features.isActive("bookmark_written")) {
        return {};
    }
    const auto object =
        MP_TRY(detail::field(lists, ObjectId(dataset.id.value()), format::kDatasetBookmarks));
    if (!object) {
        return {};
    }
    const Zap bookmarks = MP_TRY(Zap::open(lists.mos, ObjectId(*object)));
    return bookmarks.forEach([&](const ZapEntry& entry) -> Result<bool> {
        const BookmarkPhys phys = MP_TRY(BookmarkPhys::decode(entry.values));
        if ((phys.flags & BookmarkPhys::kHasFreedBeforeNext) != 0 &&
            phys.creationTxg >= m_previousTxg) {
            m_changes.bookmarks.push_back({entry.name, phys, false});
        }
        return true;
    });
}

void DatasetLedger::useFeature(std::string_view name)
{
    const format::Feature* feature = format::featureByName(name);
    MP_CHECK(feature != nullptr && feature->perDataset);
    if (std::ranges::find(m_changes.features, feature) == m_changes.features.end()) {
        m_changes.features.push_back(feature);
    }
}

Status DatasetLedger::born(const format::BlockPointer& pointer)
{
    if (isLost(pointer)) {
        return {};
    }
    m_changes.born.add(SpaceDelta::of(sumsOf(pointer, m_charged(pointer))));
    if (pointer.logicalSize().value() > kOldMaxBlockBytes) {
        useFeature("large_blocks");
    }
    if (const std::string_view needed = featureOf(pointer.checksumType()); !needed.empty()) {
        useFeature(needed);
    }
    if (pointer.compression() == format::CompressionType::Zstd) {
        useFeature("zstd_compress");
    }
    return {};
}

Status DatasetLedger::killed(const format::BlockPointer& pointer)
{
    if (isLost(pointer)) {
        return {};
    }
    const BlockSums sums = sumsOf(pointer, m_charged(pointer));
    countForBookmarks(pointer, sums);
    if (pointer.birth() > m_previousTxg) {
        m_changes.killedOwn.add(SpaceDelta::of(sums));
        m_freed.push_back(pointer);
        return {};
    }
    m_changes.killedShared.add(SpaceDelta::of(sums));
    m_changes.dead.push_back(pointer);
    if (m_uniqueToPreviousAfter && pointer.birth() > *m_uniqueToPreviousAfter) {
        m_changes.uniqueToPrevious += sums.allocated;
    }
    if (pointer.birth() > m_originTxg) {
        m_changes.sharedAfterOrigin += sums.allocated;
    }
    return {};
}

/// What the dataset had when a bookmark was made, it gives up after the bookmark.
void DatasetLedger::countForBookmarks(const format::BlockPointer& pointer, const BlockSums& sums)
{
    for (LiveTree::BookmarkCount& bookmark : m_changes.bookmarks) {
        if (pointer.birth() <= bookmark.phys.creationTxg) {
            bookmark.phys.referencedFreedBeforeNext += sums.allocated;
            bookmark.phys.compressedFreedBeforeNext += sums.compressed;
            bookmark.phys.uncompressedFreedBeforeNext += sums.uncompressed;
            bookmark.changed = true;
        }
    }
}

} // namespace millpond::dataset
