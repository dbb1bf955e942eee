// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/types.h"

#include <cstring>

namespace millpond::vdev::detail {

/// memcmp: what the standard library's comparisons of std::byte do not become.
[[nodiscard]] inline bool sameBytes(Bytes a, Bytes b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

} // namespace millpond::vdev::detail
