// SPDX-License-Identifier: GPL-3.0-or-later
#include "object/zap_value.h"

#include "base/cursor.h"

#include <algorithm>

namespace millpond::object {

ZapValue::ZapValue(std::vector<std::byte> stored, std::uint8_t integerBytes)
    : m_stored(std::move(stored))
    , m_integerBytes(integerBytes)
{
}

ZapValue::ZapValue(std::uint64_t number)
    : m_stored(sizeof(number))
{
    store(m_stored, 0, number, ByteOrder::Big);
}

ZapValue ZapValue::integers(std::span<const std::uint64_t> values, std::uint8_t integerBytes)
{
    MP_CHECK(integerBytes == 1 || integerBytes == 2 || integerBytes == 4 || integerBytes == 8);
    std::vector<std::byte> stored;
    stored.reserve(values.size() * integerBytes);
    for (const std::uint64_t value : values) {
        for (unsigned byte = integerBytes; byte-- > 0;) {
            stored.push_back(static_cast<std::byte>(value >> (8 * byte)));
        }
    }
    return {std::move(stored), integerBytes};
}

ZapValue ZapValue::bytes(Bytes value)
{
    return {std::vector<std::byte>(value.begin(), value.end()), 1};
}

ZapValue ZapValue::text(std::string_view value)
{
    std::vector<std::byte> stored(value.size() + 1);
    std::ranges::copy(bytesOf(value), stored.begin());
    return {std::move(stored), 1};
}

std::optional<std::uint64_t> ZapValue::number() const
{
    if (m_integerBytes != sizeof(std::uint64_t) || m_stored.size() != sizeof(std::uint64_t)) {
        return std::nullopt;
    }
    return load<std::uint64_t>(m_stored, 0, ByteOrder::Big);
}

} // namespace millpond::object
