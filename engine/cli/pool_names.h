// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/console.h"

#include <optional>

namespace millpond::cli {

/// Those of `names` that are imported pools, sorted, each once. For the others it is said that
/// there is no such pool, and `code` becomes kFailed. No names mean all pools, and stay none;
/// nothing at all when none of the names is left.
[[nodiscard]] std::optional<Arguments>
knownPools(Console& console, bus::Client& client, const Arguments& names, int& code);

} // namespace millpond::cli
