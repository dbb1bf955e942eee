// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/helper.h"

#include "bus/client.h"
#include "bus/vtables.h"
#include "daemon/version.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <unistd.h>

namespace millpond::daemon {

namespace {
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Calls block, most of them on devices: more threads than processors.
constexpr unsigned kCallThreads = 8;
/// Checks read whole disks; a third one waits for its turn.
constexpr unsigned kJobThreads = 2;
constexpr std::size_t kMaxQueued = 512;
constexpr std::size_t kMaxPeers = 256;
/// How long mounts may stay busy at the end before they are detached.
constexpr seconds kPatience{10};
/// After this, whatever hangs is left to the watcher and the kernel.
constexpr seconds kStopDeadline{60};

PoolGuid poolOf(const api::Event& event)
{
    std::uint64_t guid = 0;
    for (const auto& [name, value] : event.fields) {
        if (name == "pool_guid") {
            const bool hex = value.starts_with("0x");
            const char* from = value.data() + (hex ? 2 : 0);
            (void)std::from_chars(from, value.data() + value.size(), guid, hex ? 16 : 10);
        }
    }
    return PoolGuid(guid);
}
} // namespace

Helper::Helper(const Options& options, HelperPorts ports, MountWatch& watch, Log& log)
    : m_options(options)
    , m_ports(std::move(ports))
    , m_watch(watch)
    , m_log(log)
    , m_folders(options.mode == Options::Mode::System ? StateFolders::forSystem()
                                                      : StateFolders::forUser())
{
}

Result<std::unique_ptr<Helper>>
Helper::create(const Options& options, HelperPorts ports, MountWatch& watch, Log& log)
{
    std::unique_ptr<Helper> helper(new Helper(options, std::move(ports), watch, log));
    MP_TRY(helper->prepare());
    return helper;
}

Helper::~Helper()
{
    if (m_settling.joinable()) {
        m_settling.join();
    }
    m_deviceMonitor.reset();
    if (m_engine) {
        m_engine->onEvent(nullptr);
    }
    if (m_mounter) {
        m_mounter->onChange(nullptr);
    }
    m_executor.reset();
    m_jobExecutor.reset();
    if (m_service) {
        m_service->dropPending();
    }
    m_listener.reset();
    m_inhibitor.reset();
    m_connections.clear(); // flushes the last answers
}

Status Helper::prepare()
{
    MP_TRY(m_folders.create());
    m_loop = MP_TRY(bus::EventLoop::create());
    MP_TRY(watchSignals());
    m_changes = std::make_unique<Changes>(*m_loop, m_connections);
    m_startList = std::make_unique<StartList>(m_folders.state + "/open-at-start");
    if (const Status loaded = m_startList->load(); !loaded) {
        m_log.print(LogLevel::Error, "no pool is opened at start: {}", loaded.error().toText());
    }
    MP_TRY(makeEngine());
    makeService();
    MP_TRY(openDoor());
    watchEngine();
    watchDevices();
    runtime::Task open = [this] {
        m_pools->openStartPools();
        m_loop->post([this] { reconsider(); });
    };
    m_executor->post(std::move(open));
    reconsider();
    return {};
}

Status Helper::makeEngine()
{
    m_executor = MP_TRY(runtime::ThreadPool::create(
        {.name = "mp-call", .threads = kCallThreads, .queueLimit = kMaxQueued}));
    m_jobExecutor = MP_TRY(runtime::ThreadPool::create(
        {.name = "mp-job", .threads = kJobThreads, .queueLimit = kMaxQueued}));
    api::EngineOptions options;
    options.log = &m_log;
    m_engine = MP_TRY(m_ports.engine(options));
    MountPolicy policy;
    policy.system = m_options.mode == Options::Mode::System;
    (policy.system ? policy.foreignRoot : policy.privateRoot) = m_folders.mounts;
    policy.log = &m_log;
    policy.watch = &m_watch;
    m_mounter = MP_TRY(m_ports.mounter(policy));
    m_pools = std::make_unique<PoolControl>(PoolControl::Parts{
        *m_engine, *m_mounter, *m_startList, *m_changes, m_clock, m_log, m_ports.devices});
    return {};
}

void Helper::makeService()
{
    const bool system = m_options.mode == Options::Mode::System;
    if (system) {
        m_authority = std::make_unique<PolkitAuthority>();
    } else {
        m_authority = std::make_unique<PeerAuthority>();
    }
    m_methodParts.emplace(MethodParts{*m_engine,
                                      *m_pools,
                                      *m_mounter,
                                      *m_startList,
                                      *m_changes,
                                      m_clock,
                                      m_ports.devices,
                                      [this]() -> JobRegistry& { return *m_jobs; },
                                      m_eventsCleared});
    MethodTable methods;
    addPoolMethods(methods, *m_methodParts);
    addDatasetMethods(methods, *m_methodParts);
    addChangeMethods(methods, *m_methodParts);
    addJobMethods(methods, *m_methodParts);
    m_service = std::make_unique<Service>(Service::Parts{*m_loop,
                                                         *m_executor,
                                                         *m_authority,
                                                         m_log,
                                                         system ? "system" : "private",
                                                         [this] { reconsider(); }},
                                          std::move(methods));
    m_jobs = std::make_unique<JobRegistry>(
        *m_loop, *m_jobExecutor, m_connections, m_clock, *m_service, [this] { reconsider(); });
}

Status Helper::openDoor()
{
    if (m_options.mode == Options::Mode::System) {
        return openSystemBus();
    }
    const std::string path =
        m_options.socketPath.empty() ? bus::defaultSocketPath() : m_options.socketPath;
    m_listener = MP_TRY(PrivateListener::create(
        *m_loop, path, m_log, [this](bus::UniqueFd socket, std::uint32_t uid) {
            onPeer(std::move(socket), uid);
        }));
    m_log.print(LogLevel::Info, "millpondd {} listens at {}", kVersion, path);
    return {};
}

Status Helper::openSystemBus()
{
    const auto connection = MP_TRY(bus::Connection::system(*m_loop));
    MP_TRY(serve(*connection));
    m_connections.add(connection);
    m_inhibitor = std::make_unique<Inhibitor>(*connection, m_log);
    connection->onDisconnected([this] { stop("the system bus has gone"); });
    // Last, for from here on calls come in.
    MP_TRY(connection->requestName(bus::kBusName));
    m_log.print(LogLevel::Info, "millpondd {} serves {}", kVersion, bus::kBusName);
    return {};
}

Status Helper::serve(bus::Connection& connection)
{
    MP_TRY(connection.addObject(
        bus::kManagerPath, bus::kManagerInterface, bus::kManagerVtable, *m_service));
    return connection.addObjectsBelow(
        "/org/millpond/Job",
        bus::kJobInterface,
        bus::kJobVtable,
        [this](std::string_view path) -> bus::ServerObject* { return m_jobs->find(path); },
        [this] { return m_jobs->paths(); });
}

Status Helper::watchSignals()
{
    m_onTerm = MP_TRY(m_loop->onSignal(SIGTERM, [this] { stop("SIGTERM"); }));
    m_onInt = MP_TRY(m_loop->onSignal(SIGINT, [this] { stop("SIGINT"); }));
    return {};
}

void Helper::watchEngine()
{
    m_engine->onEvent([this](const api::Event& event) {
        m_changes->event(event.id);
        if (const PoolGuid pool = poolOf(event); pool != PoolGuid(0)) {
            m_changes->pool(pool);
        }
    });
    m_mounter->onChange([this] { m_changes->mounts({}); });
}

void Helper::watchDevices()
{
    if (!m_ports.watchDevices) {
        return;
    }
    Result<std::unique_ptr<device::DeviceMonitor>> monitor =
        device::DeviceMonitor::create([this](const device::DeviceEvent& event) {
            m_changes->device(event.path);
            // Asking for their state makes pools look whether their devices are still there.
            m_executor->post([engine = m_engine.get()] {
                for (const api::PoolRef& pool : engine->pools()) {
                    (void)pool->status();
                }
            });
        });
    if (monitor) {
        m_deviceMonitor = std::move(*monitor);
    } else {
        m_log.print(LogLevel::Warning, "no device events: {}", monitor.error().toText());
    }
}

void Helper::onPeer(bus::UniqueFd socket, std::uint32_t uid)
{
    if (m_connections.count() >= kMaxPeers) {
        m_log.print(LogLevel::Warning, "refused a connection: there are {} already", kMaxPeers);
        return;
    }
    const auto connection = bus::Connection::peer(*m_loop, std::move(socket), uid);
    if (!connection) {
        m_log.print(LogLevel::Warning, "a peer was lost: {}", connection.error().toText());
        return;
    }
    if (const Status served = serve(**connection); !served) {
        m_log.print(LogLevel::Warning, "a peer was lost: {}", served.error().toText());
        return;
    }
    const bus::Connection* raw = connection->get();
    // Not at once: the connection itself is calling.
    (*connection)->onDisconnected([this, raw] {
        m_loop->post([this, raw] {
            m_connections.remove(raw);
            reconsider();
        });
    });
    m_connections.add(*connection);
    reconsider();
}

bool Helper::isIdle() const
{
    return m_connections.count() == 0 && m_service->pending() == 0 && !m_jobs->anyActive() &&
           m_engine->pools().empty();
}

void Helper::reconsider()
{
    if (m_stopping) {
        return;
    }
    if (m_inhibitor) {
        m_inhibitor->hold(!m_engine->pools().empty());
    }
    if (m_options.mode != Options::Mode::Private || m_options.idleTimeout.count() == 0) {
        return;
    }
    m_idleTimer.reset();
    if (!isIdle()) {
        return;
    }
    Result<bus::EventLoop::Source> timer = m_loop->after(m_options.idleTimeout, [this] {
        if (isIdle()) {
            stop("nothing to do");
        }
    });
    if (timer) {
        m_idleTimer = std::move(*timer);
    }
}

Status Helper::run()
{
    return m_loop->run();
}

void Helper::stop(const char* why)
{
    if (m_stopping) {
        m_log.print(LogLevel::Warning, "{} again: not waiting any longer", why);
        ::_exit(1);
    }
    m_stopping = true;
    m_log.print(LogLevel::Info, "stopping: {}", why);
    m_service->stop();
    m_jobs->cancelAll();
    m_listener.reset();
    Result<bus::EventLoop::Source> deadline = m_loop->after(kStopDeadline, [this] {
        m_log.print(LogLevel::Error, "cannot end cleanly; giving up");
        ::_exit(1);
    });
    if (deadline) {
        m_stopTimer = std::move(*deadline);
    }
    m_settling = std::thread([this] { settle(); });
}

void Helper::settle()
{
    // First what others see, whatever our own threads are stuck in; then the calls still at work;
    // then what one of those may have imported meanwhile.
    m_pools->settle(kPatience);
    m_executor.reset();
    m_jobExecutor.reset();
    m_pools->settle(milliseconds(0));
    m_loop->post([this] {
        m_log.print(LogLevel::Info, "stopped");
        m_loop->exit();
    });
}

} // namespace millpond::daemon
