// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/byte_order.h"
#include "base/types.h"

#include <optional>
#include <string_view>

namespace millpond {

/// A bounds-checked reader over bytes from outside. After the first read past the end every further
/// read yields zero and ok() is false: a decoder reads its fields and looks once.
class Cursor
{
public:
    Cursor(Bytes bytes, ByteOrder order)
        : m_bytes(bytes)
        , m_order(order)
    {
    }

    [[nodiscard]] bool ok() const { return m_ok; }

    [[nodiscard]] std::size_t position() const { return m_position; }

    [[nodiscard]] std::size_t remaining() const { return m_bytes.size() - m_position; }

    [[nodiscard]] ByteOrder order() const { return m_order; }

    template <std::unsigned_integral T> T take()
    {
        const Bytes raw = takeBytes(sizeof(T));
        return raw.empty() ? T{0} : load<T>(raw, 0, m_order);
    }

    /// Empty when `count` is zero or more than what is left (then ok() turns false).
    Bytes takeBytes(std::size_t count)
    {
        if (count > remaining()) {
            m_ok = false;
            m_position = m_bytes.size();
            return {};
        }
        const Bytes taken = m_bytes.subspan(m_position, count);
        m_position += count;
        return taken;
    }

    void skip(std::size_t count) { (void)takeBytes(count); }

private:
    Bytes m_bytes;
    std::size_t m_position = 0;
    ByteOrder m_order;
    bool m_ok = true;
};

/// The text up to the first NUL, or all of it.
[[nodiscard]] inline std::string_view textOf(Bytes bytes)
{
    const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return all.substr(0, all.find('\0'));
}

[[nodiscard]] inline Bytes bytesOf(std::string_view text)
{
    return std::as_bytes(std::span(text.data(), text.size()));
}

} // namespace millpond
