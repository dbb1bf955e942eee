// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

#include <optional>

namespace millpond::test {

struct ProcessOptions
{
    int timeoutMs = 60'000;
    QByteArray input;
    QString workingFolder;
    std::optional<QProcessEnvironment> environment; ///< this process' own when not given
    std::optional<quint64> addressSpaceBytes; ///< RLIMIT_AS; not with ASan, which maps terabytes
    std::optional<quint64> cpuSeconds;        ///< RLIMIT_CPU
    std::optional<uint> userId;               ///< run as this uid and gid, no groups (root only)
};

struct ProcessResult
{
    bool started = false;
    bool timedOut = false; ///< then the whole process group was killed
    int exitCode = -1;     ///< -1 when it did not end by itself
    int signal = 0;        ///< the signal that ended it
    QByteArray output;
    QByteArray errors;

    [[nodiscard]] bool succeeded() const
    {
        return started && !timedOut && signal == 0 && exitCode == 0;
    }

    /// One paragraph for a failure message.
    [[nodiscard]] QString toText() const;
};

/// Runs a program in a process group of its own and waits for it. Never waits longer than the
/// timeout; what the program left running in its group is killed then.
[[nodiscard]] ProcessResult runProcess(const QString& program,
                                       const QStringList& arguments,
                                       const ProcessOptions& options = {});

} // namespace millpond::test
