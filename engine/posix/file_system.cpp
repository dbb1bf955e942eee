// SPDX-License-Identifier: GPL-3.0-or-later
//
// The posix layer: theory.
//
// Purpose. Files, directories, links, their attributes, extended attributes and ACLs, as Linux
// shows them from an object set that holds a file system. It stands on object/ (objects, ZAPs,
// system attributes) and is served by fuse/.
//
// On disk. Object 1 is the master node, a ZAP: VERSION, ROOT (the root directory's object),
// SA_ATTRS (the registry of attributes), FUID, DELETE_QUEUE, quota tables, and what was fixed at
// creation (normalization, casesensitivity, utf8only). A directory is a ZAP from names to object
// number and type. A file's data is the object's own. Attributes lie in the bonus buffer in one of
// two layouts:
//   - file systems before version 5, and files not touched since an upgrade: the fixed old znode, a
//   short
//     link's target behind it;
//   - else system attributes, found through the registry, spilling into a block of their own.
// Extended attributes are small files in a hidden directory, or one packed list among the
// attributes.
//
// In memory. A FileSystem reads the master node once and keeps a bounded cache of decoded
// attributes. It keeps no other state: object numbers are the handles, and object/ and block/ cache
// what is read. Alone, it reads an object set of one txg that never changes. With a
// FileSystemWriter it reads the newest state: then whoever reads several parts of an object that
// must fit each other (a table, attributes with a spill block) shares the object's lock meanwhile.
//
// Invariants.
//   INV-1  Every number from a dnode or ZAP is only ever an object to look up: a wrong one is an
//   error of
//          that lookup, never a crash.
//   INV-2  No name handed out is empty, ".", "..", or holds '/' or NUL.
//   INV-3  Reads end at the file's size, whatever blocks lie behind it.
//   INV-4  Walks towards the root take kMaxPathDepth steps at most.
//
// Concurrency. Any thread. The attribute cache and the table of attributes have a mutex each
// (leaves), never held while reading. One object's lock at a time. Under Wait::CachedOnly each call
// answers from memory or fails with WouldBlock.
//
// Failure. Damage is an error of the object it is in, with object set and object in the context.
//
// Cost. One dnode for each file looked at; 8,192 to 16,384 attributes cached (about 200 bytes
// each).
//
// Sources for layouts and meanings: OpenZFS zfs_znode.c, zfs_sa.c, zfs_vnops.c, zfs_dir.c,
// zfs_acl.c, zfs_fuid.c, zfs_quota.c, and zpl_xattr.c, zfs_znode_os.c for what Linux shows.
#include "posix/file_system.h"

#include "object/zap.h"
#include "posix/detail/file_system_private.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace millpond::posix {

using detail::Znode;
using object::AttributeTable;
using object::DnodeRef;
using object::ObjectSet;
using object::Zap;
using object::ZapEntry;

