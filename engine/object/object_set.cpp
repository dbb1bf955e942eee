// SPDX-License-Identifier: GPL-3.0-or-later
//
// Object sets, ZAPs and system attributes: theory.
//
// Purpose. An object set is an array of dnodes; an object is what one dnode describes: a tree of
// blocks and a bonus buffer. Everything in a pool is an object. This layer finds blocks by object,
// level and number, and reads the two formats that live inside objects everywhere: ZAPs (name to
// value, zap.cpp) and system attributes (attributes.cpp). [dmu, zap, sa]
//
// On disk. A root block (format/objset.h) holds the meta dnode, whose data are dnode blocks; object
// n is the n-th slot of 512 bytes. A large dnode takes several slots of one block: the slots behind
// its first are inside it and no objects. A dnode has one to three block pointers of level
// `levels`-1; a block of level l > 0 is an array of 2^(indirectShift-7) pointers to level l-1. A
// hole is an all-zero pointer at any level. Each pointer names its block's byte order, so one
// object may hold blocks of both; a dnode's bonus is in the order of its dnode block, except system
// attributes, which carry their own magic.
//
// In memory. Nothing but the decoded root and a few dnodes: blocks are in the cache of block/,
// which is shared by all object sets. A dnode look-up in a cached meta object costs about a
// microsecond (six levels of indirect blocks mostly), so the cache here only serves the few objects
// that are in use at the same time.
//
// Invariants.
//   INV-1 No number from a disk is used as an index, a shift or a size before it is compared with
//         what it must fit: the level and size of each block are those its place demands.
//   INV-2 No loop is longer than what was really read, but for a constant: searches that follow
//         counts ("so many blocks below") have a budget of blocks read in vain.
//   INV-3 An object set never changes; a DnodeRef or block outlives everything.
//
// Concurrency. Any thread, no lock held across a call down. Wait::CachedOnly reaches the block
// cache unchanged; nothing here waits by itself.
//
// Failure. Errors name object set, object, level and block. Damage in one object never hinders
// others, but for that in the meta object's tree, which hides the dnodes below it.
//
// Cost. Opening: one block. Reading: the missing blocks on one path; several blocks of one read are
// fetched in parallel. nextData, nextHole and nextObject skip whole subtrees by the counts in
// indirect pointers.
//
// Sources: OpenZFS include/sys/{dnode,dmu_objset,dmu,zap_impl,zap_leaf,sa_impl}.h,
// module/zfs/{dnode,dbuf,dmu,dmu_objset,zap,zap_fat,zap_leaf,zap_micro,sa}.c.

#include "object/object_set.h"

#include "object/detail/block_tree.h"
#include "object/detail/dnode_codec.h"
#include "object/detail/object_set_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace millpond::object {

using detail::PointerWalker;
using detail::Want;
using format::BlockPointer;

namespace {

/// Blocks one call of prefetch() looks at; the block layer bounds what is really in flight.
constexpr std::uint64_t kPrefetchBlocks = 1024;
/// Dnode blocks without a dnode although their pointer counts some: that many, then it is damage.
constexpr std::size_t kEmptyDnodeBlocks = 1024;

Result<DnodeRef> optionalDnode(const std::optional<std::array<std::byte, 512>>& bytes,
                               ByteOrder order,
                               ObjsetId objset,
                               ObjectId id)
{
    if (!bytes) {
        return DnodeRef();
    }
    return detail::makeDnode(*bytes, order, objset, id);
}

} // namespace

ObjectSet::ObjectSet(std::unique_ptr<Parts> parts)
    : d(std::move(parts))
{
}

ObjectSet::~ObjectSet() = default;

Result<std::shared_ptr<ObjectSet>> ObjectSet::open(block::BlockSource& source,
                                                   const BlockPointer& root,
                                                   ObjsetId id,
                                                   const ReadContext& context)
{
    return std::shared_ptr<ObjectSet>(new ObjectSet(MP_TRY(load(source, root, id, context))));
}

