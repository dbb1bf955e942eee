// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "base/result.h"
#include "runtime/executor.h"

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace millpond::runtime {

struct ThreadPoolOptions
{
    std::string name = "mp-work";  ///< of its threads, a number is appended; 13 characters are kept
    unsigned threads = 0;          ///< 0: one for each processor, at least two
    std::size_t queueLimit = 4096; ///< tasks waiting; see Executor::post
};

class ThreadPool final : public Executor
{
public:
    /// System when threads cannot be started.
    [[nodiscard]] static Result<std::unique_ptr<ThreadPool>> create(ThreadPoolOptions options);
    /// Runs what is queued to the end, then joins.
    ~ThreadPool() override;
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    void post(Task task) override;
    [[nodiscard]] bool tryPost(Task& task) override;

    [[nodiscard]] unsigned concurrency() const override { return m_options.threads; }

private:
    explicit ThreadPool(ThreadPoolOptions options);
    void work();
    [[nodiscard]] bool isOwnThread() const;

    const ThreadPoolOptions m_options;
    Mutex m_mutex;
    CondVar m_notEmpty;
    CondVar m_notFull;
    std::deque<Task> m_queue MP_GUARDED_BY(m_mutex);
    bool m_stopping MP_GUARDED_BY(m_mutex) = false;
    std::vector<std::thread> m_threads;
};

} // namespace millpond::runtime
