// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/byte_order.h"
#include "base/result.h"
#include "format/sa.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace millpond::format {

/// Versions of the file system layout (property `version`).
inline constexpr std::uint64_t kZplVersionInitial = 1;
inline constexpr std::uint64_t kZplVersionDirectoryTypes = 2; ///< entries carry the file type
inline constexpr std::uint64_t kZplVersionFuid = 3; ///< FUIDs, case and normalisation properties
inline constexpr std::uint64_t kZplVersionUserSpace = 4; ///< accounting by user and group
inline constexpr std::uint64_t kZplVersionSystemAttributes = 5;
inline constexpr std::uint64_t kZplVersionNewest = 5;

/// The master node: object 1 of a file system, a ZAP. Properties fixed at creation stand in it by
/// their names (normalization, utf8only, casesensitivity, acltype), quotas by their prefixes.
inline constexpr ObjectId kMasterNodeObject{1};
inline constexpr std::string_view kMasterRoot = "ROOT";
inline constexpr std::string_view kMasterVersion = "VERSION";
inline constexpr std::string_view kMasterUnlinkedSet = "DELETE_QUEUE";
inline constexpr std::string_view kMasterFuidTables = "FUID";
inline constexpr std::string_view kMasterShares = "SHARES";
inline constexpr std::string_view kMasterSaAttributes = "SA_ATTRS";
inline constexpr std::string_view kMasterFsid = "FSID";
inline constexpr std::string_view kMasterUserQuota = "userquota@";
inline constexpr std::string_view kMasterGroupQuota = "groupquota@";
inline constexpr std::string_view kMasterProjectQuota = "projectquota@";
inline constexpr std::string_view kMasterUserObjectQuota = "userobjquota@";
inline constexpr std::string_view kMasterGroupObjectQuota = "groupobjquota@";
inline constexpr std::string_view kMasterProjectObjectQuota = "projectobjquota@";
/// A volume: object 1 holds the data, object 2 is a ZAP with "size".
inline constexpr ObjectId kVolumeDataObject{1};
inline constexpr ObjectId kVolumeZapObject{2};
inline constexpr std::string_view kVolumeSize = "size";

/// A directory ZAP's value: the object in the low 48 bits, the type (mode >> 12) in the top four.
struct DirectoryValue
{
    ObjectId object;
    std::uint8_t type = 0; ///< 0 in old file systems: not known

    [[nodiscard]] static DirectoryValue decode(std::uint64_t raw)
    {
        return {ObjectId(bits(raw, 0, 48)), static_cast<std::uint8_t>(bits(raw, 60, 4))};
    }

    [[nodiscard]] std::uint64_t encode() const
    {
        return bits(object.value(), 0, 48) | std::uint64_t{type} << 60;
    }
};

/// A znode's flags (ZPL_FLAGS, zp_flags).
struct ZnodeFlag
{
    static constexpr std::uint64_t kXattr =
        0x1; ///< lives in an extended attribute directory, or is one
    static constexpr std::uint64_t kInheritAce = 0x2;
    static constexpr std::uint64_t kAclTrivial = 0x4; ///< no more than the mode
    static constexpr std::uint64_t kAclObjectAce = 0x8;
    static constexpr std::uint64_t kAclProtected = 0x10;
    static constexpr std::uint64_t kAclDefaulted = 0x20;
    static constexpr std::uint64_t kAclAutoInherit = 0x40;
    static constexpr std::uint64_t kBonusScanStamp = 0x80;
    static constexpr std::uint64_t kNoExecsDenied = 0x100;
    static constexpr std::uint64_t kReadOnly = 0x1ULL << 32;
    static constexpr std::uint64_t kHidden = 0x2ULL << 32;
    static constexpr std::uint64_t kSystem = 0x4ULL << 32;
    static constexpr std::uint64_t kArchive = 0x8ULL << 32;
    static constexpr std::uint64_t kImmutable = 0x10ULL << 32;
    static constexpr std::uint64_t kNoUnlink = 0x20ULL << 32;
    static constexpr std::uint64_t kAppendOnly = 0x40ULL << 32;
    static constexpr std::uint64_t kNoDump = 0x80ULL << 32;
    static constexpr std::uint64_t kOpaque = 0x100ULL << 32;
    static constexpr std::uint64_t kQuarantined = 0x200ULL << 32;
    static constexpr std::uint64_t kModified = 0x400ULL << 32;
    static constexpr std::uint64_t kReparse = 0x800ULL << 32;
    static constexpr std::uint64_t kOffline = 0x1000ULL << 32;
    static constexpr std::uint64_t kSparse = 0x2000ULL << 32;
    static constexpr std::uint64_t kProjectInherit = 0x4000ULL << 32;
    static constexpr std::uint64_t kProjectId = 0x8000ULL << 32;
};

