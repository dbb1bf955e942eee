// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "base/types.h"
#include "bus/event_loop.h"
#include "daemon/connections.h"

#include <set>
#include <span>
#include <string>

namespace millpond::daemon {

/// Counts changes and tells clients of them, a burst of them once. Told from any thread, sent from
/// the loop's.
class Changes
{
public:
    Changes(bus::EventLoop& loop, Connections& connections);

    /// Equal numbers: what it stands on a document for is unchanged.
    [[nodiscard]] std::uint64_t generation() const MP_EXCLUDES(m_mutex);
    /// For answers that are never the same twice (counters, progress).
    [[nodiscard]] std::uint64_t nextGeneration() MP_EXCLUDES(m_mutex);

    void pool(PoolGuid guid) MP_EXCLUDES(m_mutex);
    void datasets(const std::string& root) MP_EXCLUDES(m_mutex);
    void mounts(std::span<const std::string> datasets) MP_EXCLUDES(m_mutex);
    void device(const std::string& path) MP_EXCLUDES(m_mutex);
    void event(std::uint64_t id) MP_EXCLUDES(m_mutex);

private:
    struct Pending
    {
        bool scheduled = false;
        std::set<std::uint64_t> pools;
        std::set<std::string> datasets, mounts, devices;
        bool mountsChanged = false;
        std::uint64_t lastEvent = 0;
    };

    void changed() MP_REQUIRES(m_mutex);
    void schedule();
    void send() MP_EXCLUDES(m_mutex);

    bus::EventLoop& m_loop;
    Connections& m_connections;
    bus::EventLoop::Source m_timer; ///< loop thread
    mutable Mutex m_mutex;
    std::uint64_t m_generation MP_GUARDED_BY(m_mutex) = 1;
    Pending m_pending MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::daemon
