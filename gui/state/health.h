// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringView>

namespace millpond::state {

/// The state of a pool or device: the words of `zpool status` as a value.
enum class Health
{
    Unknown,
    Online,
    Degraded,
    Faulted,
    Unavailable,
    Offline,
    Removed,
    Suspended,
    SpareAvailable,
    SpareInUse
};

/// Unknown for a word this program does not know; the word itself stays visible beside it.
[[nodiscard]] Health healthFromWord(QStringView word);

/// True for what needs somebody's attention.
[[nodiscard]] bool needsAttention(Health health);

} // namespace millpond::state
