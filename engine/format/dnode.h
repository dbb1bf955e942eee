// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/byte_order.h"
#include "base/result.h"
#include "format/block_pointer.h"

#include <optional>
#include <string>
#include <string_view>

namespace millpond::format {

/// What an object holds [dmu_object_type_t]. Numbers with kNewType set are not in this list: they
/// say themselves how they are laid out.
enum class ObjectType : std::uint8_t
{
    None = 0,
    ObjectDirectory = 1,
    ObjectArray = 2,
    PackedNvlist = 3,
    PackedNvlistSize = 4,
    BpObject = 5,
    BpObjectHeader = 6,
    SpaceMapHeader = 7,
    SpaceMap = 8,
    IntentLog = 9,
    Dnode = 10,
    Objset = 11,
    DslDir = 12,
    DslDirChildMap = 13,
    DslDatasetSnapMap = 14,
    DslProperties = 15,
    DslDataset = 16,
    Znode = 17,
    OldAcl = 18,
    PlainFile = 19,
    Directory = 20,
    MasterNode = 21,
    UnlinkedSet = 22,
    Volume = 23,
    VolumeProperties = 24,
    OtherPlain = 25,
    OtherUint64 = 26,
    OtherZap = 27,
    ErrorLog = 28,
    History = 29,
    HistoryOffsets = 30,
    PoolProperties = 31,
    DslPermissions = 32,
    Acl = 33,
    SysAcl = 34,
    Fuid = 35,
    FuidSize = 36,
    NextClones = 37,
    ScanQueue = 38,
    UserGroupUsed = 39,
    UserGroupQuota = 40,
    UserRefs = 41,
    DdtZap = 42,
    DdtStatistics = 43,
    SystemAttributes = 44,
    SaMasterNode = 45,
    SaRegistration = 46,
    SaLayouts = 47,
    ScanTranslate = 48,
    Dedup = 49,
    Deadlist = 50,
    DeadlistHeader = 51,
    DslClones = 52,
    BpObjectSubobject = 53,
};
inline constexpr std::uint8_t kObjectTypes = 54;

/// How a block of an object is swapped between byte orders: what the bytes are.
enum class Layout : std::uint8_t
{
    Uint8 = 0,
    Uint16 = 1,
    Uint32 = 2,
    Uint64 = 3,
    Zap = 4,
    Dnode = 5,
    Objset = 6,
    Znode = 7,
    OldAcl = 8,
    Acl = 9,
};
inline constexpr std::uint8_t kLayouts = 10;

/// New-style type numbers: this bit, then kTypeMetadata, kTypeEncrypted and the Layout in five
/// bits.
inline constexpr std::uint8_t kNewType = 0x80;
inline constexpr std::uint8_t kTypeMetadata = 0x40;
inline constexpr std::uint8_t kTypeEncrypted = 0x20;
inline constexpr std::uint8_t kTypeLayoutMask = 0x1f;

[[nodiscard]] constexpr std::uint8_t newType(Layout layout, bool metadata, bool encrypted = false)
{
    return static_cast<std::uint8_t>(kNewType | (metadata ? kTypeMetadata : 0) |
                                     (encrypted ? kTypeEncrypted : 0) |
                                     static_cast<std::uint8_t>(layout));
}

[[nodiscard]] constexpr std::uint8_t number(ObjectType type)
{
    return static_cast<std::uint8_t>(type);
}

[[nodiscard]] bool isValidObjectType(std::uint8_t type);
[[nodiscard]] bool isMetadataType(std::uint8_t type);
[[nodiscard]] bool
isEncryptedType(std::uint8_t type); ///< its blocks are encrypted in encrypted datasets
[[nodiscard]] Layout objectLayout(std::uint8_t type); ///< Uint8 for an invalid type
[[nodiscard]] std::string_view
objectTypeName(std::uint8_t type); ///< as zdb names it; "invalid type"

/// Numbers of objects that exist outside the dnode array.
inline constexpr ObjectId kMetaDnodeObject{0};
inline constexpr ObjectId kUserUsedObject{~std::uint64_t{0}};
inline constexpr ObjectId kGroupUsedObject{~std::uint64_t{1}};
inline constexpr ObjectId kProjectUsedObject{~std::uint64_t{2}};
/// Object numbers are below this.
inline constexpr std::uint64_t kMaxObjects = std::uint64_t{1} << 48;
/// In the accounting objects: keys of object counts begin so; the others are bytes.
inline constexpr std::string_view kObjectCountPrefix = "obj-";

inline constexpr std::size_t kDnodeSlotBytes = 512;
inline constexpr std::size_t kMaxDnodeBytes = 16384; ///< 32 slots
inline constexpr std::size_t kDnodeBlockBytes = 16384;
inline constexpr std::size_t kDnodeHeaderBytes = 64;
inline constexpr std::size_t kMaxDnodePointers = 3;
inline constexpr std::uint8_t kMinIndirectShift = 10;
inline constexpr std::uint8_t kMaxIndirectShift = 17;

struct DnodeFlag
{
    static constexpr std::uint8_t kUsedBytes = 1;         ///< `used` counts bytes, not sectors
    static constexpr std::uint8_t kUserUsedAccounted = 2; ///< counted for its owner
    static constexpr std::uint8_t kSpillPointer = 4; ///< the last 128 bytes are a block pointer
    static constexpr std::uint8_t kUserObjectAccounted = 8; ///< counted as an object of its owner
};

/// A dnode's fixed part [dnode_phys_t], 64 bytes:
/// 0 type, 1 indirect shift, 2 levels, 3 pointers, 4 bonus type, 5 checksum, 6 compression, 7
/// flags, 8 data block sectors (16), 10 bonus length (16), 12 extra slots, 13 zero (3), 16 last
/// block id, 24 used, 32 zero (32). Then pointers, bonus, and at the very end the spill pointer if
/// flagged.
struct DnodeHeader
{
    std::uint8_t type = 0;
    std::uint8_t indirectShift = 0; ///< log2 of an indirect block's bytes
    std::uint8_t levels = 0;        ///< 1: pointers lead to data
    std::uint8_t pointerCount = 0;
    std::uint8_t bonusType = 0;
    std::uint8_t checksum = 0;    ///< a ChecksumType, Inherit mostly
    std::uint8_t compression = 0; ///< a CompressionType
    std::uint8_t flags = 0;
    std::uint16_t dataBlockSectors = 0;
    std::uint16_t bonusLength = 0;
    std::uint8_t extraSlots = 0;
    std::uint64_t maxBlockId = 0;
    std::uint64_t used = 0; ///< see usedBytes()
};

/// A dnode over the bytes of its block (not copied: they must outlive the view). A view can only be
/// made of a dnode that validate()s; all its parts lie inside the bytes.
class DnodeView
{
public:
    /// `bytes` begins at the dnode and reaches to the end of what it may occupy (the end of its
    /// dnode block; 512 bytes inside an objset header). BadDnode when free or senseless.
    [[nodiscard]] static Result<DnodeView> create(Bytes bytes, ByteOrder order);
    /// Whether the slot at the beginning of `bytes` holds no dnode; also of fewer than 512 bytes.
    [[nodiscard]] static bool isFree(Bytes bytes);

