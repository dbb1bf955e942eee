// SPDX-License-Identifier: GPL-3.0-or-later
#include "posix/detail/utf8.h"

#include <array>
#include <cstdint>

namespace millpond::posix::detail {

namespace {

constexpr std::uint32_t kSurrogates = 0xd800;
constexpr std::uint32_t kBehindSurrogates = 0xe000;
constexpr std::uint32_t kBehindAll = 0x110000;
/// The smallest character that needs so many further bytes.
constexpr std::array<std::uint32_t, 4> kSmallest = {0, 0x80, 0x800, 0x10000};

/// Bytes that follow the first one; 4: it can't be first.
std::size_t following(unsigned char first)
{
    if (first < 0x80) {
        return 0;
    }
    if (first >= 0xc0 && first < 0xe0) {
        return 1;
    }
    if (first >= 0xe0 && first < 0xf0) {
        return 2;
    }
    return first >= 0xf0 && first < 0xf8 ? 3 : 4;
}

} // namespace

bool isUtf8(std::string_view text)
{
    for (std::size_t at = 0; at < text.size();) {
        const auto first = static_cast<unsigned char>(text[at]);
        const std::size_t more = following(first);
        if (more >= kSmallest.size() || more >= text.size() - at) {
            return false;
        }
        std::uint32_t character = more == 0 ? first : first & (0x3fU >> more);
        for (std::size_t i = 1; i <= more; ++i) {
            const auto next = static_cast<unsigned char>(text[at + i]);
            if ((next & 0xc0U) != 0x80) {
                return false;
            }
            character = character << 6U | (next & 0x3fU);
        }
        if (character < kSmallest[more] || character >= kBehindAll ||
            (character >= kSurrogates && character < kBehindSurrogates)) {
            return false;
        }
        at += more + 1;
    }
    return true;
}

} // namespace millpond::posix::detail
