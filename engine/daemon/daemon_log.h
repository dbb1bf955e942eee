// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/log.h"

namespace millpond::daemon {

/// To the journal when stderr is the journal (systemd started us), else to stderr with the time in
/// front.
class DaemonLog final : public Log
{
public:
    explicit DaemonLog(LogLevel level);

    [[nodiscard]] bool wants(LogLevel level) const override { return level <= m_level; }

    void write(LogLevel level, std::string_view message) override;

private:
    LogLevel m_level;
    bool m_toJournal;
};

} // namespace millpond::daemon
