// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/byte_order.h"
#include "base/result.h"
#include "base/types.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace millpond::format {

/// First word of a ZAP's blocks.
inline constexpr std::uint64_t kZapLeafBlock = (std::uint64_t{1} << 63) + 0;
inline constexpr std::uint64_t kZapHeaderBlock = (std::uint64_t{1} << 63) + 1;
inline constexpr std::uint64_t kZapMicroBlock = (std::uint64_t{1} << 63) + 3;

inline constexpr std::uint64_t kZapMagic = 0x2F52AB2ABULL;
inline constexpr std::uint32_t kZapLeafMagic = 0x2AB1EAF;
inline constexpr std::size_t kZapMaxNameBytes = 256;      ///< with the NUL
inline constexpr std::size_t kZapMaxLongNameBytes = 1024; ///< with the NUL; feature longname
inline constexpr std::size_t kZapMaxValueBytes = 8192;    ///< of an entry with bytes as value
inline constexpr std::size_t kMicroZapNameBytes = 50;     ///< with the NUL
inline constexpr unsigned kMinZapBlockShift = 9;
inline constexpr unsigned kMaxZapBlockShift = 24;

struct ZapFlag
{
    static constexpr std::uint64_t kHash64 = 1;    ///< 48 bits of the hash are used, else 28
    static constexpr std::uint64_t kUint64Key = 2; ///< keys are words, not text
    static constexpr std::uint64_t kPreHashed = 4; ///< the key's first word is its hash
};

/// How names are folded before hashing and comparing; values of the property `normalization` and of
/// ZAPs.
struct NormalizationFlag
{
    static constexpr std::uint64_t kToUpper = 0x2;
    static constexpr std::uint64_t kToLower = 0x4;
    static constexpr std::uint64_t kCanonicalDecomposition = 0x10;
    static constexpr std::uint64_t kCompatibleDecomposition = 0x20;
    static constexpr std::uint64_t kCanonicalComposition = 0x40;
    static constexpr std::uint64_t kFormC = 0x50;
    static constexpr std::uint64_t kFormD = 0x10;
    static constexpr std::uint64_t kFormKC = 0x60;
    static constexpr std::uint64_t kFormKD = 0x20;
};

/// The bits of a hash that a ZAP with these flags uses.
[[nodiscard]] std::uint64_t zapHashMask(std::uint64_t flags);
/// CRC-64 (ECMA-182, reflected) of the name, begun with the salt; masked. `name` without NUL,
/// already folded.
[[nodiscard]] std::uint64_t zapHash(std::uint64_t salt, std::string_view name, std::uint64_t flags);
/// Of a key of words; with kPreHashed its first word.
[[nodiscard]] std::uint64_t
zapHash(std::uint64_t salt, std::span<const std::uint64_t> key, std::uint64_t flags);

enum class ZapKind : std::uint8_t
{
    Micro,
    Fat,
};

/// From the first block of an object; BadZap when it is neither.
[[nodiscard]] Result<ZapKind> zapKind(Bytes block, ByteOrder order);

/// A micro ZAP [mzap_phys_t]: one block; 0 type, 8 salt, 16 normalisation, 24 zero (40), then
/// entries of 64 bytes: 0 value, 8 collision number (32), 12 zero (16), 14 name (50). An empty name
/// is a free slot.
class MicroZapView
{
public:
    static constexpr std::size_t kEntryBytes = 64;

    /// BadZap when the block is no micro ZAP. The bytes must outlive the view.
    [[nodiscard]] static Result<MicroZapView> create(Bytes block, ByteOrder order);

    struct Entry
    {
        std::string_view name; ///< into the block
        std::uint64_t value = 0;
        std::uint32_t collision = 0; ///< tells entries of equal hash apart
    };

    [[nodiscard]] std::uint64_t salt() const { return m_salt; }

    [[nodiscard]] std::uint64_t normalization() const { return m_normalization; }

    [[nodiscard]] std::size_t slots() const { return m_slots; }

