// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/byte_order.h"
#include "codec/detail/cpu.h"

#include <array>

namespace millpond::codec::detail {

/// Running sums over 64-bit words; even and odd words are summed apart. Only whole pairs of words
/// are summed: a tail under 16 bytes is left out.
class Fletcher2
{
public:
    void update(Bytes data, ByteOrder order, Path path = Path::Best);

    [[nodiscard]] const std::array<std::uint64_t, 4>& words() const { return m_sums; }

private:
    std::array<std::uint64_t, 4> m_sums{}; ///< first order even, odd; second order even, odd
};

/// Running sums of the first to fourth order over 32-bit words. A tail under 4 bytes is left out.
class Fletcher4
{
public:
    void update(Bytes data, ByteOrder order, Path path = Path::Best);

    [[nodiscard]] const std::array<std::uint64_t, 4>& words() const { return m_sums; }

private:
    std::array<std::uint64_t, 4> m_sums{};
};

} // namespace millpond::codec::detail
