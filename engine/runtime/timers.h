// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "runtime/executor.h"

#include <map>
#include <memory>
#include <optional>
#include <thread>

namespace millpond::runtime {

using TimerId = Strong<struct TimerIdTag>;

/// One-shot timers, by the monotonic time of a Clock. Thread-safe.
class Timers
{
public:
    virtual ~Timers() = default;
    /// Runs `task` once on the executor given at creation, not before `delay` has passed.
    [[nodiscard]] virtual TimerId after(std::chrono::nanoseconds delay, Task task) = 0;
    /// True: the task will not run. False: it has been handed to the executor, or never was.
    virtual bool cancel(TimerId id) = 0;
};

/// The order of due times; both implementations below keep one. Not thread-safe.
class TimerList
{
public:
    TimerId add(std::chrono::nanoseconds due, Task task);
    bool remove(TimerId id);
    /// The earliest due time.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> next() const;
    /// Takes the earliest task if it is due at `now`.
    [[nodiscard]] std::optional<Task> takeDue(std::chrono::nanoseconds now);

private:
    using Key = std::pair<std::chrono::nanoseconds, std::uint64_t>;

    std::map<Key, Task> m_tasks;
    std::map<std::uint64_t, std::chrono::nanoseconds> m_due;
    std::uint64_t m_last = 0;
};

/// A thread that waits for the next due time. The clock must run with real time. A full executor
/// delays later timers.
class ThreadTimers final : public Timers
{
public:
    [[nodiscard]] static Result<std::unique_ptr<ThreadTimers>> create(const Clock& clock,
                                                                      Executor& executor);
    ~ThreadTimers() override; ///< timers not yet due are dropped
    ThreadTimers(const ThreadTimers&) = delete;
    ThreadTimers& operator=(const ThreadTimers&) = delete;

    [[nodiscard]] TimerId after(std::chrono::nanoseconds delay, Task task) override;
    bool cancel(TimerId id) override;

private:
    ThreadTimers(const Clock& clock, Executor& executor);
    void work();

    const Clock& m_clock;
    Executor& m_executor;
    Mutex m_mutex;
    CondVar m_changed;
    TimerList m_list MP_GUARDED_BY(m_mutex);
    bool m_stopping MP_GUARDED_BY(m_mutex) = false;
    std::thread m_thread;
};

} // namespace millpond::runtime
