// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/detail/pool_work.h"

#include "api/detail/status_rows.h"
#include "format/dsl.h"

#include <algorithm>

namespace millpond::api::detail {

namespace {
/// The uberblock of a checkpoint as words: where its time is.
constexpr std::size_t kUberblockTimeWord = 4;

ScanInfo::State stateOf(format::ScanState state)
{
    switch (state) {
    case format::ScanState::Scanning:
        return ScanInfo::State::Running;
    case format::ScanState::Finished:
        return ScanInfo::State::Finished;
    case format::ScanState::Canceled:
        return ScanInfo::State::Cancelled;
    default:
        return ScanInfo::State::None;
    }
}

/// The numbers on disk are those of the list. (OpenZFS include/sys/fs/zfs.h: vdev_trim_state_t.)
LeafWork::State workState(std::uint64_t number)
{
    return number <= static_cast<std::uint64_t>(LeafWork::State::Complete)
               ? static_cast<LeafWork::State>(number)
               : LeafWork::State::None;
}

struct WorkKeys
{
    std::string_view state, time, offset;
};

LeafWork workOf(const object::Zap& zap, const WorkKeys& keys, std::uint64_t total)
{
    LeafWork work;
    work.state = workState(zap.number(keys.state).value_or(0));
    if (work.state == LeafWork::State::None) {
        return work;
    }
    work.since = std::chrono::seconds(zap.number(keys.time).value_or(0));
    work.total = total;
    work.done = work.state == LeafWork::State::Complete
                    ? total
                    : std::min(zap.number(keys.offset).value_or(0), total);
    return work;
}
} // namespace

Result<ScanInfo> scanInfo(const pool::Mos& mos)
{
    ScanInfo info;
    const std::vector<std::uint64_t> words = MP_TRY(mos.words(format::kPoolScan));
    if (words.empty()) {
        return info;
    }
    const auto phys = MP_TRY(format::ScanPhys::decode(words));
    if (phys.function != format::ScanFunction::Scrub &&
        phys.function != format::ScanFunction::Resilver) {
        return info;
    }
    info.kind = phys.function == format::ScanFunction::Scrub ? ScanInfo::Kind::Scrub
                                                             : ScanInfo::Kind::Resilver;
    info.state = stateOf(phys.state);
    info.started = std::chrono::seconds(phys.startTime);
    info.ended = std::chrono::seconds(phys.endTime);
    info.toExamine = phys.toExamine;
    info.examined = phys.examined;
    info.issued = phys.examined - std::min(phys.examined, phys.skipped);
    info.processed = phys.processed;
    info.skipped = phys.skipped;
    info.errors = phys.errors;
    return info;
}

Result<CheckpointInfo> checkpointInfo(const pool::Pool& pool, const pool::SpaceFigures& space)
{
    CheckpointInfo info;
    if (!pool.features().isActive("com.delphix:zpool_checkpoint")) {
        return info;
    }
    const std::vector<std::uint64_t> uberblock = MP_TRY(pool.mos().words(format::kPoolCheckpoint));
    info.state =
        uberblock.empty() ? CheckpointInfo::State::Discarding : CheckpointInfo::State::Exists;
    if (uberblock.size() > kUberblockTimeWord) {
        info.created = std::chrono::seconds(uberblock[kUberblockTimeWord]);
    }
    info.bytes = space.checkpoint;
    return info;
}

Result<RemovalInfo> removalInfo(const pool::Pool& pool)
{
    RemovalInfo info;
    const std::vector<std::uint64_t> words = MP_TRY(pool.mos().words(format::kPoolRemoving));
    const auto phys = format::RemovingPhys::decode(words);
    if (!phys) {
        return info; // mostly absent
    }
    info.state = stateOf(phys->state);
    info.vdev = phys->removingVdev;
    for (const vdev::VdevStatus& row : pool.vdevs().status()) {
        if (row.depth == 1 && row.id == info.vdev) {
            info.name = row.name;
        }
    }
    info.started = std::chrono::seconds(phys->startTime);
    info.ended = std::chrono::seconds(phys->endTime);
    info.toCopy = phys->toCopy;
    info.copied = phys->copied;
    return info;
}

DedupInfo dedupInfo(const pool::DedupStatistics& statistics)
{
    DedupInfo info;
    info.diskBytes = statistics.tableBytes;
    info.memoryBytes = statistics.memoryBytes;
    for (std::size_t i = 0; i < statistics.histogram.size(); ++i) {
        const pool::DedupBucket& bucket = statistics.histogram[i];
        if (bucket.blocks != 0) {
            info.histogram.push_back({std::uint64_t{1} << i,
                                      bucket.blocks,
                                      bucket.logical,
                                      bucket.physical,
                                      bucket.deflated,
                                      bucket.referencedBlocks,
                                      bucket.referencedLogical,
                                      bucket.referencedPhysical,
                                      bucket.referencedDeflated});
        }
    }
    return info;
}

void readLeafWork(const pool::Mos& mos, const format::NvList& config, VdevRow& row)
{
    const ObjectId object(config.u64(format::kVdevLeafZap).value_or(0));
    if (object == ObjectId()) {
        return;
    }
    const auto zap = object::Zap::open(mos.objset(), object);
    if (!zap) {
        return;
    }
    row.initialize = workOf(
        *zap,
        {format::kLeafInitializeState, format::kLeafInitializeTime, format::kLeafInitializeOffset},
        row.deviceSize);
    row.trim = workOf(*zap,
                      {format::kLeafTrimState, format::kLeafTrimTime, format::kLeafTrimOffset},
                      row.deviceSize);
}

} // namespace millpond::api::detail