Result<std::unique_ptr<ObjectSet::Parts>> ObjectSet::load(block::BlockSource& source,
                                                          const BlockPointer& root,
                                                          ObjsetId id,
                                                          const ReadContext& context)
{
    const block::Bookmark bookmark{id, ObjectId(0), block::kRootLevel, BlockIndex(0)};
    if (root.isHole()) {
        return fail(ErrorCode::BadObjset, "its root block is a hole", {.objset = id});
    }
    const BufferRef data = MP_TRY(source.read(root, bookmark, context));
    Result<format::ObjsetPhys> header = format::ObjsetPhys::decode(data->bytes(), root.byteOrder());
    if (!header) {
        return fail(std::move(header).error().at({.objset = id}));
    }
    auto d = std::make_unique<Parts>();
    d->source = &source;
    d->id = id;
    d->header = std::move(*header);
    const ByteOrder order = d->header.order;
    d->meta = MP_TRY(detail::makeDnode(d->header.metaDnode, order, id, format::kMetaDnodeObject));
    if (d->meta->type != format::number(format::ObjectType::Dnode) ||
        d->meta->dataBlockBytes % format::kDnodeSlotBytes != 0) {
        return fail(ErrorCode::BadObjset, "its meta dnode describes no dnodes", {.objset = id});
    }
    d->userUsed =
        MP_TRY(optionalDnode(d->header.userUsedDnode, order, id, format::kUserUsedObject));
    d->groupUsed =
        MP_TRY(optionalDnode(d->header.groupUsedDnode, order, id, format::kGroupUsedObject));
    d->projectUsed =
        MP_TRY(optionalDnode(d->header.projectUsedDnode, order, id, format::kProjectUsedObject));
    return d;
}

ObjsetId ObjectSet::id() const
{
    return d->id;
}

const format::ObjsetPhys& ObjectSet::header() const
{
    return d->header;
}

DnodeRef ObjectSet::metaDnode() const
{
    return d->meta;
}

DnodeRef ObjectSet::userUsedDnode() const
{
    return d->userUsed;
}

DnodeRef ObjectSet::groupUsedDnode() const
{
    return d->groupUsed;
}

DnodeRef ObjectSet::projectUsedDnode() const
{
    return d->projectUsed;
}

block::BlockSource& ObjectSet::source()
{
    return *d->source;
}

Result<DnodeRef> ObjectSet::dnode(ObjectId id, const ReadContext& context)
{
    if (DnodeRef special = d->special(id)) {
        return special;
    }
    if (id.value() >= format::kMaxObjects) {
        return detail::noSuchObject(d->id, id, "no object has such a number");
    }
    if (DnodeRef cached = d->dnodes.find(id)) {
        return cached;
    }
    const std::uint64_t perBlock = d->meta->dataBlockBytes / format::kDnodeSlotBytes;
    const Block block = MP_TRY(readBlock(*d->meta, BlockIndex(id.value() / perBlock), context));
    if (!block.data) {
        return detail::noSuchObject(d->id, id, "not allocated");
    }
    DnodeRef dnode = MP_TRY(detail::dnodeInBlock(block.data->bytes(), block.order, d->id, id));
    if (context.keep) {
        d->dnodes.insert(dnode);
    }
    return dnode;
}

Result<std::optional<ObjectId>> ObjectSet::nextObject(ObjectId after, const ReadContext& context)
{
    return nextObjectIn(*d->meta, after, context);
}

