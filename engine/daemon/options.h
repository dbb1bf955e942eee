// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/log.h"
#include "base/result.h"

#include <chrono>
#include <span>
#include <string>

namespace millpond::daemon {

/// The command line of millpondd; man page millpondd(8).
struct Options
{
    enum class Mode : std::uint8_t
    {
        System,
        Private,
        ShowVersion,
        ShowHelp
    };
    Mode mode = Mode::Private;
    std::string socketPath; ///< private mode; empty: the usual one
    LogLevel logLevel = LogLevel::Info;
    bool detach = false; ///< leave the process that started us
    int readyFd = -1;    ///< gets "ready" once calls are accepted, or why not
    /// Private mode: how long without pool, client and job until the helper ends; 0: never.
    std::chrono::seconds idleTimeout{60};
};

/// InvalidArgument with a text for people.
[[nodiscard]] Result<Options> parseOptions(std::span<const char* const> arguments);

[[nodiscard]] std::string helpText();

} // namespace millpond::daemon
