// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/log.h"
#include "bus/server.h"
#include "daemon/authority.h"
#include "daemon/method.h"
#include "runtime/executor.h"

#include <functional>
#include <string>
#include <unordered_map>

namespace millpond::daemon {

/// Takes every call through the same steps: check its shape, ask whether it is allowed, queue the
/// work, answer. No work is done on the loop's thread. Loop thread only.
class Service final : public bus::ServerObject
{
public:
    struct Parts
    {
        bus::EventLoop& loop;
        runtime::Executor& executor;
        Authority& authority;
        Log& log;
        std::string mode; ///< "system" or "private"
        /// A call has been answered.
        bus::EventLoop::Action onAnswered;
    };

    Service(Parts parts, MethodTable methods);

    void onCall(const bus::CallRef& call) override;
    [[nodiscard]] Status onGet(std::string_view property, bus::Message& reply) override;

    /// Refuses every call from now on.
    void stop() { m_stopping = true; }

    /// Answers what still waits with an error.
    void dropPending() { m_pending.clear(); }

    [[nodiscard]] std::size_t pending() const { return m_pending.size(); }

private:
    void authorised(std::uint64_t id, const Prepared& prepared, Result<Caller> caller);
    void queue(std::uint64_t id, const Caller& caller, const Prepared::Work& work);
    void finish(std::uint64_t id, const Result<Reply>& reply);

    Parts m_parts;
    MethodTable m_methods;
    /// Calls never leave this thread: their work is known by number.
    std::unordered_map<std::uint64_t, bus::CallRef> m_pending;
    std::uint64_t m_last = 0;
    bool m_stopping = false;
};

} // namespace millpond::daemon