/// The attributes a file system of version 5 registers, with the lengths and kinds it registers
/// them with.
struct ZplAttribute
{
    std::string_view name;
    std::uint16_t length; ///< 0: variable
    SaByteswap byteswap;
};

[[nodiscard]] std::span<const ZplAttribute> zplAttributes();

inline constexpr std::string_view kZplAtime = "ZPL_ATIME";
inline constexpr std::string_view kZplMtime = "ZPL_MTIME";
inline constexpr std::string_view kZplCtime = "ZPL_CTIME";
inline constexpr std::string_view kZplCrtime = "ZPL_CRTIME";
inline constexpr std::string_view kZplGen = "ZPL_GEN";
inline constexpr std::string_view kZplMode = "ZPL_MODE";
inline constexpr std::string_view kZplSize = "ZPL_SIZE";
inline constexpr std::string_view kZplParent = "ZPL_PARENT";
inline constexpr std::string_view kZplLinks = "ZPL_LINKS";
inline constexpr std::string_view kZplXattr = "ZPL_XATTR";
inline constexpr std::string_view kZplRdev = "ZPL_RDEV";
inline constexpr std::string_view kZplFlags = "ZPL_FLAGS";
inline constexpr std::string_view kZplUid = "ZPL_UID";
inline constexpr std::string_view kZplGid = "ZPL_GID";
inline constexpr std::string_view kZplPad = "ZPL_PAD";
inline constexpr std::string_view kZplZnodeAcl = "ZPL_ZNODE_ACL";
inline constexpr std::string_view kZplDaclCount = "ZPL_DACL_COUNT";
inline constexpr std::string_view kZplSymlink = "ZPL_SYMLINK";
inline constexpr std::string_view kZplScanStamp = "ZPL_SCANSTAMP";
inline constexpr std::string_view kZplDaclAces = "ZPL_DACL_ACES";
inline constexpr std::string_view kZplDxattr =
    "ZPL_DXATTR"; ///< packed nvlist of byte arrays: xattrs of style sa
inline constexpr std::string_view kZplProjectId = "ZPL_PROJID";

enum class AclVersion : std::uint16_t
{
    Initial = 0, ///< fixed entries of 12 bytes
    Fuid = 1,    ///< entries of 8, 16 or 48 bytes
};

struct AceFlag
{
    static constexpr std::uint16_t kFileInherit = 0x1;
    static constexpr std::uint16_t kDirectoryInherit = 0x2;
    static constexpr std::uint16_t kNoPropagateInherit = 0x4;
    static constexpr std::uint16_t kInheritOnly = 0x8;
    static constexpr std::uint16_t kSuccessfulAccess = 0x10;
    static constexpr std::uint16_t kFailedAccess = 0x20;
    static constexpr std::uint16_t kIdentifierGroup = 0x40;
    static constexpr std::uint16_t kInherited = 0x80;
    static constexpr std::uint16_t kOwner = 0x1000;
    static constexpr std::uint16_t kGroup = 0x2000;
    static constexpr std::uint16_t kEveryone = 0x4000;
    static constexpr std::uint16_t kWho = kOwner | kGroup | kEveryone | kIdentifierGroup;
};

struct AceType
{
    static constexpr std::uint16_t kAllow = 0;
    static constexpr std::uint16_t kDeny = 1;
    static constexpr std::uint16_t kAudit = 2;
    static constexpr std::uint16_t kAlarm = 3;
    static constexpr std::uint16_t kAllowObject = 5;
    static constexpr std::uint16_t kDenyObject = 6;
    static constexpr std::uint16_t kAuditObject = 7;
    static constexpr std::uint16_t kAlarmObject = 8;
};

struct AceMask
{
    static constexpr std::uint32_t kReadData = 0x1;
    static constexpr std::uint32_t kWriteData = 0x2;
    static constexpr std::uint32_t kAppendData = 0x4;
    static constexpr std::uint32_t kReadNamedAttributes = 0x8;
    static constexpr std::uint32_t kWriteNamedAttributes = 0x10;
    static constexpr std::uint32_t kExecute = 0x20;
    static constexpr std::uint32_t kDeleteChild = 0x40;
    static constexpr std::uint32_t kReadAttributes = 0x80;
    static constexpr std::uint32_t kWriteAttributes = 0x100;
    static constexpr std::uint32_t kDelete = 0x10000;
    static constexpr std::uint32_t kReadAcl = 0x20000;
    static constexpr std::uint32_t kWriteAcl = 0x40000;
    static constexpr std::uint32_t kWriteOwner = 0x80000;
    static constexpr std::uint32_t kSynchronize = 0x100000;
};

