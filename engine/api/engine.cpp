// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/engine.h"

#include "api/detail/device_guard.h"
#include "api/detail/event_log.h"
#include "api/detail/found_pool.h"
#include "api/detail/host_id.h"
#include "api/detail/pool_impl.h"
#include "api/detail/property_settings.h"
#include "api/detail/run_check.h"
#include "api/detail/writable_pool_impl.h"
#include "api/layout_words.h"
#include "base/mutex.h"
#include "block/block_cache.h"
#include "device/device_list.h"
#include "device/file_device.h"
#include "format/label.h"
#include "format/name.h"
#include "pool/scanner.h"
#include "runtime/io_queue.h"
#include "runtime/thread_pool.h"

#include "vdev/label_writer.h"
#include "vdev/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

// Theory of the facade.
//
// Purpose. What everything outside the engine uses: the helper, tests, tools. It owns the shared
// services (threads, I/O queue, block cache), knows which pools are imported, and turns the layers'
// types into plain values. No text for people is made here but status and action of a pool.
//
// Invariants. INV-1 A name and a guid are imported once. INV-2 Nobody keeps an exported pool's
// devices longer than the objects he was handed out; exportPool() refuses while there are any, or
// retires the pool (force): its calls then fail, and the devices go with the last object. INV-3 No
// pool lock is held while a device is waited for.
//
// Concurrency: thread-safe; one mutex guards the list of pools, imports go one at a time so that
// two of the same pool meet INV-1. Failure: an import that fails leaves nothing.

namespace millpond::api {

namespace {
using detail::ImportedPool;
using detail::PoolImpl;
using detail::WritablePoolImpl;

/// More than a small machine has processors: prefetches wait for devices on these threads.
constexpr unsigned kWorkers = 8;

class EngineImpl final : public Engine
{
public:
    explicit EngineImpl(EngineOptions options)
        : m_options(std::move(options))
    {
    }

    ~EngineImpl() override
    {
        const MutexLock lock(m_mutex);
        for (const auto& pool : m_pools) {
            pool->retire();
        }
    }

    Status start();

    Result<std::vector<FoundPool>> scan(const ScanRequest& request) override;
    Result<PoolRef> importPool(const ImportRequest& request) override;
    Result<PoolRef> createPool(const CreatePoolRequest& request) override;
    Status clearLabel(const std::string& path, bool force) override;
    Status exportPool(const std::string& name, bool force) override;
    Status destroyPool(const std::string& name, bool force) override;
    std::vector<PoolRef> pools() const override;
    Result<PoolRef> find(const std::string& nameOrGuid) const override;
    Result<CheckReport> check(const CheckRequest& request,
                              Progress& progress,
                              const std::function<void(const CheckProblem&)>& found) override;

    std::vector<Event> events(std::uint64_t after) const override { return m_events.after(after); }

    void onEvent(std::function<void(const Event&)> observer) override
    {
        m_events.observe(std::move(observer));
    }

private:
    [[nodiscard]] pool::Services services();
    [[nodiscard]] pool::WriteServices writeServices();
    [[nodiscard]] Status
    release(const std::string& name, bool force, format::PoolState state, const std::string& event);
    [[nodiscard]] Result<pool::ScanPlaces> places(const ScanRequest& request) const;
    [[nodiscard]] Result<pool::PoolConfig> findConfig(const std::string& nameOrGuid,
                                                      const ScanRequest& where);
    [[nodiscard]] Result<std::shared_ptr<ImportedPool>>
    imported(const std::string& nameOrGuid) const;
    [[nodiscard]] Status refuseIfImported(const pool::PoolConfig& config,
                                          const std::string& name) const;

