// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "object/live_object_set.h"
#include "posix/acl_mode.h"
#include "posix/file_system.h"
#include "txg/transaction_groups.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace millpond::posix {

/// What a new file system is made with: the properties that are fixed for ever.
struct NewFileSystem
{
    std::uint64_t version = format::kZplVersionNewest; ///< 5 only
    std::uint64_t normalization = 0;                   ///< value of the property
    bool utf8Only = false;                             ///< implied by any normalization
    /// Value of the property: 0 sensitive, 1 insensitive, 2 mixed.
    std::uint64_t caseSensitivity = 0;
    std::uint32_t rootUid = 0;
    std::uint32_t rootGid = 0;
    std::uint32_t rootMode = 0755; ///< permission bits
    bool projectIds = true;        ///< the pool has the feature project_quota
    Time now{};
};

/// Makes the master node, the delete queue, the objects of system attributes and the root
/// directory in an object set that was just created [zfs_create_fs]. Under a hold of `txg`, or in
/// its syncing context. InvalidArgument.
[[nodiscard]] Status
createFileSystem(object::LiveObjectSet& objset, Txg txg, const NewFileSystem& spec);

/// Who owns an object in the sense of space accounting: give it to object::SyncContext of every
/// file system's object set. Without state.
[[nodiscard]] const object::OwnerAccounting& fileOwners();

/// What a dataset's properties say about writing to it. May change while it is in use.
struct WriteOptions
{
    std::uint32_t recordBytes = 131072; ///< property recordsize
    bool xattrsInAttributes = true;     ///< xattr=sa (on): small ones lie beside the attributes
    bool posixAcls = false;             ///< acltype=posix
    AclMode aclMode = AclMode::Discard; ///< property aclmode
    std::uint8_t dnodeSlots = 1;        ///< property dnodesize, in 512 bytes; 0: auto
    bool longNames = false;             ///< names of up to 1023 bytes (property longname)
    bool projectIds = true;             ///< the pool has the feature project_quota
    /// All writing fails with ReadOnly, but for the engine's own work: freeing what is unlinked.
    bool readOnly = false;
    /// Asked under each hold, before anything is changed, whether so many bytes may be added
    /// (`freeing`: by a change that gives back space in the end). Null: yes.
    std::function<Status(Txg txg, ByteCount bytes, bool freeing)> admit;
};

/// What is to be made, and whose the request is. Permissions were checked by the kernel.
struct NewFile
{
    FileType type = FileType::Regular;
    std::uint32_t mode = 0; ///< permission bits, with setuid, setgid and sticky
    /// Taken off the mode, but where the directory's default ACL says what is to be.
    std::uint32_t umask = 0;
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;  ///< in a directory with setgid: its group instead
    std::uint64_t rdev = 0; ///< of devices: as makedev() gives it
    std::string linkTarget; ///< of symbolic links
};

/// What setattr changes; what is absent stays.
struct AttributeSettings
{
    std::optional<std::uint32_t> mode; ///< permission bits
    std::optional<std::uint32_t> uid;
    std::optional<std::uint32_t> gid;
    std::optional<std::uint64_t> size; ///< of regular files
    std::optional<Time> accessed;
    std::optional<Time> modified;
    std::optional<Time> created;
    /// The changed time is now, but for access times alone.
    std::optional<Time> changed;
    std::optional<std::uint64_t> flags; ///< format::ZnodeFlag bits that users may change
    std::optional<std::uint32_t> projectId;
    /// With a size: also drop setuid and setgid, as a write does (FATTR_KILL_SUIDGID).
    bool dropPrivileges = false;
};

enum class RenameMode : std::uint8_t
{
    Replace,
    NoReplace, ///< AlreadyExists
    Exchange,  ///< NoSuchEntry unless both are there
};

enum class XattrMode : std::uint8_t
{
    Set,
    Create, ///< AlreadyExists
    Replace ///< NoSuchAttribute
};

struct DirectoryPlace
{
    ObjectId directory;
    std::string_view name;
};

/// A file system that is written to. Reading goes on through files(), which always sees the newest
/// state. Thread-safe; every change is one transaction: whole or not at all, also after a crash,
/// and permanent when transaction group() is synced. Theory statement: file_system_writer.cpp.
///
/// Permissions are the kernel's business. Checked here: read-only datasets (ReadOnly); immutable,
/// append-only and no-unlink flags (NotPermitted); projects that objects may not leave
/// (CrossesBoundary); names (InvalidName, NameTooLong, NotUtf8).
///
/// With Wait::CachedOnly a call fails with WouldBlock before anything was changed whenever it
/// would have to wait: for a device, for another call's locks, or because writers are being slowed.
/// (A rare exception: making room in a directory's table may read one block.)
///
/// Lock order: first the lock of a range of a file's content, then the hold of the transaction
/// group, then the locks of all objects concerned (taken together), then whatever object/ takes.
class FileSystemWriter
{
public:
    using AttributesRef = std::shared_ptr<const Attributes>;

    /// Groups and clock outlive the writer; nobody else changes the object set but through it.
    /// UnsupportedVersion when the file system is not of version 5.
    [[nodiscard]] static Result<std::unique_ptr<FileSystemWriter>>
    open(std::shared_ptr<object::LiveObjectSet> objset,
         txg::TransactionGroups& groups,
         const Clock& clock,
         const WriteOptions& options,
         const ShowOptions& show,
         const ReadContext& context = {});
    ~FileSystemWriter();