/// One NFSv4 entry.
struct Ace
{
    std::uint16_t type = 0;                 ///< AceType
    std::uint16_t flags = 0;                ///< AceFlag
    std::uint32_t access = 0;               ///< AceMask
    std::uint64_t who = 0;                  ///< FUID; without meaning for owner, group and everyone
    std::array<std::byte, 16> objectType{}; ///< object entries
    std::array<std::byte, 16> inheritedObjectType{}; ///< object entries

    [[nodiscard]] bool hasWho() const;   ///< has a FUID on disk in version Fuid
    [[nodiscard]] bool isObject() const; ///< of a type that carries object types
    bool operator==(const Ace&) const = default;
};

/// Entries as packed one behind the other. BadAttributes when `count` entries do not fit into
/// `bytes`, or there are more than kMaxAces.
inline constexpr std::uint64_t kMaxAces = 1024;
[[nodiscard]] Result<std::vector<Ace>>
decodeAces(Bytes bytes, std::uint64_t count, AclVersion version, ByteOrder order);
[[nodiscard]] std::vector<std::byte>
encodeAces(std::span<const Ace> aces, AclVersion version, ByteOrder order = ByteOrder::Little);

/// The ACL part of an old znode, and of the attribute ZPL_ZNODE_ACL: 88 bytes: 0 external object, 8
/// size in bytes (version 0: count) (32), 12 version (16), 14 count (16), 16 entries (72).
struct ZnodeAcl
{
    static constexpr std::size_t kBytes = 88;
    static constexpr std::size_t kInlineBytes = 72;

    ObjectId external;           ///< 0: the entries are here
    std::uint32_t sizeBytes = 0; ///< of all entries
    AclVersion version = AclVersion::Initial;
    std::uint64_t count = 0;
    std::vector<Ace> aces; ///< empty when external

    /// BadAttributes.
    [[nodiscard]] static Result<ZnodeAcl> decode(Bytes bytes, ByteOrder order);
};

struct ZnodeTime
{
    std::uint64_t seconds = 0; ///< as signed
    std::uint64_t nanoseconds = 0;
};

/// The old znode [znode_phys_t], 264 bytes of bonus buffer in file systems before version 5: times
/// 0, 16, 32, 48; 64 gen, mode, size, parent, links, xattr, rdev, flags, uid, gid, zap; 152 zero
/// (24); 176 ACL (88). A short symlink's target follows it.
struct ZnodePhys
{
    static constexpr std::size_t kBytes = 264;
    static constexpr std::size_t kAclOffset = 176;

    ZnodeTime accessed, modified, changed, created;
    std::uint64_t generation = 0;
    std::uint64_t mode = 0;
    std::uint64_t size = 0;
    std::uint64_t parent = 0;
    std::uint64_t links = 0;
    std::uint64_t xattr = 0;
    std::uint64_t rdev = 0;
    std::uint64_t flags = 0;
    std::uint64_t uid = 0;
    std::uint64_t gid = 0;
    std::uint64_t zap = 0;

    /// BadAttributes when shorter than kBytes. The ACL is decoded apart (ZnodeAcl), so that a
    /// broken one does not make the file unreadable.
    [[nodiscard]] static Result<ZnodePhys> decode(Bytes bonus, ByteOrder order);
    /// `out` has kBytes bytes; the ACL part is left as it is.
    void encode(MutableBytes out, ByteOrder order = ByteOrder::Little) const;
    [[nodiscard]] std::string toText() const;
};

/// A 64-bit user or group id: POSIX ids as they are, others an index into the domain table and a
/// relative id.
struct Fuid
{
    std::uint32_t domain = 0; ///< index, 1 is the first; 0: a POSIX id
    std::uint32_t id = 0;

    [[nodiscard]] static Fuid decode(std::uint64_t raw)
    {
        return {static_cast<std::uint32_t>(raw >> 32), static_cast<std::uint32_t>(raw)};
    }
};

/// The FUID object: a packed nvlist with this array of lists, each with index, offset and domain.
inline constexpr std::string_view kFuidArray = "fuid_nvlist";
inline constexpr std::string_view kFuidIndex = "fuid_idx";
inline constexpr std::string_view kFuidOffset = "fuid_offset";
inline constexpr std::string_view kFuidDomain = "fuid_domain";

/// The SID domains of a file system by index (index 0 is empty). `table` is the FUID object's
/// content. BadAttributes, or BadNvlist.
[[nodiscard]] Result<std::vector<std::string>> decodeFuidTable(Bytes table);

struct DeviceNumber
{
    std::uint32_t major = 0;
    std::uint32_t minor = 0;
};

/// A stored ZPL_RDEV: Solaris and FreeBSD write the major number in the upper 32 bits, Linux its
/// kernel's 32-bit form (12 bits of major, 20 of minor).
[[nodiscard]] DeviceNumber decodeDeviceNumber(std::uint64_t stored);

} // namespace millpond::format
