// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <expected>

namespace millpond::app {

/// The command line of the window.
struct Options
{
    QString folder;  ///< absolute; empty: this machine's devices
    QString picture; ///< write the window there and exit
    QString page;    ///< id; empty: the first
    bool system = false;
    bool text = false;      ///< print what the window shows and exit
    bool importAll = false; ///< open every pool of the folder first, read-only

    [[nodiscard]] bool isBatch() const { return text || !picture.isEmpty(); }
};

/// What to print and with which status to exit, instead of opening the window.
struct Leave
{
    QString text;
    int status = 0;
};

/// `arguments` begin with the program's name.
[[nodiscard]] std::expected<Options, Leave> parseOptions(const QStringList& arguments);

} // namespace millpond::app
