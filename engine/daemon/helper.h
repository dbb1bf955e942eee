// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "base/clock.h"
#include "daemon/authority.h"
#include "daemon/changes.h"
#include "daemon/connections.h"
#include "daemon/inhibitor.h"
#include "daemon/jobs.h"
#include "daemon/methods.h"
#include "daemon/mounter.h"
#include "daemon/options.h"
#include "daemon/pool_control.h"
#include "daemon/private_listener.h"
#include "daemon/service.h"
#include "daemon/start_list.h"
#include "daemon/state_folders.h"
#include "device/device_list.h"
#include "runtime/thread_pool.h"

#include <functional>
#include <memory>
#include <optional>
#include <thread>

namespace millpond::daemon {

/// What a helper is made of; a test gives its own.
struct HelperPorts
{
    std::function<Result<std::unique_ptr<api::Engine>>(api::EngineOptions)> engine;
    std::function<Result<std::unique_ptr<Mounter>>(const MountPolicy&)> mounter;
    DeviceLister devices;
    bool watchDevices = true;
};

/// The helper: wires everything, runs until SIGTERM, SIGINT or (private mode) idleness, and ends
/// cleanly. Theory statement: service.cpp. Main thread only.
class Helper
{
public:
    /// `watch` and `log` outlive it. SIGTERM and SIGINT are blocked by the caller.
    [[nodiscard]] static Result<std::unique_ptr<Helper>>
    create(const Options& options, HelperPorts ports, MountWatch& watch, Log& log);
    ~Helper();
    Helper(const Helper&) = delete;
    Helper& operator=(const Helper&) = delete;

    /// Until the end.
    [[nodiscard]] Status run();

private:
    Helper(const Options& options, HelperPorts ports, MountWatch& watch, Log& log);

    [[nodiscard]] Status prepare();
    [[nodiscard]] Status makeEngine();
    void makeService();
    [[nodiscard]] Status openDoor();
    [[nodiscard]] Status openSystemBus();
    [[nodiscard]] Status serve(bus::Connection& connection);
    [[nodiscard]] Status watchSignals();
    void watchEngine();
    void watchDevices();
    void onPeer(bus::UniqueFd socket, std::uint32_t uid);
    void reconsider();
    [[nodiscard]] bool isIdle() const;
    void stop(const char* why);
    void settle();

    const Options m_options;
    HelperPorts m_ports;
    MountWatch& m_watch;
    Log& m_log;
    SystemClock m_clock;
    StateFolders m_folders;

    std::unique_ptr<bus::EventLoop> m_loop;
    Connections m_connections;
    std::unique_ptr<Changes> m_changes;
    std::unique_ptr<StartList> m_startList;
    std::unique_ptr<api::Engine> m_engine;
    std::unique_ptr<Mounter> m_mounter;
    std::unique_ptr<PoolControl> m_pools;
    std::unique_ptr<runtime::ThreadPool> m_executor, m_jobExecutor;
    std::unique_ptr<Authority> m_authority;
    std::atomic<std::uint64_t> m_eventsCleared = 0;
    std::optional<MethodParts> m_methodParts;
    std::unique_ptr<Service> m_service;
    std::unique_ptr<JobRegistry> m_jobs;
    std::unique_ptr<Inhibitor> m_inhibitor;
    std::unique_ptr<PrivateListener> m_listener;
    std::unique_ptr<device::DeviceMonitor> m_deviceMonitor;
    bus::EventLoop::Source m_onTerm, m_onInt, m_idleTimer, m_stopTimer;
    std::thread m_settling;
    bool m_stopping = false;
};

} // namespace millpond::daemon
