// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/daemon_log.h"

#include <fmt/chrono.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <sys/stat.h>
#include <syslog.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

namespace millpond::daemon {

namespace {
struct LevelFacts
{
    std::string_view name;
    int priority;
};

constexpr std::array<LevelFacts, 4> kLevels = {LevelFacts{"error", LOG_ERR},
                                               LevelFacts{"warning", LOG_WARNING},
                                               LevelFacts{"info", LOG_INFO},
                                               LevelFacts{"debug", LOG_DEBUG}};

/// systemd names device and inode of the stream it gave us; stderr may have been redirected since.
bool stderrIsJournal()
{
    const char* stream = std::getenv("JOURNAL_STREAM"); // NOLINT(concurrency-mt-unsafe): at start
    struct stat facts = {};
    return stream != nullptr && ::fstat(STDERR_FILENO, &facts) == 0 &&
           fmt::format("{}:{}", facts.st_dev, facts.st_ino) == stream;
}
} // namespace

DaemonLog::DaemonLog(LogLevel level)
    : m_level(level)
    , m_toJournal(stderrIsJournal())
{
}

void DaemonLog::write(LogLevel level, std::string_view message)
{
    if (!wants(level)) {
        return;
    }
    const LevelFacts& facts = kLevels[static_cast<std::size_t>(level)];
    if (m_toJournal) {
        (void)sd_journal_send("MESSAGE=%s",
                              std::string(message).c_str(),
                              "PRIORITY=%i",
                              facts.priority,
                              "SYSLOG_IDENTIFIER=millpondd",
                              nullptr);
        return;
    }
    const auto now =
        std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    // One write, so that lines of several threads do not mix.
    const std::string line = fmt::format("{:%Y-%m-%d %H:%M:%S} {}: {}\n", now, facts.name, message);
    (void)!::write(STDERR_FILENO, line.data(), line.size());
}

} // namespace millpond::daemon
