// SPDX-License-Identifier: GPL-3.0-or-later
//
// Edon-R 512 after the SHA-3 submission by Gligoroski and others, with the later tweak (feedback of
// pipe and message at the end of a block) that OpenZFS uses. Words are little-endian.
#include "codec/detail/edonr.h"

#include "base/byte_order.h"
#include "codec/detail/cpu.h"

#include <algorithm>
#include <bit>

namespace millpond::codec::detail {

namespace {

constexpr std::size_t kBlock = 128;
using Half = std::array<std::uint64_t, 8>;

constexpr EdonrPipe kStart{
    0x8081828384858687,
    0x88898a8b8c8d8e8f,
    0x9091929394959697,
    0x98999a9b9c9d9e9f,
    0xa0a1a2a3a4a5a6a7,
    0xa8a9aaabacadaeaf,
    0xb0b1b2b3b4b5b6b7,
    0xb8b9babbbcbdbebf,
    0xc0c1c2c3c4c5c6c7,
    0xc8c9cacbcccdcecf,
    0xd0d1d2d3d4d5d6d7,
    0xd8d9dadbdcdddedf,
    0xe0e1e2e3e4e5e6e7,
    0xe8e9eaebecedeeef,
    0xf0f1f2f3f4f5f6f7,
    0xf8f9fafbfcfdfeff,
};
constexpr std::uint64_t kConstant = 0xaaaaaaaaaaaaaaaa;

/// First Latin square: each result is the rotated sum of five of the words.
MP_INLINE_KERNEL Half latinLeft(const Half& x)
{
    const std::uint64_t x0147 = x[0] + x[1] + x[4] + x[7];
    const std::uint64_t x23 = x[2] + x[3];
    const std::uint64_t x56 = x[5] + x[6];
    const std::uint64_t x2356 = x23 + x56;
    return {kConstant + x0147 + x[2],
            std::rotl(x0147 + x[3], 5),
            std::rotl(x0147 + x[6], 15),
            std::rotl(x2356 + x[7], 22),
            std::rotl(x2356 + x[1], 31),
            std::rotl(x23 + x[0] + x[4] + x[5], 40),
            std::rotl(x56 + x[0] + x[1] + x[7], 50),
            std::rotl(x2356 + x[4], 59)};
}

/// Second Latin square, orthogonal to the first.
MP_INLINE_KERNEL Half latinRight(const Half& y)
{
    const std::uint64_t y01 = y[0] + y[1];
    const std::uint64_t y25 = y[2] + y[5];
    const std::uint64_t y34 = y[3] + y[4];
    const std::uint64_t y67 = y[6] + y[7];
    return {~kConstant + y01 + y25 + y[7],
            std::rotl(y01 + y34 + y[6], 10),
            std::rotl(y01 + y25 + y[3], 19),
            std::rotl(y34 + y67 + y[2], 29),
            std::rotl(y01 + y34 + y[5], 36),
            std::rotl(y25 + y67 + y[4], 44),
            std::rotl(y25 + y67 + y[1], 48),
            std::rotl(y34 + y67 + y[0], 55)};
}

/// The quasigroup operation on 512-bit elements.
MP_INLINE_KERNEL Half multiply(const Half& left, const Half& right)
{
    const Half s = latinLeft(left);
    const Half t = latinRight(right);
    return {(s[0] ^ s[1] ^ s[4]) + (t[0] ^ t[1] ^ t[5]),
            (s[0] ^ s[4] ^ s[7]) + (t[2] ^ t[6] ^ t[7]),
            (s[1] ^ s[6] ^ s[7]) + (t[0] ^ t[1] ^ t[3]),
            (s[2] ^ s[3] ^ s[4]) + (t[0] ^ t[3] ^ t[4]),
            (s[0] ^ s[1] ^ s[7]) + (t[1] ^ t[2] ^ t[5]),
            (s[3] ^ s[5] ^ s[6]) + (t[3] ^ t[4] ^ t[6]),
            (s[2] ^ s[5] ^ s[6]) + (t[2] ^ t[5] ^ t[7]),
            (s[2] ^ s[3] ^ s[5]) + (t[4] ^ t[6] ^ t[7])};
}

MP_INLINE_KERNEL Half reversed(const Half& x)
{
    return {x[7], x[6], x[5], x[4], x[3], x[2], x[1], x[0]};
}

void compressBlock(EdonrPipe& pipe, Bytes block)
{
    Half low;
    Half high;
    Half pipeLow;
    Half pipeHigh;
    for (std::size_t i = 0; i < 8; ++i) {
        low[i] = load<std::uint64_t>(block, 8 * i, ByteOrder::Little);
        high[i] = load<std::uint64_t>(block, 64 + 8 * i, ByteOrder::Little);
        pipeLow[i] = pipe[i];
        pipeHigh[i] = pipe[8 + i];
    }
    Half x = multiply(reversed(high), low);
    Half y = multiply(x, high);
    x = multiply(pipeHigh, x);
    y = multiply(x, y);
    x = multiply(x, pipeLow);
    y = multiply(y, x);
    x = multiply(reversed(low), x);
    y = multiply(x, y);
    for (std::size_t i = 0; i < 8; ++i) {
        pipe[i] ^= high[i] ^ x[i];
        pipe[8 + i] ^= low[i] ^ y[i];
    }
}

std::array<std::uint64_t, 8> finish(EdonrPipe pipe, Bytes rest, std::uint64_t bytesBefore)
{
    const std::uint64_t totalBits = (bytesBefore + rest.size()) * 8;
    while (rest.size() >= kBlock) {
        compressBlock(pipe, rest.first(kBlock));
        rest = rest.subspan(kBlock);
    }
    // A one bit, zeros, and the length in bits in the last eight bytes.
    std::array<std::byte, 2 * kBlock> last{};
    std::ranges::copy(rest, last.begin());
    last[rest.size()] = std::byte{0x80};
    const std::size_t lastSize = rest.size() + 1 + 8 <= kBlock ? kBlock : 2 * kBlock;
    store<std::uint64_t>(last, lastSize - 8, totalBits);
    for (std::size_t offset = 0; offset < lastSize; offset += kBlock) {
        compressBlock(pipe, Bytes(last).subspan(offset, kBlock));
    }
    std::array<std::uint64_t, 8> digest;
    std::copy_n(pipe.begin() + 8, digest.size(), digest.begin());
    return digest;
}

} // namespace

std::array<std::uint64_t, 8> edonr512(Bytes message)
{
    return finish(kStart, message, 0);
}

EdonrPipe edonr512FirstBlock(std::span<const std::byte, 128> block)
{
    EdonrPipe pipe = kStart;
    compressBlock(pipe, block);
    return pipe;
}

std::array<std::uint64_t, 8> edonr512After(const EdonrPipe& pipe, Bytes rest)
{
    return finish(pipe, rest, kBlock);
}

} // namespace millpond::codec::detail
