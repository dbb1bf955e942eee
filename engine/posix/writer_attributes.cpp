// SPDX-License-Identifier: GPL-3.0-or-later
//
// Attributes and POSIX ACLs of files changed. Theory statement: file_system_writer.cpp.
//
// A mode is in three places: as such, in the NFSv4 entries beside it, and in a POSIX access ACL.
// Linux goes by the first and the last; all three are kept in step.
//
// Sources: OpenZFS zfs_vnops_os.c (zfs_setattr), zfs_acl.c, zpl_xattr.c; Linux fs/attr.c and
// fs/posix_acl.c for what is dropped when.
#include "posix/detail/mode_acl.h"
#include "posix/detail/posix_acl.h"
#include "posix/detail/writer_private.h"
#include "posix/detail/xattr_name.h"

#include <sys/stat.h>

namespace millpond::posix {

using detail::Znode;
using format::ZnodeFlag;

namespace {

constexpr std::uint32_t kPermissions = 07777;
constexpr std::uint32_t kNoId = ~std::uint32_t{0};
/// Flags that ioctls set.
constexpr std::uint64_t kUserFlags =
    ZnodeFlag::kReadOnly | ZnodeFlag::kHidden | ZnodeFlag::kSystem | ZnodeFlag::kArchive |
    ZnodeFlag::kImmutable | ZnodeFlag::kNoUnlink | ZnodeFlag::kAppendOnly | ZnodeFlag::kNoDump |
    ZnodeFlag::kOffline | ZnodeFlag::kSparse | ZnodeFlag::kProjectInherit;

bool isDirectory(const Znode& znode)
{
    return znode.attributes.type == FileType::Directory;
}

detail::AclOwner ownerOf(const Znode& znode)
{
    return {znode.rawUid, znode.rawGid};
}

bool changesMoreThanAccess(const AttributeSettings& settings)
{
    return settings.mode || settings.uid || settings.gid || settings.size || settings.modified ||
           settings.created || settings.flags || settings.projectId;
}

/// What Linux refuses to change of files whose flags it does not see.
bool isForbidden(std::uint64_t flags, const AttributeSettings& settings)
{
    const bool owner = settings.mode || settings.uid || settings.gid || settings.projectId;
    const bool others = settings.size || settings.modified || settings.created;
    return ((flags & ZnodeFlag::kImmutable) != 0 && (owner || others)) ||
           ((flags & ZnodeFlag::kAppendOnly) != 0 && (owner || settings.size));
}

} // namespace

Result<FileSystemWriter::AttributesRef> FileSystemWriter::setAttributes(
    ObjectId object, const AttributeSettings& settings, const ReadContext& context)
{
    const auto apply = [&](Transaction& change) -> Status {
        return d->applySettings(change, *MP_TRY(change.edit(object)), settings);
    };
    if (settings.size) {
        MP_TRY(d->resize(object, {.bytes = *settings.size}, context, apply));
    } else {
        MP_TRY(d->change(object, context, apply));
    }
    return d->shown(object, {}); // the change is made: no time to say that it would have to wait
}

Status FileSystemWriter::Private::applySettings(Transaction& change,
                                                Znode& file,
                                                const AttributeSettings& settings)
{
    Attributes& now = file.attributes;
    if (isForbidden(now.flags, settings)) {
        return fail(ErrorCode::NotPermitted, "the file is immutable or only grows", at(now.object));
    }
    if (settings.dropPrivileges && settings.size) {
        MP_TRY(dropPrivileges(change, file, true));
    }
    MP_TRY(setOwners(change, file, settings));
    if (settings.mode) {
        MP_TRY(setMode(change, file, *settings.mode));
    }
    now.accessed = settings.accessed.value_or(now.accessed);
    now.modified = settings.modified.value_or(now.modified);
    now.created = settings.created.value_or(now.created);
    if (settings.changed || changesMoreThanAccess(settings)) {
        detail::stampChanged(file, settings.changed.value_or(change.now()));
    }
    if (settings.flags) { // after the times, which have a flag set
        now.flags = (now.flags & ~kUserFlags) | (*settings.flags & kUserFlags);
    }
    return {};
}

Status FileSystemWriter::Private::setOwners(Transaction& change,
                                            Znode& file,
                                            const AttributeSettings& settings)
{
    Attributes& now = file.attributes;
    if (settings.projectId) {
        const bool takesOne = now.type == FileType::Regular || now.type == FileType::Directory;
        if (!hasProjects || !takesOne) {
            return fail(ErrorCode::UnsupportedFeature, "no place for a project", at(now.object));
        }
        if (*settings.projectId == kNoId) {
            return fail(ErrorCode::InvalidArgument, "no such project", at(now.object));
        }
        now.projectId = *settings.projectId;
        now.flags |= ZnodeFlag::kProjectId;
    }
    if (settings.uid) {
        detail::setOwner(file, *settings.uid);
    }
    if (settings.gid) {
        detail::setGroup(file, *settings.gid);
    }
    if (settings.uid || settings.gid) {
        MP_TRY(dropPrivileges(change, file, !settings.mode));
        const bool aclSaysMore = (now.flags & ZnodeFlag::kAclTrivial) == 0 && file.aclCount != 0;
        if (aclSaysMore && !settings.mode && !currentOptions()->posixAcls) {
            // An entry of one user may now be one of the owner. [zfs_acl_chown_setattr]
            const auto aces = MP_TRY(reader().nfsv4Acl(file, change.context()));
            const detail::ModeOfAces mode = detail::modeOfAces(aces, ownerOf(file));
            now.mode = (now.mode & ~detail::kModePermissions) | mode.permissions;
            now.flags = detail::flagsWithAces(now.flags, aces, ownerOf(file), isDirectory(file));
        }
    }
    return settings.uid || settings.gid || settings.projectId ? passOwnersOn(change, file)
                                                              : Status();
}

Status
FileSystemWriter::Private::setModeAndEntries(Transaction& change, Znode& file, std::uint32_t mode)
{
    Attributes& now = file.attributes;
    const auto current = currentOptions();
    const bool trivial = (now.flags & ZnodeFlag::kAclTrivial) != 0;
    if (current->aclMode == AclMode::Restricted && !trivial) {
        return fail(ErrorCode::NotPermitted, "the ACL says more than a mode", at(now.object));
    }
    now.mode = (now.mode & ~kPermissions) | (mode & kPermissions);
    std::vector<format::Ace> aces;
    if (current->aclMode != AclMode::Discard && !trivial) {
        aces = MP_TRY(reader().nfsv4Acl(file, change.context()));
    }
    aces = detail::acesAfterChmod(aces, mode, isDirectory(file), current->aclMode);
    file.acl = format::encodeAces(aces, format::AclVersion::Fuid, kHostOrder);
    file.aclCount = aces.size();
    file.aclOrder = kHostOrder;
    now.flags = detail::flagsWithAces(now.flags, aces, ownerOf(file), isDirectory(file));
    return {};
}

Status FileSystemWriter::Private::setMode(Transaction& change, Znode& file, std::uint32_t mode)
{
    MP_TRY(setModeAndEntries(change, file, mode));
    if (!currentOptions()->posixAcls || file.attributes.type == FileType::Link) {
        return {};
    }
    const auto stored =
        MP_TRY(reader().storedXattr(file, detail::kAccessAclName, change.context()));
    if (!stored) {
        return {};
    }
    std::vector<AclEntry> acl = MP_TRY(detail::decodePosixAcl(*stored));
    detail::applyMode(acl, mode);
    const std::vector<std::byte> value = detail::encodePosixAcl(acl);
    MP_TRY(storeXattr(change, file, detail::kAccessAclName, value));
    return {};
}

// --- POSIX ACLs ---

Status FileSystemWriter::setAccessAcl(ObjectId object,
                                      std::span<const AclEntry> acl,
                                      const ReadContext& context)
{
    std::vector<AclEntry> entries;
    if (!acl.empty()) {
        entries = MP_TRY(detail::canonicalPosixAcl(acl));
    }
    const auto unsupported = [&](std::string_view what) {
        return fail(ErrorCode::UnsupportedFeature, std::string(what), d->at(object));
    };
    if (!d->currentOptions()->posixAcls) {
        return unsupported("the dataset has no POSIX ACLs");
    }
    return d->change(object, context, [&](Transaction& change) -> Status {
        Znode& file = *MP_TRY(change.edit(object));
        if (file.attributes.type == FileType::Link) {
            return unsupported("a symbolic link has no ACL");
        }
        MP_TRY(d->checkAttributesChangeable(file));
        detail::stampChanged(file, change.now());
        std::optional<std::vector<std::byte>> value;
        if (detail::exceedsMode(entries)) {
            value = detail::encodePosixAcl(entries);
        }
        if (!entries.empty()) {
            const std::uint32_t special = file.attributes.mode & ~detail::kModePermissions;
            MP_TRY(d->setModeAndEntries(change, file, special | detail::modeOfPosixAcl(entries)));
        }
        MP_TRY(d->storeXattr(change, file, detail::kAccessAclName, value));
        return {};
    });
}

Status FileSystemWriter::setDefaultAcl(ObjectId directory,
                                       std::span<const AclEntry> acl,
                                       const ReadContext& context)
{
    std::optional<std::vector<std::byte>> value;
    if (!acl.empty()) {
        value = detail::encodePosixAcl(MP_TRY(detail::canonicalPosixAcl(acl)));
    }
    if (!d->currentOptions()->posixAcls) {
        return fail(
            ErrorCode::UnsupportedFeature, "the dataset has no POSIX ACLs", d->at(directory));
    }
    return d->change(directory, context, [&](Transaction& change) -> Status {
        Znode& file = *MP_TRY(change.edit(directory));
        if (!isDirectory(file)) {
            return acl.empty() ? Status()
                               : fail(ErrorCode::NotAuthorized, // as Linux has it
                                      "only directories have a default ACL",
                                      d->at(directory));
        }
        MP_TRY(d->checkAttributesChangeable(file));
        detail::stampChanged(file, change.now());
        MP_TRY(d->storeXattr(change, file, detail::kDefaultAclName, value));
        return {};
    });
}

} // namespace millpond::posix
