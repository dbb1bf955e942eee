// SPDX-License-Identifier: GPL-3.0-or-later
//
// How the sums are computed several words at a time.
//
// Over n words f the sums are, with r = n - index (the last word has r = 1):
//     A = sum f      B = sum r f      C = sum T2(r) f      D = sum T3(r) f
//     T2(r) = r (r+1) / 2             T3(r) = r (r+1) (r+2) / 6          (all modulo 2^64)
// Four lanes take every fourth word; lane j has its own a, b, c, d in terms of its step count k,
// and the word it sees k steps before the end has r = 4k - j. The polynomials T2(4k - j) and
// T3(4k - j) are combinations of 1, k, T2(k), T3(k), whose coefficients laneWeights() finds from
// the values at k = 0, -1, -2, -3, where that basis is triangular. Two runs of words are joined the
// same way (append()): every r of the first run grows by the length of the second.
#include "codec/detail/fletcher.h"

namespace millpond::codec::detail {

namespace {

using Sums = std::array<std::uint64_t, 4>;

constexpr std::size_t kLanes = 4;
using Lanes64 = std::uint64_t __attribute__((vector_size(32)));
using Lanes32 = std::uint32_t __attribute__((vector_size(16)));
using Octets32 = std::uint8_t __attribute__((vector_size(32)));
using Octets16 = std::uint8_t __attribute__((vector_size(16)));

constexpr std::int64_t triangle(std::int64_t r)
{
    return r * (r + 1) / 2;
}

constexpr std::int64_t tetrahedron(std::int64_t r)
{
    return r * (r + 1) * (r + 2) / 6;
}

/// What the lanes' a, b, c, d count in one of the four sums.
using Weights = std::array<std::uint64_t, 4>;

constexpr Weights laneWeights(std::int64_t (*polynomial)(std::int64_t), std::int64_t lane)
{
    const auto at = [&](std::int64_t k) {
        return polynomial(static_cast<std::int64_t>(kLanes) * k - lane);
    };
    const std::int64_t one = at(0);
    const std::int64_t k = one - at(-1);
    const std::int64_t t2 = at(-2) + 2 * k - one;
    const std::int64_t t3 = one - 3 * k + 3 * t2 - at(-3);
    return {static_cast<std::uint64_t>(one),
            static_cast<std::uint64_t>(k),
            static_cast<std::uint64_t>(t2),
            static_cast<std::uint64_t>(t3)};
}

constexpr std::int64_t constantOne(std::int64_t)
{
    return 1;
}

constexpr std::int64_t identity(std::int64_t r)
{
    return r;
}

constexpr std::array<std::array<Weights, kLanes>, 4> kLaneWeights = [] {
    std::array<std::array<Weights, kLanes>, 4> all{};
    constexpr std::array polynomials{constantOne, identity, triangle, tetrahedron};
    for (std::size_t sum = 0; sum < all.size(); ++sum) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            all[sum][lane] = laneWeights(polynomials[sum], static_cast<std::int64_t>(lane));
        }
    }
    return all;
}();

/// The sums of first's words followed by `count` words with the sums `second`.
void append(Sums& first, const Sums& second, std::uint64_t count)
{
    const std::uint64_t t2 = count % 2 == 0 ? count / 2 * (count + 1) : (count + 1) / 2 * count;
    // One of the factors is a multiple of three; dividing first keeps the product exact.
    const std::uint64_t t3 = t2 % 3 == 0 ? t2 / 3 * (count + 2) : (count + 2) / 3 * t2;
    const auto [a, b, c, d] = first;
    first[0] = a + second[0];
    first[1] = b + count * a + second[1];
    first[2] = c + count * b + t2 * a + second[2];
    first[3] = d + count * c + t2 * b + t3 * a + second[3];
}

void fletcher4Scalar(Sums& sums, Bytes data, ByteOrder order)
{
    auto [a, b, c, d] = sums;
    for (std::size_t offset = 0; offset + 4 <= data.size(); offset += 4) {
        a += load<std::uint32_t>(data, offset, order);
        b += a;
        c += b;
        d += c;
    }
    sums = {a, b, c, d};
}

