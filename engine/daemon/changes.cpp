// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/changes.h"

#include "bus/client.h"

namespace millpond::daemon {

namespace {
/// Long enough to make one signal of an import with all its mounts, short enough not to be noticed.
constexpr std::chrono::milliseconds kGather{50};

std::vector<std::string> listOf(const std::set<std::string>& names)
{
    return {names.begin(), names.end()};
}
} // namespace

Changes::Changes(bus::EventLoop& loop, Connections& connections)
    : m_loop(loop)
    , m_connections(connections)
{
}

std::uint64_t Changes::generation() const
{
    const MutexLock lock(m_mutex);
    return m_generation;
}

std::uint64_t Changes::nextGeneration()
{
    const MutexLock lock(m_mutex);
    return ++m_generation;
}

void Changes::pool(PoolGuid guid)
{
    const MutexLock lock(m_mutex);
    m_pending.pools.insert(guid.value());
    changed();
}

void Changes::datasets(const std::string& root)
{
    const MutexLock lock(m_mutex);
    m_pending.datasets.insert(root);
    changed();
}

void Changes::mounts(std::span<const std::string> datasets)
{
    const MutexLock lock(m_mutex);
    m_pending.mounts.insert(datasets.begin(), datasets.end());
    m_pending.mountsChanged = true;
    changed();
}

void Changes::device(const std::string& path)
{
    const MutexLock lock(m_mutex);
    m_pending.devices.insert(path);
    changed();
}

void Changes::event(std::uint64_t id)
{
    const MutexLock lock(m_mutex);
    m_pending.lastEvent = std::max(m_pending.lastEvent, id);
    changed();
}

void Changes::changed()
{
    ++m_generation;
    if (!m_pending.scheduled) {
        m_pending.scheduled = true;
        m_loop.post([this] { schedule(); });
    }
}

void Changes::schedule()
{
    Result<bus::EventLoop::Source> timer = m_loop.after(kGather, [this] { send(); });
    if (timer) {
        m_timer = std::move(*timer);
    } else {
        send();
    }
}

void Changes::send()
{
    Pending pending;
    std::uint64_t generation = 0;
    {
        const MutexLock lock(m_mutex);
        std::swap(pending, m_pending);
        generation = m_generation;
    }
    const auto emit = [this](const char* member, const auto&... values) {
        m_connections.emit(bus::kManagerPath, bus::kManagerInterface, member, values...);
    };
    if (!pending.pools.empty()) {
        const std::vector<std::uint64_t> guids(pending.pools.begin(), pending.pools.end());
        emit("PoolsChanged", generation, guids);
    }
    if (!pending.datasets.empty()) {
        emit("DatasetsChanged", generation, listOf(pending.datasets));
    }
    if (pending.mountsChanged) {
        emit("MountsChanged", generation, listOf(pending.mounts));
    }
    if (!pending.devices.empty()) {
        emit("DevicesChanged", generation, listOf(pending.devices));
    }
    if (pending.lastEvent != 0) {
        emit("EventsAdded", pending.lastEvent);
    }
}

} // namespace millpond::daemon
