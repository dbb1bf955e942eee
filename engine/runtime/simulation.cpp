// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/simulation.h"

#include <algorithm>

namespace millpond::runtime {

SeededExecutor::SeededExecutor(std::uint64_t seed, std::size_t queueLimit)
    : m_random(seed)
    , m_queueLimit(std::max<std::size_t>(1, queueLimit))
{
}

SeededExecutor::~SeededExecutor()
{
    (void)pump();
}

void SeededExecutor::post(Task task)
{
    while (m_waiting.size() >= m_queueLimit) {
        (void)pumpOne();
    }
    m_waiting.push_back(std::move(task));
}

bool SeededExecutor::tryPost(Task& task)
{
    if (m_waiting.size() >= m_queueLimit) {
        return false;
    }
    m_waiting.push_back(std::move(task));
    return true;
}

bool SeededExecutor::pumpOne()
{
    if (m_waiting.empty()) {
        return false;
    }
    const std::size_t chosen = m_random.next() % m_waiting.size();
    std::swap(m_waiting[chosen], m_waiting.back());
    Task task = std::move(m_waiting.back());
    m_waiting.pop_back();
    task();
    return true;
}

std::size_t SeededExecutor::pump(std::size_t limit)
{
    std::size_t done = 0;
    while (done < limit && pumpOne()) {
        ++done;
    }
    return done;
}

TimerId ManualTimers::after(std::chrono::nanoseconds delay, Task task)
{
    return m_list.add(m_clock.monotonic() + delay, std::move(task));
}

bool ManualTimers::cancel(TimerId id)
{
    return m_list.remove(id);
}

bool ManualTimers::advanceToNext()
{
    const auto next = m_list.next();
    if (!next) {
        return false;
    }
    if (*next > m_clock.monotonic()) {
        m_clock.advance(*next - m_clock.monotonic());
    }
    runDue();
    return true;
}

void ManualTimers::runDue()
{
    while (std::optional<Task> task = m_list.takeDue(m_clock.monotonic())) {
        m_executor.post(std::move(*task));
    }
}

} // namespace millpond::runtime