template <bool Swap>
MP_INLINE_KERNEL void fletcher4Lanes(const std::byte* data, std::size_t steps, Lanes64 (&acc)[4])
{
    Lanes64 a{};
    Lanes64 b{};
    Lanes64 c{};
    Lanes64 d{};
    for (std::size_t step = 0; step < steps; ++step, data += sizeof(Lanes32)) {
        Octets16 octets;
        __builtin_memcpy(&octets, data, sizeof octets);
        if constexpr (Swap) {
            octets = __builtin_shufflevector(
                octets, octets, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
        }
        Lanes32 words;
        __builtin_memcpy(&words, &octets, sizeof words);
        a += __builtin_convertvector(words, Lanes64);
        b += a;
        c += b;
        d += c;
    }
    acc[0] = a;
    acc[1] = b;
    acc[2] = c;
    acc[3] = d;
}

template <bool Swap>
MP_TARGET_AVX2 void fletcher4Avx2(const std::byte* data, std::size_t steps, Lanes64 (&acc)[4])
{
    fletcher4Lanes<Swap>(data, steps, acc);
}

template <bool Swap>
void fletcher4Baseline(const std::byte* data, std::size_t steps, Lanes64 (&acc)[4])
{
    fletcher4Lanes<Swap>(data, steps, acc);
}

Sums fletcher4Vector(Bytes data, ByteOrder order, Path path)
{
    const std::size_t steps = data.size() / sizeof(Lanes32);
    const bool wide = path == Path::Best && hasAvx2();
    const bool swap = order != kHostOrder;
    Lanes64 acc[4];
    (wide ? (swap ? fletcher4Avx2<true> : fletcher4Avx2<false>)
          : (swap ? fletcher4Baseline<true> : fletcher4Baseline<false>))(data.data(), steps, acc);
    Sums sums{};
    for (std::size_t sum = 0; sum < sums.size(); ++sum) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            for (std::size_t order1 = 0; order1 < 4; ++order1) {
                sums[sum] += kLaneWeights[sum][lane][order1] * acc[order1][lane];
            }
        }
    }
    return sums;
}

void fletcher2Scalar(Sums& sums, Bytes data, ByteOrder order)
{
    auto [a0, a1, b0, b1] = sums;
    for (std::size_t offset = 0; offset + 16 <= data.size(); offset += 16) {
        a0 += load<std::uint64_t>(data, offset, order);
        a1 += load<std::uint64_t>(data, offset + 8, order);
        b0 += a0;
        b1 += a1;
    }
    sums = {a0, a1, b0, b1};
}

template <bool Swap>
MP_INLINE_KERNEL void fletcher2Lanes(const std::byte* data, std::size_t steps, Lanes64 (&acc)[2])
{
    Lanes64 a{};
    Lanes64 b{};
    for (std::size_t step = 0; step < steps; ++step, data += sizeof(Lanes64)) {
        Octets32 octets;
        __builtin_memcpy(&octets, data, sizeof octets);
        if constexpr (Swap) {
            octets = __builtin_shufflevector(octets,
                                             octets,
                                             7,
                                             6,
                                             5,
                                             4,
                                             3,
                                             2,
                                             1,
                                             0,
                                             15,
                                             14,
                                             13,
                                             12,
                                             11,
                                             10,
                                             9,
                                             8,
                                             23,
                                             22,
                                             21,
                                             20,
                                             19,
                                             18,
                                             17,
                                             16,
                                             31,
                                             30,
                                             29,
                                             28,
                                             27,
                                             26,
                                             25,
                                             24);
        }
        Lanes64 words;
        __builtin_memcpy(&words, &octets, sizeof words);
        a += words;
        b += a;
    }
    acc[0] = a;
    acc[1] = b;
}

template <bool Swap>
MP_TARGET_AVX2 void fletcher2Avx2(const std::byte* data, std::size_t steps, Lanes64 (&acc)[2])
{
    fletcher2Lanes<Swap>(data, steps, acc);
}

template <bool Swap>
void fletcher2Baseline(const std::byte* data, std::size_t steps, Lanes64 (&acc)[2])
{
    fletcher2Lanes<Swap>(data, steps, acc);
}

/// Lanes 0 and 2 are the even words, 1 and 3 the odd ones: per parity two lanes with r = 2k - j.
Sums fletcher2Vector(Bytes data, ByteOrder order, Path path)
{
    const std::size_t steps = data.size() / sizeof(Lanes64);
    const bool wide = path == Path::Best && hasAvx2();
    const bool swap = order != kHostOrder;
    Lanes64 acc[2];
    (wide ? (swap ? fletcher2Avx2<true> : fletcher2Avx2<false>)
          : (swap ? fletcher2Baseline<true> : fletcher2Baseline<false>))(data.data(), steps, acc);
    const Lanes64& a = acc[0];
    const Lanes64& b = acc[1];
    return {a[0] + a[2], a[1] + a[3], 2 * b[0] + 2 * b[2] - a[2], 2 * b[1] + 2 * b[3] - a[3]};
}

} // namespace

void Fletcher4::update(Bytes data, ByteOrder order, Path path)
{
    const std::size_t bulk = path == Path::Scalar ? 0 : data.size() / 16 * 16;
    if (bulk != 0) {
        append(m_sums, fletcher4Vector(data.first(bulk), order, path), bulk / 4);
    }
    fletcher4Scalar(m_sums, data.subspan(bulk), order);
}

void Fletcher2::update(Bytes data, ByteOrder order, Path path)
{
    const std::size_t bulk = path == Path::Scalar ? 0 : data.size() / 32 * 32;
    if (bulk != 0) {
        const Sums second = fletcher2Vector(data.first(bulk), order, path);
        const std::uint64_t pairs = bulk / 16;
        m_sums[2] += pairs * m_sums[0] + second[2];
        m_sums[3] += pairs * m_sums[1] + second[3];
        m_sums[0] += second[0];
        m_sums[1] += second[1];
    }
    fletcher2Scalar(m_sums, data.subspan(bulk), order);
}

} // namespace millpond::codec::detail
