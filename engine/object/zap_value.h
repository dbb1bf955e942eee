// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/types.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace millpond::object {

/// What an entry is to hold: integers of one size, or bytes. Owns a copy.
class ZapValue
{
public:
    /// One integer of eight bytes: the only kind a micro ZAP can hold.
    // NOLINTNEXTLINE(google-explicit-constructor): most values are numbers
    ZapValue(std::uint64_t number);
    /// `integerBytes` is 1, 2, 4 or 8; what does not fit into so many is cut off.
    [[nodiscard]] static ZapValue integers(std::span<const std::uint64_t> values,
                                           std::uint8_t integerBytes = 8);
    [[nodiscard]] static ZapValue bytes(Bytes value);
    /// With the NUL that OpenZFS stores behind text (properties and the like).
    [[nodiscard]] static ZapValue text(std::string_view value);

    [[nodiscard]] std::uint8_t integerBytes() const { return m_integerBytes; }

    [[nodiscard]] std::size_t count() const { return m_stored.size() / m_integerBytes; }

    /// The integers one behind the other, most significant byte first, as leaves store them.
    [[nodiscard]] Bytes stored() const { return m_stored; }

    /// The number when it is one integer of eight bytes.
    [[nodiscard]] std::optional<std::uint64_t> number() const;

private:
    ZapValue(std::vector<std::byte> stored, std::uint8_t integerBytes);

    std::vector<std::byte> m_stored;
    std::uint8_t m_integerBytes = 8;
};

} // namespace millpond::object
