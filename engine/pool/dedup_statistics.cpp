// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/dedup_statistics.h"

#include "format/ddt.h"
#include "format/dsl.h"

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

void addRecord(const format::DdtLogRecord& record,
               const DeflatedSize& deflatedSize,
               DedupStatistics& sum)
{
    for (const format::DdtPhys& variant : record.entry.variants) {
        if (variant.physicalBirth == Txg()) {
            continue;
        }
        std::uint64_t deflated = 0;
        for (const format::Dva& dva : variant.dvas) {
            deflated += deflatedSize(dva);
        }
        ++sum.entries;
        sum.allocated += deflated;
        sum.referenced += deflated * variant.references;
    }
}

Status addLog(const Mos& mos, ObjectId log, const DeflatedSize& deflatedSize, DedupStatistics& sum)
{
    object::ObjectSet& objset = mos.objset();
    const object::DnodeRef dnode = MP_TRY(objset.dnode(log));
    const auto header = MP_TRY(format::DdtLogHeader::decode(dnode->bonus, dnode->order));
    sum.tableBytes += dnode->usedBytes;
    for (std::uint64_t block = 0; block * dnode->dataBlockBytes < header.length; ++block) {
        const object::ObjectSet::Block bytes = MP_TRY(objset.readBlock(*dnode, BlockIndex(block)));
        if (bytes.data == nullptr) {
            continue;
        }
        for (const auto& record :
             MP_TRY(format::DdtLogRecord::decodeBlock(bytes.data->bytes(), bytes.order))) {
            addRecord(record, deflatedSize, sum);
        }
    }
    return {};
}

/// The logs of one checksum's table, which exist with fast_dedup only.
Status addLogs(const Mos& mos,
               format::ChecksumType checksum,
               const DeflatedSize& deflatedSize,
               DedupStatistics& sum)
{
    const auto directory = MP_TRY(mos.number(format::ddtDirectoryName(checksum)));
    if (!directory) {
        return {};
    }
    const object::Zap zap = MP_TRY(object::Zap::open(mos.objset(), ObjectId(*directory)));
    for (unsigned index = 0; index < 2; ++index) {
        const auto log = zap.number(format::ddtLogName(checksum, index));
        if (log) {
            MP_TRY(addLog(mos, ObjectId(*log), deflatedSize, sum));
        } else if (!log.error().is(ErrorCode::NoSuchEntry)) {
            return fail(log.error());
        }
    }
    return {};
}
} // namespace

Result<DedupStatistics> dedupStatistics(const Mos& mos, const DeflatedSize& deflatedSize)
{
    DedupStatistics sum;
    const auto statistics = MP_TRY(mos.number(format::kDdtStatistics));
    for (const object::ZapEntry& entry : MP_TRY(mos.entries(ObjectId(statistics.value_or(0))))) {
        addHistogram(entry.values, sum);
    }
    for (std::uint8_t checksum = kFirstChecksum; checksum < format::kChecksumTypes; ++checksum) {
        MP_TRY(addLogs(mos, format::ChecksumType(checksum), deflatedSize, sum));
    }
    return sum;
}

} // namespace millpond::pool
