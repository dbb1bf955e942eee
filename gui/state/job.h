// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>

#include <optional>

namespace millpond::state {

/// Long work inside the helper, as of one moment.
struct Job
{
    enum class State
    {
        Queued,
        Running,
        Done,
        Failed,
        Cancelled
    };

    QString path; ///< its object path: the key
    QString kind, title;
    State state = State::Queued;
    quint64 done = 0, total = 0; ///< total 0: not known yet
    quint64 ratePerSecond = 0;
    std::optional<quint64> secondsLeft;
    QString errorText;

    [[nodiscard]] bool isOver() const { return state != State::Queued && state != State::Running; }
};

/// What a check of a pool found.
struct CheckProblem
{
    QString kind, dataset, path, device, text;
};

struct CheckReport
{
    QList<CheckProblem> problems;
    quint64 problemCount = 0; ///< may be more than problems holds
    bool finished = false;
    quint64 datasets = 0, blocks = 0, bytesRead = 0, awaitingResilver = 0, milliseconds = 0;
};

} // namespace millpond::state