    /// Nothing for a free slot. `slot` < slots().
    [[nodiscard]] std::optional<Entry> entry(std::size_t slot) const;
    /// Exact match of the bytes.
    [[nodiscard]] std::optional<Entry> find(std::string_view name) const;

    [[nodiscard]] std::uint64_t hash(std::string_view name) const
    {
        return zapHash(m_salt, name, 0);
    }

    [[nodiscard]] std::string toText() const;

private:
    MicroZapView(Bytes block, ByteOrder order);

    Bytes m_block;
    ByteOrder m_order;
    std::uint64_t m_salt = 0;
    std::uint64_t m_normalization = 0;
    std::size_t m_slots = 0;
};

/// The first block of a fat ZAP [zap_phys_t], words: 0 type, 1 magic, 2 pointer table (first block,
/// blocks, shift, next block, copied), 7 next free block, 8 leaves, 9 entries, 10 salt, 11
/// normalisation, 12 flags; the second half of the block is the pointer table while it is small
/// enough.
class FatZapHeaderView
{
public:
    /// BadZap when the block is no such header or its numbers make no sense. The bytes must outlive
    /// the view.
    [[nodiscard]] static Result<FatZapHeaderView> create(Bytes block, ByteOrder order);

    struct Header
    {
        std::uint64_t tableBlock = 0;     ///< 0: the table is embedded
        std::uint64_t tableBlocks = 0;    ///< 0: embedded
        std::uint64_t tableShift = 0;     ///< log2 of the number of pointers
        std::uint64_t nextTableBlock = 0; ///< a larger table being filled
        std::uint64_t blocksCopied = 0;
        std::uint64_t freeBlock = 0; ///< the next block to use
        std::uint64_t leaves = 0;
        std::uint64_t entries = 0;
        std::uint64_t salt = 0;
        std::uint64_t normalization = 0;
        std::uint64_t flags = 0; ///< ZapFlag
    };

    [[nodiscard]] const Header& header() const { return m_header; }

    [[nodiscard]] unsigned blockShift() const { return m_blockShift; }

    [[nodiscard]] bool tableEmbedded() const { return m_header.tableBlocks == 0; }

    [[nodiscard]] std::uint64_t tableEntries() const
    {
        return std::uint64_t{1} << m_header.tableShift;
    }

    /// The pointer for a hash: its top tableShift bits.
    [[nodiscard]] std::uint64_t tableIndex(std::uint64_t hash) const
    {
        return m_header.tableShift == 0 ? 0 : hash >> (64 - m_header.tableShift);
    }

    /// A leaf's block number. Only while tableEmbedded(); `index` < tableEntries().
    [[nodiscard]] std::uint64_t embeddedPointer(std::uint64_t index) const;

    struct TablePlace
    {
        std::uint64_t block = 0;     ///< of the object
        std::size_t offsetBytes = 0; ///< inside the block
    };

    /// Where an external table keeps a pointer; `index` < tableEntries().
    [[nodiscard]] TablePlace tablePlace(std::uint64_t index) const;

    [[nodiscard]] std::uint64_t hash(std::string_view name) const
    {
        return zapHash(m_header.salt, name, m_header.flags);
    }

    [[nodiscard]] std::uint64_t hash(std::span<const std::uint64_t> key) const
    {
        return zapHash(m_header.salt, key, m_header.flags);
    }

    [[nodiscard]] std::string toText() const;

private:
    FatZapHeaderView(Bytes block, ByteOrder order, unsigned blockShift, const Header& header);

    Bytes m_block;
    ByteOrder m_order;
    unsigned m_blockShift;
    Header m_header;
};

/// A leaf of a fat ZAP [zap_leaf_phys_t]: 0 type (64), 16 prefix (64), 24 magic (32), 28 free
/// chunks (16), 30 entries (16), 32 prefix length (16), 34 free list (16), 36 flags (8); 48 hash
/// table of 16-bit chunk numbers (one per 32 bytes of block); then chunks of 24 bytes. Integers in
/// array chunks are big-endian always.
class ZapLeafView
{
public:
    static constexpr std::size_t kChunkBytes = 24;
    static constexpr std::size_t kArrayBytes = 21;
    static constexpr std::uint16_t kChainEnd = 0xffff;
    static constexpr std::uint8_t kEntriesSorted =
        1; ///< flags: chains are in order of collision number

