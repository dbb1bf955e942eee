// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/types.h"

#include <functional>

namespace millpond::runtime {

using Task = std::move_only_function<void()>;

/// The port to parallelism: production runs tasks on threads, a simulation in one thread from one
/// seed. Theory statement: thread_pool.cpp.
class Executor
{
public:
    virtual ~Executor() = default;

    /// Runs `task` once, later. When the queue is full the caller waits for room; a thread of this
    /// executor itself runs the task at once instead, so that tasks may post tasks. Posting to an
    /// executor that is being destroyed is a broken program.
    virtual void post(Task task) = 0;

    /// Never waits. False when the queue is full: `task` is then untouched and still the caller's.
    [[nodiscard]] virtual bool tryPost(Task& task) = 0;

    /// How many tasks run at the same time, at most.
    [[nodiscard]] virtual unsigned concurrency() const = 0;
};

} // namespace millpond::runtime
