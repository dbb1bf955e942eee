// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/option_parser.h"

#include <functional>

namespace millpond::cli {

/// Runs `once` one time, or as often as an interval and count ask for; ends early when it fails.
/// Its argument is true the first time.
int repeat(Console& console,
           const Repetition& repetition,
           const std::function<int(bool first)>& once);

} // namespace millpond::cli
