// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/timers.h"

#include "runtime/detail/start_thread.h"

namespace millpond::runtime {

TimerId TimerList::add(std::chrono::nanoseconds due, Task task)
{
    const std::uint64_t id = ++m_last;
    m_tasks.emplace(Key{due, id}, std::move(task));
    m_due.emplace(id, due);
    return TimerId(id);
}

bool TimerList::remove(TimerId id)
{
    const auto found = m_due.find(id.value());
    if (found == m_due.end()) {
        return false;
    }
    m_tasks.erase(Key{found->second, id.value()});
    m_due.erase(found);
    return true;
}

std::optional<std::chrono::nanoseconds> TimerList::next() const
{
    if (m_tasks.empty()) {
        return std::nullopt;
    }
    return m_tasks.begin()->first.first;
}

std::optional<Task> TimerList::takeDue(std::chrono::nanoseconds now)
{
    if (m_tasks.empty() || m_tasks.begin()->first.first > now) {
        return std::nullopt;
    }
    const auto first = m_tasks.begin();
    Task task = std::move(first->second);
    m_due.erase(first->first.second);
    m_tasks.erase(first);
    return task;
}

ThreadTimers::ThreadTimers(const Clock& clock, Executor& executor)
    : m_clock(clock)
    , m_executor(executor)
{
}

Result<std::unique_ptr<ThreadTimers>> ThreadTimers::create(const Clock& clock, Executor& executor)
{
    std::unique_ptr<ThreadTimers> timers(new ThreadTimers(clock, executor));
    timers->m_thread =
        MP_TRY(detail::startThread("mp-timers", [self = timers.get()] { self->work(); }));
    return timers;
}

ThreadTimers::~ThreadTimers()
{
    {
        const MutexLock lock(m_mutex);
        m_stopping = true;
    }
    m_changed.notifyAll();
    if (m_thread.joinable()) {
        m_thread.join();
    }
}

TimerId ThreadTimers::after(std::chrono::nanoseconds delay, Task task)
{
    const std::chrono::nanoseconds due = m_clock.monotonic() + delay;
    const MutexLock lock(m_mutex);
    const TimerId id = m_list.add(due, std::move(task));
    m_changed.notifyAll();
    return id;
}

bool ThreadTimers::cancel(TimerId id)
{
    const MutexLock lock(m_mutex);
    return m_list.remove(id);
}

void ThreadTimers::work()
{
    for (;;) {
        std::optional<Task> task;
        {
            const MutexLock lock(m_mutex);
            while (!m_stopping && !(task = m_list.takeDue(m_clock.monotonic()))) {
                const auto next = m_list.next();
                if (next) {
                    m_changed.waitFor(m_mutex, *next - m_clock.monotonic());
                } else {
                    m_changed.wait(m_mutex);
                }
            }
            if (m_stopping) {
                return;
            }
        }
        m_executor.post(std::move(*task));
    }
}

} // namespace millpond::runtime
