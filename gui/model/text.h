// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/state/health.h"

#include <QString>

#include <optional>
#include <string_view>

// How values are shown to people: numbers as `zfs list` prints them, states in words with an icon.

namespace millpond::model {

/// "1.50K", as `zfs list` prints a size.
[[nodiscard]] QString sizeText(quint64 bytes);
/// "-" when it is not known.
[[nodiscard]] QString sizeText(std::optional<quint64> bytes);

/// A whole number of a raw property; nothing for "-", "none" and texts.
[[nodiscard]] std::optional<quint64> numberOf(std::string_view raw);

/// "Online", "Degraded", ... in the user's language; `word` itself when it is not a known one.
[[nodiscard]] QString healthText(state::Health health, const QString& word);
/// Name of the icon that goes with it (art::icon).
[[nodiscard]] QString healthIconName(state::Health health);

/// A text from outside as a tool tip: never taken for markup.
[[nodiscard]] QString plainToolTip(const QString& text);

} // namespace millpond::model
