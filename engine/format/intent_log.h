// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/byte_order.h"
#include "base/cursor.h"
#include "base/result.h"
#include "format/block_pointer.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace millpond::format {

/// In an object set's header [zil_header_t], 192 bytes: 0 claim txg, 8 replay sequence, 16 first
/// log block (128), 144 claimed block sequence, 152 flags, 160 claimed record sequence, 168 zero
/// (24).
struct ZilHeader
{
    static constexpr std::size_t kBytes = 192;
    static constexpr std::uint64_t kReplayNeeded = 1;
    static constexpr std::uint64_t kClaimRecordSequenceValid = 2;

    std::uint64_t claimTxg = 0;
    std::uint64_t replaySequence = 0; ///< highest record already replayed
    BlockPointer log;                 ///< a hole: no log
    std::uint64_t claimBlockSequence = 0;
    std::uint64_t flags = 0;
    std::uint64_t claimRecordSequence = 0;

    [[nodiscard]] static Result<ZilHeader> decode(Bytes bytes, ByteOrder order);
    void encode(MutableBytes out, ByteOrder order = ByteOrder::Little) const; ///< 192 bytes
    [[nodiscard]] std::string toText() const;
};

/// Links one log block to the next [zil_chain_t], 184 bytes: 8 next block (128), 136 bytes used,
/// 144 embedded checksum (40). At the front of the block with IntentLog2 (then `used` counts it),
/// at the end of the block with IntentLog.
struct ZilChain
{
    static constexpr std::size_t kBytes = 184;

    BlockPointer next;
    std::uint64_t used = 0;

    [[nodiscard]] static Result<ZilChain> decode(Bytes bytes, ByteOrder order);
    void encode(MutableBytes out,
                ByteOrder order = ByteOrder::Little) const; ///< but for the checksum
};

/// Meaning of a log block pointer's checksum words.
struct ZilChecksumWord
{
    static constexpr std::size_t kGuid0 = 0;
    static constexpr std::size_t kGuid1 = 1;
    static constexpr std::size_t kObjset = 2;
    static constexpr std::size_t kSequence = 3;
};

/// What is in a log block: the chain, and the bytes that hold records.
struct ZilBlock
{
    ZilChain chain;
    Bytes records; ///< inside the block's bytes

    /// `block` is the whole block, of a pointer with `checksum` (IntentLog or IntentLog2). BadLog
    /// when the sizes make no sense.
    [[nodiscard]] static Result<ZilBlock>
    decode(Bytes block, ChecksumType checksum, ByteOrder order);
};

enum class ZilRecordType : std::uint32_t
{
    Commit = 0, ///< never on disk
    Create = 1,
    MakeDirectory = 2,
    MakeXattrDirectory = 3,
    Symlink = 4,
    Remove = 5,
    RemoveDirectory = 6,
    Link = 7,
    Rename = 8,
    Write = 9,
    Truncate = 10,
    SetAttributes = 11,
    AclV0 = 12,
    Acl = 13,
    CreateAcl = 14,
    CreateAttributes = 15,
    CreateAclAttributes = 16,
    MakeDirectoryAcl = 17,
    MakeDirectoryAttributes = 18,
    MakeDirectoryAclAttributes = 19,
    Write2 = 20,
    SetSaXattr = 21,
    RenameExchange = 22,
    RenameWhiteout = 23,
    CloneRange = 24,
};
inline constexpr std::uint32_t kZilRecordTypes = 25;

[[nodiscard]] std::string_view zilRecordTypeName(ZilRecordType type); ///< "TX_WRITE" and so on

/// Seconds and nanoseconds.
struct ZilTime
{
    std::uint64_t seconds = 0;
    std::uint64_t nanoseconds = 0;
};

/// Object number with the dnode's slot count in its top byte.
struct ZilObject
{
    std::uint64_t object = 0;
    std::uint32_t slots = 1;

    [[nodiscard]] static ZilObject of(std::uint64_t raw)
    {
        return {bits(raw, 0, 48), static_cast<std::uint32_t>(bits(raw, 56, 8)) + 1};
    }
};

/// Optional attributes (DOS flags and kin) in a record [lr_attr_t].
struct ZilExtraAttributes
{
    std::vector<std::uint32_t> mask; ///< bitmap of what is set
    std::uint64_t attributes = 0;
    ZilTime created;
    std::array<std::byte, 32> scanStamp{};
};

/// The ACL part of a record: ACEs as in a file's ACL of that version (znode.h decodes them).
struct ZilAcl
{
    std::uint64_t count = 0;
    std::uint64_t domains = 0;
    std::uint64_t flags = 0;
    Bytes aces;                           ///< of the stated length
    std::vector<std::uint64_t> fuids;     ///< replacing ephemeral ids
    std::vector<std::string_view> domain; ///< `domains` names
};

/// One record; only the parts its type has are filled in. Views point into the block.
struct ZilRecord
{
    ZilRecordType type = ZilRecordType::Commit;
    bool ignoreCase = false; ///< asked for with case-insensitive names
    std::uint64_t length = 0;
    Txg txg;
    std::uint64_t sequence = 0;

    ZilObject object;            ///< of nearly all
    std::uint64_t directory = 0; ///< parent; for renames the source's
    std::uint64_t targetDirectory = 0;
    std::string_view name;
    std::string_view targetName; ///< renames; of a symlink its target
    std::uint64_t mode = 0, uid = 0, gid = 0, generation = 0, rdev = 0;
    ZilTime created;
    std::uint64_t offset = 0, size = 0;
    std::uint64_t mask = 0; ///< SetAttributes: which of the following
    ZilTime accessed, modified;
    BlockPointer pointer;               ///< Write: hole when the data follow
    Bytes data;                         ///< Write: the data; SetSaXattr: the value
    std::uint64_t blockSize = 0;        ///< CloneRange
    std::vector<BlockPointer> pointers; ///< CloneRange
    std::optional<ZilExtraAttributes> extra;
    std::optional<ZilAcl> acl;

    static constexpr std::size_t kHeaderBytes = 32;

    /// Takes the record at the cursor and moves behind it. BadLog.
    [[nodiscard]] static Result<ZilRecord> take(Cursor& cursor);
    [[nodiscard]] std::string toText() const;
};

} // namespace millpond::format
