// SPDX-License-Identifier: GPL-3.0-or-later
//
// A new, empty file system. Sources: OpenZFS zfs_znode_os.c (zfs_create_fs, zfs_mknode),
// zfs_ioctl.c (zfs_fill_zplprops_impl), zfs_sa.c.
#include "format/zap.h"
#include "object/attribute_writer.h"
#include "object/zap_writer.h"
#include "posix/detail/znode_attributes.h"
#include "posix/file_system_writer.h"

#include <sys/stat.h>

namespace millpond::posix {

using detail::Znode;
using format::ZnodeFlag;
using object::AttributeWriter;
using object::LiveObjectSet;
using object::ZapSpec;
using object::ZapWriter;

namespace {

constexpr std::uint64_t kCaseRules = 3;
/// Of form C, D, KC, KD, as the property has them.
constexpr std::uint64_t kNormalizationForms = 0xf0;
constexpr std::uint32_t kPermissions = 07777;

Znode rootZnode(Txg txg, const NewFileSystem& spec, bool hasProjects)
{
    Znode root;
    Attributes& attributes = root.attributes;
    attributes.type = FileType::Directory;
    attributes.mode = S_IFDIR | (spec.rootMode & kPermissions);
    detail::setOwner(root, spec.rootUid);
    detail::setGroup(root, spec.rootGid);
    attributes.size = 2;
    attributes.links = 2;
    attributes.generation = txg.value();
    attributes.accessed = attributes.created = spec.now;
    detail::stampModified(root, spec.now);
    detail::setTrivialAcl(root);
    attributes.flags |= ZnodeFlag::kAclAutoInherit;
    if (hasProjects) {
        attributes.flags |= ZnodeFlag::kProjectId;
    }
    return root;
}

} // namespace

Status createFileSystem(LiveObjectSet& objset, Txg txg, const NewFileSystem& spec)
{
    if (spec.version != format::kZplVersionNewest || spec.caseSensitivity >= kCaseRules ||
        (spec.normalization & ~kNormalizationForms) != 0 ||
        objset.header().type != format::ObjsetType::Filesystem) {
        return fail(
            ErrorCode::InvalidArgument, "no such file system can be made", {.objset = objset.id()});
    }
    ZapWriter zaps(objset, txg);
    const ObjectId master = format::kMasterNodeObject;
    ZapSpec table;
    table.type = format::number(format::ObjectType::MasterNode);
    MP_TRY(zaps.claim(master, table));
    const bool utf8Only = spec.utf8Only || spec.normalization != 0;
    MP_TRY(zaps.add(master, "normalization", spec.normalization));
    MP_TRY(zaps.add(master, "utf8only", std::uint64_t{utf8Only}));
    MP_TRY(zaps.add(master, "casesensitivity", spec.caseSensitivity));
    MP_TRY(zaps.add(master, format::kMasterVersion, spec.version));
    const ObjectId attributes = MP_TRY(AttributeWriter::createObject(objset, txg));
    MP_TRY(zaps.add(master, format::kMasterSaAttributes, attributes.value()));
    table.type = format::number(format::ObjectType::UnlinkedSet);
    MP_TRY(zaps.createLinked(master, format::kMasterUnlinkedSet, table));

    table.type = format::number(format::ObjectType::Directory);
    table.bonusType = format::number(format::ObjectType::SystemAttributes);
    table.normalization =
        spec.normalization |
        (spec.caseSensitivity != 0 ? format::NormalizationFlag::kToUpper : std::uint64_t{0});
    const ObjectId root = MP_TRY(zaps.create(table));
    const bool hasProjects =
        spec.projectIds && objset.header().sizeBytes >= format::ObjsetPhys::kBytesV3;
    Znode znode = rootZnode(txg, spec, hasProjects);
    znode.attributes.parent = root;
    const auto writer = MP_TRY(AttributeWriter::open(objset, attributes));
    MP_TRY(writer->replaceAll(txg, root, detail::allAttributes(znode)));
    return zaps.add(master, format::kMasterRoot, root.value());
}

} // namespace millpond::posix
