// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/check.h"
#include "base/types.h"

#include <bit>
#include <concepts>
#include <cstring>

namespace millpond {

enum class ByteOrder : std::uint8_t
{
    Little,
    Big
};

inline constexpr ByteOrder kHostOrder =
    std::endian::native == std::endian::little ? ByteOrder::Little : ByteOrder::Big;

template <std::unsigned_integral T> [[nodiscard]] constexpr T swapBytes(T value)
{
    if constexpr (sizeof(T) == 1) {
        return value;
    } else if constexpr (sizeof(T) == 2) {
        return __builtin_bswap16(value);
    } else if constexpr (sizeof(T) == 4) {
        return __builtin_bswap32(value);
    } else {
        return __builtin_bswap64(value);
    }
}

/// Reads a T at `offset`. The caller has checked that it lies inside (a whole structure is checked
/// once, then its fields are loaded); a mistake there is a broken program.
template <std::unsigned_integral T>
[[nodiscard]] inline T load(Bytes bytes, std::size_t offset, ByteOrder order)
{
    MP_DCHECK(offset + sizeof(T) <= bytes.size());
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return order == kHostOrder ? value : swapBytes(value);
}

template <std::unsigned_integral T>
inline void
store(MutableBytes bytes, std::size_t offset, T value, ByteOrder order = ByteOrder::Little)
{
    MP_DCHECK(offset + sizeof(T) <= bytes.size());
    const T stored = order == kHostOrder ? value : swapBytes(value);
    std::memcpy(bytes.data() + offset, &stored, sizeof(T));
}

/// Bits [low, low+count) of `word`: how packed disk words are taken apart.
[[nodiscard]] constexpr std::uint64_t bits(std::uint64_t word, unsigned low, unsigned count)
{
    return (word >> low) & ((count == 64) ? ~std::uint64_t{0} : ((std::uint64_t{1} << count) - 1));
}

} // namespace millpond