    EngineOptions m_options;
    NullLog m_silence;
    SystemClock m_clock;
    SystemRandom m_random;
    detail::EventLog m_events{m_clock};
    std::unique_ptr<runtime::ThreadPool> m_threads;
    std::unique_ptr<runtime::IoQueue> m_ioQueue;
    std::unique_ptr<block::BlockCache> m_cache;
    Mutex m_importing; ///< taken before m_mutex
    mutable Mutex m_mutex;
    std::vector<std::shared_ptr<ImportedPool>> m_pools MP_GUARDED_BY(m_mutex);
};

Status EngineImpl::start()
{
    if (m_options.log == nullptr) {
        m_options.log = &m_silence;
    }
    if (m_options.hostId == 0) {
        m_options.hostId = detail::machineHostId("/etc/hostid");
    }
    m_threads = MP_TRY(runtime::ThreadPool::create(
        {.threads = m_options.workers == 0 ? kWorkers : m_options.workers}));
    m_ioQueue = MP_TRY(runtime::IoQueue::create(
        {.backend = m_options.ioUring ? runtime::IoBackend::Auto : runtime::IoBackend::Threads}));
    m_cache = std::make_unique<block::BlockCache>(ByteCount(m_options.cacheBytes));
    return {};
}

pool::Services EngineImpl::services()
{
    return {*m_threads,
            m_ioQueue.get(),
            *m_cache,
            *m_options.log,
            m_options.directIo,
            ByteCount(m_options.prefetchBytes),
            &m_clock};
}

Result<pool::ScanPlaces> EngineImpl::places(const ScanRequest& request) const
{
    pool::ScanPlaces places{request.directories, request.devices};
    if (places.directories.empty() && places.devices.empty()) {
        for (const device::DeviceInfo& info :
             MP_TRY(device::listDevices({.roots = {}, .probe = false}))) {
            places.devices.push_back(info.path);
        }
    }
    return places;
}

Result<std::vector<FoundPool>> EngineImpl::scan(const ScanRequest& request)
{
    const pool::ScanResult result = MP_TRY(pool::scanForPools(MP_TRY(places(request)), *m_threads));
    for (const std::string& complaint : result.complaints) {
        m_options.log->print(LogLevel::Info, "scan: {}", complaint);
    }
    std::vector<FoundPool> found;
    for (const pool::PoolConfig& config : result.pools) {
        const bool destroyed =
            config.state == static_cast<std::uint64_t>(format::PoolState::Destroyed);
        const std::string guid = std::to_string(config.guid.value());
        if ((destroyed && !request.destroyedToo) || imported(guid)) {
            continue;
        }
        found.push_back(detail::foundPool(services(), config, m_options.hostId));
    }
    std::sort(found.begin(), found.end(), [](const FoundPool& a, const FoundPool& b) {
        return a.status.name < b.status.name;
    });
    return found;
}

Result<pool::PoolConfig> EngineImpl::findConfig(const std::string& nameOrGuid,
                                                const ScanRequest& where)
{
    pool::ScanResult result = MP_TRY(pool::scanForPools(MP_TRY(places(where)), *m_threads));
    std::erase_if(result.pools, [&](const pool::PoolConfig& config) {
        const bool destroyed =
            config.state == static_cast<std::uint64_t>(format::PoolState::Destroyed);
        const bool named =
            config.name == nameOrGuid || std::to_string(config.guid.value()) == nameOrGuid;
        return !named || (destroyed && !where.destroyedToo);
    });
    if (result.pools.empty()) {
        std::string complaints;
        for (const std::string& complaint : result.complaints) {
            complaints += "; " + complaint;
        }
        return fail(ErrorCode::NoSuchPool,
                    fmt::format("no pool \"{}\" was found{}", nameOrGuid, complaints));
    }
    if (result.pools.size() > 1) {
        std::string guids;
        for (const pool::PoolConfig& config : result.pools) {
            guids += fmt::format(" {}", config.guid.value());
        }
        return fail(ErrorCode::Ambiguous,
                    fmt::format("more than one pool is called \"{}\"; name one by its guid:{}",
                                nameOrGuid,
                                guids));
    }
    return std::move(result.pools.front());
}

Status EngineImpl::refuseIfImported(const pool::PoolConfig& config, const std::string& name) const
{
    if (imported(std::to_string(config.guid.value()))) {
        return fail(ErrorCode::AlreadyExists,
                    fmt::format("pool \"{}\" is imported already", config.name));
    }
    if (imported(name)) {
        return fail(
            ErrorCode::AlreadyExists,
            fmt::format("another pool called \"{}\" is imported; give this one a new name", name));
    }
    return {};
}

Result<PoolRef> EngineImpl::importPool(const ImportRequest& request)
{
    if (!request.newName.empty()) {
        MP_TRY(format::checkNewPoolName(request.newName));
    }
    auto temporary = MP_TRY(detail::temporaryProperties(request.properties));
    const MutexLock importing(m_importing);
    pool::PoolConfig config = MP_TRY(findConfig(request.pool, request.where));
    const std::string name = request.newName.empty() ? config.name : request.newName;
    MP_TRY(refuseIfImported(config, name));
    pool::OpenOptions options;
    options.name = name;
    options.hostId = m_options.hostId;
    options.force = request.force;
    options.missingLogOk = request.missingLogOk;
    options.write = !request.readOnly;
    std::unique_ptr<pool::Pool> opened =
        MP_TRY(pool::Pool::open(services(), std::move(config), options));
    detail::ImportFacts facts{.altroot = request.altroot,
                              .loadGuid = m_random.next(),
                              .events = &m_events,
                              .temporary = std::move(temporary)};
    std::shared_ptr<ImportedPool> made;
    if (request.readOnly) {
        made = MP_TRY(PoolImpl::create(std::move(opened), std::move(facts)));
    } else {
        made = MP_TRY(WritablePoolImpl::create(
            MP_TRY(pool::WritablePool::open(
                writeServices(), std::move(opened), {m_options.hostId, m_options.hostName})),
            std::move(facts),
            m_clock));
    }
    {
        const MutexLock lock(m_mutex);
        m_pools.push_back(made);
    }
    m_events.add("sysevent.fs.zfs.pool_import",
                 {{"pool", name}, {"pool_guid", fmt::format("{:#x}", made->guid().value())}});
    return PoolRef(made);
}

pool::WriteServices EngineImpl::writeServices()
{
    return {.clock = m_clock, .random = m_random, .groups = {}};
}

Result<PoolRef> EngineImpl::createPool(const CreatePoolRequest& request)
{
    MP_TRY(format::checkNewPoolName(request.name));
    pool::CreateRequest create;
    create.name = request.name;
    create.layout = MP_TRY(layoutFromWords(request.vdevs));
    create.layout.ashift = request.ashift;
    create.hostId = m_options.hostId;
    create.hostName = m_options.hostName;
    create.command = request.command;
    create.user = request.uid;
    MP_TRY(detail::applyPoolProperties(request, create));
    detail::ParsedProperties root =
        MP_TRY(detail::parseProperties(request.fileSystemProperties, true));
    create.rootFormat = root.format;
    create.rootFormat.rootUid = request.uid;
    create.rootFormat.rootGid = request.gid;
    create.rootFormat.now = m_clock.wall();
    create.rootSettings = std::move(root.settings);
    const MutexLock importing(m_importing);
    if (imported(request.name)) {
        return fail(ErrorCode::AlreadyExists,
                    fmt::format("a pool called \"{}\" is imported already", request.name));
    }
    MP_TRY(detail::guardDevices(pool::leafPaths(create.layout), request.force));
    const std::shared_ptr<ImportedPool> made = MP_TRY(WritablePoolImpl::create(
        MP_TRY(pool::WritablePool::create(services(), writeServices(), create)),
        {.altroot = request.altroot, .loadGuid = m_random.next(), .temporary = {}},
        m_clock));
    {
        const MutexLock lock(m_mutex);
        m_pools.push_back(made);
    }
    m_events.add(
        "sysevent.fs.zfs.pool_create",
        {{"pool", request.name}, {"pool_guid", fmt::format("{:#x}", made->guid().value())}});
    return PoolRef(made);
}

Status EngineImpl::clearLabel(const std::string& path, bool force)
{
    std::error_code ignored;
    if (std::filesystem::is_block_file(path, ignored)) {
        MP_TRY(detail::guardDevices(std::array{path}, true));
    }
    const device::DeviceRef device =
        MP_TRY(device::openFileDevice(path, {.access = device::Access::WriteExclusive}));
    const auto labels = vdev::readLabels(*device, {.uberblocks = false});
    const format::NvList* label = labels ? labels->config() : nullptr;
    if (label == nullptr) {
        return fail(ErrorCode::BadLabel, fmt::format("{} has no label of a pool", path));
    }
    const auto state = label->u64("state").value_or(0);
    if (!force && state == static_cast<std::uint64_t>(format::PoolState::Active)) {
        return fail(ErrorCode::DeviceBusy,
                    fmt::format("{} is part of pool '{}', which may be in use (-f overrides)",
                                path,
                                label->text("name").value_or("")));
    }
    return vdev::clearLabels(*device);
}

Status EngineImpl::exportPool(const std::string& name, bool force)
{
    return release(name, force, format::PoolState::Exported, "sysevent.fs.zfs.pool_export");
}

Status EngineImpl::destroyPool(const std::string& name, bool force)
{
    const std::shared_ptr<ImportedPool> pool = MP_TRY(imported(name));
    if (!pool->isWritable()) {
        return fail(ErrorCode::ReadOnly,
                    fmt::format("pool \"{}\" is imported read-only", pool->name()));
    }
    return release(name, force, format::PoolState::Destroyed, "sysevent.fs.zfs.pool_destroy");
}

Status EngineImpl::release(const std::string& name,
                           bool force,
                           format::PoolState state,
                           const std::string& event)
{
    const std::shared_ptr<ImportedPool> pool = MP_TRY(imported(name));
    if (pool->inUse() && !force) {
        return fail(ErrorCode::PoolBusy, fmt::format("pool \"{}\" is in use", pool->name()));
    }
    {
        const MutexLock lock(m_mutex);
        std::erase(m_pools, pool);
    }
    pool->retire();
    MP_TRY(pool->close(state));
    m_events.add(
        event, {{"pool", pool->name()}, {"pool_guid", fmt::format("{:#x}", pool->guid().value())}});
    return {};
}

std::vector<PoolRef> EngineImpl::pools() const
{
    const MutexLock lock(m_mutex);
    return {m_pools.begin(), m_pools.end()};
}

Result<std::shared_ptr<ImportedPool>> EngineImpl::imported(const std::string& nameOrGuid) const
{
    const MutexLock lock(m_mutex);
    for (const auto& pool : m_pools) {
        if (pool->name() == nameOrGuid || std::to_string(pool->guid().value()) == nameOrGuid) {
            return pool;
        }
    }
    return fail(ErrorCode::NoSuchPool, fmt::format("no pool \"{}\" is imported", nameOrGuid));
}

Result<PoolRef> EngineImpl::find(const std::string& nameOrGuid) const
{
    return PoolRef(MP_TRY(imported(nameOrGuid)));
}

Result<CheckReport> EngineImpl::check(const CheckRequest& request,
                                      Progress& progress,
                                      const std::function<void(const CheckProblem&)>& found)
{
    if (imported(request.pool)) {
        return fail(ErrorCode::PoolBusy,
                    fmt::format("pool \"{}\" is imported; export it first", request.pool));
    }
    pool::PoolConfig config = MP_TRY(findConfig(request.pool, request.where));
    pool::OpenOptions options;
    options.hostId = m_options.hostId;
    options.force = true; // It only reads, and holds the devices against writers while it does.
    options.missingLogOk = true;
    const std::unique_ptr<pool::Pool> opened =
        MP_TRY(pool::Pool::open(services(), std::move(config), options));
    return detail::runCheck(*opened, progress, m_clock, found);
}
} // namespace

Result<std::unique_ptr<Engine>> Engine::create(EngineOptions options)
{
    auto engine = std::make_unique<EngineImpl>(std::move(options));
    MP_TRY(engine->start());
    return std::unique_ptr<Engine>(std::move(engine));
}

} // namespace millpond::api
