// SPDX-License-Identifier: GPL-3.0-or-later
//
// Skein-512 after "The Skein Hash Function Family", version 1.3: Threefish-512 chained in UBI mode,
// no tree. Bytes are words in little-endian order whatever the machine.
#include "codec/detail/skein.h"

#include "base/byte_order.h"
#include "codec/detail/cpu.h"

#include <algorithm>
#include <utility>

namespace millpond::codec::detail {

namespace {

constexpr std::size_t kWords = 8;
constexpr std::size_t kBlock = kWords * 8;
constexpr unsigned kRounds = 72;
constexpr std::uint64_t kKeyParity = 0x1BD11BDAA9FC1A22;

/// Rotations of the four mixes in the eight kinds of round (table 4 of the paper).
constexpr std::array<std::array<int, 4>, 8> kRotation{{
    {46, 36, 19, 37},
    {33, 27, 14, 42},
    {17, 49, 36, 39},
    {44, 9, 54, 56},
    {39, 30, 34, 24},
    {13, 50, 10, 17},
    {25, 29, 39, 43},
    {8, 35, 56, 22},
}};
/// Where the word in each place comes from after a round (table 3).
constexpr std::array<std::size_t, kWords> kPermutation{2, 1, 4, 7, 6, 5, 0, 3};

enum class BlockType : std::uint64_t
{
    Key = 0,
    Config = 4,
    Message = 48,
    Output = 63,
};

constexpr std::uint64_t kFirst = std::uint64_t{1} << 62;
constexpr std::uint64_t kFinal = std::uint64_t{1} << 63;

struct Schedule
{
    std::array<std::uint64_t, kWords + 1> key;
    std::array<std::uint64_t, 3> tweak;
};

template <std::size_t Step> MP_INLINE_KERNEL void addSubkey(SkeinState& v, const Schedule& schedule)
{
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kWords; ++i) {
        v[i] += schedule.key[(Step + i) % (kWords + 1)];
    }
    v[5] += schedule.tweak[Step % 3];
    v[6] += schedule.tweak[(Step + 1) % 3];
    v[7] += Step;
}

/// The permutation costs nothing: the round names the words by where they would be.
template <unsigned Round> constexpr std::array<std::size_t, kWords> placesBefore()
{
    std::array<std::size_t, kWords> places{0, 1, 2, 3, 4, 5, 6, 7};
    for (unsigned round = 0; round < Round % 4; ++round) {
        std::array<std::size_t, kWords> next{};
        for (std::size_t i = 0; i < kWords; ++i) {
            next[i] = places[kPermutation[i]];
        }
        places = next;
    }
    return places;
}

template <unsigned Round> MP_INLINE_KERNEL void mixRound(SkeinState& v)
{
    constexpr auto places = placesBefore<Round>();
#pragma GCC unroll 4
    for (std::size_t pair = 0; pair < kWords / 2; ++pair) {
        std::uint64_t& x = v[places[2 * pair]];
        std::uint64_t& y = v[places[2 * pair + 1]];
        x += y;
        y = std::rotl(y, kRotation[Round % 8][pair]) ^ x;
    }
}

template <std::size_t... Step>
MP_INLINE_KERNEL void
fourRoundsEach(SkeinState& v, const Schedule& schedule, std::index_sequence<Step...>)
{
    ((addSubkey<Step>(v, schedule),
      mixRound<4 * (Step % 2)>(v),
      mixRound<4 * (Step % 2) + 1>(v),
      mixRound<4 * (Step % 2) + 2>(v),
      mixRound<4 * (Step % 2) + 3>(v)),
     ...);
}

static_assert(placesBefore<4>() == placesBefore<0>()); // four permutations are the identity

/// One UBI step: chain = Threefish(key = chain, tweak, block) xor block.
void chainBlock(SkeinState& chain, std::uint64_t position, std::uint64_t flags, Bytes block)
{
    Schedule schedule{{}, {position, flags, position ^ flags}};
    std::uint64_t parity = kKeyParity;
    for (std::size_t i = 0; i < kWords; ++i) {
        schedule.key[i] = chain[i];
        parity ^= chain[i];
    }
    schedule.key[kWords] = parity;
    SkeinState message;
    for (std::size_t i = 0; i < kWords; ++i) {
        message[i] = load<std::uint64_t>(block, 8 * i, ByteOrder::Little);
    }
    SkeinState v = message;
    fourRoundsEach(v, schedule, std::make_index_sequence<kRounds / 4>());
    addSubkey<kRounds / 4>(v, schedule);
    for (std::size_t i = 0; i < kWords; ++i) {
        chain[i] = v[i] ^ message[i];
    }
}

/// A whole string of one type. The empty string is one block of zeros.
SkeinState chainString(SkeinState chain, BlockType type, Bytes text)
{
    std::uint64_t flags = static_cast<std::uint64_t>(type) << 56 | kFirst;
    std::size_t position = 0;
    while (text.size() - position > kBlock) {
        chainBlock(chain, position + kBlock, flags, text.subspan(position, kBlock));
        position += kBlock;
        flags &= ~kFirst;
    }
    std::array<std::byte, kBlock> last{};
    std::ranges::copy(text.subspan(position), last.begin());
    chainBlock(chain, text.size(), flags | kFinal, last);
    return chain;
}

} // namespace

SkeinState skein512Start(Bytes key, std::uint64_t outputBits)
{
    SkeinState chain{};
    if (!key.empty()) {
        chain = chainString(chain, BlockType::Key, key);
    }
    std::array<std::byte, 32> config{};
    store<std::uint64_t>(config, 0, 0x0000000133414853); // "SHA3", version 1
    store<std::uint64_t>(config, 8, outputBits);
    return chainString(chain, BlockType::Config, config);
}

SkeinState skein512(const SkeinState& start, Bytes message)
{
    const SkeinState chain = chainString(start, BlockType::Message, message);
    return chainString(chain, BlockType::Output, std::array<std::byte, 8>{});
}

} // namespace millpond::codec::detail