    enum class ChunkType : std::uint8_t
    {
        Array = 251,
        Entry = 252,
        Free = 253,
    };

    struct Header
    {
        std::uint64_t prefix = 0;
        std::uint16_t freeChunks = 0;
        std::uint16_t entries = 0;
        std::uint16_t prefixLength = 0; ///< bits
        std::uint16_t freeList = kChainEnd;
        std::uint8_t flags = 0;
    };

    struct Entry
    {
        std::uint16_t chunk = 0; ///< its own number
        std::uint8_t integerBytes = 8;
        std::uint16_t next = kChainEnd; ///< in the hash chain
        std::uint16_t nameChunk = 0;
        std::uint16_t nameLength = 0; ///< integers: bytes with the NUL, or words of a uint64 key
        std::uint16_t valueChunk = 0;
        std::uint16_t valueLength = 0; ///< integers
        std::uint32_t collision = 0;
        std::uint64_t hash = 0;
    };

    /// BadZap when the block is no leaf. The bytes must outlive the view.
    [[nodiscard]] static Result<ZapLeafView> create(Bytes block, ByteOrder order);

    [[nodiscard]] const Header& header() const { return m_header; }

    [[nodiscard]] std::size_t chunks() const { return m_chunks; }

    [[nodiscard]] std::size_t hashSlots() const { return m_hashSlots; }

    /// The chain a hash belongs to: the bits behind the leaf's prefix.
    [[nodiscard]] std::size_t hashSlot(std::uint64_t hash) const;
    /// First chunk of a chain, or kChainEnd. `slot` < hashSlots(). Not checked further.
    [[nodiscard]] std::uint16_t chainHead(std::size_t slot) const;
    /// Whatever type number stands there. `chunk` < chunks().
    [[nodiscard]] std::uint8_t chunkType(std::size_t chunk) const;
    /// BadZap when the number is out of range or the chunk is no entry or its integer size is none.
    [[nodiscard]] Result<Entry> entry(std::uint16_t chunk) const;
    /// Next in an array or in the free list. `chunk` < chunks().
    [[nodiscard]] std::uint16_t nextChunk(std::size_t chunk) const;

    /// The entry's name, without NUL. BadZap for broken chains or lengths.
    [[nodiscard]] Result<std::string> name(const Entry& entry) const;
    /// The key of a ZAP with uint64 keys.
    [[nodiscard]] Result<std::vector<std::uint64_t>> key(const Entry& entry) const;
    /// The value's integers (of 1, 2, 4 or 8 bytes each).
    [[nodiscard]] Result<std::vector<std::uint64_t>> values(const Entry& entry) const;
    /// The value of an entry with one-byte integers.
    [[nodiscard]] Result<std::vector<std::byte>> valueBytes(const Entry& entry) const;
    /// Exact match; nothing when absent. BadZap for broken chains (loops end after chunks() steps).
    [[nodiscard]] Result<std::optional<Entry>> find(std::uint64_t hash,
                                                    std::string_view name) const;
    [[nodiscard]] Result<std::optional<Entry>> find(std::uint64_t hash,
                                                    std::span<const std::uint64_t> key) const;
    /// All entries of one chain. BadZap as above.
    [[nodiscard]] Result<std::vector<Entry>> chain(std::size_t slot) const;
    /// All entries, by walking the chains, in order of hash and collision number.
    [[nodiscard]] Result<std::vector<Entry>> entries() const;

    [[nodiscard]] std::string toText() const;

private:
    ZapLeafView(Bytes block, ByteOrder order, unsigned blockShift, const Header& header);

    [[nodiscard]] std::size_t chunkOffset(std::size_t chunk) const;
    Status readArray(std::uint16_t chunk, MutableBytes out) const;

    Bytes m_block;
    ByteOrder m_order;
    unsigned m_blockShift;
    std::size_t m_hashSlots;
    std::size_t m_chunks;
    Header m_header;
};

} // namespace millpond::format
