// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/process.h"
#include "support/scratch.h"

#include <QProcess>
#include <QStringList>

namespace millpond::test {

/// The real programs mpzpool and mpzfs, and a private helper for them that lives as long as this
/// does.
class CommandLines
{
public:
    ~CommandLines();

    /// Starts the helper; false with a message when it does not come up.
    [[nodiscard]] bool start();
    /// Ends the helper: it exports every pool, and keeps its state for the next start().
    void stop();

    /// Without mounting, so that no test needs FUSE. False with a message when it fails.
    [[nodiscard]] bool importPool(const QString& goldenName);

    /// Runs `mpzpool --socket SOCKET arguments`, as sanoid and the others run zpool: no terminal.
    [[nodiscard]] ProcessResult zpool(const QStringList& arguments) const;
    [[nodiscard]] ProcessResult zfs(const QStringList& arguments) const;

    /// Standard output of a command that must succeed and say nothing on standard error; a message
    /// and an empty text when it does not.
    [[nodiscard]] QString zpoolOutput(const QStringList& arguments) const;
    [[nodiscard]] QString zfsOutput(const QStringList& arguments) const;

    /// The same in lines, without the newline of the last.
    [[nodiscard]] QStringList zpoolLines(const QStringList& arguments) const;
    [[nodiscard]] QStringList zfsLines(const QStringList& arguments) const;

    [[nodiscard]] const ScratchFolder& scratch() const { return m_scratch; }

    [[nodiscard]] QString socket() const
    {
        return m_scratch.path(QStringLiteral("run/helper.sock"));
    }

private:
    [[nodiscard]] ProcessResult run(const QString& program, const QStringList& arguments) const;

    ScratchFolder m_scratch;
    QProcess m_helper;
};

/// Text of one line each, without the newline of the last.
[[nodiscard]] QStringList linesOf(const QString& output);

} // namespace millpond::test
