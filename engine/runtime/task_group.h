// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/function_ref.h"
#include "base/result.h"
#include "runtime/executor.h"

#include <memory>

namespace millpond::runtime {

/// Several tasks and one wait. Whoever waits works along on the group's own tasks, so groups nest
/// to any depth on an executor of any size without a deadlock. run() and wait() are for one thread.
class TaskGroup
{
public:
    using Work = std::move_only_function<Status()>;

    explicit TaskGroup(Executor& executor);
    ~TaskGroup(); ///< waits
    TaskGroup(const TaskGroup&) = delete;
    TaskGroup& operator=(const TaskGroup&) = delete;

    /// Tasks not yet started are at most this many; beyond it the caller runs one itself.
    static constexpr std::size_t kMaxWaiting = 256;

    void run(Work work);
    /// Until all have ended. The first error met; once there is one, tasks that have not started
    /// are dropped. The group can be used again afterwards.
    [[nodiscard]] Status wait();

private:
    struct Shared;

    Executor& m_executor;
    std::shared_ptr<Shared> m_shared;
};

/// Calls body(0) … body(count-1), in no order, in parallel with the caller taking part; returns the
/// first error met, after which no further index is begun. May be nested.
[[nodiscard]] Status
parallelFor(Executor& executor, std::size_t count, FunctionRef<Status(std::size_t)> body);

} // namespace millpond::runtime
