// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace millpond::model {

/// What the helper says about a pool's health, in the user's language. The helper speaks English; its
/// sentences are known here, and one that is not stays as it is.
[[nodiscard]] QString translatedAdvice(const QString& sentence);

/// The sentences that are known.
[[nodiscard]] QStringList knownAdvice();

} // namespace millpond::model