    [[nodiscard]] const std::shared_ptr<FileSystem>& files() const;
    void setOptions(const WriteOptions& options);
    [[nodiscard]] WriteOptions options() const;

    // --- Names ---

    /// A file, directory, link or node. AlreadyExists.
    [[nodiscard]] Result<AttributesRef>
    create(const DirectoryPlace& place, const NewFile& file, const ReadContext& context = {});
    /// A regular file without a name (O_TMPFILE): held as by retain(); link() gives it a name.
    [[nodiscard]] Result<AttributesRef>
    createUnnamed(ObjectId directory, const NewFile& file, const ReadContext& context = {});
    /// NotPermitted for directories.
    [[nodiscard]] Result<AttributesRef>
    link(ObjectId object, const DirectoryPlace& place, const ReadContext& context = {});
    /// The object that lost a name. IsDirectory, NoSuchEntry.
    [[nodiscard]] Result<ObjectId> unlink(const DirectoryPlace& place,
                                          const ReadContext& context = {});
    /// NotDirectory, NotEmpty, NoSuchEntry.
    [[nodiscard]] Result<ObjectId> removeDirectory(const DirectoryPlace& place,
                                                   const ReadContext& context = {});

    struct Renamed
    {
        ObjectId object;
        std::optional<ObjectId> replaced; ///< or exchanged with
    };

    /// InvalidArgument for a directory that would come to lie below itself; NotEmpty, IsDirectory,
    /// NotDirectory for a target that can't be replaced.
    [[nodiscard]] Result<Renamed> rename(const DirectoryPlace& from,
                                         const DirectoryPlace& to,
                                         RenameMode mode = RenameMode::Replace,
                                         const ReadContext& context = {});

    // --- Contents ---

    // IsDirectory; InvalidArgument for what is no regular file; TooLarge past 2^63 - 1. What is too
    // much for one transaction is done in several: a write in pieces of some MiB from its beginning
    // on, shortening by more than 256 indirect blocks from the end on. The whole range is locked
    // against other changes of content meanwhile. Such calls fail with WouldBlock under
    // Wait::CachedOnly.

    /// Writes all or fails. With `append`, at the end of the file wherever it is then; returns the
    /// offset written at. Takes away capabilities and, with `dropPrivileges`, setuid and (of what a
    /// group may execute) setgid.
    struct WriteRequest
    {
        ByteOffset offset;
        Bytes data;
        bool append = false;
        bool dropPrivileges = false;
    };

    [[nodiscard]] Result<ByteOffset>
    write(ObjectId object, const WriteRequest& request, const ReadContext& context = {});
    [[nodiscard]] Status
    truncate(ObjectId object, std::uint64_t size, const ReadContext& context = {});
    /// Makes a hole; the size stays. [FALLOC_FL_PUNCH_HOLE, FALLOC_FL_ZERO_RANGE]
    [[nodiscard]] Status
    punch(ObjectId object, ByteOffset offset, ByteCount size, const ReadContext& context = {});
    /// The size becomes at least this (fallocate without flags reserves nothing).
    [[nodiscard]] Status
    extend(ObjectId object, std::uint64_t size, const ReadContext& context = {});

    // --- Attributes ---

    [[nodiscard]] Result<AttributesRef> setAttributes(ObjectId object,
                                                      const AttributeSettings& settings,
                                                      const ReadContext& context = {});
    /// Names as xattr() of FileSystem has them; POSIX ACLs have calls of their own. TooLarge.
    [[nodiscard]] Status setXattr(ObjectId object,
                                  std::string_view name,
                                  Bytes value,
                                  XattrMode mode = XattrMode::Set,
                                  const ReadContext& context = {});
    /// NoSuchAttribute.
    [[nodiscard]] Status
    removeXattr(ObjectId object, std::string_view name, const ReadContext& context = {});
    /// Empty: none any more. An access ACL changes the mode, too. UnsupportedFeature unless the
    /// dataset has acltype=posix.
    [[nodiscard]] Status
    setAccessAcl(ObjectId object, std::span<const AclEntry> acl, const ReadContext& context = {});
    [[nodiscard]] Status setDefaultAcl(ObjectId directory,
                                       std::span<const AclEntry> acl,
                                       const ReadContext& context = {});

    // --- Life of unlinked files ---

    /// Somebody uses the object (an open file, a node the kernel knows): while it is retained an
    /// unlinked file stays readable and writable. Calls nest. To be called before anybody can
    /// remove the name it was found by.
    void retain(ObjectId object);
    /// The last release of an unlinked file frees it, or leaves that to drainUnlinked(), when it
    /// would have to wait or the file is large. Not under a hold.
    void release(ObjectId object, std::uint64_t count = 1);
    /// Frees what is in the delete queue and not retained: after import (a crash leaves it there),
    /// and from time to time. A large file takes several steps. Returns whether there is more.
    [[nodiscard]] Result<bool> drainUnlinked(std::size_t steps = 64);

    /// The transaction group that the last change went into; 0: none yet.
    [[nodiscard]] Txg group() const;
    /// A name of more than 255 bytes was given: the feature longname is to become active with the
    /// txg it was given in, at the latest.
    [[nodiscard]] bool usedLongNames() const;

    FileSystemWriter(const FileSystemWriter&) = delete;
    FileSystemWriter& operator=(const FileSystemWriter&) = delete;

private:
    class Transaction;
    struct Private;
    explicit FileSystemWriter(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace millpond::posix
