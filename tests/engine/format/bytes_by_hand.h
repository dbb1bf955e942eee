// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/byte_order.h"
#include "base/cursor.h"
#include "base/types.h"

#include <array>
#include <string_view>
#include <vector>

namespace millpond::test {

inline constexpr std::array kBothOrders = {ByteOrder::Little, ByteOrder::Big};

/// Writes a structure field by field, independently of the code under test.
class Hand
{
public:
    explicit Hand(ByteOrder order)
        : m_order(order)
    {
    }

    Hand& u8(unsigned value) { return number(static_cast<std::uint8_t>(value)); }

    Hand& u16(unsigned value) { return number(static_cast<std::uint16_t>(value)); }

    Hand& u32(std::uint32_t value) { return number(value); }

    Hand& u64(std::uint64_t value) { return number(value); }

    Hand& words(std::initializer_list<std::uint64_t> values)
    {
        for (const std::uint64_t value : values) {
            u64(value);
        }
        return *this;
    }

    Hand& zeroes(std::size_t count)
    {
        m_bytes.resize(m_bytes.size() + count);
        return *this;
    }

    Hand& text(std::string_view value)
    {
        const Bytes raw = bytesOf(value);
        m_bytes.insert(m_bytes.end(), raw.begin(), raw.end());
        return *this;
    }

    /// Text and zeroes up to `width`.
    Hand& text(std::string_view value, std::size_t width)
    {
        return text(value).zeroes(width - value.size());
    }

    Hand& raw(Bytes bytes)
    {
        m_bytes.insert(m_bytes.end(), bytes.begin(), bytes.end());
        return *this;
    }

    /// Zeroes up to a whole size.
    Hand& upTo(std::size_t size)
    {
        m_bytes.resize(size);
        return *this;
    }

    [[nodiscard]] ByteOrder order() const { return m_order; }

    [[nodiscard]] std::size_t size() const { return m_bytes.size(); }

    [[nodiscard]] const std::vector<std::byte>& bytes() const { return m_bytes; }

    [[nodiscard]] std::vector<std::byte>& bytes() { return m_bytes; }

    /// Overwrites.
    template <std::unsigned_integral T> Hand& put(std::size_t at, T value)
    {
        store(m_bytes, at, value, m_order);
        return *this;
    }

private:
    template <std::unsigned_integral T> Hand& number(T value)
    {
        const std::size_t at = m_bytes.size();
        m_bytes.resize(at + sizeof(T));
        return put(at, value);
    }

    ByteOrder m_order;
    std::vector<std::byte> m_bytes;
};

/// Whether a decoder refuses every proper prefix of the bytes, each given in memory of exactly its
/// size.
template <class Decode> [[nodiscard]] bool refusesPrefixes(Bytes bytes, const Decode& decode)
{
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const std::vector<std::byte> prefix(bytes.begin(),
                                            bytes.begin() + static_cast<std::ptrdiff_t>(size));
        if (decode(Bytes(prefix)).has_value()) {
            return false;
        }
    }
    return true;
}

/// A pointer of a stored block: level 0, 4 KiB at `offset` of vdev 0, uncompressed, fletcher4.
[[nodiscard]] inline std::array<std::uint64_t, 16> plainPointerWords(std::uint64_t offset = 0x10000,
                                                                     std::uint8_t type = 19)
{
    std::array<std::uint64_t, 16> words{};
    words[0] = 8;            // 8 sectors
    words[1] = offset / 512; // sectors
    words[6] = 7 | std::uint64_t{7} << 16 | std::uint64_t{2} << 32 | std::uint64_t{7} << 40 |
               std::uint64_t{type} << 48 | std::uint64_t{1} << 63;
    words[10] = 42;
    words[11] = 1;
    words[12] = 0x1111;
    words[13] = 0x2222;
    words[14] = 0x3333;
    words[15] = 0x4444;
    return words;
}

inline Hand& operator<<(Hand& hand, const std::array<std::uint64_t, 16>& pointer)
{
    for (const std::uint64_t word : pointer) {
        hand.u64(word);
    }
    return hand;
}

} // namespace millpond::test
