// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// format/: the on-disk structures of OpenZFS, and nothing else.
//
// Purpose. Bytes to values and back: decode, check, print, and encode where a structure is written
// as a whole. No reading, no checksum, no decompression: whoever calls has done that. The
// catalogues (features, pool versions, properties, names) are here too, so that clients of the
// helper need no pool code.
//
// On disk. A device carries four labels (label.h): a configuration as nvlist (nvlist.h), and a ring
// of uberblocks (uberblock.h). The newest uberblock points (block_pointer.h) to an object set
// (objset.h): an array of dnodes (dnode.h), each the root of a tree of blocks. Objects hold ZAPs
// (zap.h), dataset bookkeeping (dsl.h), space maps (space_map.h), files and directories (znode.h,
// sa.h), dedup and clone tables (ddt.h, brt.h), logs (intent_log.h, history.h, error_log.h). Every
// block is in its writer's byte order, told by the pointer to it; a pool may hold both.
//
// In memory. Small structures become plain values in host order. What comes in masses and large
// blocks (dnode blocks, ZAPs, indirect blocks) gets views: checked once, then read in place; the
// bytes must outlive the view.
//
// Invariants.
// INV-1 No decoder reads outside the bytes it was given, loops more often than they justify, or
// allocates more
//       than a small factor of their size, whatever they are. Wrong bytes are a Result, never a
//       failed check.
// INV-2 After validate() or create() succeeded, every size, offset, shift and count a structure
// shows lies within the
//       format's limits, so that arithmetic on them as documented cannot overflow.
// INV-3 encode(decode(x)) == x for what is written as a whole; reserved bytes become zero.
// INV-4 Unknown numbers of checksums, compressions and types survive decode(): refusing them is
// validate()'s, so that a
//       pool from the future can be named, not just failed.
//
// Who may call. Anybody, from any thread; nothing is shared or kept. Recursion exists in nvlists
// only, 20 deep.
//
// Failure. ErrorCode::Bad... of class Corrupt. The texts name what was found; callers add where.
//
// Cost. Decoding is linear in the bytes; looking up in a ZAP leaf is one hash chain.
//
// Sources of the facts: OpenZFS 2.3
// include/sys/{spa,dnode,dmu,zap_impl,zap_leaf,sa_impl,zfs_acl,dsl_*,space_map,
// zil,ddt_impl,brt_impl,uberblock_impl,vdev_impl}.h, module/nvpair/nvpair.c, module/zcommon; each
// file names its own.

#include "base/byte_order.h"
#include "base/result.h"
#include "base/types.h"

#include <array>
#include <string>
#include <string_view>

namespace millpond::format {

/// Numbers as stored in block pointers, dnodes and properties. Unknown numbers may be met on disk.
enum class ChecksumType : std::uint8_t
{
    Inherit = 0,
    On = 1, ///< fletcher4
    Off = 2,
    Label = 3,      ///< embedded, SHA-256, seeded with the offset
    GangHeader = 4, ///< embedded, SHA-256, seeded with the block's address
    IntentLog = 5,  ///< embedded, fletcher2, seeded with the chain's position
    Fletcher2 = 6,
    Fletcher4 = 7,
    Sha256 = 8,
    IntentLog2 = 9, ///< as IntentLog, with fletcher4, and only over what is used
    NoParity = 10,
    Sha512 = 11, ///< SHA-512/256
    Skein = 12,  ///< salted
    EdonR = 13,  ///< salted
    Blake3 = 14, ///< salted
};
inline constexpr std::uint8_t kChecksumTypes = 15;

enum class CompressionType : std::uint8_t
{
    Inherit = 0,
    On = 1, ///< lz4 where the feature is enabled, else lzjb
    Off = 2,
    Lzjb = 3,
    Empty = 4, ///< all zeroes, nothing stored
    Gzip1 = 5,
    Gzip9 = 13,
    Zle = 14,
    Lz4 = 15,
    Zstd = 16, ///< the level is in the block's own header
};
inline constexpr std::uint8_t kCompressionTypes = 17;

[[nodiscard]] std::string_view checksumName(ChecksumType type);       ///< as zdb prints; "unknown"
[[nodiscard]] std::string_view compressionName(CompressionType type); ///< as zdb prints; "unknown"

inline constexpr std::uint64_t kSectorBytes = 512; ///< unit of sizes and offsets on disk
inline constexpr unsigned kSectorShift = 9;
inline constexpr std::uint64_t kMaxBlockBytes = 16 * MiB;
inline constexpr std::uint8_t kMaxLevels = 32; ///< of an object's block tree; five bits on disk
/// Top-level vdevs a pool may have as far as we follow it: each costs memory.
inline constexpr std::uint32_t kMaxVdevs = 65536;

/// Where one copy of a block is: a top-level vdev, and an offset counted from behind its front
/// labels (add label.h's kLabelStartBytes for the place on a leaf).
struct Dva
{
    VdevId vdev;
    ByteOffset offset;
    /// Of a gang block: header and everything below it.
    ByteCount allocated;
    bool gang = false;

    [[nodiscard]] bool isEmpty() const
    {
        return offset.value() == 0 && allocated.value() == 0 && vdev.value() == 0 && !gang;
    }

    /// From its two words in host order.
    [[nodiscard]] static Dva decode(std::uint64_t place, std::uint64_t offset);

