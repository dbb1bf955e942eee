// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/log.h"
#include "bus/server.h"

#include <memory>

namespace millpond::daemon {

/// Asks logind to wait a moment with a shutdown while a pool is open, so that it is exported first.
/// A machine without logind has none to ask. Loop thread only.
class Inhibitor
{
public:
    Inhibitor(bus::Connection& systemBus, Log& log);

    void hold(bool wanted);

private:
    void request();

    /// Outlived by answers that still come.
    struct State
    {
        bool wanted = false, asked = false;
        bus::UniqueFd lock;
    };

    bus::Connection& m_bus;
    Log& m_log;
    std::shared_ptr<State> m_state;
};

} // namespace millpond::daemon
