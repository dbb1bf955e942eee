// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/state/helper.h"

#include <QString>

namespace millpond::page {

/// Why a call gave no answer, as one sentence for people.
[[nodiscard]] QString reasonText(const state::CallError& error);

/// How the helper is, as a headline, and what that means as a text.
[[nodiscard]] QString helperTitle(const state::Helper& helper);
[[nodiscard]] QString helperText(const state::Helper& helper);

} // namespace millpond::page
