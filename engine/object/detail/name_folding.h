// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace millpond::object::detail {

[[nodiscard]] bool isAscii(std::string_view name);

/// A name folded as format::NormalizationFlag says: case first, then normalised. Bytes that are not
/// UTF-8 stay as they are. For ASCII this is what every writer does; for other characters writers
/// have tables of another Unicode version, so a hash of the result is a good guess only.
[[nodiscard]] std::string foldName(std::string_view name, std::uint64_t flags);

} // namespace millpond::object::detail
