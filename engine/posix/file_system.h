// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "block/block_source.h"
#include "format/znode.h"
#include "object/object_set.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace millpond::posix {

using block::ReadContext;

enum class FileType : std::uint8_t
{
    Unknown = 0,
    Fifo = 1,
    CharacterDevice = 2,
    Directory = 4,
    BlockDevice = 6,
    Regular = 8,
    Link = 10,
    Socket = 12,
    Door = 13,
    EventPort = 14
};

using Time = std::chrono::nanoseconds; ///< since 1970, may be negative

/// What stat(2), statx(2) and the flag ioctls show. Immutable.
struct Attributes
{
    ObjectId object;
    FileType type = FileType::Unknown;
    std::uint32_t mode = 0; ///< type and permission bits, as st_mode
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    std::uint64_t size = 0; ///< bytes; of a directory the number of entries as OpenZFS shows it
    std::uint64_t links = 0;
    std::uint64_t blocks512 = 0;
    std::uint32_t blockSize = 0; ///< st_blksize
    std::uint64_t rdev = 0;      ///< as Linux' makedev would give (64 bit)
    Time accessed{};
    Time modified{};
    Time changed{};
    Time created{};
    std::uint64_t generation = 0; ///< creation txg
    std::uint64_t flags = 0;      ///< zp_flags as on disk (immutable, append-only, ...)
    std::uint32_t projectId = 0;
    ObjectId parent;
    ObjectId xattrDirectory;   ///< 0: none
    bool hasAccessAcl = false; ///< more than the mode bits
};

struct DirectoryEntry
{
    std::string name;
    ObjectId object;
    FileType type = FileType::Unknown; ///< Unknown where the pool is too old to say
    std::uint64_t next = 0;            ///< cursor to go on after this entry
};

struct SpaceFigures
{
    std::uint64_t blockSize = 0; ///< bytes, the unit of the next three
    std::uint64_t total = 0;
    std::uint64_t free = 0;
    std::uint64_t available = 0;
    std::uint64_t files = 0;
    std::uint64_t filesFree = 0;
};

/// One POSIX ACL entry, as getfacl shows it.
struct AclEntry
{
    enum class Tag : std::uint8_t
    {
        UserObject,
        User,
        GroupObject,
        Group,
        Mask,
        Other
    };
    Tag tag = Tag::UserObject;
    std::uint32_t id = 0;         ///< for User and Group
    std::uint8_t permissions = 0; ///< rwx
};

struct SpaceUse
{
    std::uint64_t id = 0; ///< uid, gid or project
    std::string domain;   ///< SID domain, empty for POSIX ids
    std::uint64_t used = 0, quota = 0, objectsUsed = 0, objectQuota = 0;
    bool objectsCounted = false; ///< false: the last two are not known (`zfs userspace` prints "-")
};

enum class SpaceKind : std::uint8_t
{
    User,
    Group,
    Project
};

/// What a dataset's properties say about showing it; the file system itself does not know.
struct ShowOptions
{
    bool posixAcls = true;      ///< acltype=posix: else there seem to be none
    bool userAttributes = true; ///< xattr is not off: else the namespace user. seems empty
    /// snapdir=visible, and not a snapshot: the root has one link more, for .zfs.
    bool snapshotDirectoryVisible = false;
};

/// One filesystem or snapshot, mounted or not: the read side. Thread-safe; every call may answer
/// WouldBlock under Wait::CachedOnly, and then has no effect.
class FileSystem
{
public:
    /// InvalidArgument when the object set is no file system; UnsupportedVersion.
    [[nodiscard]] static Result<std::shared_ptr<FileSystem>>
    open(std::shared_ptr<object::ObjectSet> objset, const ReadContext& context = {});
    [[nodiscard]] static Result<std::shared_ptr<FileSystem>>
    open(std::shared_ptr<object::ObjectSet> objset,
         const ShowOptions& show,
         const ReadContext& context = {});
    ~FileSystem();

