// SPDX-License-Identifier: GPL-3.0-or-later
// Theory of runtime/
//
// Purpose. Everything that runs beside the caller: tasks on threads, timers, reads and writes in
// flight. The engine's interfaces block; this layer is where their parallelism comes from.
//
// Terms. A task is a callable that runs once. A group is a set of tasks with one wait. A ticket is
// what a group posts to an executor: "come and take a task of mine, if one is left".
//
// In memory. ThreadPool is one queue under one mutex: tasks here cost microseconds to milliseconds
// (a checksum, a decompression, a column of parity), so one lock is no bottleneck for the few
// threads a pool has. TaskGroup keeps its own tasks and posts only tickets.
//
// INV-1 A task that was accepted runs exactly once, also when the executor is destroyed.
// INV-2 No thread waits for room in a queue that only it could empty: an executor's own threads
//       run a task themselves when the queue is full.
// INV-3 Who waits for a group runs the group's tasks that no thread has begun. What is left then is
//       running on other threads, and by the same rule makes progress: groups nest without deadlock
//       on an executor of any size, a single thread included.
// INV-4 Nothing reads the system's clocks but through Clock; in a simulation (simulation.h) order
//       and time follow from the seed alone.
//
// Concurrency. post() and tryPost() from any thread. No lock of this layer is held while a task or
// completion runs. Ranks of locks: lock_rank.h.
//
// Failure. Threads that cannot be started are an error of create(). Tasks report through what they
// captured; a group keeps the first error.
//
// Limits. Every queue has a bound and says what happens when it is met: ThreadPoolOptions,
// TaskGroup::kMaxWaiting, IoQueueOptions::depth.
#include "runtime/thread_pool.h"

#include "base/check.h"
#include "runtime/detail/start_thread.h"

#include <algorithm>
#include <utility>

namespace millpond::runtime {

namespace {

/// The pool whose thread this is. Thread-local rather than a search through ids: post() asks often.
const ThreadPool*& currentPool()
{
    thread_local const ThreadPool* pool = nullptr;
    return pool;
}

ThreadPoolOptions withDefaults(ThreadPoolOptions options)
{
    if (options.threads == 0) {
        options.threads = std::max(2U, std::thread::hardware_concurrency());
    }
    options.queueLimit = std::max<std::size_t>(1, options.queueLimit);
    return options;
}

} // namespace

ThreadPool::ThreadPool(ThreadPoolOptions options)
    : m_options(withDefaults(std::move(options)))
{
}

Result<std::unique_ptr<ThreadPool>> ThreadPool::create(ThreadPoolOptions options)
{
    std::unique_ptr<ThreadPool> pool(new ThreadPool(std::move(options)));
    for (unsigned i = 0; i < pool->m_options.threads; ++i) {
        pool->m_threads.push_back(MP_TRY(detail::startThread(
            pool->m_options.name + std::to_string(i), [self = pool.get()] { self->work(); })));
    }
    return pool;
}

ThreadPool::~ThreadPool()
{
    {
        const MutexLock lock(m_mutex);
        m_stopping = true;
    }
    m_notEmpty.notifyAll();
    m_notFull.notifyAll();
    for (std::thread& thread : m_threads) {
        thread.join();
    }
}

bool ThreadPool::isOwnThread() const
{
    return currentPool() == this;
}

void ThreadPool::post(Task task)
{
    {
        const MutexLock lock(m_mutex);
        MP_CHECK(!m_stopping || isOwnThread()); // INV-1: a task of ours may post while we drain
        while (m_queue.size() >= m_options.queueLimit && !isOwnThread()) {
            m_notFull.wait(m_mutex);
        }
        if (m_queue.size() < m_options.queueLimit) {
            m_queue.push_back(std::move(task));
            m_notEmpty.notifyOne();
            return;
        }
    }
    task(); // INV-2
}

bool ThreadPool::tryPost(Task& task)
{
    const MutexLock lock(m_mutex);
    if (m_queue.size() >= m_options.queueLimit || m_stopping) {
        return false;
    }
    m_queue.push_back(std::move(task));
    m_notEmpty.notifyOne();
    return true;
}

void ThreadPool::work()
{
    currentPool() = this;
    for (;;) {
        Task task;
        {
            const MutexLock lock(m_mutex);
            while (m_queue.empty() && !m_stopping) {
                m_notEmpty.wait(m_mutex);
            }
            if (m_queue.empty()) {
                return;
            }
            task = std::move(m_queue.front());
            m_queue.pop_front();
            m_notFull.notifyOne();
        }
        task();
    }
}

} // namespace millpond::runtime
