// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/types.h"
#include "codec/detail/cpu.h"

#include <array>

namespace millpond::codec::detail {

using Blake3Digest = std::array<std::uint32_t, 8>; ///< little-endian words

[[nodiscard]] Blake3Digest blake3(Bytes message, Path path = Path::Best);
[[nodiscard]] Blake3Digest
blake3Keyed(std::span<const std::byte, 32> key, Bytes message, Path path = Path::Best);

} // namespace millpond::codec::detail