    auto operator<=>(const Dva&) const = default;
    [[nodiscard]] std::string toText() const; ///< "vdev:offset:size", hex as zdb prints
};

enum class EmbeddedType : std::uint8_t
{
    Data = 0,
    Reserved = 1,
    Redacted = 2, ///< a block left out of a redacted send stream
};

/// Four words as stored with a block; what they mean depends on ChecksumType.
using ChecksumWords = std::array<std::uint64_t, 4>;

/// A block pointer [blkptr_t]: 128 bytes, kept as its sixteen words in host order, so that
/// everything stored is preserved. All accessors are total: they give some answer for any bytes.
/// Call validate() once on pointers that come from a disk; after that sizes and offsets are in
/// bounds.
struct BlockPointer
{
    static constexpr std::size_t kBytes = 128;
    static constexpr std::size_t kDvas = 3;
    static constexpr std::size_t kMaxEmbeddedBytes = 112;

    std::array<std::uint64_t, 16> words{};

    /// The caller has checked that 128 bytes are there (a broken program otherwise).
    [[nodiscard]] static BlockPointer at(Bytes bytes, std::size_t offset, ByteOrder order);
    /// BadBlockPointer when there are fewer than 128 bytes. Does not validate.
    [[nodiscard]] static Result<BlockPointer> decode(Bytes bytes, ByteOrder order);
    /// Writes 128 bytes; the caller has checked the room.
    void encode(MutableBytes out, ByteOrder order = ByteOrder::Little) const;

    /// Never written, or all zeroes. Also true of the pointer of a freed range.
    [[nodiscard]] bool isHole() const { return !isEmbedded() && words[0] == 0 && words[1] == 0; }

    [[nodiscard]] bool isEmbedded() const { return bits(words[6], 39, 1) != 0; }

    [[nodiscard]] bool isRedacted() const
    {
        return isEmbedded() && embeddedType() == EmbeddedType::Redacted;
    }

    [[nodiscard]] bool isGang() const { return !isEmbedded() && bits(words[1], 63, 1) != 0; }

    [[nodiscard]] bool isDedup() const { return bits(words[6], 62, 1) != 0; }

    /// Any of encrypted, authenticated, or carrying a checksum of MACs.
    [[nodiscard]] bool usesCrypt() const { return bits(words[6], 61, 1) != 0; }

    [[nodiscard]] bool isEncrypted() const;            ///< level 0 of an encrypted object type
    [[nodiscard]] bool isAuthenticated() const;        ///< level 0 of any other type
    [[nodiscard]] bool hasIndirectMacChecksum() const; ///< level above 0

    [[nodiscard]] ByteOrder byteOrder() const ///< of the block's content
    {
        return bits(words[6], 63, 1) != 0 ? ByteOrder::Little : ByteOrder::Big;
    }

    [[nodiscard]] std::uint8_t type() const ///< ObjectType, or a new-style number
    {
        return static_cast<std::uint8_t>(bits(words[6], 48, 8));
    }

    [[nodiscard]] Level level() const
    {
        return Level(static_cast<std::uint8_t>(bits(words[6], 56, 5)));
    }

    /// Of an embedded block: Off. Its eight bits hold embeddedType().
    [[nodiscard]] ChecksumType checksumType() const
    {
        return isEmbedded() ? ChecksumType::Off : ChecksumType(bits(words[6], 40, 8));
    }

    [[nodiscard]] CompressionType compression() const
    {
        return CompressionType(bits(words[6], 32, 7));
    }

    [[nodiscard]] EmbeddedType embeddedType() const { return EmbeddedType(bits(words[6], 40, 8)); }

    /// Decompressed. Zero for a redacted block.
    [[nodiscard]] ByteCount logicalSize() const;
    /// As stored, without parity. Zero for an embedded block (see embeddedPayload()).
    [[nodiscard]] ByteCount physicalSize() const;
    /// Of a hole and an embedded block zero; else the sum over all copies.
    [[nodiscard]] ByteCount allocatedSize() const;

    /// Copies: 0 for holes and embedded blocks; an encrypted block has two at most.
    [[nodiscard]] std::size_t dvaCount() const;
    /// `index` < kDvas.
    [[nodiscard]] Dva dva(std::size_t index) const;

    [[nodiscard]] Txg birth() const
    {
        return Txg(words[10]);
    } ///< logical: when the content was made

    [[nodiscard]] Txg
    physicalBirth() const; ///< when it was written here; equal unless deduplicated or moved

    /// Data blocks reached through this pointer; for dnode blocks: allocated dnodes.
    [[nodiscard]] std::uint64_t fill() const;

    [[nodiscard]] ChecksumWords checksum() const
    {
        return {words[12], words[13], words[14], words[15]};
    }

    [[nodiscard]] std::uint64_t salt() const { return words[4]; } ///< of an encrypted block

    [[nodiscard]] std::array<std::byte, 12> initVector() const; ///< of an encrypted block
    [[nodiscard]] std::array<std::byte, 16>
    authenticationCode() const; ///< MAC of a protected block

    /// Bytes kept in the pointer itself, compressed as compression() says, with their count;
    /// BadBlockPointer when the pointer is not embedded data or claims more than fit.
    struct Payload
    {
        std::array<std::byte, kMaxEmbeddedBytes> bytes{};
        std::size_t size = 0;

        [[nodiscard]] Bytes used() const { return Bytes(bytes).first(size); }
    };

    [[nodiscard]] Result<Payload> embeddedPayload() const;

    /// Refuses what no writer makes: unknown type, checksum or compression, sizes out of range,
    /// copies at impossible places. Of a hole only type, compression and logical size count.
    /// `vdevs` bounds the vdev ids (top-level vdevs of the pool).
    [[nodiscard]] Status validate(std::uint32_t vdevs = kMaxVdevs) const;

    bool operator==(const BlockPointer&) const = default;
    [[nodiscard]] std::string toText() const;
};

} // namespace millpond::format
