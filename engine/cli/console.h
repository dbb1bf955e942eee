// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "bus/client.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace millpond::cli {

/// Exit codes of zpool(8) and zfs(8).
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;

using Arguments = std::vector<std::string>;

struct TerminalSize
{
    std::size_t columns = 0, lines = 0;
};

/// What a command writes to, and its way to the helper. One per process; one thread.
class Console
{
public:
    explicit Console(std::string program)
        : m_program(std::move(program))
    {
    }

    /// The name messages use: as the program was called ("zpool" behind a link).
    [[nodiscard]] const std::string& program() const { return m_program; }

    void out(std::string_view text);
    void err(std::string_view text);
    void flush();
    /// Standard output is a terminal.
    [[nodiscard]] bool isTerminal() const;
    /// Of that terminal; nothing when there is none, or it does not tell.
    [[nodiscard]] std::optional<TerminalSize> terminalSize() const;

    void choose(bus::ConnectOptions options) { m_options = std::move(options); }

    /// Connects at the first call.
    [[nodiscard]] Result<bus::Client*> client();

private:
    std::string m_program;
    std::string m_pending;
    bus::ConnectOptions m_options;
    std::optional<bus::Client> m_client;
};

/// Says what went wrong and returns kFailed. `attempt` is like "cannot open 'tank'"; the reason
/// follows.
int complain(Console& console, std::string_view attempt, const Error& error);
/// The same without an attempt.
int complain(Console& console, const Error& error);

} // namespace millpond::cli
