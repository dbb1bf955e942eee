// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

// Strong types: a txg is not an object number is not a byte offset. Eight bytes, trivially
// copyable, no implicit conversions. value() is the way out, for formats and for printing.

namespace millpond {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

template <class Tag, std::unsigned_integral Rep = std::uint64_t> class Strong
{
public:
    using Representation = Rep;

    constexpr Strong() = default;

    constexpr explicit Strong(Rep value)
        : m_value(value)
    {
    }

    [[nodiscard]] constexpr Rep value() const { return m_value; }

    constexpr auto operator<=>(const Strong&) const = default;

private:
    Rep m_value = 0;
};

/// A count or size: may be added, subtracted and multiplied by a plain number. Values that come
/// from a disk are added with checkedAdd() instead.
template <class Tag> class Quantity
{
public:
    using Representation = std::uint64_t;

    constexpr Quantity() = default;

    constexpr explicit Quantity(std::uint64_t value)
        : m_value(value)
    {
    }

    [[nodiscard]] constexpr std::uint64_t value() const { return m_value; }

    constexpr auto operator<=>(const Quantity&) const = default;

    constexpr Quantity operator+(Quantity other) const { return Quantity(m_value + other.m_value); }

    constexpr Quantity operator-(Quantity other) const { return Quantity(m_value - other.m_value); }

    constexpr Quantity operator*(std::uint64_t factor) const { return Quantity(m_value * factor); }

    constexpr Quantity operator/(std::uint64_t divisor) const
    {
        return Quantity(m_value / divisor);
    }

    constexpr Quantity& operator+=(Quantity other)
    {
        m_value += other.m_value;
        return *this;
    }

    constexpr Quantity& operator-=(Quantity other)
    {
        m_value -= other.m_value;
        return *this;
    }

private:
    std::uint64_t m_value = 0;
};

using Txg = Strong<struct TxgTag>;
using PoolGuid = Strong<struct PoolGuidTag>;
using VdevGuid = Strong<struct VdevGuidTag>;
using VdevId = Strong<struct VdevIdTag, std::uint32_t>; ///< index of a top-level vdev
using ObjectId = Strong<struct ObjectIdTag>;            ///< dnode number in an object set
using ObjsetId = Strong<struct ObjsetIdTag>;         ///< the dataset's object number; 0 is the MOS
using BlockIndex = Strong<struct BlockIndexTag>;     ///< block number at some level of an object
using Level = Strong<struct LevelTag, std::uint8_t>; ///< 0 is data
using Ashift = Strong<struct AshiftTag, std::uint8_t>; ///< log2 of a vdev's sector size

using ByteOffset = Quantity<struct ByteOffsetTag>;
using ByteCount = Quantity<struct ByteCountTag>;

constexpr ByteOffset operator+(ByteOffset offset, ByteCount count)
{
    return ByteOffset(offset.value() + count.value());
}

inline constexpr std::uint64_t KiB = 1024;
inline constexpr std::uint64_t MiB = 1024 * KiB;
inline constexpr std::uint64_t GiB = 1024 * MiB;

/// False when the sum does not fit 64 bits; then `sum` is untouched.
[[nodiscard]] constexpr bool checkedAdd(std::uint64_t a, std::uint64_t b, std::uint64_t& sum)
{
    return !__builtin_add_overflow(a, b, &sum);
}

[[nodiscard]] constexpr bool
checkedMultiply(std::uint64_t a, std::uint64_t b, std::uint64_t& product)
{
    return !__builtin_mul_overflow(a, b, &product);
}

[[nodiscard]] constexpr std::uint64_t divideRoundUp(std::uint64_t a, std::uint64_t b)
{
    return a / b + (a % b != 0 ? 1 : 0);
}

/// `alignment` is a power of two.
[[nodiscard]] constexpr std::uint64_t alignUp(std::uint64_t value, std::uint64_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

} // namespace millpond

template <class Tag, class Rep> struct std::hash<millpond::Strong<Tag, Rep>>
{
    std::size_t operator()(millpond::Strong<Tag, Rep> v) const noexcept
    {
        return std::hash<Rep>()(v.value());
    }
};
