// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/byte_order.h"
#include "base/clock.h"
#include "base/cursor.h"

#include <string>
#include <string_view>
#include <vector>

// Inputs for the tests of engine/codec.

namespace millpond::test {

using Octets = std::vector<std::byte>;

[[nodiscard]] inline Octets fromHex(std::string_view text)
{
    const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    Octets octets;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        octets.push_back(static_cast<std::byte>(digit(text[i]) * 16 + digit(text[i + 1])));
    }
    return octets;
}

template <class Word> [[nodiscard]] std::string hexOfWords(std::span<const Word> words)
{
    std::string text;
    for (const Word word : words) {
        for (unsigned i = 0; i < sizeof(Word); ++i) {
            const auto octet = static_cast<unsigned>(word >> (8 * i) & 0xff);
            text += "0123456789abcdef"[octet >> 4];
            text += "0123456789abcdef"[octet & 15];
        }
    }
    return text;
}

[[nodiscard]] inline Octets octetsOf(std::string_view text)
{
    const Bytes bytes = bytesOf(text);
    return {bytes.begin(), bytes.end()};
}

[[nodiscard]] inline Octets randomOctets(std::size_t size, Random& random)
{
    Octets octets(size);
    for (std::byte& octet : octets) {
        octet = static_cast<std::byte>(random.next());
    }
    return octets;
}

/// Words of text, runs of zeros and some noise: compresses to about a third.
[[nodiscard]] inline Octets textLikeOctets(std::size_t size, Random& random)
{
    static constexpr std::string_view kWords[] = {
        "pool ", "dataset ", "snapshot ", "mirror ", "raidz ", "scrub\n", "txg "};
    Octets octets;
    while (octets.size() < size) {
        const std::uint64_t choice = random.next() % 16;
        if (choice == 0) {
            octets.resize(octets.size() + random.next() % 300);
        } else if (choice == 1) {
            const Octets noise = randomOctets(random.next() % 40, random);
            octets.insert(octets.end(), noise.begin(), noise.end());
        } else {
            const Octets word = octetsOf(kWords[choice % std::size(kWords)]);
            octets.insert(octets.end(), word.begin(), word.end());
        }
    }
    octets.resize(size);
    return octets;
}

} // namespace millpond::test
