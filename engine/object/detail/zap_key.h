// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cursor.h"
#include "base/types.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

namespace millpond::object::detail {

/// An entry's name as leaves store it: text with its NUL, or words, most significant byte first.
class ZapKey
{
public:
    /// What is given outlives the key.
    explicit ZapKey(std::string_view text)
        : m_text(text)
        , m_stored(text.size() + 1)
    {
        std::ranges::copy(bytesOf(text), m_stored.begin());
    }

    explicit ZapKey(std::span<const std::uint64_t> words)
        : m_words(words)
        , m_stored(words.size_bytes())
    {
        for (std::size_t i = 0; i < words.size(); ++i) {
            store(m_stored, i * sizeof(std::uint64_t), words[i], ByteOrder::Big);
        }
    }

    [[nodiscard]] bool isText() const { return m_words.empty(); }

    [[nodiscard]] std::string_view text() const { return m_text; }

    [[nodiscard]] std::span<const std::uint64_t> words() const { return m_words; }

    [[nodiscard]] Bytes stored() const { return m_stored; }

    /// As counted in an entry: bytes of text, or words.
    [[nodiscard]] std::size_t length() const { return isText() ? m_stored.size() : m_words.size(); }

private:
    std::string_view m_text;
    std::span<const std::uint64_t> m_words;
    std::vector<std::byte> m_stored;
};

} // namespace millpond::object::detail