Result<std::optional<ObjectId>>
ObjectSet::nextObjectIn(const Dnode& meta, ObjectId after, const ReadContext& context)
{
    if (after.value() + 1 >= format::kMaxObjects) {
        return std::nullopt;
    }
    const std::uint64_t perBlock = meta.dataBlockBytes / format::kDnodeSlotBytes;
    const std::uint64_t first = after.value() + 1;
    PointerWalker walker(*d->source, meta, context);
    std::uint64_t index = first / perBlock;
    for (std::size_t empty = 0; empty <= kEmptyDnodeBlocks; ++empty) {
        const std::optional<std::uint64_t> found =
            MP_TRY(detail::findBlock(walker, meta, index, Want::Data));
        if (!found || *found >= format::kMaxObjects / perBlock) {
            return std::nullopt;
        }
        const Block block = MP_TRY(ObjectSet::readBlock(meta, BlockIndex(*found), context));
        const Bytes bytes = block.data ? block.data->bytes() : Bytes();
        for (std::size_t slot = 0; (slot + 1) * format::kDnodeSlotBytes <= bytes.size();
             slot += detail::slotsAt(bytes, slot)) {
            const std::uint64_t object = *found * perBlock + slot;
            if (object >= first &&
                !format::DnodeView::isFree(bytes.subspan(slot * format::kDnodeSlotBytes))) {
                return ObjectId(object);
            }
        }
        index = *found + 1;
    }
    return fail(ErrorCode::BadBlockPointer,
                "the counts of objects below its indirect blocks are wrong",
                {.objset = d->id, .object = format::kMetaDnodeObject});
}

Result<BlockPointer> ObjectSet::blockPointer(const Dnode& dnode,
                                             Level level,
                                             BlockIndex index,
                                             const ReadContext& context)
{
    PointerWalker walker(*d->source, dnode, context);
    return walker.pointer(level.value(), index.value());
}

namespace {

/// A level 0 block through a walker that may hold the path to it.
Result<ObjectSet::Block> readData(block::BlockSource& source,
                                  const Dnode& dnode,
                                  PointerWalker& walker,
                                  std::uint64_t index,
                                  const ReadContext& context)
{
    const BlockPointer pointer = MP_TRY(walker.pointer(0, index));
    ObjectSet::Block block{nullptr, pointer.byteOrder()};
    if (pointer.isHole()) {
        return block;
    }
    const block::Bookmark bookmark{dnode.objset, dnode.id, Level(0), BlockIndex(index)};
    if (pointer.level() != Level(0)) {
        return fail(ErrorCode::BadBlockPointer,
                    fmt::format("its pointer is for level {}", pointer.level().value()),
                    bookmark.context());
    }
    block.data = MP_TRY(source.read(pointer, bookmark, context));
    if (block.data->size() != dnode.dataBlockBytes) {
        return fail(ErrorCode::BadBlockPointer,
                    fmt::format("a block of {} bytes in an object that has them of {}",
                                block.data->size(),
                                dnode.dataBlockBytes),
                    bookmark.context());
    }
    return block;
}

bool isPowerOfTwo(std::uint64_t value)
{
    return (value & (value - 1)) == 0;
}

} // namespace

Result<ObjectSet::Block>
ObjectSet::readBlock(const Dnode& dnode, BlockIndex index, const ReadContext& context)
{
    PointerWalker walker(*d->source, dnode, context);
    return readData(*d->source, dnode, walker, index.value(), context);
}

Result<ObjectSet::Block> ObjectSet::readSpill(const Dnode& dnode, const ReadContext& context)
{
    if (!dnode.spill || dnode.spill->isHole()) {
        return Block{};
    }
    const block::Bookmark bookmark{dnode.objset, dnode.id, Level(0), block::kSpillBlock};
    return Block{MP_TRY(d->source->read(*dnode.spill, bookmark, context)),
                 dnode.spill->byteOrder()};
}

Status
ObjectSet::read(const Dnode& dnode, ByteOffset offset, MutableBytes out, const ReadContext& context)
{
    std::uint64_t end = 0;
    if (!checkedAdd(offset.value(), out.size(), end)) {
        return fail(ErrorCode::InvalidArgument, "a range past the end of the address space");
    }
    const std::uint64_t blockBytes = dnode.dataBlockBytes;
    std::uint64_t at = offset.value();
    if (context.keep && context.wait == block::Wait::MayBlock && end > at &&
        at / blockBytes != (end - 1) / blockBytes) {
        const std::uint64_t second = (at / blockBytes + 1) * blockBytes;
        prefetch(dnode, {ByteOffset(second), ByteCount(end - second)});
    }
    PointerWalker walker(*d->source, dnode, context);
    while (at < end) {
        const std::size_t inBlock = at % blockBytes;
        const std::size_t count =
            static_cast<std::size_t>(std::min<std::uint64_t>(blockBytes - inBlock, end - at));
        const MutableBytes target = out.subspan(at - offset.value(), count);
        const Block block = MP_TRY(readData(*d->source, dnode, walker, at / blockBytes, context));
        if (block.data) {
            std::memcpy(target.data(), block.data->bytes().data() + inBlock, count);
        } else {
            std::memset(target.data(), 0, count);
        }
        at += count;
    }
    return {};
}

