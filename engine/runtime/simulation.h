// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "runtime/executor.h"
#include "runtime/timers.h"

#include <vector>

// Time, order and timers that a simulation owns: everything runs in the calling thread, from one
// seed. Nothing here is thread-safe.

namespace millpond::runtime {

class ManualClock final : public Clock
{
public:
    [[nodiscard]] std::chrono::nanoseconds monotonic() const override { return m_now; }

    /// Starts at 2020-01-01 UTC.
    [[nodiscard]] std::chrono::nanoseconds wall() const override
    {
        return std::chrono::seconds(1'577'836'800) + m_now;
    }

    void advance(std::chrono::nanoseconds time) { m_now += time; }

private:
    std::chrono::nanoseconds m_now{0};
};

/// Tasks wait until pumped and then run one at a time, in an order drawn from the seed.
class SeededExecutor final : public Executor
{
public:
    explicit SeededExecutor(std::uint64_t seed, std::size_t queueLimit = 4096);
    ~SeededExecutor() override; ///< runs what is left

    /// Full: runs other waiting tasks until there is room.
    void post(Task task) override;
    [[nodiscard]] bool tryPost(Task& task) override;

    [[nodiscard]] unsigned concurrency() const override { return 1; }

    /// Runs one waiting task; false when there is none.
    bool pumpOne();
    /// Until none is left, those posted meanwhile included, or `limit` have run. The number run.
    std::size_t pump(std::size_t limit = 1'000'000);

private:
    SeededRandom m_random;
    std::size_t m_queueLimit;
    std::vector<Task> m_waiting;
};

class ManualTimers final : public Timers
{
public:
    ManualTimers(ManualClock& clock, Executor& executor)
        : m_clock(clock)
        , m_executor(executor)
    {
    }

    [[nodiscard]] TimerId after(std::chrono::nanoseconds delay, Task task) override;
    bool cancel(TimerId id) override;

    /// Moves the clock to the next due time and posts what is due; false when no timer is set.
    bool advanceToNext();
    /// Posts what is due now.
    void runDue();

private:
    ManualClock& m_clock;
    Executor& m_executor;
    TimerList m_list;
};

} // namespace millpond::runtime
