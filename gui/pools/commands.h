// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/pools/source.h"

#include <QString>
#include <QStringList>

// The command lines that do what a click does, ready to be pasted into a shell.

namespace millpond::pools::commands {

[[nodiscard]] QString scan(const Source& source);
[[nodiscard]] QString importPool(const QString& pool, const Source& source, bool force);
[[nodiscard]] QString exportPool(const QString& pool);
[[nodiscard]] QString check(const QString& pool, const Source& source);
[[nodiscard]] QString datasets(const QString& root, const QStringList& properties);
[[nodiscard]] QString snapshots(const QString& dataset, const QStringList& properties);
[[nodiscard]] QString mount(const QString& dataset);
[[nodiscard]] QString unmount(const QString& dataset);

/// As a word of a shell's command line: quoted where it has to be.
[[nodiscard]] QString shellWord(const QString& text);

} // namespace millpond::pools::commands
