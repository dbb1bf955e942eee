// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/task_group.h"

#include "base/mutex.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <optional>

namespace millpond::runtime {

/// Outlives the group for as long as a ticket is still queued somewhere.
struct TaskGroup::Shared
{
    Mutex mutex;
    CondVar idle;
    std::deque<Work> waiting MP_GUARDED_BY(mutex);
    std::size_t running MP_GUARDED_BY(mutex) = 0;
    std::optional<Error> error MP_GUARDED_BY(mutex);

    /// Runs one waiting task; false when there is none.
    bool runOne()
    {
        Work work;
        {
            const MutexLock lock(mutex);
            if (waiting.empty()) {
                return false;
            }
            work = std::move(waiting.front());
            waiting.pop_front();
            ++running;
        }
        Status status = work();
        work = nullptr; // what it captured goes before wait() returns
        const MutexLock lock(mutex);
        --running;
        if (!status && !error) {
            error = std::move(status).error();
            waiting.clear();
        }
        if (running == 0) {
            idle.notifyAll();
        }
        return true;
    }
};

TaskGroup::TaskGroup(Executor& executor)
    : m_executor(executor)
    , m_shared(std::make_shared<Shared>())
{
}

TaskGroup::~TaskGroup()
{
    (void)wait();
}

void TaskGroup::run(Work work)
{
    bool full = false;
    {
        const MutexLock lock(m_shared->mutex);
        if (m_shared->error) {
            return;
        }
        m_shared->waiting.push_back(std::move(work));
        full = m_shared->waiting.size() > kMaxWaiting;
    }
    Task ticket = [shared = m_shared] { (void)shared->runOne(); };
    if (full || !m_executor.tryPost(ticket)) {
        (void)m_shared->runOne();
    }
}

Status TaskGroup::wait()
{
    while (m_shared->runOne()) {
    }
    const MutexLock lock(m_shared->mutex);
    while (m_shared->running > 0) {
        m_shared->idle.wait(m_shared->mutex);
    }
    if (!m_shared->error) {
        return {};
    }
    Error error = *std::move(m_shared->error);
    m_shared->error.reset();
    return fail(std::move(error));
}

namespace {

/// A ticket that comes late finds no index left and does not touch `body`, which is gone by then.
struct Loop
{
    explicit Loop(std::size_t total, const FunctionRef<Status(std::size_t)>& work)
        : count(total)
        , body(work)
    {
    }

    const std::size_t count;
    const FunctionRef<Status(std::size_t)> body;
    Mutex mutex;
    CondVar idle;
    std::size_t next MP_GUARDED_BY(mutex) = 0;
    std::size_t running MP_GUARDED_BY(mutex) = 0;
    std::optional<Error> error MP_GUARDED_BY(mutex);

    std::optional<std::size_t> begin()
    {
        const MutexLock lock(mutex);
        if (next == count) {
            return std::nullopt;
        }
        ++running;
        return next++;
    }

    void end(Status status)
    {
        const MutexLock lock(mutex);
        --running;
        if (!status && !error) {
            error = std::move(status).error();
            next = count;
        }
        if (running == 0) {
            idle.notifyAll();
        }
    }

    void take()
    {
        while (const std::optional<std::size_t> index = begin()) {
            end(body(*index));
        }
    }
};

} // namespace

Status parallelFor(Executor& executor, std::size_t count, FunctionRef<Status(std::size_t)> body)
{
    if (count == 0) {
        return {};
    }
    const auto loop = std::make_shared<Loop>(count, body);
    const std::size_t helpers = std::min<std::size_t>(count - 1, executor.concurrency());
    for (std::size_t i = 0; i < helpers; ++i) {
        Task ticket = [loop] { loop->take(); };
        if (!executor.tryPost(ticket)) {
            break;
        }
    }
    loop->take();
    const MutexLock lock(loop->mutex);
    while (loop->running > 0) {
        loop->idle.wait(loop->mutex);
    }
    if (loop->error) {
        return fail(*std::move(loop->error));
    }
    return {};
}

} // namespace millpond::runtime