void ObjectSet::prefetch(const Dnode& dnode, DataRange range)
{
    std::uint64_t end = 0;
    if (range.size.value() == 0 || !checkedAdd(range.offset.value(), range.size.value(), end)) {
        return;
    }
    const ReadContext cached{.wait = block::Wait::CachedOnly};
    PointerWalker walker(*d->source, dnode, cached);
    const detail::TreeShape& shape = walker.shape();
    std::uint64_t index = range.offset.value() / dnode.dataBlockBytes;
    const std::uint64_t last =
        std::min<std::uint64_t>((end - 1) / dnode.dataBlockBytes, dnode.maxBlockId);
    for (std::uint64_t n = 0; index <= last && n < kPrefetchBlocks; ++n) {
        const Result<BlockPointer> pointer = walker.pointer(0, index);
        if (pointer) {
            if (!pointer->isHole()) {
                d->source->prefetch(*pointer,
                                    {dnode.objset, dnode.id, Level(0), BlockIndex(index)});
            }
            ++index;
            continue;
        }
        const std::optional<PointerWalker::Missing>& missing = walker.missing();
        if (!pointer.error().is(ErrorCode::WouldBlock) || !missing) {
            return; // whoever reads the block will meet the error, too
        }
        d->source->prefetch(missing->pointer, missing->bookmark);
        const std::optional<std::uint64_t> next = shape.firstBelow(
            missing->bookmark.block.value() + 1, missing->bookmark.level.value(), 0);
        if (!next) {
            return;
        }
        index = *next;
    }
}

Result<std::optional<ByteOffset>>
ObjectSet::nextData(const Dnode& dnode, ByteOffset offset, const ReadContext& context)
{
    const std::uint64_t blockBytes = dnode.dataBlockBytes;
    if (!isPowerOfTwo(blockBytes)) { // one block; OpenZFS counts it as data whatever it is
        return offset.value() < blockBytes ? std::optional(offset) : std::nullopt;
    }
    PointerWalker walker(*d->source, dnode, context);
    const std::optional<std::uint64_t> found =
        MP_TRY(detail::findBlock(walker, dnode, offset.value() / blockBytes, Want::Data));
    std::uint64_t start = 0;
    if (!found || !checkedMultiply(*found, blockBytes, start)) {
        return std::nullopt;
    }
    return ByteOffset(std::max(start, offset.value()));
}

Result<ByteOffset>
ObjectSet::nextHole(const Dnode& dnode, ByteOffset offset, const ReadContext& context)
{
    const std::uint64_t blockBytes = dnode.dataBlockBytes;
    if (!isPowerOfTwo(blockBytes)) {
        return std::max(offset, ByteOffset(blockBytes));
    }
    PointerWalker walker(*d->source, dnode, context);
    const std::optional<std::uint64_t> found =
        MP_TRY(detail::findBlock(walker, dnode, offset.value() / blockBytes, Want::Hole));
    std::uint64_t end = 0;
    if (found) {
        if (!checkedMultiply(*found, blockBytes, end)) {
            end = ~std::uint64_t{0};
        }
    } else if (!checkedAdd(dnode.maxBlockId, 1, end) || !checkedMultiply(end, blockBytes, end)) {
        end = ~std::uint64_t{0};
    }
    return ByteOffset(std::max(end, offset.value()));
}

} // namespace millpond::object
