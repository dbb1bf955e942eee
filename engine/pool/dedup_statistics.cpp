// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/dedup_statistics.h"

#include "format/dsl.h"
#include "pool/dedup_table.h"

namespace millpond::pool {

namespace {
/// A histogram: one bucket for each power of two of the reference count, eight words a bucket:
/// blocks, then logical, physical and deflated bytes, and the same four times their references.
/// (OpenZFS include/sys/fs/zfs.h: ddt_stat_t, ddt_histogram_t.)
constexpr std::size_t kBucketWords = 8;
constexpr std::size_t kBlocks = 0;
constexpr std::size_t kDeflated = 3;
constexpr std::size_t kReferencedDeflated = 7;
constexpr std::uint8_t kFirstChecksum = 2;

void addHistogram(const std::vector<std::uint64_t>& words, DedupStatistics& sum)
{
    for (std::size_t at = 0; at + kBucketWords <= words.size(); at += kBucketWords) {
        sum.entries += words[at + kBlocks];
        sum.allocated += words[at + kDeflated];
        sum.referenced += words[at + kReferencedDeflated];
    }
}

void addRecord(const format::DdtLogRecord& record, const Deflation& deflation, DedupStatistics& sum)
{
    for (const format::DdtPhys& variant : record.entry.variants) {
        if (variant.physicalBirth == Txg()) {
            continue;
        }
        std::uint64_t deflated = 0;
        for (const format::Dva& dva : variant.dvas) {
            deflated += deflation.bytes(dva.vdev, dva.allocated.value());
        }
        ++sum.entries;
        sum.allocated += deflated;
        sum.referenced += deflated * variant.references;
    }
}

} // namespace

Result<DedupStatistics> dedupStatistics(const Mos& mos, const Deflation& deflation)
{
    DedupStatistics sum;
    const auto statistics = MP_TRY(mos.number(format::kDdtStatistics));
    for (const object::ZapEntry& entry : MP_TRY(mos.entries(ObjectId(statistics.value_or(0))))) {
        addHistogram(entry.values, sum);
    }
    for (std::uint8_t checksum = kFirstChecksum; checksum < format::kChecksumTypes; ++checksum) {
        const auto type = format::ChecksumType(checksum);
        MP_TRY(forEachDedupLogRecord(mos, type, [&](const format::DdtLogRecord& record) {
            addRecord(record, deflation, sum);
        }));
        sum.tableBytes += MP_TRY(dedupTableBytes(mos, type));
    }
    return sum;
}

} // namespace millpond::pool
