// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/inhibitor.h"

namespace millpond::daemon {

Inhibitor::Inhibitor(bus::Connection& systemBus, Log& log)
    : m_bus(systemBus)
    , m_log(log)
    , m_state(std::make_shared<State>())
{
}

void Inhibitor::hold(bool wanted)
{
    m_state->wanted = wanted;
    if (!wanted) {
        m_state->lock.reset();
    } else if (!m_state->lock.valid() && !m_state->asked) {
        request();
    }
}

void Inhibitor::request()
{
    constexpr std::chrono::milliseconds kDeadline{5'000};
    m_state->asked = true;
    Result<bus::Message> call = m_bus.newCall("org.freedesktop.login1",
                                              "/org/freedesktop/login1",
                                              "org.freedesktop.login1.Manager",
                                              "Inhibit");
    if (!call || !call->addAll("shutdown", "Millpond", "a pool is open", "delay")) {
        return;
    }
    (void)m_bus.callAsync(
        *call, kDeadline, [state = m_state, &log = m_log](Result<bus::Message> answer) {
            state->asked = false;
            bus::UniqueFd lock;
            if (!answer || !answer->take(lock)) {
                log.print(LogLevel::Debug, "no shutdown inhibitor: logind does not answer");
                return;
            }
            if (state->wanted) {
                state->lock = std::move(lock);
            }
        });
}

} // namespace millpond::daemon
