// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/dedup_statistics.h"

#include "format/dsl.h"
#include "pool/dedup_table.h"

#include <algorithm>
#include <bit>

namespace millpond::pool {

namespace {
/// A histogram: one bucket for each power of two of the reference count, eight words a bucket in
/// the order of DedupBucket. (OpenZFS include/sys/fs/zfs.h: ddt_stat_t, ddt_histogram_t.)
constexpr std::size_t kBucketWords = 8;
/// What one entry of a log takes in memory beside its variants: key, tree node, type and class.
/// (OpenZFS include/sys/ddt_impl.h: ddt_log_entry_t.)
constexpr std::uint64_t kLogEntryBytes = 72;
constexpr std::uint8_t kFirstChecksum = 2;

void addHistogram(const std::vector<std::uint64_t>& words, DedupStatistics& sum)
{
    const std::size_t buckets = std::min(words.size() / kBucketWords, sum.histogram.size());
    for (std::size_t i = 0; i < buckets; ++i) {
        const std::uint64_t* at = &words[i * kBucketWords];
        const DedupBucket bucket{at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7]};
        sum.histogram[i].add(bucket);
        sum.total.add(bucket);
    }
}

void addRecord(const format::DdtLogRecord& record, const Deflation& deflation, DedupStatistics& sum)
{
    DedupBucket entry;
    for (const format::DdtPhys& variant : record.entry.variants) {
        if (variant.physicalBirth == Txg()) {
            continue;
        }
        DedupBucket one;
        one.blocks = 1;
        one.logical = record.key.logicalSize().value();
        one.physical = record.key.physicalSize().value();
        for (const format::Dva& dva : variant.dvas) {
            one.deflated += deflation.bytes(dva.vdev, dva.allocated.value());
        }
        one.referencedBlocks = variant.references;
        one.referencedLogical = one.logical * variant.references;
        one.referencedPhysical = one.physical * variant.references;
        one.referencedDeflated = one.deflated * variant.references;
        entry.add(one);
    }
    if (entry.referencedBlocks != 0) {
        sum.histogram[static_cast<std::size_t>(std::bit_width(entry.referencedBlocks) - 1)].add(
            entry);
    }
    sum.total.add(entry);
    sum.memoryBytes += kLogEntryBytes + (record.entry.flat ? format::DdtEntry::kFlatBytes
                                                           : format::DdtEntry::kLegacyBytes);
}

} // namespace

void DedupBucket::add(const DedupBucket& other)
{
    blocks += other.blocks;
    logical += other.logical;
    physical += other.physical;
    deflated += other.deflated;
    referencedBlocks += other.referencedBlocks;
    referencedLogical += other.referencedLogical;
    referencedPhysical += other.referencedPhysical;
    referencedDeflated += other.referencedDeflated;
}

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
        const DedupTableSize size = MP_TRY(dedupTableSize(mos, type));
        sum.tableBytes += size.diskBytes;
        sum.memoryBytes += size.memoryBytes;
    }
    return sum;
}

} // namespace millpond::pool
