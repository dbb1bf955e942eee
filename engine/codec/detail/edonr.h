// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/types.h"

#include <array>

namespace millpond::codec::detail {

using EdonrPipe = std::array<std::uint64_t, 16>;

/// Edon-R 512. The digest is eight little-endian words.
[[nodiscard]] std::array<std::uint64_t, 8> edonr512(Bytes message);
/// The pipe after one whole 128-byte block from the start of a message.
[[nodiscard]] EdonrPipe edonr512FirstBlock(std::span<const std::byte, 128> block);
/// The digest of a message whose first 128 bytes led to `pipe` and whose rest is `rest`.
[[nodiscard]] std::array<std::uint64_t, 8> edonr512After(const EdonrPipe& pipe, Bytes rest);

} // namespace millpond::codec::detail
