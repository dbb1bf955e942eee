// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format/zap.h"

#include <bit>
#include <optional>
#include <vector>

namespace millpond::object::detail {

/// Where things are in a leaf (see format::ZapLeafView) and in its chunks.
class LeafLayout
{
public:
    static constexpr std::size_t kPrefix = 16;
    static constexpr std::size_t kMagic = 24;
    static constexpr std::size_t kFreeChunks = 28;
    static constexpr std::size_t kEntries = 30;
    static constexpr std::size_t kPrefixLength = 32;
    static constexpr std::size_t kFreeList = 34;
    static constexpr std::size_t kFlags = 36;
    static constexpr std::size_t kHeaderBytes = 48;
    // In an entry's chunk.
    static constexpr std::size_t kIntegerBytes = 1;
    static constexpr std::size_t kNext = 2;
    static constexpr std::size_t kNameChunk = 4;
    static constexpr std::size_t kNameLength = 6;
    static constexpr std::size_t kValueChunk = 8;
    static constexpr std::size_t kValueLength = 10;
    static constexpr std::size_t kCollision = 12;
    static constexpr std::size_t kHash = 16;
    // In an array's chunk, the second in a free one, too.
    static constexpr std::size_t kArray = 1;
    static constexpr std::size_t kNextChunk = 22;

    explicit LeafLayout(std::size_t blockBytes)
        : m_hashSlots(blockBytes / 32)
        , m_chunks(std::min<std::size_t>(
              (blockBytes - 2 * m_hashSlots) / format::ZapLeafView::kChunkBytes - 2,
              format::ZapLeafView::kChainEnd))
    {
    }

    [[nodiscard]] std::size_t hashSlots() const { return m_hashSlots; }

    [[nodiscard]] std::size_t chunks() const { return m_chunks; }

    [[nodiscard]] static std::size_t chain(std::size_t slot)
    {
        return kHeaderBytes + slot * sizeof(std::uint16_t);
    }

    [[nodiscard]] std::size_t chunk(std::size_t number) const
    {
        return chain(m_hashSlots) + number * format::ZapLeafView::kChunkBytes;
    }

private:
    std::size_t m_hashSlots;
    std::size_t m_chunks;
};

/// What an entry holds besides its place: bytes as stored, and how many integers they are.
struct LeafName
{
    Bytes stored;
    std::size_t length = 0; ///< integers
};

struct LeafValue
{
    Bytes stored;
    std::uint8_t integerBytes = 8;
};

/// Changes one leaf in place, little-endian. Every change is checked as a whole before the first
/// byte is written: an error (BadZap, TooLarge) leaves the leaf as it was.
class ZapLeafEdit
{
public:
    /// Makes an empty leaf.
    static void
    initialize(MutableBytes block, std::uint64_t prefix, std::uint16_t prefixLength, bool sorted);

    /// BadZap. The bytes outlive the edit.
    [[nodiscard]] static Result<ZapLeafEdit> open(MutableBytes block);

    [[nodiscard]] const format::ZapLeafView& view() const { return m_view; }

    struct Found
    {
        format::ZapLeafView::Entry entry;
        std::uint16_t previous = 0; ///< in the hash chain; kChainEnd: the entry is its first
        std::size_t nameBytes = 0;
    };

    [[nodiscard]] Result<std::optional<Found>> find(std::uint64_t hash, const LeafName& name) const;

    /// Adds an entry that is not there. False: not enough free chunks. TooLarge: never enough.
    /// Without a collision number it takes the smallest that is free among entries of its hash.
    [[nodiscard]] Result<bool> insert(std::uint64_t hash,
                                      const LeafName& name,
                                      const LeafValue& value,
                                      std::optional<std::uint32_t> collision = {});
    /// False: not enough free chunks. `found` is of this state of the leaf.
    [[nodiscard]] Result<bool> replace(const Found& found, const LeafValue& value);
    [[nodiscard]] Status remove(const Found& found);
    /// Splits by the bit behind the prefix: entries that have it set go to `upper`, a block of the
    /// same size. Both are packed anew. `nameIntegerBytes`: 1 for text, 8 for words.
    [[nodiscard]] Status split(MutableBytes upper, std::size_t nameIntegerBytes, bool sorted);

private:
    ZapLeafEdit(MutableBytes block, const format::ZapLeafView& view)
        : m_block(block)
        , m_view(view)
        , m_layout(block.size())
    {
    }

    using Chunks = std::vector<std::uint16_t>;

    /// The first `count` chunks of the free list, all different.
    [[nodiscard]] Result<Chunks> freeChunks(std::size_t count) const;
    /// The chunks of an array, appended.
    [[nodiscard]] Status arrayChunks(std::uint16_t first, std::size_t bytes, Chunks& chunks) const;
    [[nodiscard]] Result<std::vector<std::byte>> array(std::uint16_t first,
                                                       std::size_t bytes) const;
    [[nodiscard]] Result<std::uint32_t> freeCollision(std::uint64_t hash) const;
    [[nodiscard]] Result<std::uint16_t> predecessor(std::uint64_t hash,
                                                    std::uint32_t collision) const;

    template <std::unsigned_integral T> void put(std::size_t offset, T value)
    {
        store(m_block, offset, value);
    }

    [[nodiscard]] std::uint16_t number16(std::size_t offset) const
    {
        return load<std::uint16_t>(m_block, offset, ByteOrder::Little);
    }

    void setNext(std::uint16_t previous, std::size_t slot, std::uint16_t next);
    std::uint16_t writeArray(std::span<const std::uint16_t> chunks, Bytes bytes);
    /// Puts the chunks, in this order, in front of the free list.
    void release(std::span<const std::uint16_t> chunks);
    void refresh(); ///< the view's header

    MutableBytes m_block;
    format::ZapLeafView m_view;
    LeafLayout m_layout;
};

} // namespace millpond::object::detail
