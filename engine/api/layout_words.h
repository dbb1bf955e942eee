// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "pool/layout.h"

#include <span>
#include <string>

namespace millpond::api {

/// A layout in the words of `zpool create`: devices, and in front of them "mirror", "raidz" to
/// "raidz3", and "log", "special", "dedup", "spare", "cache", which hold until the next such word.
/// InvalidArgument, UnsupportedVdev (draid).
[[nodiscard]] Result<pool::LayoutRequest> layoutFromWords(std::span<const std::string> words);

} // namespace millpond::api
