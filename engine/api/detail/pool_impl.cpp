// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/detail/pool_impl.h"

#include "api/detail/account_ids.h"
#include "api/detail/event_log.h"
#include "api/detail/pool_work.h"
#include "api/detail/status_rows.h"
#include "api/detail/vanished_leaves.h"
#include "api/detail/vdev_properties.h"
#include "format/feature.h"
#include "format/history.h"
#include "pool/deflation.h"
#include "pool/error_list.h"
#include "pool/history.h"
#include "posix/file_system.h"
#include "posix/show_options.h"
#include "volume/volume.h"

#include <fmt/format.h>

namespace millpond::api::detail {

namespace {
bool lacksFeatures(const pool::Pool& pool)
{
    if (pool.version() != format::kPoolVersionFeatures ||
        pool.config().label.has("compatibility")) {
        return false;
    }
    for (const format::Feature& feature : format::features()) {
        if (!pool.features().isEnabled(feature.guid)) {
            return true;
        }
    }
    return false;
}

std::vector<DataError> dataErrors(const pool::ErrorList& list)
{
    std::vector<DataError> errors;
    for (const pool::KnownError& known : list.errors) {
        DataError& error = errors.emplace_back();
        error.objset = ObjsetId(known.position.objset);
        error.object = ObjectId(known.position.object);
        error.level = static_cast<std::uint64_t>(known.position.level);
        error.block = known.position.block;
        error.dataset = known.dataset;
        error.path = known.path;
    }
    return errors;
}

std::string textOf(const format::NvList& list, std::string_view name)
{
    return std::string(list.text(name).value_or(""));
}

/// Too many of its devices have gone since it was opened.
bool isUnusable(vdev::VdevState state)
{
    return state < vdev::VdevState::Degraded;
}

RequestHistograms histograms(const vdev::RequestHistograms& from)
{
    return {{from.latency.begin(), from.latency.end()},
            {from.size.begin(), from.size.end()},
            {from.joinedSize.begin(), from.joinedSize.end()}};
}

IostatRow iostatRow(VdevRow vdev, const vdev::IoStats& io)
{
    IostatRow row;
    row.depth = vdev.depth;
    row.name = std::move(vdev.name);
    row.guid = vdev.guid;
    row.type = std::move(vdev.type);
    row.allocClass = std::move(vdev.allocClass);
    row.openedAs = std::move(vdev.openedAs);
    row.isLeaf = vdev.isLeaf;
    row.wholeDisk = vdev.wholeDisk;
    if (vdev.depth <= 1) {
        row.allocated = vdev.allocated;
        row.free = vdev.free;
    }
    row.readOps = io.readOps;
    row.writeOps = io.writeOps;
    row.readBytes = io.readBytes;
    row.writeBytes = io.writeBytes;
    row.readTimeNs = io.readTimeNs;
    row.writeTimeNs = io.writeTimeNs;
    row.readsActive = io.readsActive;
    row.writesActive = io.writesActive;
    row.reads = histograms(io.reads);
    row.writes = histograms(io.writes);
    return row;
}
} // namespace

HistoryRecord historyRecord(const format::NvList& list)
{
    HistoryRecord record;
    record.time = list.u64(format::kHistoryTime).value_or(0);
    record.txg = Txg(list.u64(format::kHistoryTxg).value_or(0));
    record.uid = list.u64(format::kHistoryWho).value_or(0);
    record.zone = textOf(list, format::kHistoryZone);
    record.host = textOf(list, format::kHistoryHost);
    record.dataset = textOf(list, format::kHistoryDatasetName);
    record.datasetId = list.u64(format::kHistoryDatasetId).value_or(0);
    record.command = textOf(list, format::kHistoryCommand);
    record.internal = record.command.empty();
    record.text = textOf(list, format::kHistoryInternalText);
    if (const auto event = list.u64(format::kHistoryInternalEvent)) {
        record.operation = format::historyEventName(*event);
    } else if (list.has(format::kHistoryInternalName)) {
        record.operation = textOf(list, format::kHistoryInternalName);
    } else if (list.has(format::kHistoryIoctl)) {
        record.operation = "ioctl " + textOf(list, format::kHistoryIoctl);
        if (const format::NvList* input = list.list(format::kHistoryInput)) {
            record.text = input->toText();
        }
    }
    return record;
}

PoolImpl::PoolImpl(std::shared_ptr<const pool::Pool> opened, ImportFacts facts)
    : m_pool(std::move(opened))
    , m_facts(std::move(facts))
{
}

Result<std::shared_ptr<PoolImpl>> PoolImpl::create(std::shared_ptr<const pool::Pool> opened,
                                                   ImportFacts facts)
{
    std::shared_ptr<PoolImpl> pool(new PoolImpl(std::move(opened), std::move(facts)));
    auto space = pool::spaceFigures(*pool->m_pool);
    if (space) {
        pool->m_space = std::move(*space);
    } else {
        // Damaged space maps keep nobody from reading files.
        pool->m_pool->log().print(
            LogLevel::Warning, "{}: space figures: {}", pool->name(), space.error().toText());
    }
    dataset::PropertyEnvironment environment;
    environment.space.usable = pool->m_space.usable;
    environment.altroot = pool->m_facts.altroot;
    environment.charged =
        [deflation = MP_TRY(pool::Deflation::of(pool->m_pool->mos(), pool->m_pool->vdevs()))](
            const format::BlockPointer& pointer) { return deflation.bytes(pointer); };
    environment.idOf = accountId;
    pool->m_properties = std::make_unique<dataset::Properties>(pool->m_pool->datasetsShared(),
                                                               std::move(environment));
    return pool;
}

/// Leaves that are not there any more are given up, and an event tells of each.
void PoolImpl::lookAfterLeaves()
{
    const MutexLock lock(m_lookingAfter);
    for (const VanishedLeaf& leaf : giveUpVanished(m_pool->vdevs())) {
        m_pool->log().print(LogLevel::Warning, "{}: {} is not there any more", name(), leaf.path);
        std::string state;
        for (const vdev::VdevStatus& row : m_pool->vdevs().status()) {
            state = row.guid == leaf.guid ? vdev::stateText(row.state, row.aux) : state;
        }
        if (m_facts.events != nullptr) {
            m_facts.events->add("resource.fs.zfs.statechange",
                                {{"pool", name()},
                                 {"pool_guid", fmt::format("{:#x}", guid().value())},
                                 {"vdev_guid", fmt::format("{:#x}", leaf.guid.value())},
                                 {"vdev_path", leaf.path},
                                 {"vdev_state", state},
                                 {"vdev_laststate",
                                  std::string(vdev::stateText(leaf.before, vdev::VdevAux::None))}});
        }
    }
}

/// What the pool's own objects say of it.
Status PoolImpl::readStatus(PoolStatus& status) const
{
    status.scan = MP_TRY(scanInfo(m_pool->mos()));
    status.checkpoint = MP_TRY(checkpointInfo(*m_pool, m_space));
    status.removal = MP_TRY(removalInfo(*m_pool));
    const pool::ErrorList errors = MP_TRY(pool::readErrorList(*m_pool));
    status.errors = dataErrors(errors);
    status.errorCount = errors.count;
    return {};
}

Result<PoolStatus> PoolImpl::status()
{
    MP_TRY(alive());
    lookAfterLeaves();
    PoolStatus status;
    status.name = name();
    status.guid = guid();
    status.state = vdevState(m_pool->vdevs().state());
    status.version = m_pool->version();
    status.txg = m_pool->uberblock().txg;
    status.altroot = m_facts.altroot;
    status.comment = textOf(m_pool->config().label, "comment");
    status.vdevs = vdevRows(*m_pool, &m_space);
    status.dedup = dedupInfo(m_space.dedup);
    if (const Status read = readStatus(status); !read && !isUnusable(m_pool->vdevs().state())) {
        return fail(read.error());
    }
    describeHealth(status, {.lacksFeatures = lacksFeatures(*m_pool)});
    return status;
}

Result<std::vector<PoolProperty>> PoolImpl::properties(const std::vector<std::string>& names)
{
    MP_TRY(alive());
    return poolProperties(*m_pool, m_space, m_facts, names);
}

Result<std::vector<VdevProperties>> PoolImpl::vdevProperties(const std::vector<std::string>& names)
{
    MP_TRY(alive());
    return detail::vdevProperties(*m_pool, m_space, names);
}

Result<std::vector<HistoryRecord>> PoolImpl::history()
{
    MP_TRY(alive());
    const pool::History read = MP_TRY(pool::readHistory(m_pool->mos()));
    std::vector<HistoryRecord> records;
    for (const format::NvList& record : read.records) {
        records.push_back(historyRecord(record));
    }
    return records;
}

std::vector<IostatRow> PoolImpl::iostat()
{
    std::map<VdevGuid, vdev::IoStats> counters;
    for (const vdev::VdevStatus& status : m_pool->vdevs().status()) {
        counters.emplace(status.guid, status.io);
    }
    std::vector<IostatRow> rows;
    for (VdevRow& vdev : vdevRows(*m_pool, &m_space)) {
        if (!vdev.isSpare) { // One that is in use stands in the tree, too.
            const auto found = counters.find(vdev.guid);
            rows.push_back(iostatRow(std::move(vdev),
                                     found == counters.end() ? vdev::IoStats() : found->second));
        }
    }
    return rows;
}

Result<std::shared_ptr<object::ObjectSet>> PoolImpl::objset(const dataset::Node& node)
{
    if (node.directory->cryptoKey) {
        return fail(ErrorCode::Encrypted,
                    "the dataset is encrypted, and its key is not loaded",
                    {.dataset = node.name()});
    }
    return m_pool->datasets().openObjset(*node.dataset);
}

Result<std::shared_ptr<posix::FileSystem>> PoolImpl::fileSystem(const std::string& dataset)
{
    MP_TRY(alive());
    const dataset::Node node = MP_TRY(m_pool->datasets().find(dataset));
    if (node.dataset == nullptr || node.content != dataset::Kind::Filesystem) {
        return fail(ErrorCode::InvalidArgument,
                    "not a filesystem or a snapshot of one",
                    {.dataset = dataset});
    }
    const posix::ShowOptions show = MP_TRY(posix::showOptions(*m_properties, node));
    auto opened = posix::FileSystem::open(MP_TRY(objset(node)), show);
    if (!opened) {
        return fail(std::move(opened).error().at({.dataset = dataset}));
    }
    return counted(std::move(*opened));
}

Result<std::shared_ptr<volume::Volume>> PoolImpl::volume(const std::string& dataset)
{
    MP_TRY(alive());
    const dataset::Node node = MP_TRY(m_pool->datasets().find(dataset));
    if (node.dataset == nullptr || node.content != dataset::Kind::Volume) {
        return fail(
            ErrorCode::InvalidArgument, "not a volume or a snapshot of one", {.dataset = dataset});
    }
    auto opened = volume::Volume::open(MP_TRY(objset(node)));
    if (!opened) {
        return fail(std::move(opened).error().at({.dataset = dataset}));
    }
    return counted(std::move(*opened));
}

} // namespace millpond::api::detail
