// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <optional>
#include <vector>

namespace millpond::codec::detail {

[[nodiscard]] Status lz4Decompress(Bytes in, MutableBytes out);

class Lz4Encoder
{
public:
    /// Nothing when it does not fit.
    [[nodiscard]] std::optional<std::size_t> compress(Bytes in, MutableBytes out);

private:
    std::vector<std::uint64_t> m_state; ///< liblz4's, 16 KiB, eight-byte aligned
};

} // namespace millpond::codec::detail