    [[nodiscard]] std::uint64_t version() const; ///< 1 to 5
    [[nodiscard]] ObjectId root() const;
    [[nodiscard]] ObjsetId objset() const;
    [[nodiscard]] bool ignoresCase() const;
    [[nodiscard]] bool normalizes() const;

    [[nodiscard]] Result<std::shared_ptr<const Attributes>>
    attributes(ObjectId object, const ReadContext& context = {});
    /// NoSuchEntry, NotDirectory. "." and ".." are not answered here.
    [[nodiscard]] Result<DirectoryEntry>
    lookup(ObjectId directory, std::string_view name, const ReadContext& context = {});
    /// Up to `atMost` entries from a cursor (object::Zap::kBegin to begin), in stable order,
    /// without
    /// "." and "..". Empty at the end.
    [[nodiscard]] Result<std::vector<DirectoryEntry>> list(ObjectId directory,
                                                           std::uint64_t cursor,
                                                           std::size_t atMost,
                                                           const ReadContext& context = {});
    [[nodiscard]] Result<std::string> readLink(ObjectId object, const ReadContext& context = {});
    /// Bytes read: less than asked for only at the end of the file.
    [[nodiscard]] Result<std::size_t>
    read(ObjectId object, ByteOffset offset, MutableBytes out, const ReadContext& context = {});

    /// A part of a file where it stands in memory.
    struct Piece
    {
        BufferRef block;        ///< null: zeroes
        std::size_t offset = 0; ///< in the block
        std::size_t size = 0;
    };

    /// As read(), without a copy: a piece a block.
    [[nodiscard]] Result<std::vector<Piece>>
    readPieces(ObjectId object, ByteOffset offset, ByteCount size, const ReadContext& context = {});
    /// Starts reading a range that will be wanted soon. Looks at some MiB at most. WouldBlock, with
    /// nothing started, when it would have to wait to learn where the blocks are.
    [[nodiscard]] Status
    prefetch(ObjectId object, ByteOffset offset, ByteCount size, const ReadContext& context);
    /// SEEK_DATA and SEEK_HOLE as lseek(2): nothing means ENXIO.
    [[nodiscard]] Result<std::optional<ByteOffset>>
    seekData(ObjectId object, ByteOffset offset, const ReadContext& context = {});
    [[nodiscard]] Result<std::optional<ByteOffset>>
    seekHole(ObjectId object, ByteOffset offset, const ReadContext& context = {});

    /// Names with their namespace prefix as listxattr(2) shows them ("user.", "trusted.",
    /// "security."); both styles; POSIX ACLs not among them.
    [[nodiscard]] Result<std::vector<std::string>> xattrNames(ObjectId object,
                                                              const ReadContext& context = {});
    /// NoSuchAttribute when absent.
    [[nodiscard]] Result<std::vector<std::byte>>
    xattr(ObjectId object, std::string_view name, const ReadContext& context = {});
    /// Empty when the file has no more than its mode.
    [[nodiscard]] Result<std::vector<AclEntry>> accessAcl(ObjectId object,
                                                          const ReadContext& context = {});
    [[nodiscard]] Result<std::vector<AclEntry>> defaultAcl(ObjectId object,
                                                           const ReadContext& context = {});

    /// The NFSv4 ACL as stored: it is kept and shown, not enforced.
    [[nodiscard]] Result<std::vector<format::Ace>> nfsv4Acl(ObjectId object,
                                                            const ReadContext& context = {});

    /// The path of an object below the root, following parents; for error lists and check.
    [[nodiscard]] Result<std::string> pathOf(ObjectId object, const ReadContext& context = {});

    /// `zfs userspace` and kin. Empty where the pool is too old to count.
    [[nodiscard]] Result<std::vector<SpaceUse>> spaceUse(SpaceKind kind,
                                                         const ReadContext& context = {});

    FileSystem(const FileSystem&) = delete;
    FileSystem& operator=(const FileSystem&) = delete;

private:
    friend class FileSystemWriter;
    struct Private;
    explicit FileSystem(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace millpond::posix
