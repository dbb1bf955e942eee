// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace millpond::posix::detail {

/// Shortest form, no surrogates, nothing above U+10FFFF.
[[nodiscard]] bool isUtf8(std::string_view text);

} // namespace millpond::posix::detail
