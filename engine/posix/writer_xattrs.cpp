// SPDX-License-Identifier: GPL-3.0-or-later
//
// Extended attributes changed. Theory statement: file_system_writer.cpp.
//
// With xattr=sa they are kept in one packed list among the file's attributes, as long as value and
// list are small enough; else each is a small file in a hidden directory of the file's. An
// attribute is in one of the two: set in one, it is removed from the other.
//
// Sources: OpenZFS zpl_xattr.c, zfs_sa.c, zfs_dir.c (zfs_make_xattrdir).
#include "format/nvlist.h"
#include "posix/detail/writer_private.h"
#include "posix/detail/xattr_name.h"

#include <sys/stat.h>

#include <algorithm>
#include <limits>

namespace millpond::posix {

using detail::Znode;
using format::NvList;
using format::NvType;
using format::NvValue;
using format::ZnodeFlag;
using object::Zap;
using object::ZapEntry;

namespace {

/// Linux hands out no larger one.
constexpr std::size_t kMaxValueBytes = 64 * KiB;
constexpr std::size_t kMaxNameBytes = 255;
/// Of a value in the list, and of the packed list. [DXATTR_MAX_ENTRY_SIZE, SA_ATTR_MAX_LEN]
constexpr std::size_t kMaxListedBytes = 32 * KiB;
constexpr std::size_t kMaxListBytes = std::numeric_limits<std::uint16_t>::max();

constexpr std::uint32_t kDirectoryMode = S_IFDIR | S_ISVTX | 0777;
constexpr std::uint32_t kFileMode = S_IFREG | 0644;

/// What holds extended attributes has the owners of the file.
Znode hiddenZnode(const Znode& file, ObjectId parent, std::uint32_t mode, Time now)
{
    const bool isDirectory = S_ISDIR(mode);
    Znode znode;
    znode.rawUid = file.rawUid;
    znode.rawGid = file.rawGid;
    Attributes& attributes = znode.attributes;
    attributes.type = isDirectory ? FileType::Directory : FileType::Regular;
    attributes.mode = mode;
    attributes.uid = file.attributes.uid;
    attributes.gid = file.attributes.gid;
    attributes.projectId = file.attributes.projectId;
    attributes.links = isDirectory ? 2 : 1;
    attributes.size = isDirectory ? 2 : 0;
    attributes.parent = parent;
    attributes.flags = ZnodeFlag::kXattr | ZnodeFlag::kArchive | ZnodeFlag::kModified |
                       (file.attributes.flags & ZnodeFlag::kProjectId);
    attributes.accessed = attributes.modified = attributes.changed = attributes.created = now;
    detail::setTrivialAcl(znode);
    return znode;
}

Result<NvList> listOf(const Znode& file)
{
    return file.xattrList.empty() ? Result<NvList>(NvList()) : NvList::decode(file.xattrList);
}

/// False: it is too large for a list.
bool addToList(NvList& list, std::string_view stored, Bytes value)
{
    if (value.size() > kMaxListedBytes) {
        return false;
    }
    list.set(stored, NvValue::bytes(NvType::ByteArray, value));
    return list.encodedSize() <= kMaxListBytes;
}

} // namespace

Status FileSystemWriter::Private::checkAttributesChangeable(const Znode& file) const
{
    const std::uint64_t fixed = ZnodeFlag::kImmutable | ZnodeFlag::kAppendOnly;
    if ((file.attributes.flags & fixed) != 0) {
        return fail(ErrorCode::NotPermitted,
                    "the file is immutable or only grows",
                    at(file.attributes.object));
    }
    return {};
}

Result<std::vector<std::string>>
FileSystemWriter::Private::xattrNamesToStore(ObjectId object, std::string_view name) const
{
    std::vector<std::string> names = detail::storedXattrNames(name);
    const bool ofUser = name.starts_with("user.");
    if (name.size() > kMaxNameBytes) {
        return fail(ErrorCode::NameTooLong, "the name of an attribute is too long", at(object));
    }
    if (names.empty() && ofUser) {
        return fail(ErrorCode::InvalidName, "no such name for an attribute", at(object));
    }
    if (names.empty() || (ofUser && !reader().show.userAttributes)) {
        return fail(ErrorCode::UnsupportedFeature, "attributes of no known kind", at(object));
    }
    return names;
}

Status FileSystemWriter::setXattr(
    ObjectId object, std::string_view name, Bytes value, XattrMode mode, const ReadContext& context)
{
    const std::vector<std::string> names = MP_TRY(d->xattrNamesToStore(object, name));
    if (value.size() > kMaxValueBytes) {
        return fail(ErrorCode::TooLarge, "an attribute of more than 64 KiB", d->at(object));
    }
    return d->change(object, context, [&](Transaction& change) -> Status {
        Znode& file = *MP_TRY(change.edit(object));
        MP_TRY(d->checkAttributesChangeable(file));
        bool exists = false;
        for (const std::string& stored : names) {
            exists = exists || MP_TRY(d->reader().hasXattr(file, stored, change.context()));
        }
        if (exists && mode == XattrMode::Create) {
            return fail(ErrorCode::AlreadyExists, "the attribute exists", d->at(object));
        }
        if (!exists && mode == XattrMode::Replace) {
            return fail(ErrorCode::NoSuchAttribute, "no such attribute", d->at(object));
        }
        for (std::size_t i = 1; exists && i < names.size(); ++i) {
            MP_TRY(d->storeXattr(change, file, names[i], std::nullopt));
        }
        MP_TRY(d->storeXattr(change, file, names.front(), value));
        detail::stampChanged(file, change.now());
        return {};
    });
}

Status
FileSystemWriter::removeXattr(ObjectId object, std::string_view name, const ReadContext& context)
{
    const std::vector<std::string> names = MP_TRY(d->xattrNamesToStore(object, name));
    return d->change(object, context, [&](Transaction& change) -> Status {
        Znode& file = *MP_TRY(change.edit(object));
        MP_TRY(d->checkAttributesChangeable(file));
        bool existed = false;
        for (const std::string& stored : names) {
            existed = MP_TRY(d->storeXattr(change, file, stored, std::nullopt)) || existed;
        }
        if (!existed) {
            return fail(ErrorCode::NoSuchAttribute, "no such attribute", d->at(object));
        }
        detail::stampChanged(file, change.now());
        return {};
    });
}

Result<bool> FileSystemWriter::Private::storeXattr(Transaction& change,
                                                   Znode& file,
                                                   std::string_view stored,
                                                   std::optional<Bytes> value)
{
    NvList list = MP_TRY(listOf(file));
    const bool listed = list.has(stored);
    const bool filed = MP_TRY(reader().xattrFile(file, stored, change.context())).has_value();
    list.remove(stored);
    NvList grown = list;
    const bool fits =
        value && currentOptions()->xattrsInAttributes && addToList(grown, stored, *value);
    if (filed) {
        MP_TRY(removeXattrFile(change, file, stored));
    }
    if (fits) {
        file.xattrList = grown.encode();
    } else {
        if (listed) {
            file.xattrList = list.empty() ? std::vector<std::byte>() : list.encode();
        }
        if (value) {
            MP_TRY(addXattrFile(change, file, stored, *value));
        }
    }
    return listed || filed;
}

Status FileSystemWriter::Private::addXattrFile(Transaction& change,
                                               Znode& file,
                                               std::string_view stored,
                                               Bytes value)
{
    ObjectId& directory = file.attributes.xattrDirectory;
    if (directory.value() == 0) {
        const Znode* made = MP_TRY(
            change.make(hiddenZnode(file, file.attributes.object, kDirectoryMode, change.now())));
        directory = made->attributes.object;
    }
    Znode* holder = MP_TRY(change.make(hiddenZnode(file, directory, kFileMode, change.now())));
    const ObjectId object = holder->attributes.object;
    MP_TRY(addEntry(change, *MP_TRY(change.edit(directory)), stored, *holder));
    holder->attributes.size = value.size();
    const auto dnode = MP_TRY(objset->dnode(object));
    const std::uint32_t blockBytes =
        object::recommendedBlockSize(*dnode, value.size(), currentOptions()->recordBytes);
    if (blockBytes != dnode->dataBlockBytes) {
        MP_TRY(objset->setBlockSize(change.txg(), object, blockBytes));
    }
    return objset->write(change.txg(), object, ByteOffset(0), value);
}

Status FileSystemWriter::Private::removeXattrFile(Transaction& change,
                                                  const Znode& file,
                                                  std::string_view stored)
{
    const ObjectId directory = file.attributes.xattrDirectory;
    const Zap table = MP_TRY(Zap::open(*objset, directory, change.context()));
    const ZapEntry entry = MP_TRY(reader().lookup(table, stored, change.context()));
    const ObjectId object = format::DirectoryValue::decode(entry.first()).object;
    Znode& holder = *MP_TRY(change.edit(object));
    MP_TRY(removeEntry(change, *MP_TRY(change.edit(directory)), entry.name, holder));
    return dropLink(change, holder);
}

Status FileSystemWriter::Private::passOwnersOn(Transaction& change, const Znode& file)
{
    const ObjectId directory = file.attributes.xattrDirectory;
    if (directory.value() == 0) {
        return {};
    }
    std::vector<ObjectId> holders{directory};
    const Zap table = MP_TRY(Zap::open(*objset, directory, change.context()));
    MP_TRY(table.forEach(
        [&](const ZapEntry& entry) -> Result<bool> {
            holders.push_back(format::DirectoryValue::decode(entry.first()).object);
            return true;
        },
        change.context()));
    for (const ObjectId object : holders) {
        Znode& holder = *MP_TRY(change.edit(object));
        holder.rawUid = file.rawUid;
        holder.rawGid = file.rawGid;
        holder.attributes.uid = file.attributes.uid;
        holder.attributes.gid = file.attributes.gid;
        holder.attributes.projectId = file.attributes.projectId;
        holder.attributes.flags |= file.attributes.flags & ZnodeFlag::kProjectId;
        detail::stampChanged(holder, change.now());
    }
    return {};
}

} // namespace millpond::posix
