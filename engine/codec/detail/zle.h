// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <optional>

namespace millpond::codec::detail {

[[nodiscard]] Status zleDecompress(Bytes in, MutableBytes out);
/// Nothing when it does not fit.
[[nodiscard]] std::optional<std::size_t> zleCompress(Bytes in, MutableBytes out);

} // namespace millpond::codec::detail
