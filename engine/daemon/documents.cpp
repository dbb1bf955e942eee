// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/documents.h"

#include <fmt/ranges.h>

namespace millpond::daemon {

namespace {
std::uint64_t secondsOf(api::Wall time)
{
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

std::string_view scanKindText(api::ScanInfo::Kind kind)
{
    switch (kind) {
    case api::ScanInfo::Kind::None:
        return "none";
    case api::ScanInfo::Kind::Scrub:
        return "scrub";
    case api::ScanInfo::Kind::Resilver:
        return "resilver";
    }
    return "none";
}

std::string_view scanStateText(api::ScanInfo::State state)
{
    switch (state) {
    case api::ScanInfo::State::None:
        return "none";
    case api::ScanInfo::State::Running:
        return "running";
    case api::ScanInfo::State::Finished:
        return "finished";
    case api::ScanInfo::State::Cancelled:
        return "cancelled";
    }
    return "none";
}

std::string_view checkpointStateText(api::CheckpointInfo::State state)
{
    switch (state) {
    case api::CheckpointInfo::State::None:
        return "none";
    case api::CheckpointInfo::State::Exists:
        return "exists";
    case api::CheckpointInfo::State::Discarding:
        return "discarding";
    }
    return "none";
}

std::string_view workStateText(api::LeafWork::State state)
{
    switch (state) {
    case api::LeafWork::State::None:
        return "none";
    case api::LeafWork::State::Active:
        return "active";
    case api::LeafWork::State::Cancelled:
        return "cancelled";
    case api::LeafWork::State::Suspended:
        return "suspended";
    case api::LeafWork::State::Complete:
        return "complete";
    }
    return "none";
}

bus::VdevRow rowOf(const api::PoolStatus& pool, const api::VdevRow& vdev)
{
    return {.pool = pool.name,
            .poolGuid = pool.guid.value(),
            .depth = vdev.depth,
            .name = vdev.name,
            .type = vdev.type,
            .path = vdev.path,
            .openedAs = vdev.openedAs,
            .guid = vdev.guid.value(),
            .parity = vdev.parity,
            .allocClass = vdev.allocClass,
            .state = api::vdevStateText(vdev.state),
            .aux = vdev.aux,
            .notes = vdev.notes,
            .readErrors = vdev.readErrors,
            .writeErrors = vdev.writeErrors,
            .checksumErrors = vdev.checksumErrors,
            .slowIos = vdev.slowIos,
            .isLog = vdev.isLog,
            .isLeaf = vdev.isLeaf,
            .isSpare = vdev.isSpare,
            .isCache = vdev.isCache,
            .wholeDisk = vdev.wholeDisk,
            .size = vdev.size,
            .allocated = vdev.allocated,
            .free = vdev.free,
            .physicalSize = vdev.physicalSize,
            .ashift = vdev.ashift,
            .deviceSize = vdev.deviceSize,
            .checkpointSpace = vdev.checkpointSpace,
            .fragmentation = vdev.fragmentationPercent ? std::uint64_t{*vdev.fragmentationPercent}
                                                       : bus::kUnknown,
            .initializeState = workStateText(vdev.initialize.state),
            .trimState = workStateText(vdev.trim.state),
            .initializeTime = secondsOf(vdev.initialize.since),
            .initializeDone = vdev.initialize.done,
            .initializeTotal = vdev.initialize.total,
            .trimTime = secondsOf(vdev.trim.since),
            .trimDone = vdev.trim.done,
            .trimTotal = vdev.trim.total};
}
} // namespace

std::string_view datasetKindText(api::DatasetKind kind)
{
    switch (kind) {
    case api::DatasetKind::Filesystem:
        return "filesystem";
    case api::DatasetKind::Volume:
        return "volume";
    case api::DatasetKind::Snapshot:
        return "snapshot";
    case api::DatasetKind::Bookmark:
        return "bookmark";
    }
    return "filesystem";
}

std::string_view sourceText(api::SourceKind source)
{
    switch (source) {
    case api::SourceKind::None:
        return "-";
    case api::SourceKind::Default:
        return "default";
    case api::SourceKind::Local:
        return "local";
    case api::SourceKind::Inherited:
        return "inherited";
    case api::SourceKind::Received:
        return "received";
    case api::SourceKind::Temporary:
        return "temporary";
    }
    return "-";
}

void addPools(bus::DocumentWriter& document, std::span<const api::PoolStatus> pools)
{
    bus::RowWriter<bus::PoolRow> rows(document);
    for (const api::PoolStatus& pool : pools) {
        rows.append({.name = pool.name,
                     .guid = pool.guid.value(),
                     .state = api::vdevStateText(pool.state),
                     .version = pool.version,
                     .zplVersion = pool.zplVersion,
                     .txg = pool.txg.value(),
                     .messageId = pool.messageId,
                     .status = pool.status,
                     .action = pool.action,
                     .scanKind = scanKindText(pool.scan.kind),
                     .scanState = scanStateText(pool.scan.state),
                     .scanStarted = secondsOf(pool.scan.started),
                     .scanEnded = secondsOf(pool.scan.ended),
                     .scanToExamine = pool.scan.toExamine,
                     .scanExamined = pool.scan.examined,
                     .scanIssued = pool.scan.issued,
                     .scanProcessed = pool.scan.processed,
                     .scanErrors = pool.scan.errors,
                     .scanSkipped = pool.scan.skipped,
                     .checkpointState = checkpointStateText(pool.checkpoint.state),
                     .checkpointCreated = secondsOf(pool.checkpoint.created),
                     .checkpointBytes = pool.checkpoint.bytes,
                     .removalState = scanStateText(pool.removal.state),
                     .removalName = pool.removal.name,
                     .removalVdev = pool.removal.vdev,
                     .removalStarted = secondsOf(pool.removal.started),
                     .removalEnded = secondsOf(pool.removal.ended),
                     .removalToCopy = pool.removal.toCopy,
                     .removalCopied = pool.removal.copied,
                     .dedupDiskBytes = pool.dedup.diskBytes,
                     .dedupMemoryBytes = pool.dedup.memoryBytes,
                     .errorCount = pool.errorCount,
                     .readOnly = pool.readOnly,
                     .altroot = pool.altroot,
                     .comment = pool.comment});
    }
}

void addVdevs(bus::DocumentWriter& document, std::span<const api::PoolStatus> pools)
{
    bus::RowWriter<bus::VdevRow> rows(document);
    for (const api::PoolStatus& pool : pools) {
        for (const api::VdevRow& vdev : pool.vdevs) {
            rows.append(rowOf(pool, vdev));
        }
    }
}

void addDedup(bus::DocumentWriter& document, std::span<const api::PoolStatus> pools)
{
    bus::RowWriter<bus::DedupRow> rows(document);
    for (const api::PoolStatus& pool : pools) {
        for (const api::DedupBucket& bucket : pool.dedup.histogram) {
            rows.append({.pool = pool.name,
                         .references = bucket.references,
                         .blocks = bucket.blocks,
                         .logical = bucket.logical,
                         .physical = bucket.physical,
                         .deflated = bucket.deflated,
                         .referencedBlocks = bucket.referencedBlocks,
                         .referencedLogical = bucket.referencedLogical,
                         .referencedPhysical = bucket.referencedPhysical,
                         .referencedDeflated = bucket.referencedDeflated});
        }
    }
}

void addErrors(bus::DocumentWriter& document, std::span<const api::PoolStatus> pools)
{
    bus::RowWriter<bus::DataErrorRow> rows(document);
    for (const api::PoolStatus& pool : pools) {
        for (const api::DataError& error : pool.errors) {
            rows.append({.pool = pool.name,
                         .objset = error.objset.value(),
                         .object = error.object.value(),
                         .level = error.level,
                         .block = error.block,
                         .dataset = error.dataset,
                         .path = error.path});
        }
    }
}

void addFound(bus::DocumentWriter& document,
              std::span<const api::FoundPool> pools,
              const std::function<bool(PoolGuid)>& imported)
{
    bus::RowWriter<bus::FoundPoolRow> rows(document);
    for (const api::FoundPool& pool : pools) {
        const std::string features = fmt::format("{}", fmt::join(pool.missingFeatures, " "));
        const std::string devices = fmt::format("{}", fmt::join(pool.devices, "\n"));
        rows.append({.name = pool.status.name,
                     .guid = pool.status.guid.value(),
                     .importable = pool.importable,
                     .readOnlyOnly = pool.readOnlyOnly,
                     .reason = pool.reason,
                     .missingFeatures = features,
                     .lastHost = pool.lastHost,
                     .lastHostId = pool.lastHostId,
                     .active = pool.active,
                     .destroyed = pool.destroyed,
                     .imported = imported(pool.status.guid),
                     .devices = devices});
    }
}

void addPoolProperties(bus::RowWriter<bus::PoolPropertyRow>& rows,
                       const std::string& pool,
                       std::span<const api::PoolProperty> properties)
{
    for (const api::PoolProperty& property : properties) {
        rows.append({.pool = pool,
                     .property = property.name,
                     .value = property.value,
                     .source = sourceText(property.source)});
    }
}

void addVdevProperties(bus::RowWriter<bus::VdevPropertyRow>& rows,
                       std::span<const api::VdevProperties> vdevs)
{
    for (const api::VdevProperties& vdev : vdevs) {
        for (const api::PoolProperty& property : vdev.properties) {
            rows.append({.guid = vdev.guid.value(),
                         .property = property.name,
                         .value = property.value,
                         .source = sourceText(property.source)});
        }
    }
}

void addHistory(bus::RowWriter<bus::HistoryRow>& rows,
                const std::string& pool,
                std::span<const api::HistoryRecord> records)
{
    for (const api::HistoryRecord& record : records) {
        rows.append({.pool = pool,
                     .time = record.time,
                     .internal = record.internal,
                     .command = record.command,
                     .txg = record.txg.value(),
                     .operation = record.operation,
                     .dataset = record.dataset,
                     .text = record.text,
                     .datasetId = record.datasetId,
                     .user = record.user,
                     .host = record.host,
                     .zone = record.zone,
                     .uid = record.uid});
    }
}

void addEvents(bus::DocumentWriter& document, std::span<const api::Event> events)
{
    bus::RowWriter<bus::EventRow> rows(document);
    bus::RowWriter<bus::EventFieldRow> fields(document);
    for (const api::Event& event : events) {
        rows.append({.id = event.id,
                     .time = static_cast<std::uint64_t>(event.time.count()),
                     .eventClass = event.eventClass});
        for (const auto& [name, value] : event.fields) {
            fields.append({.event = event.id, .name = name, .value = value});
        }
    }
}

void addStartPools(bus::DocumentWriter& document, std::span<const StartPool> pools)
{
    bus::RowWriter<bus::StartPoolRow> rows(document);
    for (const StartPool& pool : pools) {
        const std::string paths = fmt::format("{}", fmt::join(pool.searchPaths, "\n"));
        rows.append({.name = pool.name, .guid = pool.guid.value(), .searchPaths = paths});
    }
}

void addHolds(bus::RowWriter<bus::HoldRow>& rows, std::span<const api::Hold> holds)
{
    for (const api::Hold& hold : holds) {
        rows.append({.snapshot = hold.snapshot, .tag = hold.tag, .time = hold.time});
    }
}

void addMounts(bus::DocumentWriter& document, std::span<const MountEntry> mounts)
{
    bus::RowWriter<bus::MountRow> rows(document);
    for (const MountEntry& mount : mounts) {
        rows.append({.dataset = mount.dataset,
                     .mountpoint = mount.mountpoint,
                     .own = mount.own,
                     .options = mount.options});
    }
}

void addOutcomes(bus::DocumentWriter& document, std::span<const MountOutcome> outcomes)
{
    bus::RowWriter<bus::MountResultRow> rows(document);
    for (const MountOutcome& outcome : outcomes) {
        const std::string text = outcome.error ? outcome.error->toText() : std::string();
        rows.append({.dataset = outcome.dataset,
                     .mountpoint = outcome.mountpoint,
                     .changed = outcome.changed,
                     .errorName = outcome.error ? errorName(outcome.error->code()) : "",
                     .errorText = text});
    }
}

void addDevices(bus::DocumentWriter& document, std::span<const device::DeviceInfo> devices)
{
    bus::RowWriter<bus::DeviceRow> rows(document);
    for (const device::DeviceInfo& device : devices) {
        const std::string use = device.useText();
        rows.append({.path = device.path,
                     .byId = device.byId,
                     .parent = device.parent,
                     .kind = device::deviceKindText(device.kind),
                     .model = device.model,
                     .vendor = device.vendor,
                     .serial = device.serial,
                     .wwn = device.wwn,
                     .bus = device.bus,
                     .size = device.size.value(),
                     .logicalSector = device.logicalSector,
                     .physicalSector = device.physicalSector,
                     .rotational = device.rotational,
                     .removable = device.removable,
                     .readOnly = device.readOnly,
                     .content = device.content.type.empty() ? device.content.partitionTable
                                                            : device.content.type,
                     .label = device.content.label,
                     .use = use,
                     .pool = device.pool,
                     .poolGuid = device.poolGuid});
    }
}

void addProblems(bus::DocumentWriter& document, std::span<const api::CheckProblem> problems)
{
    bus::RowWriter<bus::CheckProblemRow> rows(document);
    for (const api::CheckProblem& problem : problems) {
        rows.append({.kind = api::checkProblemKindText(problem.kind),
                     .dataset = problem.dataset,
                     .path = problem.path,
                     .device = problem.device,
                     .objset = problem.objset.value(),
                     .object = problem.object.value(),
                     .level = problem.level,
                     .block = problem.block,
                     .offset = problem.offset,
                     .size = problem.size,
                     .text = problem.text});
    }
}

void addSummary(bus::DocumentWriter& document, const api::CheckReport* report)
{
    bus::RowWriter<bus::CheckSummaryRow> rows(document);
    if (report == nullptr) {
        return;
    }
    rows.append({.pool = report->pool,
                 .guid = report->guid.value(),
                 .txg = report->txg.value(),
                 .problemCount = report->problemCount,
                 .awaitingResilver = report->awaitingResilver,
                 .datasets = report->datasets,
                 .snapshots = report->snapshots,
                 .objects = report->objects,
                 .blocks = report->blocks,
                 .copies = report->copies,
                 .bytesRead = report->bytesRead,
                 .allocated = report->allocated,
                 .milliseconds = report->milliseconds});
}

IostatTables::IostatTables(bus::DocumentWriter& document)
    : m_rows(document)
    , m_buckets(document)
{
}

void IostatTables::add(const std::string& pool,
                       std::span<const api::IostatRow> vdevs,
                       std::uint64_t takenAt,
                       std::uint64_t importedAt)
{
    for (const api::IostatRow& vdev : vdevs) {
        m_rows.append({.pool = pool,
                       .depth = vdev.depth,
                       .name = vdev.name,
                       .guid = vdev.guid.value(),
                       .type = vdev.type,
                       .allocClass = vdev.allocClass,
                       .openedAs = vdev.openedAs,
                       .isLeaf = vdev.isLeaf,
                       .wholeDisk = vdev.wholeDisk,
                       .allocated = vdev.allocated,
                       .free = vdev.free,
                       .readOps = vdev.readOps,
                       .writeOps = vdev.writeOps,
                       .readBytes = vdev.readBytes,
                       .writeBytes = vdev.writeBytes,
                       .readTimeNs = vdev.readTimeNs,
                       .writeTimeNs = vdev.writeTimeNs,
                       .readsActive = vdev.readsActive,
                       .writesActive = vdev.writesActive,
                       .takenAt = takenAt,
                       .importedAt = importedAt});
        addBuckets(vdev.guid, "read_latency", vdev.reads.latency);
        addBuckets(vdev.guid, "write_latency", vdev.writes.latency);
        addBuckets(vdev.guid, "read_size", vdev.reads.size);
        addBuckets(vdev.guid, "joined_read_size", vdev.reads.joinedSize);
        addBuckets(vdev.guid, "write_size", vdev.writes.size);
        addBuckets(vdev.guid, "joined_write_size", vdev.writes.joinedSize);
    }
}

void IostatTables::addBuckets(VdevGuid guid,
                              std::string_view histogram,
                              std::span<const std::uint64_t> buckets)
{
    for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
        if (buckets[bucket] != 0) {
            m_buckets.append({.guid = guid.value(),
                              .histogram = histogram,
                              .bucket = bucket,
                              .count = buckets[bucket]});
        }
    }
}

DatasetTables::DatasetTables(bus::DocumentWriter& document)
    : m_datasets(document)
    , m_properties(document)
{
}

void DatasetTables::add(std::span<const api::DatasetRow> datasets)
{
    for (const api::DatasetRow& dataset : datasets) {
        const std::string_view type = datasetKindText(dataset.kind);
        m_datasets.append({.dataset = dataset.name,
                           .type = type,
                           .firstProperty = m_count,
                           .propertyCount = dataset.properties.size()});
        m_count += dataset.properties.size();
        for (const api::PropertyValue& property : dataset.properties) {
            m_properties.append({.dataset = dataset.name,
                                 .type = type,
                                 .property = property.name,
                                 .value = property.value,
                                 .source = sourceText(property.source),
                                 .inheritedFrom = property.inheritedFrom,
                                 .received = property.received});
        }
    }
}

} // namespace millpond::daemon
