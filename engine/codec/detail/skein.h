// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/types.h"

#include <array>

namespace millpond::codec::detail {

using SkeinState = std::array<std::uint64_t, 8>;

/// The chaining value before the first byte of the message: after the key (none when empty) and the
/// configuration block for `outputBits`.
[[nodiscard]] SkeinState skein512Start(Bytes key, std::uint64_t outputBits);
/// The message and the output block; up to 512 bits of output as little-endian words.
[[nodiscard]] SkeinState skein512(const SkeinState& start, Bytes message);

} // namespace millpond::codec::detail