namespace {

constexpr std::uint64_t kCaseInsensitive =
    1; // of casesensitivity; 2 is mixed, which Linux treats as sensitive
constexpr std::size_t kMaxLinkBytes = 64 * KiB;
constexpr unsigned kPointerShift = 7; // log2 of format::BlockPointer::kBytes

Result<std::optional<std::uint64_t>>
numberIn(const Zap& zap, std::string_view key, const ReadContext& context)
{
    const auto number = zap.number(key, context);
    if (number) {
        return *number;
    }
    if (number.error().is(ErrorCode::NoSuchEntry)) {
        return std::nullopt;
    }
    return fail(number.error());
}

bool isPresentable(std::string_view name)
{
    return !name.empty() && name != "." && name != ".." &&
           name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

} // namespace

FileSystem::FileSystem(std::unique_ptr<Private> data)
    : d(std::move(data))
{
}

FileSystem::~FileSystem() = default;

Result<std::shared_ptr<FileSystem>> FileSystem::open(std::shared_ptr<ObjectSet> objset,
                                                     const ReadContext& context)
{
    return open(std::move(objset), ShowOptions{}, context);
}

Result<std::shared_ptr<FileSystem>> FileSystem::open(std::shared_ptr<ObjectSet> objset,
                                                     const ShowOptions& show,
                                                     const ReadContext& context)
{
    if (objset->header().type != format::ObjsetType::Filesystem) {
        return fail(
            ErrorCode::InvalidArgument, "the dataset is no file system", {.objset = objset->id()});
    }
    auto d = std::make_unique<Private>();
    d->show = show;
    const Zap master = MP_TRY(Zap::open(*objset, format::kMasterNodeObject, context));
    d->version = MP_TRY(numberIn(master, format::kMasterVersion, context))
                     .value_or(format::kZplVersionNewest);
    if (d->version == 0 || d->version > format::kZplVersionNewest) {
        return fail(ErrorCode::UnsupportedVersion,
                    fmt::format("file system version {} is not supported", d->version),
                    {.objset = objset->id()});
    }
    d->root = ObjectId(MP_TRY(master.number(format::kMasterRoot, context)));
    d->fuidTable =
        ObjectId(MP_TRY(numberIn(master, format::kMasterFuidTables, context)).value_or(0));
    d->unlinkedSet =
        ObjectId(MP_TRY(numberIn(master, format::kMasterUnlinkedSet, context)).value_or(0));
    const std::uint64_t caseRule = MP_TRY(numberIn(master, "casesensitivity", context)).value_or(0);
    const std::uint64_t normalization =
        MP_TRY(numberIn(master, "normalization", context)).value_or(0);
    d->matching = {.ignoreCase = caseRule == kCaseInsensitive,
                   .normalization = static_cast<std::uint8_t>(normalization)};
    if (const auto attributes = MP_TRY(numberIn(master, format::kMasterSaAttributes, context))) {
        d->setAttributeTable(std::make_shared<const AttributeTable>(
            MP_TRY(AttributeTable::open(*objset, ObjectId(*attributes), context))));
    }
    d->objset = std::move(objset);
    return std::shared_ptr<FileSystem>(new FileSystem(std::move(d)));
}

std::uint64_t FileSystem::version() const
{
    return d->version;
}

ObjectId FileSystem::root() const
{
    return d->root;
}

ObjsetId FileSystem::objset() const
{
    return d->objset->id();
}

bool FileSystem::ignoresCase() const
{
    return d->matching.ignoreCase;
}

bool FileSystem::normalizes() const
{
    return d->matching.normalization != 0;
}

Result<FileSystem::Private::File> FileSystem::Private::file(ObjectId object,
                                                            const ReadContext& context)
{
    File file;
    file.dnode = MP_TRY(objset->dnode(object, context));
    file.znode = MP_TRY(detail::readZnode(*objset, attributeTable().get(), *file.dnode, context));
    return file;
}

Result<std::shared_ptr<const Attributes>> FileSystem::Private::known(ObjectId object,
                                                                     const ReadContext& context)
{
    const std::uint64_t changes = cache.changes(object);
    const detail::AttributeCache::Entry entry = cache.find(object);
    if (entry.attributes == nullptr || entry.settled) {
        return entry.attributes;
    }
    const bool settled = !isDirty(object);
    const DnodeRef dnode = MP_TRY(objset->dnode(object, context));
    auto result = std::make_shared<Attributes>(*entry.attributes);
    detail::setSpaceUsed(*result, *dnode);
    cache.insert(object, {result, settled, entry.znode}, changes);
    return std::shared_ptr<const Attributes>(std::move(result));
}

Result<std::shared_ptr<const Attributes>>
FileSystem::Private::attributes(ObjectId object, const ReadContext& context)
{
    if (auto found = MP_TRY(known(object, context))) {
        return found;
    }
    const auto kept = MP_TRY(keep(object, context));
    return attributesUnlocked(object, context);
}

Result<std::shared_ptr<const Attributes>>
FileSystem::Private::attributesUnlocked(ObjectId object, const ReadContext& context)
{
    const std::uint64_t changes = cache.changes(object);
    if (auto found = MP_TRY(known(object, context))) {
        return found;
    }
    const bool settled = isDirty == nullptr || !isDirty(object);
    const File stored = MP_TRY(file(object, context));
    std::shared_ptr<const Attributes> result = MP_TRY(present(stored.znode, context));
    cache.insert(object, {result, settled, nullptr}, changes);
    return result;
}

Result<std::shared_ptr<Attributes>> FileSystem::Private::present(const Znode& znode,
                                                                 const ReadContext& context)
{
    auto result = std::make_shared<Attributes>(znode.attributes);
    if (result->object == root && show.snapshotDirectoryVisible) {
        ++result->links;
    }
    const auto hasAcl =
        show.posixAcls ? hasXattr(znode, detail::kAccessAclName, context) : Result<bool>(false);
    if (!hasAcl && hasAcl.error().errorClass() == ErrorClass::Cancelled) {
        return fail(hasAcl.error());
    }
    result->hasAccessAcl =
        hasAcl.value_or(false); // broken extended attributes must not hide the file
    return result;
}

Result<std::shared_ptr<const Attributes>> FileSystem::attributes(ObjectId object,
                                                                 const ReadContext& context)
{
    return d->attributes(object, context);
}

Result<Zap> FileSystem::Private::directory(ObjectId object, const ReadContext& context)
{
    if (MP_TRY(attributesUnlocked(object, context))->type != FileType::Directory) {
        return fail(
            ErrorCode::NotDirectory, "not a directory", {.objset = objset->id(), .object = object});
    }
    return Zap::open(*objset, object, context);
}

Result<DirectoryEntry> FileSystem::Private::entryOf(const ZapEntry& entry, ObjectId directory) const
{
    if (entry.integerBytes != sizeof(std::uint64_t) || entry.values.empty() ||
        !isPresentable(entry.name)) // INV-2
    {
        return fail(ErrorCode::BadDirectory,
                    "a directory holds an entry that is none",
                    {.objset = objset->id(), .object = directory});
    }
    const auto value = format::DirectoryValue::decode(entry.first());
    DirectoryEntry result;
    result.name = entry.name;
    result.object = value.object;
    result.type = version >= format::kZplVersionDirectoryTypes ? static_cast<FileType>(value.type)
                                                               : FileType::Unknown;
    return result;
}

Result<DirectoryEntry>
FileSystem::lookup(ObjectId directory, std::string_view name, const ReadContext& context)
{
    const auto kept = MP_TRY(d->keep(directory, context));
    const Zap zap = MP_TRY(d->directory(directory, context));
    if (!isPresentable(name)) {
        return fail(
            ErrorCode::NoSuchEntry, "no such file", {.objset = objset(), .object = directory});
    }
    return d->entryOf(MP_TRY(d->lookup(zap, name, context)), directory);
}

Result<ZapEntry>
FileSystem::Private::lookup(const Zap& zap, std::string_view name, const ReadContext& context) const
{
    const bool plain = !matching.ignoreCase && matching.normalization == 0;
    return plain ? zap.lookup(name, context) : zap.lookup(name, matching, context);
}

Result<std::vector<DirectoryEntry>> FileSystem::list(ObjectId directory,
                                                     std::uint64_t cursor,
                                                     std::size_t atMost,
                                                     const ReadContext& context)
{
    const auto kept = MP_TRY(d->keep(directory, context));
    const Zap zap = MP_TRY(d->directory(directory, context));
    std::vector<DirectoryEntry> entries;
    if (cursor == Zap::kEnd) {
        return entries;
    }
    for (const auto& [next, stored] : MP_TRY(zap.list(cursor, atMost, context)).entries) {
        DirectoryEntry entry = MP_TRY(d->entryOf(stored, directory));
        entry.next = next;
        entries.push_back(std::move(entry));
    }
    return entries;
}

Result<std::string> FileSystem::readLink(ObjectId object, const ReadContext& context)
{
    const auto kept = MP_TRY(d->keep(object, context));
    const Private::File file = MP_TRY(d->file(object, context));
    const Attributes& attributes = file.znode.attributes;
    if (attributes.type != FileType::Link) {
        return fail(
            ErrorCode::NotLink, "not a symbolic link", {.objset = objset(), .object = object});
    }
    const auto asText = [](Bytes bytes) {
        return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    if (!file.znode.link.empty()) {
        const Bytes stored(file.znode.link);
        return asText(stored.first(std::min<std::uint64_t>(stored.size(), attributes.size)));
    }
    if (attributes.size > kMaxLinkBytes) {
        return fail(ErrorCode::BadAttributes,
                    "a symbolic link of impossible length",
                    {.objset = objset(), .object = object});
    }
    std::vector<std::byte> target(attributes.size);
    MP_TRY(d->objset->read(*file.dnode, ByteOffset(0), target, context));
    return asText(target);
}

Result<DnodeRef>
FileSystem::Private::regular(ObjectId object, std::uint64_t& size, const ReadContext& context)
{
    const auto known = MP_TRY(attributes(object, context));
    if (known->type != FileType::Regular) {
        const bool isDirectory = known->type == FileType::Directory;
        return fail(isDirectory ? ErrorCode::IsDirectory : ErrorCode::InvalidArgument,
                    isDirectory ? "is a directory" : "not a regular file",
                    {.objset = objset->id(), .object = object});
    }
    size = known->size;
    return objset->dnode(object, context);
}

Result<std::size_t>
FileSystem::read(ObjectId object, ByteOffset offset, MutableBytes out, const ReadContext& context)
{
    std::uint64_t size = 0;
    const DnodeRef dnode = MP_TRY(d->regular(object, size, context));
    if (offset.value() >= size) {
        return 0;
    }
    const std::size_t count = std::min<std::uint64_t>(out.size(), size - offset.value()); // INV-3
    MP_TRY(d->objset->read(*dnode, offset, out.first(count), context));
    return count;
}

Result<std::vector<FileSystem::Piece>> FileSystem::readPieces(ObjectId object,
                                                              ByteOffset offset,
                                                              ByteCount size,
                                                              const ReadContext& context)
{
    std::uint64_t fileSize = 0;
    const DnodeRef dnode = MP_TRY(d->regular(object, fileSize, context));
    std::vector<Piece> pieces;
    if (offset.value() >= fileSize) {
        return pieces;
    }
    std::uint64_t at = offset.value();
    const std::uint64_t end = at + std::min(size.value(), fileSize - at); // INV-3
    const std::uint64_t blockBytes = dnode->dataBlockBytes;
    if (context.wait == block::Wait::MayBlock && end > at &&
        at / blockBytes != (end - 1) / blockBytes) {
        d->objset->prefetch(*dnode, {offset, ByteCount(end - at)});
    }
    while (at < end) {
        const std::uint64_t inBlock = at % blockBytes;
        const std::uint64_t count = std::min(blockBytes - inBlock, end - at);
        ObjectSet::Block block =
            MP_TRY(d->objset->readBlock(*dnode, BlockIndex(at / blockBytes), context));
        pieces.push_back({std::move(block.data),
                          static_cast<std::size_t>(inBlock),
                          static_cast<std::size_t>(count)});
        at += count;
    }
    return pieces;
}

Status
FileSystem::prefetch(ObjectId object, ByteOffset offset, ByteCount size, const ReadContext& context)
{
    constexpr std::uint64_t kMostBlocks = 1024;
    std::uint64_t fileSize = 0;
    const DnodeRef dnode = MP_TRY(d->regular(object, fileSize, context));
    if (offset.value() >= fileSize) {
        return {};
    }
    const std::uint64_t blockBytes = dnode->dataBlockBytes;
    const std::uint64_t count =
        std::min({size.value(), fileSize - offset.value(), kMostBlocks * blockBytes});
    // A hint whose indirect blocks are not there would be lost, not late.
    const std::uint64_t perIndirect = dnode->indirectShift > kPointerShift
                                          ? std::uint64_t{1}
                                                << (dnode->indirectShift - kPointerShift)
                                          : 1;
    const std::uint64_t last = (offset.value() + count - 1) / blockBytes;
    for (std::uint64_t index = offset.value() / blockBytes; index <= last;
         index = (index / perIndirect + 1) * perIndirect) {
        (void)MP_TRY(d->objset->blockPointer(*dnode, Level(0), BlockIndex(index), context));
    }
    d->objset->prefetch(*dnode, {offset, ByteCount(count)});
    return {};
}

Result<std::optional<ByteOffset>>
FileSystem::seekData(ObjectId object, ByteOffset offset, const ReadContext& context)
{
    std::uint64_t size = 0;
    const DnodeRef dnode = MP_TRY(d->regular(object, size, context));
    if (offset.value() >= size) {
        return std::nullopt;
    }
    if (!std::has_single_bit(dnode->dataBlockBytes)) {
        return offset; // a single block of odd size always counts as data
    }
    const auto found = MP_TRY(d->objset->nextData(*dnode, offset, context));
    return found && found->value() < size ? found : std::nullopt;
}

Result<std::optional<ByteOffset>>
FileSystem::seekHole(ObjectId object, ByteOffset offset, const ReadContext& context)
{
    std::uint64_t size = 0;
    const DnodeRef dnode = MP_TRY(d->regular(object, size, context));
    if (offset.value() >= size) {
        return std::nullopt;
    }
    if (!std::has_single_bit(dnode->dataBlockBytes)) {
        return ByteOffset(size);
    }
    // Holes are found by whole blocks; the end of the file counts as one too.
    return std::min(MP_TRY(d->objset->nextHole(*dnode, offset, context)), ByteOffset(size));
}

} // namespace millpond::posix
