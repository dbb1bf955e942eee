// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QString>

namespace millpond::art {

/// The program's own icon of that name (icons/NAME.svg). Single-colour drawings take the text
/// colour of the palette at the moment of painting, so they follow a switch between light and dark.
[[nodiscard]] QIcon icon(const QString& name);

/// The desktop theme's icon, or the program's own where the theme has none.
[[nodiscard]] QIcon themeIcon(const QString& themeName, const QString& ownName);

} // namespace millpond::art