    [[nodiscard]] const DnodeHeader& header() const { return m_header; }

    [[nodiscard]] ByteOrder order() const { return m_order; }

    [[nodiscard]] std::size_t slots() const { return std::size_t{m_header.extraSlots} + 1; }

    [[nodiscard]] std::size_t sizeBytes() const { return slots() * kDnodeSlotBytes; }

    [[nodiscard]] Bytes bytes() const { return m_bytes; }

    [[nodiscard]] ByteCount dataBlockSize() const
    {
        return ByteCount(std::uint64_t{m_header.dataBlockSectors} * kSectorBytes);
    }

    [[nodiscard]] ByteCount usedBytes() const;

    /// `index` < header().pointerCount.
    [[nodiscard]] BlockPointer pointer(std::size_t index) const;
    [[nodiscard]] Bytes bonus() const; ///< bonusLength bytes

    [[nodiscard]] bool hasSpill() const { return (m_header.flags & DnodeFlag::kSpillPointer) != 0; }

    [[nodiscard]] std::optional<BlockPointer> spill() const;
    /// Block pointers in one indirect block.
    [[nodiscard]] std::uint64_t pointersPerIndirect() const;

    [[nodiscard]] std::string toText() const;

private:
    DnodeView(Bytes bytes, ByteOrder order, const DnodeHeader& header)
        : m_bytes(bytes)
        , m_order(order)
        , m_header(header)
    {
    }

    Bytes m_bytes; ///< exactly the dnode
    ByteOrder m_order;
    DnodeHeader m_header;
};

/// The 64 bytes, unchecked apart from their number (BadDnode).
[[nodiscard]] Result<DnodeHeader> decodeDnodeHeader(Bytes bytes, ByteOrder order);
/// Reserved bytes are written as zero. `out` has 64 bytes.
void encodeDnodeHeader(const DnodeHeader& header,
                       MutableBytes out,
                       ByteOrder order = ByteOrder::Little);

} // namespace millpond::format
