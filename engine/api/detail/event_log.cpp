// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/detail/event_log.h"

namespace millpond::api::detail {

void EventLog::add(std::string eventClass, std::vector<std::pair<std::string, std::string>> fields)
{
    Event event;
    event.time = m_clock.wall();
    event.eventClass = std::move(eventClass);
    event.fields = std::move(fields);
    std::function<void(const Event&)> observer;
    {
        const MutexLock lock(m_mutex);
        event.id = ++m_last;
        m_events.push_back(event);
        if (m_events.size() > kKept) {
            m_events.pop_front();
        }
        observer = m_observer;
    }
    if (observer) {
        observer(event);
    }
}

std::vector<Event> EventLog::after(std::uint64_t id) const
{
    std::vector<Event> found;
    const MutexLock lock(m_mutex);
    for (const Event& event : m_events) {
        if (event.id > id) {
            found.push_back(event);
        }
    }
    return found;
}

void EventLog::observe(std::function<void(const Event&)> observer)
{
    const MutexLock lock(m_mutex);
    m_observer = std::move(observer);
}

} // namespace millpond::api::detail
