// SPDX-License-Identifier: GPL-3.0-or-later
//
// Names come and go. Theory statement: file_system_writer.cpp.
#include "base/cursor.h"
#include "object/zap.h"
#include "posix/detail/posix_acl.h"
#include "posix/detail/utf8.h"
#include "posix/detail/writer_private.h"
#include "posix/detail/xattr_name.h"

#include <algorithm>
#include <sys/stat.h>

namespace millpond::posix {

using detail::Znode;
using format::DirectoryValue;
using format::ZnodeFlag;
using object::Zap;

namespace {

constexpr std::size_t kMaxNameBytes = 255;
constexpr std::size_t kMaxLongNameBytes = 1023; // feature longname
constexpr std::size_t kMaxTargetBytes = 4095;   // PATH_MAX without its NUL
constexpr std::uint32_t kPermissions = 07777;
constexpr unsigned kTypeShift = 12;
constexpr std::string_view kSnapshotDirectory = ".zfs";

bool isDirectory(const Znode& znode)
{
    return znode.attributes.type == FileType::Directory;
}

bool hasAny(const Znode& znode, std::uint64_t flags)
{
    return (znode.attributes.flags & flags) != 0;
}

Status checkNewFile(const NewFile& file)
{
    switch (file.type) {
    case FileType::Fifo:
    case FileType::CharacterDevice:
    case FileType::Directory:
    case FileType::BlockDevice:
    case FileType::Regular:
    case FileType::Socket:
        return {};
    case FileType::Link:
        if (file.linkTarget.size() > kMaxTargetBytes) {
            return fail(ErrorCode::NameTooLong, "the target of a symbolic link is too long");
        }
        if (!file.linkTarget.empty()) {
            return {};
        }
        [[fallthrough]];
    default:
        return fail(ErrorCode::InvalidArgument, "no such file can be made");
    }
}

std::uint64_t valueOf(const Znode& object)
{
    return DirectoryValue{object.attributes.object,
                          static_cast<std::uint8_t>(object.attributes.type)}
        .encode();
}

} // namespace

// --- Checks ---

Status FileSystemWriter::Private::checkNewName(const DirectoryPlace& place) const
{
    const std::string_view name = place.name;
    if (name.empty() || name == "." || name == ".." ||
        name.find_first_of(std::string_view("/\0", 2)) != std::string_view::npos) {
        return fail(ErrorCode::InvalidName, "no file can have such a name", at(place.directory));
    }
    if (name.size() > (currentOptions()->longNames ? kMaxLongNameBytes : kMaxNameBytes)) {
        return fail(ErrorCode::NameTooLong, "the name is too long", at(place.directory));
    }
    if (utf8Only && !detail::isUtf8(name)) {
        return fail(ErrorCode::NotUtf8, "the name is not UTF-8", at(place.directory));
    }
    if (place.directory == reader().root && name == kSnapshotDirectory) {
        return fail(
            ErrorCode::AlreadyExists, "the name is that of the snapshots", at(reader().root));
    }
    return {};
}

Status FileSystemWriter::Private::canAdd(const Znode& directory) const
{
    if (hasAny(directory, ZnodeFlag::kImmutable)) {
        return fail(
            ErrorCode::NotPermitted, "the directory is immutable", at(directory.attributes.object));
    }
    if (hasAny(directory, ZnodeFlag::kXattr)) {
        return fail(ErrorCode::InvalidArgument,
                    "the directory holds extended attributes",
                    at(directory.attributes.object));
    }
    return {};
}

Status FileSystemWriter::Private::canRemove(const Znode& directory, const Znode& object) const
{
    constexpr std::uint64_t kKept =
        ZnodeFlag::kImmutable | ZnodeFlag::kAppendOnly | ZnodeFlag::kNoUnlink;
    if (hasAny(directory, kKept)) {
        return fail(ErrorCode::NotPermitted,
                    "the directory keeps its entries",
                    at(directory.attributes.object));
    }
    if (hasAny(object, kKept)) {
        return fail(
            ErrorCode::NotPermitted, "the object keeps its name", at(object.attributes.object));
    }
    return {};
}

Status FileSystemWriter::Private::checkProject(const Znode& directory, const Znode& object) const
{
    if (hasAny(directory, ZnodeFlag::kProjectInherit) &&
        directory.attributes.projectId != object.attributes.projectId) {
        return fail(ErrorCode::CrossesBoundary,
                    "the directory is of another project",
                    at(object.attributes.object));
    }
    return {};
}

Status FileSystemWriter::Private::checkEmpty(Transaction& change, const Znode& directory) const
{
    const ObjectId object = directory.attributes.object;
    const Zap table = MP_TRY(Zap::open(*objset, object, change.context()));
    if (MP_TRY(table.count(change.context())) != 0) {
        return fail(ErrorCode::NotEmpty, "the directory is not empty", at(object));
    }
    return {};
}

// --- Looking ---

Result<std::optional<FileSystemWriter::Private::Entry>>
FileSystemWriter::Private::find(const DirectoryPlace& place, const ReadContext& context) const
{
    const Zap table = MP_TRY(Zap::open(*objset, place.directory, context));
    const auto found = reader().lookup(table, place.name, context);
    if (!found) {
        return found.error().is(ErrorCode::NoSuchEntry) ? Result<std::optional<Entry>>(std::nullopt)
                                                        : std::unexpected(found.error());
    }
    const DirectoryEntry entry = MP_TRY(reader().entryOf(*found, place.directory));
    return Entry{entry.name, entry.object, entry.type};
}

Result<std::optional<FileSystemWriter::Private::Entry>>
FileSystemWriter::Private::look(const DirectoryPlace& place, const ReadContext& context) const
{
    const auto kept = MP_TRY(reader().keep(place.directory, context));
    const auto attributes = MP_TRY(reader().attributesUnlocked(place.directory, context));
    if (attributes->type != FileType::Directory) {
        return fail(ErrorCode::NotDirectory, "not a directory", at(place.directory));
    }
    return find(place, context);
}

Result<Znode*> FileSystemWriter::Private::directory(Transaction& change, ObjectId object) const
{
    Znode* znode = MP_TRY(change.edit(object));
    if (!isDirectory(*znode)) {
        return fail(ErrorCode::NotDirectory, "not a directory", at(object));
    }
    if (znode->attributes.links == 0) {
        return fail(ErrorCode::NoSuchEntry, "the directory was removed", at(object));
    }
    return znode;
}

// --- Changing tables ---

Status FileSystemWriter::Private::addEntry(Transaction& change,
                                           Znode& directory,
                                           std::string_view name,
                                           const Znode& object)
{
    const ObjectId table = directory.attributes.object;
    MP_TRY(change.zaps().add(table, name, valueOf(object)));
    change.onFailure([zaps = change.zaps(), table, name = std::string(name)]() mutable {
        return zaps.remove(table, name);
    });
    ++directory.attributes.size;
    directory.attributes.links += isDirectory(object) ? 1U : 0U;
    detail::stampModified(directory, change.now());
    if (name.size() > kMaxNameBytes) {
        longNamesUsed = true;
    }
    return {};
}

Status FileSystemWriter::Private::removeEntry(Transaction& change,
                                              Znode& directory,
                                              std::string_view storedName,
                                              const Znode& object)
{
    const ObjectId table = directory.attributes.object;
    MP_TRY(change.zaps().remove(table, storedName));
    change.onFailure([zaps = change.zaps(),
                      table,
                      name = std::string(storedName),
                      value = valueOf(object)]() mutable { return zaps.add(table, name, value); });
    // Of a damaged directory the counts may be wrong: they must not become huge.
    directory.attributes.size -= directory.attributes.size != 0 ? 1U : 0U;
    directory.attributes.links -= isDirectory(object) && directory.attributes.links > 2 ? 1U : 0U;
    detail::stampModified(directory, change.now());
    return {};
}

Status FileSystemWriter::Private::dropLink(Transaction& change, Znode& object)
{
    const std::uint64_t own = isDirectory(object) ? 1 : 0; // its "."
    Attributes& attributes = object.attributes;
    attributes.links = std::max(attributes.links, own + 1) - 1;
    detail::stampChanged(object, change.now());
    if (attributes.links > own) {
        return {};
    }
    attributes.links = 0;
    const ObjectId id = attributes.object;
    if (!isRetained(id) && MP_TRY(isSmall(object, change.context()))) {
        return freeObject(change, object);
    }
    change.onSuccess([this, id] {
        const MutexLock lock(retainedMutex);
        if (const auto found = retained.find(id); found != retained.end()) {
            found->second.unlinked = true;
        } else {
            released.push_back(id);
        }
    });
    return queueUnlinked(change, id);
}

// --- New files ---

Result<Znode> FileSystemWriter::Private::newZnode(const Transaction& change,
                                                  const Znode& parent,
                                                  const NewFile& file) const
{
    const bool directory = file.type == FileType::Directory;
    const bool setgid = (parent.attributes.mode & S_ISGID) != 0;
    Znode znode;
    Attributes& attributes = znode.attributes;
    attributes.type = file.type;
    attributes.mode = static_cast<std::uint32_t>(file.type) << kTypeShift |
                      (file.mode & ~(file.umask & 0777U) & kPermissions) |
                      (directory && setgid ? S_ISGID : 0U);
    detail::setOwner(znode, file.uid);
    detail::setGroup(znode, file.gid);
    if (setgid) {
        znode.attributes.gid = parent.attributes.gid;
        znode.rawGid = parent.rawGid;
    }
    attributes.size = directory ? 2 : file.linkTarget.size();
    attributes.links = directory ? 2 : 1;
    attributes.rdev = file.rdev;
    attributes.parent = parent.attributes.object;
    attributes.accessed = change.now();
    attributes.created = change.now();
    detail::stampModified(znode, change.now());
    detail::setTrivialAcl(znode);
    attributes.flags |= directory ? ZnodeFlag::kAclAutoInherit : std::uint64_t{0};
    if (hasProjects) {
        attributes.flags |= ZnodeFlag::kProjectId;
    }
    if (hasAny(parent, ZnodeFlag::kProjectInherit)) {
        attributes.projectId = hasProjects ? parent.attributes.projectId : 0;
        const bool passedOn = directory || file.type == FileType::Regular;
        attributes.flags |= passedOn ? ZnodeFlag::kProjectInherit : std::uint64_t{0};
    }
    const Bytes target = bytesOf(file.linkTarget);
    znode.link.assign(target.begin(), target.end());
    return znode;
}

/// With a default ACL, what the mode asks for is masked by it instead of by the umask, and what the
/// ACL says beyond the mode becomes the file's own [posix_acl_create].
Result<Znode*>
FileSystemWriter::Private::makeFile(Transaction& change, const Znode& parent, const NewFile& file)
{
    constexpr std::uint32_t kMasked = 0777;
    NewFile asked = file;
    std::optional<std::vector<std::byte>> defaults;
    std::vector<AclEntry> acl;
    if (currentOptions()->posixAcls && file.type != FileType::Link) {
        defaults = MP_TRY(reader().storedXattr(parent, detail::kDefaultAclName, change.context()));
    }
    if (defaults) {
        const auto stored = MP_TRY(detail::decodePosixAcl(*defaults));
        acl = MP_TRY(detail::canonicalPosixAcl(stored));
        asked.umask = 0;
        asked.mode &= detail::modeOfPosixAcl(acl) | ~kMasked;
        detail::applyMode(acl, asked.mode);
    }
    Znode* object = MP_TRY(change.make(MP_TRY(newZnode(change, parent, asked))));
    if (defaults && detail::exceedsMode(acl)) {
        const std::vector<std::byte> access = detail::encodePosixAcl(acl);
        MP_TRY(storeXattr(change, *object, detail::kAccessAclName, Bytes(access)));
    }
    if (defaults && file.type == FileType::Directory) {
        MP_TRY(storeXattr(change, *object, detail::kDefaultAclName, Bytes(*defaults)));
    }
    return object;
}

Result<FileSystemWriter::AttributesRef> FileSystemWriter::create(const DirectoryPlace& place,
                                                                 const NewFile& file,
                                                                 const ReadContext& context)
{
    MP_TRY(checkNewFile(file));
    MP_TRY(d->checkNewName(place));
    if (context.wait == block::Wait::MayBlock && MP_TRY(d->look(place, context))) {
        return fail(ErrorCode::AlreadyExists, "the name is taken", d->at(place.directory));
    }
    AttributesRef made;
    MP_TRY(d->change(place.directory, context, [&](Transaction& change) -> Status {
        Znode* directory = MP_TRY(d->directory(change, place.directory));
        if (MP_TRY(d->find(place, context))) {
            return fail(ErrorCode::AlreadyExists, "the name is taken", d->at(place.directory));
        }
        MP_TRY(d->canAdd(*directory));
        const Znode* object = MP_TRY(d->makeFile(change, *directory, file));
        MP_TRY(d->addEntry(change, *directory, place.name, *object));
        made = MP_TRY(change.shown(object->attributes.object));
        return {};
    }));
    return made;
}

Result<FileSystemWriter::AttributesRef>
FileSystemWriter::createUnnamed(ObjectId directory, const NewFile& file, const ReadContext& context)
{
    if (file.type != FileType::Regular) {
        return fail(ErrorCode::InvalidArgument, "only a regular file can do without a name");
    }
    AttributesRef made;
    const Private::ChangeRequest request{.locks = {{directory, false}}};
    MP_TRY(d->change(request, context, [&](Transaction& change) -> Status {
        const Znode* parent = MP_TRY(d->directory(change, directory));
        MP_TRY(d->canAdd(*parent));
        Znode* object = MP_TRY(d->makeFile(change, *parent, file));
        const ObjectId id = object->attributes.object;
        object->attributes.links = 0;
        MP_TRY(d->queueUnlinked(change, id));
        change.onSuccess([this, id] {
            const MutexLock lock(d->retainedMutex);
            d->retained[id] = {.count = 1, .unlinked = true};
        });
        made = MP_TRY(change.shown(id));
        return {};
    }));
    return made;
}

Result<FileSystemWriter::AttributesRef>
FileSystemWriter::link(ObjectId object, const DirectoryPlace& place, const ReadContext& context)
{
    MP_TRY(d->checkNewName(place));
    if (context.wait == block::Wait::MayBlock) {
        (void)MP_TRY(d->look(place, context));
    }
    AttributesRef linked;
    const Private::ChangeRequest request{.locks = {{object}, {place.directory}}};
    MP_TRY(d->change(request, context, [&](Transaction& change) -> Status {
        Znode* directory = MP_TRY(d->directory(change, place.directory));
        Znode* file = MP_TRY(change.edit(object));
        if (isDirectory(*file) ||
            hasAny(*file, ZnodeFlag::kImmutable | ZnodeFlag::kAppendOnly | ZnodeFlag::kXattr)) {
            return fail(ErrorCode::NotPermitted, "the object can't get names", d->at(object));
        }
        if (MP_TRY(d->find(place, context))) {
            return fail(ErrorCode::AlreadyExists, "the name is taken", d->at(place.directory));
        }
        MP_TRY(d->canAdd(*directory));
        MP_TRY(d->checkProject(*directory, *file));
        if (file->attributes.links == 0) {
            if (!d->isRetained(object)) {
                return fail(ErrorCode::NoSuchObject, "the object was removed", d->at(object));
            }
            MP_TRY(d->unqueueUnlinked(change, object));
            change.onSuccess([this, object] {
                const MutexLock lock(d->retainedMutex);
                if (const auto found = d->retained.find(object); found != d->retained.end()) {
                    found->second.unlinked = false;
                }
            });
        }
        ++file->attributes.links;
        file->attributes.parent = place.directory;
        detail::stampChanged(*file, change.now());
        MP_TRY(d->addEntry(change, *directory, place.name, *file));
        linked = MP_TRY(change.shown(object));
        return {};
    }));
    return linked;
}

// --- Names go ---

Result<ObjectId> FileSystemWriter::Private::removeName(const DirectoryPlace& place,
                                                       bool isDirectoryWanted,
                                                       const ReadContext& context)
{
    const auto absent = [&] {
        return fail(ErrorCode::NoSuchEntry, "no such file", at(place.directory));
    };
    for (;;) {
        const std::optional<Entry> seen = MP_TRY(look(place, context));
        if (!seen) {
            return absent();
        }
        bool elsewhere = false;
        const ChangeRequest request{.locks = {{place.directory}, {seen->object}}, .freeing = true};
        MP_TRY(change(request, context, [&](Transaction& change) -> Status {
            Znode* parent = MP_TRY(directory(change, place.directory));
            const std::optional<Entry> entry = MP_TRY(find(place, context));
            if (!entry) {
                return absent();
            }
            if (entry->object != seen->object) {
                elsewhere = true;
                return {};
            }
            Znode* object = MP_TRY(change.edit(entry->object));
            if (isDirectory(*object) != isDirectoryWanted) {
                return isDirectoryWanted
                           ? fail(ErrorCode::NotDirectory, "not a directory", at(entry->object))
                           : fail(ErrorCode::IsDirectory, "is a directory", at(entry->object));
            }
            MP_TRY(canRemove(*parent, *object));
            if (isDirectoryWanted) {
                MP_TRY(checkEmpty(change, *object));
            }
            MP_TRY(removeEntry(change, *parent, entry->name, *object));
            return dropLink(change, *object);
        }));
        if (!elsewhere) {
            return seen->object;
        }
    }
}

Result<ObjectId> FileSystemWriter::unlink(const DirectoryPlace& place, const ReadContext& context)
{
    return d->removeName(place, false, context);
}

Result<ObjectId> FileSystemWriter::removeDirectory(const DirectoryPlace& place,
                                                   const ReadContext& context)
{
    return d->removeName(place, true, context);
}

} // namespace millpond::posix
