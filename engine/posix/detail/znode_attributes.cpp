// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sources for order and meaning: OpenZFS zfs_znode_os.c, zfs_sa.c, zfs_acl.c, include/sys/zfs_sa.h.
#include "posix/detail/znode_attributes.h"

#include "posix/detail/mode_acl.h"

#include <sys/sysmacros.h>

namespace millpond::posix::detail {

using format::ZnodeFlag;
using object::AttributeChange;

namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
// Linux' own device numbers: twelve bits of major above twenty of minor.
constexpr unsigned kMinorBits = 20;

AttributeChange timeAttribute(std::string_view name, Time time)
{
    std::int64_t seconds = time.count() / kNanosecondsPerSecond;
    std::int64_t rest = time.count() % kNanosecondsPerSecond;
    if (rest < 0) {
        --seconds;
        rest += kNanosecondsPerSecond;
    }
    return AttributeChange::words(
        name, static_cast<std::uint64_t>(seconds), static_cast<std::uint64_t>(rest));
}

bool isDevice(const Attributes& attributes)
{
    return attributes.type == FileType::CharacterDevice || attributes.type == FileType::BlockDevice;
}

std::uint64_t storedDevice(std::uint64_t rdev)
{
    return std::uint64_t{major(rdev)} << kMinorBits | minor(rdev);
}

bool hasProject(const Znode& znode)
{
    return (znode.attributes.flags & ZnodeFlag::kProjectId) != 0;
}

} // namespace

void setOwner(Znode& znode, std::uint32_t uid)
{
    znode.attributes.uid = uid;
    znode.rawUid = uid;
}

void setGroup(Znode& znode, std::uint32_t gid)
{
    znode.attributes.gid = gid;
    znode.rawGid = gid;
}

void stampModified(Znode& znode, Time now)
{
    znode.attributes.modified = now;
    znode.attributes.changed = now;
    znode.attributes.flags |= ZnodeFlag::kArchive | ZnodeFlag::kModified;
}

void stampChanged(Znode& znode, Time now)
{
    znode.attributes.changed = now;
    znode.attributes.flags |= ZnodeFlag::kArchive;
}

void setTrivialAcl(Znode& znode)
{
    Attributes& attributes = znode.attributes;
    const bool isDirectory = attributes.type == FileType::Directory;
    const std::vector<format::Ace> aces = acesOfMode(attributes.mode, isDirectory);
    znode.acl = format::encodeAces(aces, format::AclVersion::Fuid, kHostOrder);
    znode.aclCount = aces.size();
    znode.aclIsOld = false;
    znode.aclOrder = kHostOrder;
    attributes.flags &= ~(ZnodeFlag::kAclProtected | ZnodeFlag::kAclDefaulted);
    attributes.flags =
        flagsWithAces(attributes.flags, aces, {znode.rawUid, znode.rawGid}, isDirectory);
}

std::vector<AttributeChange> allAttributes(const Znode& znode)
{
    const Attributes& attributes = znode.attributes;
    std::vector<AttributeChange> all;
    all.reserve(18);
    all.push_back(AttributeChange::number(format::kZplMode, attributes.mode));
    all.push_back(AttributeChange::number(format::kZplSize, attributes.size));
    all.push_back(AttributeChange::number(format::kZplGen, attributes.generation));
    all.push_back(AttributeChange::number(format::kZplUid, znode.rawUid));
    all.push_back(AttributeChange::number(format::kZplGid, znode.rawGid));
    all.push_back(AttributeChange::number(format::kZplParent, attributes.parent.value()));
    all.push_back(AttributeChange::number(format::kZplFlags, attributes.flags));
    all.push_back(timeAttribute(format::kZplAtime, attributes.accessed));
    all.push_back(timeAttribute(format::kZplMtime, attributes.modified));
    all.push_back(timeAttribute(format::kZplCtime, attributes.changed));
    all.push_back(timeAttribute(format::kZplCrtime, attributes.created));
    all.push_back(AttributeChange::number(format::kZplLinks, attributes.links));
    if (hasProject(znode)) {
        all.push_back(AttributeChange::number(format::kZplProjectId, attributes.projectId));
    }
    if (isDevice(attributes)) {
        all.push_back(AttributeChange::number(format::kZplRdev, storedDevice(attributes.rdev)));
    }
    if (!znode.acl.empty()) {
        all.push_back(AttributeChange::number(format::kZplDaclCount, znode.aclCount));
        all.push_back(AttributeChange::bytes(format::kZplDaclAces, znode.acl));
    }
    if (attributes.xattrDirectory.value() != 0) {
        all.push_back(
            AttributeChange::number(format::kZplXattr, attributes.xattrDirectory.value()));
    }
    if (!znode.link.empty()) {
        all.push_back(AttributeChange::bytes(format::kZplSymlink, znode.link));
    }
    if (!znode.xattrList.empty()) {
        all.push_back(AttributeChange::bytes(format::kZplDxattr, znode.xattrList));
    }
    return all;
}

std::vector<AttributeChange> changedAttributes(const Znode& before, const Znode& now)
{
    std::vector<AttributeChange> changes;
    const Attributes& old = before.attributes;
    const Attributes& fresh = now.attributes;
    const auto number = [&](std::string_view name, std::uint64_t was, std::uint64_t is) {
        if (was != is) {
            changes.push_back(AttributeChange::number(name, is));
        }
    };
    const auto time = [&](std::string_view name, Time was, Time is) {
        if (was != is) {
            changes.push_back(timeAttribute(name, is));
        }
    };
    const auto bytes = [&](std::string_view name, const auto& was, const auto& is) {
        if (was != is) {
            changes.push_back(is.empty() ? AttributeChange::removed(name)
                                         : AttributeChange::bytes(name, is));
        }
    };
    number(format::kZplMode, old.mode, fresh.mode);
    number(format::kZplSize, old.size, fresh.size);
    number(format::kZplUid, before.rawUid, now.rawUid);
    number(format::kZplGid, before.rawGid, now.rawGid);
    number(format::kZplParent, old.parent.value(), fresh.parent.value());
    number(format::kZplFlags, old.flags, fresh.flags);
    time(format::kZplAtime, old.accessed, fresh.accessed);
    time(format::kZplMtime, old.modified, fresh.modified);
    time(format::kZplCtime, old.changed, fresh.changed);
    time(format::kZplCrtime, old.created, fresh.created);
    number(format::kZplLinks, old.links, fresh.links);
    if (hasProject(now)) {
        number(format::kZplProjectId, old.projectId, fresh.projectId);
    }
    if (before.acl != now.acl) {
        number(format::kZplDaclCount, before.aclCount, now.aclCount);
        bytes(format::kZplDaclAces, before.acl, now.acl);
    }
    if (old.xattrDirectory != fresh.xattrDirectory) {
        const std::uint64_t directory = fresh.xattrDirectory.value();
        changes.push_back(directory == 0 ? AttributeChange::removed(format::kZplXattr)
                                         : AttributeChange::number(format::kZplXattr, directory));
    }
    bytes(format::kZplSymlink, before.link, now.link);
    bytes(format::kZplDxattr, before.xattrList, now.xattrList);
    return changes;
}

bool movesAttributes(const Znode& before, const Znode& now)
{
    return before.aclIsOld || (hasProject(now) && !hasProject(before));
}

} // namespace millpond::posix::detail
