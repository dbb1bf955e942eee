// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/console.h"

#include "cli/compat_phrases.h"

#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

// Theory of the command lines.
//
// Purpose. mpzpool and mpzfs: what people and scripts type, answered as OpenZFS 2.3 answers. They
// hold no pool code: each command parses its words into a plain structure, asks the helper, and
// prints.
//
// Three parts per command, in one file each: options (option_parser.h), one or two calls of
// bus::Client, and a printer (table_printer.h, json.h). Words that programs match on stand in
// compat_phrases.h alone; all other text is ours. Output is plain C locale.
//
// Exit codes: 0 done, 1 something failed (it is named on standard error), 2 the words make no sense
// (usage on standard error). `check` differs: 0 clean, 1 problems found, 2 could not check.
//
// Sources: OpenZFS 2.3 cmd/zpool/zpool_main.c, cmd/zfs/zfs_main.c, lib/libzfs/libzfs_dataset.c and
// zpool(8), zfs(8) for formats.

namespace millpond::cli {

namespace {
constexpr std::size_t kFlushBytes = 64 * KiB;
} // namespace

void Console::out(std::string_view text)
{
    m_pending += text;
    if (m_pending.size() >= kFlushBytes) {
        flush();
    }
}

void Console::flush()
{
    std::fwrite(m_pending.data(), 1, m_pending.size(), stdout);
    std::fflush(stdout);
    m_pending.clear();
}

void Console::err(std::string_view text)
{
    flush();
    std::fwrite(text.data(), 1, text.size(), stderr);
}

bool Console::isTerminal() const
{
    return isatty(STDOUT_FILENO) == 1;
}

std::optional<TerminalSize> Console::terminalSize() const
{
    winsize size{};
    const bool told = isTerminal() && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
                      size.ws_col > 0 && size.ws_row > 0;
    return told ? std::optional(TerminalSize{size.ws_col, size.ws_row}) : std::nullopt;
}

Result<bus::Client*> Console::client()
{
    if (!m_client) {
        m_client.emplace(MP_TRY(bus::Client::connect(m_options)));
    }
    return &*m_client;
}

int complain(Console& console, std::string_view attempt, const Error& error)
{
    std::string_view reason = phrases::reasonFor(error.code());
    console.err(
        fmt::format("{}: {}\n", attempt, reason.empty() ? error.what() : std::string(reason)));
    return kFailed;
}

int complain(Console& console, const Error& error)
{
    console.err(fmt::format("{}: {}\n", console.program(), error.what()));
    return kFailed;
}

} // namespace millpond::cli
