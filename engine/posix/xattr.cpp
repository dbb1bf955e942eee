// SPDX-License-Identifier: GPL-3.0-or-later
//
// Extended attributes and ACLs. A name is looked for in the packed list first, then in the
// directory.
#include "format/nvlist.h"
#include "posix/detail/file_system_private.h"
#include "posix/detail/posix_acl.h"

#include <algorithm>

namespace millpond::posix {

using detail::Znode;
using format::NvList;
using object::Zap;
using object::ZapEntry;

namespace {

// Linux hands out no larger value; large forks of other systems can't be shown as attributes.
constexpr std::uint64_t kMaxValueBytes = 64 * KiB;

Result<NvList> packedList(const Znode& znode)
{
    return znode.xattrList.empty() ? Result<NvList>(NvList()) : NvList::decode(znode.xattrList);
}

bool isOfUser(std::string_view shown)
{
    return shown.starts_with("user.");
}

void addName(std::vector<std::string>& names, std::string_view stored, const ShowOptions& show)
{
    auto shown = detail::shownXattrName(stored);
    if (shown && !show.userAttributes && isOfUser(*shown)) {
        return;
    }
    if (shown && std::ranges::find(names, *shown) == names.end()) {
        names.push_back(std::move(*shown));
    }
}

} // namespace

Result<std::optional<ObjectId>> FileSystem::Private::xattrFile(const Znode& znode,
                                                               std::string_view stored,
                                                               const ReadContext& context)
{
    const ObjectId directory = znode.attributes.xattrDirectory;
    if (directory.value() == 0) {
        return std::nullopt;
    }
    const Zap zap = MP_TRY(Zap::open(*objset, directory, context));
    const auto entry = lookup(zap, stored, context);
    if (!entry) {
        if (entry.error().is(ErrorCode::NoSuchEntry)) {
            return std::nullopt;
        }
        return fail(entry.error());
    }
    return format::DirectoryValue::decode(entry->first()).object;
}

Result<bool> FileSystem::Private::hasXattr(const Znode& znode,
                                           std::string_view stored,
                                           const ReadContext& context)
{
    if (MP_TRY(packedList(znode)).has(stored)) {
        return true;
    }
    return MP_TRY(xattrFile(znode, stored, context)).has_value();
}

Result<std::optional<std::vector<std::byte>>> FileSystem::Private::storedXattr(
    const Znode& znode, std::string_view stored, const ReadContext& context)
{
    const NvList list = MP_TRY(packedList(znode));
    if (const format::NvValue* value = list.find(stored);
        value != nullptr && value->asBytes() != nullptr) {
        return *value->asBytes();
    }
    const auto object = MP_TRY(xattrFile(znode, stored, context));
    if (!object) {
        return std::nullopt;
    }
    const File holder = MP_TRY(file(*object, context));
    const std::uint64_t size = holder.znode.attributes.size;
    if (size > kMaxValueBytes) {
        return fail(ErrorCode::TooLarge,
                    "an extended attribute is larger than Linux allows",
                    {.objset = objset->id(), .object = *object});
    }
    std::vector<std::byte> value(size);
    MP_TRY(objset->read(*holder.dnode, ByteOffset(0), value, context));
    return value;
}

Result<std::vector<std::string>> FileSystem::xattrNames(ObjectId object, const ReadContext& context)
{
    const auto kept = MP_TRY(d->keep(object, context));
    const Private::File file = MP_TRY(d->file(object, context));
    std::vector<std::string> names;
    const NvList list = MP_TRY(packedList(file.znode));
    for (const format::NvPair& pair : list.pairs()) {
        addName(names, pair.name, d->show);
    }
    const ObjectId directory = file.znode.attributes.xattrDirectory;
    if (directory.value() != 0) {
        const Zap zap = MP_TRY(Zap::open(*d->objset, directory, context));
        MP_TRY(zap.forEach(
            [&](const ZapEntry& entry) -> Result<bool> {
                addName(names, entry.name, d->show);
                return true;
            },
            context));
    }
    return names;
}

Result<std::vector<std::byte>>
FileSystem::xattr(ObjectId object, std::string_view name, const ReadContext& context)
{
    const auto missing = [&] {
        return fail(ErrorCode::NoSuchAttribute,
                    "no such attribute",
                    {.objset = objset(), .object = object});
    };
    if (!d->show.userAttributes && isOfUser(name)) {
        return missing();
    }
    const auto kept = MP_TRY(d->keep(object, context));
    const Private::File file = MP_TRY(d->file(object, context));
    for (const std::string& stored : detail::storedXattrNames(name)) {
        if (auto value = MP_TRY(d->storedXattr(file.znode, stored, context))) {
            return std::move(*value);
        }
    }
    return missing();
}

namespace {

Result<std::vector<AclEntry>> aclOf(const Result<std::optional<std::vector<std::byte>>>& stored)
{
    if (!stored) {
        return fail(stored.error());
    }
    return *stored ? detail::decodePosixAcl(**stored) : std::vector<AclEntry>();
}

} // namespace

Result<std::vector<AclEntry>> FileSystem::accessAcl(ObjectId object, const ReadContext& context)
{
    if (!d->show.posixAcls) {
        return std::vector<AclEntry>();
    }
    const auto kept = MP_TRY(d->keep(object, context));
    const Private::File file = MP_TRY(d->file(object, context));
    return aclOf(d->storedXattr(file.znode, detail::kAccessAclName, context));
}

Result<std::vector<AclEntry>> FileSystem::defaultAcl(ObjectId object, const ReadContext& context)
{
    if (!d->show.posixAcls) {
        return std::vector<AclEntry>();
    }
    const auto kept = MP_TRY(d->keep(object, context));
    const Private::File file = MP_TRY(d->file(object, context));
    return aclOf(d->storedXattr(file.znode, detail::kDefaultAclName, context));
}

Result<std::vector<format::Ace>> FileSystem::nfsv4Acl(ObjectId object, const ReadContext& context)
{
    const auto kept = MP_TRY(d->keep(object, context));
    return d->nfsv4Acl(MP_TRY(d->file(object, context)).znode, context);
}

Result<std::vector<format::Ace>> FileSystem::Private::nfsv4Acl(const Znode& znode,
                                                               const ReadContext& context)
{
    if (!znode.aclIsOld) {
        return format::decodeAces(
            znode.acl, znode.aclCount, format::AclVersion::Fuid, znode.aclOrder);
    }
    auto acl = MP_TRY(format::ZnodeAcl::decode(znode.acl, znode.aclOrder));
    if (acl.external.value() == 0) {
        return std::move(acl.aces);
    }
    // Too many for the znode: they are the content of an object.
    constexpr std::uint64_t kMaxAceBytes = 64;
    if (acl.count > format::kMaxAces || acl.sizeBytes > format::kMaxAces * kMaxAceBytes) {
        return fail(ErrorCode::BadAttributes,
                    "an ACL with too many entries",
                    {.objset = objset->id(), .object = znode.attributes.object});
    }
    const auto dnode = MP_TRY(objset->dnode(acl.external, context));
    const auto block = MP_TRY(objset->readBlock(*dnode, BlockIndex(0), context));
    constexpr std::uint64_t kOldAceBytes = 12;
    const std::uint64_t bytes =
        acl.version == format::AclVersion::Initial ? acl.count * kOldAceBytes : acl.sizeBytes;
    std::vector<std::byte> entries(bytes);
    MP_TRY(objset->read(*dnode, ByteOffset(0), entries, context));
    return format::decodeAces(entries, acl.count, acl.version, block.order);
}

} // namespace millpond::posix
