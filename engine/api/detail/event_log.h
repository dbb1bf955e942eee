// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "base/clock.h"
#include "base/mutex.h"

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace millpond::api::detail {

/// The last kKept events. Thread-safe; the observer is called without the lock.
class EventLog
{
public:
    static constexpr std::size_t kKept = 10'000;

    explicit EventLog(const Clock& clock)
        : m_clock(clock)
    {
    }

    void add(std::string eventClass, std::vector<std::pair<std::string, std::string>> fields);
    [[nodiscard]] std::vector<Event> after(std::uint64_t id) const;
    void observe(std::function<void(const Event&)> observer);

private:
    const Clock& m_clock;
    mutable Mutex m_mutex;
    std::deque<Event> m_events MP_GUARDED_BY(m_mutex);
    std::uint64_t m_last MP_GUARDED_BY(m_mutex) = 0;
    std::function<void(const Event&)> m_observer MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::api::detail
