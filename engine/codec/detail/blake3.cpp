// SPDX-License-Identifier: GPL-3.0-or-later
//
// BLAKE3 after its paper: chunks of 1 KiB are the leaves of a binary tree whose left subtrees are
// the largest powers of two. Chunks do not depend on one another, so a vector hashes one chunk per
// lane (eight with AVX2, four otherwise), and parents likewise; what is left over goes word by
// word. Groups of 64 chunks are reduced level by level; finished groups wait on a stack as in the
// paper.
#include "codec/detail/blake3.h"

#include "base/byte_order.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace millpond::codec::detail {

namespace {

constexpr std::size_t kChunk = 1024;
constexpr std::size_t kBlock = 64;
constexpr std::size_t kGroupChunks = 64;
/// A tree over 2^64 bytes is 54 levels high, less the six inside a group.
constexpr std::size_t kMaxStack = 48;

constexpr std::uint32_t kChunkStart = 1;
constexpr std::uint32_t kChunkEnd = 2;
constexpr std::uint32_t kParent = 4;
constexpr std::uint32_t kRoot = 8;
constexpr std::uint32_t kKeyedHash = 16;

using Words = Blake3Digest; ///< a chaining value or key

constexpr Words kInitial{
    0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
constexpr std::array<std::size_t, 16> kPermutation{
    2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
constexpr std::size_t kRounds = 7;

/// The message word that each place takes in each round.
constexpr std::array<std::array<std::size_t, 16>, kRounds> kSchedule = [] {
    std::array<std::array<std::size_t, 16>, kRounds> schedule{};
    for (std::size_t i = 0; i < 16; ++i) {
        schedule[0][i] = i;
    }
    for (std::size_t round = 1; round < kRounds; ++round) {
        for (std::size_t i = 0; i < 16; ++i) {
            schedule[round][i] = schedule[round - 1][kPermutation[i]];
        }
    }
    return schedule;
}();

struct Mode
{
    Words key;
    std::uint32_t flags;
};

using Lanes4 = std::uint32_t __attribute__((vector_size(16)));
using Lanes8 = std::uint32_t __attribute__((vector_size(32)));
template <class V> constexpr std::size_t kLanes = sizeof(V) / sizeof(std::uint32_t);

// The rounds are the same for a word, four lanes and eight lanes.

template <int Count, class V> MP_INLINE_KERNEL void rotateRight(V& x)
{
    x = (x >> Count) | (x << (32 - Count));
}

template <class V> MP_INLINE_KERNEL void mix(V& a, V& b, V& c, V& d, const V& m0, const V& m1)
{
    a += b + m0;
    d ^= a;
    rotateRight<16>(d);
    c += d;
    b ^= c;
    rotateRight<12>(b);
    a += b + m1;
    d ^= a;
    rotateRight<8>(d);
    c += d;
    b ^= c;
    rotateRight<7>(b);
}

template <std::size_t Round, class V> MP_INLINE_KERNEL void oneRound(V (&v)[16], const V (&m)[16])
{
    constexpr auto& at = kSchedule[Round];
    mix(v[0], v[4], v[8], v[12], m[at[0]], m[at[1]]);
    mix(v[1], v[5], v[9], v[13], m[at[2]], m[at[3]]);
    mix(v[2], v[6], v[10], v[14], m[at[4]], m[at[5]]);
    mix(v[3], v[7], v[11], v[15], m[at[6]], m[at[7]]);
    mix(v[0], v[5], v[10], v[15], m[at[8]], m[at[9]]);
    mix(v[1], v[6], v[11], v[12], m[at[10]], m[at[11]]);
    mix(v[2], v[7], v[8], v[13], m[at[12]], m[at[13]]);
    mix(v[3], v[4], v[9], v[14], m[at[14]], m[at[15]]);
}

template <class V, std::size_t... Round>
MP_INLINE_KERNEL void allRounds(V (&v)[16], const V (&m)[16], std::index_sequence<Round...>)
{
    (oneRound<Round>(v, m), ...);
}

template <class V> struct Position
{
    V counterLow;
    V counterHigh;
};

template <class V>
MP_INLINE_KERNEL void compress(V (&h)[8],
                               const V (&m)[16],
                               const Position<V>& position,
                               std::uint32_t length,
                               std::uint32_t flags)
{
    V v[16];
    for (std::size_t i = 0; i < 8; ++i) {
        v[i] = h[i];
    }
    for (std::size_t i = 0; i < 4; ++i) {
        v[8 + i] = V{} + kInitial[i];
    }
    v[12] = position.counterLow;
    v[13] = position.counterHigh;
    v[14] = V{} + length;
    v[15] = V{} + flags;
    allRounds(v, m, std::make_index_sequence<kRounds>());
    for (std::size_t i = 0; i < 8; ++i) {
        h[i] = v[i] ^ v[8 + i];
    }
}

// One word at a time.

void compressBlock(Words& chain, Bytes block, std::uint64_t counter, std::uint32_t flags)
{
    std::array<std::byte, kBlock> padded{};
    std::ranges::copy(block, padded.begin());
    std::uint32_t m[16];
    for (std::size_t i = 0; i < 16; ++i) {
        m[i] = load<std::uint32_t>(padded, 4 * i, ByteOrder::Little);
    }
    std::uint32_t h[8];
    std::ranges::copy(chain, h);
    const Position<std::uint32_t> position{static_cast<std::uint32_t>(counter),
                                           static_cast<std::uint32_t>(counter >> 32)};
    compress(h, m, position, static_cast<std::uint32_t>(block.size()), flags);
    std::ranges::copy(h, chain.begin());
}

Words hashChunk(const Mode& mode, Bytes chunk, std::uint64_t counter, std::uint32_t lastFlags)
{
    Words chain = mode.key;
    std::uint32_t flags = mode.flags | kChunkStart;
    while (chunk.size() > kBlock) {
        compressBlock(chain, chunk.first(kBlock), counter, flags);
        chunk = chunk.subspan(kBlock);
        flags = mode.flags;
    }
    compressBlock(chain, chunk, counter, flags | kChunkEnd | lastFlags);
    return chain;
}

Words hashParent(const Mode& mode, const Words& left, const Words& right, std::uint32_t moreFlags)
{
    std::uint32_t m[16];
    std::uint32_t h[8];
    for (std::size_t i = 0; i < 8; ++i) {
        m[i] = left[i];
        m[8 + i] = right[i];
        h[i] = mode.key[i];
    }
    compress(h, m, Position<std::uint32_t>{0, 0}, kBlock, mode.flags | kParent | moreFlags);
    Words chain;
    std::ranges::copy(h, chain.begin());
    return chain;
}

// One chunk or parent per lane.

/// Swaps the off-diagonal blocks of Size x Size lanes; done for 1, 2, 4… it transposes.
template <std::size_t Size, class V, std::size_t... Lane>
MP_INLINE_KERNEL void swapBlocks(V& upper, V& lower, std::index_sequence<Lane...>)
{
    constexpr std::size_t n = kLanes<V>;
    const V first = __builtin_shufflevector(
        upper, lower, (static_cast<int>((Lane & Size) != 0 ? n + Lane - Size : Lane))...);
    lower = __builtin_shufflevector(
        upper, lower, (static_cast<int>((Lane & Size) != 0 ? n + Lane : Lane + Size))...);
    upper = first;
}

template <std::size_t Size, class V> MP_INLINE_KERNEL void transposeStage(V* rows)
{
    for (std::size_t row = 0; row < kLanes<V>; ++row) {
        if ((row & Size) == 0) {
            swapBlocks<Size>(rows[row], rows[row + Size], std::make_index_sequence<kLanes<V>>());
        }
    }
}

template <class V> MP_INLINE_KERNEL void transpose(V* rows)
{
    transposeStage<1>(rows);
    transposeStage<2>(rows);
    if constexpr (kLanes<V> == 8) {
        transposeStage<4>(rows);
    }
}

/// m[w], lane l = word w of the 64 bytes at data + l * stride.
template <bool LittleEndian, class V>
MP_INLINE_KERNEL void loadMessages(V (&m)[16], const std::byte* data, std::size_t stride)
{
    constexpr std::size_t n = kLanes<V>;
    for (std::size_t part = 0; part < 16; part += n) {
        for (std::size_t lane = 0; lane < n; ++lane) {
            __builtin_memcpy(&m[part + lane], data + lane * stride + 4 * part, sizeof(V));
        }
        transpose(m + part);
    }
    if constexpr (LittleEndian && kHostOrder == ByteOrder::Big) {
        for (V& word : m) {
            word = (word >> 24) | ((word >> 8) & 0xff00) | ((word << 8) & 0xff0000) | (word << 24);
        }
    }
}

template <class V> MP_INLINE_KERNEL void storeChains(const V (&h)[8], Words* out)
{
    for (std::size_t lane = 0; lane < kLanes<V>; ++lane) {
        for (std::size_t i = 0; i < 8; ++i) {
            out[lane][i] = h[i][lane];
        }
    }
}

template <class V> MP_INLINE_KERNEL void loadKey(V (&h)[8], const Mode& mode)
{
    for (std::size_t i = 0; i < 8; ++i) {
        h[i] = V{} + mode.key[i];
    }
}

template <class V>
MP_INLINE_KERNEL void
chunkLanes(const Mode& mode, const std::byte* data, std::uint64_t counter, Words* out)
{
    V h[8];
    loadKey(h, mode);
    Position<V> position;
    for (std::size_t lane = 0; lane < kLanes<V>; ++lane) {
        position.counterLow[lane] = static_cast<std::uint32_t>(counter + lane);
        position.counterHigh[lane] = static_cast<std::uint32_t>((counter + lane) >> 32);
    }
    for (std::size_t offset = 0; offset < kChunk; offset += kBlock) {
        const std::uint32_t flags = mode.flags | (offset == 0 ? kChunkStart : 0) |
                                    (offset + kBlock == kChunk ? kChunkEnd : 0);
        V m[16];
        loadMessages<true>(m, data + offset, kChunk);
        compress(h, m, position, kBlock, flags);
    }
    storeChains(h, out);
}

/// `out` may be the beginning of `in`.
template <class V> MP_INLINE_KERNEL void parentLanes(const Mode& mode, const Words* in, Words* out)
{
    V h[8];
    loadKey(h, mode);
    V m[16];
    static_assert(sizeof(Words) == kBlock / 2);
    loadMessages<false>(m, std::as_bytes(std::span(in, 2 * kLanes<V>)).data(), kBlock);
    compress(h, m, Position<V>{V{}, V{}}, kBlock, mode.flags | kParent);
    storeChains(h, out);
}

using ChunkKernel = void (*)(const Mode&, const std::byte*, std::uint64_t, Words*);
using ParentKernel = void (*)(const Mode&, const Words*, Words*);

template <class V>
MP_TARGET_AVX2 void
chunksAvx2(const Mode& mode, const std::byte* data, std::uint64_t counter, Words* out)
{
    chunkLanes<V>(mode, data, counter, out);
}

template <class V> MP_TARGET_AVX2 void parentsAvx2(const Mode& mode, const Words* in, Words* out)
{
    parentLanes<V>(mode, in, out);
}

void chunksBaseline(const Mode& mode, const std::byte* data, std::uint64_t counter, Words* out)
{
    chunkLanes<Lanes4>(mode, data, counter, out);
}

void parentsBaseline(const Mode& mode, const Words* in, Words* out)
{
    parentLanes<Lanes4>(mode, in, out);
}

struct Kernel
{
    std::size_t lanes;
    ChunkKernel chunks;
    ParentKernel parents;
};

/// From wide to narrow.
std::span<const Kernel> kernelsFor(Path path)
{
    static constexpr std::array kAvx2{Kernel{8, chunksAvx2<Lanes8>, parentsAvx2<Lanes8>},
                                      Kernel{4, chunksAvx2<Lanes4>, parentsAvx2<Lanes4>}};
    static constexpr std::array kBaseline{Kernel{4, chunksBaseline, parentsBaseline}};
    switch (path) {
    case Path::Best:
        return hasAvx2() ? std::span<const Kernel>(kAvx2) : std::span<const Kernel>(kBaseline);
    case Path::Baseline:
        return kBaseline;
    case Path::Scalar:
        break;
    }
    return {};
}

// The tree.

class Tree
{
public:
    Tree(const Mode& mode, Path path)
        : m_mode(mode)
        , m_kernels(kernelsFor(path))
    {
    }

    Words root(Bytes message)
    {
        if (message.size() <= kChunk) {
            return hashChunk(m_mode, message, 0, kRoot);
        }
        constexpr std::size_t groupBytes = kGroupChunks * kChunk;
        std::uint64_t groups = 0;
        while (message.size() > groupBytes) {
            hashLeaves(message.first(groupBytes), groups * kGroupChunks);
            reduceTo(1);
            ++groups;
            push(m_level[0], groups);
            message = message.subspan(groupBytes);
        }
        hashLeaves(message, groups * kGroupChunks);
        if (m_depth == 0) {
            reduceTo(2);
            return hashParent(m_mode, m_level[0], m_level[1], kRoot);
        }
        reduceTo(1);
        Words chain = m_level[0];
        while (m_depth > 0) {
            --m_depth;
            chain = hashParent(m_mode, m_stack[m_depth], chain, m_depth == 0 ? kRoot : 0);
        }
        return chain;
    }

private:
    /// Fills m_level with the chaining values of up to 64 chunks.
    void hashLeaves(Bytes data, std::uint64_t firstChunk)
    {
        m_count = 0;
        for (const Kernel& kernel : m_kernels) {
            while (data.size() >= kernel.lanes * kChunk) {
                kernel.chunks(m_mode, data.data(), firstChunk + m_count, &m_level[m_count]);
                m_count += kernel.lanes;
                data = data.subspan(kernel.lanes * kChunk);
            }
        }
        while (!data.empty()) {
            const Bytes chunk = data.first(std::min(kChunk, data.size()));
            m_level[m_count] = hashChunk(m_mode, chunk, firstChunk + m_count, 0);
            ++m_count;
            data = data.subspan(chunk.size());
        }
    }

    /// Level by level; an odd last node moves up as it is, which keeps left subtrees full.
    void reduceTo(std::size_t count)
    {
        while (m_count > count) {
            const std::size_t parents = m_count / 2;
            std::size_t done = 0;
            for (const Kernel& kernel : m_kernels) {
                for (; parents - done >= kernel.lanes; done += kernel.lanes) {
                    kernel.parents(m_mode, &m_level[2 * done], &m_level[done]);
                }
            }
            for (; done < parents; ++done) {
                m_level[done] = hashParent(m_mode, m_level[2 * done], m_level[2 * done + 1], 0);
            }
            if (m_count % 2 != 0) {
                m_level[parents] = m_level[m_count - 1];
            }
            m_count = parents + m_count % 2;
        }
    }

    /// A full subtree is joined with its left neighbour as soon as that is as large; never the
    /// root, because a group always follows.
    void push(Words chain, std::uint64_t groups)
    {
        for (; groups % 2 == 0; groups /= 2) {
            --m_depth;
            chain = hashParent(m_mode, m_stack[m_depth], chain, 0);
        }
        m_stack[m_depth] = chain;
        ++m_depth;
    }

    const Mode& m_mode;
    std::span<const Kernel> m_kernels;
    std::array<Words, kGroupChunks> m_level;
    std::size_t m_count = 0;
    std::array<Words, kMaxStack> m_stack;
    std::size_t m_depth = 0;
};

} // namespace

Blake3Digest blake3(Bytes message, Path path)
{
    const Mode mode{kInitial, 0};
    return Tree(mode, path).root(message);
}

Blake3Digest blake3Keyed(std::span<const std::byte, 32> key, Bytes message, Path path)
{
    Mode mode{{}, kKeyedHash};
    for (std::size_t i = 0; i < mode.key.size(); ++i) {
        mode.key[i] = load<std::uint32_t>(key, 4 * i, ByteOrder::Little);
    }
    return Tree(mode, path).root(message);
}

} // namespace millpond::codec::detail
