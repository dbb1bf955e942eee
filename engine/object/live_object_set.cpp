// SPDX-License-Identifier: GPL-3.0-or-later
//
// Object sets that can be changed: theory.
//
// Purpose. Changes of objects are collected in memory for each transaction group, and written
// bottom-up, copy on write, when it syncs. Readers see what was changed last. [dmu, dnode, dbuf]
//
// In memory. A LiveObject for every object in use: the dnode as on disk (`synced`), and for each
// txg that is not synced what was changed in it (`Changes`): the dnode's fields as of its end,
// whole level 0 blocks, ranges that became holes. A block changed in a txg is first copied from
// where it is newest. There is no memory of indirect blocks: they are found through `synced`, and
// come into being in the sync (detail/tree_sync.cpp). Objects without changes are kept while they
// are among the last `cleanObjects` looked at.
//
// Invariants.
//   INV-1 The newest state of a block is the newest Changes that has it, as content or in a hole;
//         else what `synced` leads to.
//   INV-2 Changes of a txg are modified only while it is open (or, in the MOS, by the sync thread):
//         sync(txg) reads them without a lock, readers with the object's lock.
//   INV-3 Changes of an object go away in the same step in which `synced` becomes the tree that
//         contains them; the meta dnode follows, and until then the object stays in memory: no
//         reader finds an older state than one before.
//   INV-4 Whoever gets a changed block to read (a loan) finds it unchanged for as long as he has
//         it: a change meanwhile goes to a copy.
//   INV-5 An object number is given out again only after the txg that freed it is synced, so one
//         txg never both frees and makes an object that was on disk.
//
// Concurrency. Any thread; changes are held against syncing by the hold of their txg. Locks: that
// of giving out numbers, an object's, that of the set, in this order. No read from a device is made
// under an object's lock: a change that needs a block from disk reads it first, and looks again
// under the lock whether it still is the newest. A reader that had old pointers in its hand while
// the sync gave up their blocks may find something else there: its read fails by the checksum, and
// it tries again with the new ones.
//
// A crash leaves nothing of what is here: the pool is as of the last synced txg.
//
// Failure. A change that fails has changed nothing. A sync that fails leaves the object set
// unusable.
//
// Cost. Memory: dirty blocks, told to the DirtyMeter; at most three versions of a block. Sync: in
// proportion to what is dirty, with indirect blocks in batches of bounded size.
//
// Sources: OpenZFS module/zfs/{dnode,dnode_sync,dbuf,dmu,dmu_object,dmu_objset}.c.

#include "object/live_object_set.h"

#include "object/detail/dnode_codec.h"
#include "object/detail/live_set.h"
#include "object/detail/object_set_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <ranges>

namespace millpond::object {

using detail::BlockPlace;
using detail::Changes;
using detail::DirtyBlock;
using detail::DirtyBlockRef;
using detail::LiveObject;
using detail::LiveObjectRef;
using format::BlockPointer;

namespace {

/// What a changed object counts for beside its blocks.
constexpr std::uint64_t kObjectCharge = 1024;
/// Readers overtaken by that many syncs give up.
constexpr int kRetries = 16;
/// Of file systems and volumes: enough for every object number, so that it never changes.
constexpr std::uint8_t kMetaLevels = 6;
constexpr std::size_t kSpillPointerBytes = BlockPointer::kBytes;

bool isSpecial(ObjectId id)
{
    return id == format::kUserUsedObject || id == format::kGroupUsedObject ||
           id == format::kProjectUsedObject;
}

std::size_t dnodeBytes(std::uint8_t slots)
{
    return std::size_t{slots} * format::kDnodeSlotBytes;
}

std::unexpected<Error> bad(std::string what, ObjectId id)
{
    return fail(ErrorCode::InvalidArgument, std::move(what), {.object = id});
}

std::shared_ptr<const Dnode> newMetaDnode(ObjsetId id, bool isMos)
{
    auto meta = std::make_shared<Dnode>();
    meta->objset = id;
    meta->id = format::kMetaDnodeObject;
    meta->type = format::number(format::ObjectType::Dnode);
    meta->levels = isMos ? 1 : kMetaLevels;
    meta->indirectShift = format::kMaxIndirectShift;
    meta->dataBlockBytes = format::kDnodeBlockBytes;
    meta->pointers.resize(format::kMaxDnodePointers);
    return meta;
}

} // namespace

// --- The set in memory ---

void LiveObjectSet::Live::keep(const LiveObjectRef& object)
{
    objects.insert_or_assign(object->id.value(), object);
    clean.push_back(object->id.value());
    trim();
}

void LiveObjectSet::Live::trim()
{
    while (clean.size() > options.cleanObjects) {
        const auto found = objects.find(clean.front());
        clean.pop_front();
        if (found != objects.end() && found->second->dirty == 0 && !isSpecial(found->second->id)) {
            found->second->evicted = true;
            objects.erase(found);
        }
    }
}

void LiveObjectSet::Live::charge(Changes& changes, std::uint64_t bytes)
{
    changes.bytes += bytes;
    dirtyBytes += bytes;
    if (options.meter != nullptr) {
        options.meter->dirtied(changes.txg, ByteCount(bytes));
    }
}

void LiveObjectSet::Live::discharge(Changes& changes, std::uint64_t bytes)
{
    changes.bytes -= bytes;
    dirtyBytes -= bytes;
    if (options.meter != nullptr) {
        options.meter->cleaned(changes.txg, ByteCount(bytes));
    }
}

void LiveObjectSet::Live::replaceSpill(Changes& changes, DirtyBlockRef spill)
{
    if (changes.spill != nullptr) {
        discharge(changes, changes.spill->data.size());
    }
    if (spill != nullptr) {
        charge(changes, spill->data.size());
    }
    changes.spill = std::move(spill);
    changes.spillChanged = true;
}

LiveObjectSet::LiveObjectSet(std::unique_ptr<Parts> parts, std::unique_ptr<Live> live)
    : ObjectSet(std::move(parts))
    , m_live(std::move(live))
{
}

LiveObjectSet::~LiveObjectSet() = default;

Result<std::shared_ptr<LiveObjectSet>> LiveObjectSet::open(block::BlockSource& source,
                                                           const BlockPointer& root,
                                                           ObjsetId id,
                                                           const LiveOptions& options,
                                                           const ReadContext& context)
{
    std::unique_ptr<Parts> parts = MP_TRY(load(source, root, id, context));
    auto live = std::make_unique<Live>();
    live->options = options;
    {
        const MutexLock lock(live->mutex);
        live->meta = parts->meta;
        live->root = root;
        live->intentLog = parts->header.intentLog;
        live->flags = parts->header.flags;
        for (const DnodeRef& special : {parts->userUsed, parts->groupUsed, parts->projectUsed}) {
            if (special != nullptr) {
                auto object = std::make_shared<LiveObject>(special->id);
                object->synced = special;
                live->objects.emplace(special->id.value(), std::move(object));
            }
        }
    }
    return std::shared_ptr<LiveObjectSet>(new LiveObjectSet(std::move(parts), std::move(live)));
}

Result<std::shared_ptr<LiveObjectSet>> LiveObjectSet::create(block::BlockSource& source,
                                                             ObjsetId id,
                                                             const NewObjectSet& spec,
                                                             Txg txg,
                                                             const LiveOptions& options)
{
    if (spec.type == format::ObjsetType::None || spec.type >= format::ObjsetType::Any ||
        (spec.headerBytes != format::ObjsetPhys::kBytesV1 &&
         spec.headerBytes != format::ObjsetPhys::kBytesV2 &&
         spec.headerBytes != format::ObjsetPhys::kBytesV3)) {
        return fail(ErrorCode::InvalidArgument, "no such kind of object set", {.objset = id});
    }
    auto parts = std::make_unique<Parts>();
    parts->source = &source;
    parts->id = id;
    parts->header.type = spec.type;
    parts->header.flags = spec.flags;
    parts->header.sizeBytes = spec.headerBytes;
    parts->meta = newMetaDnode(id, spec.type == format::ObjsetType::Meta);
    auto live = std::make_unique<Live>();
    live->options = options;
    {
        const MutexLock lock(live->mutex);
        live->meta = parts->meta;
        live->flags = spec.flags;
        live->marked.insert(txg.value());
    }
    return std::shared_ptr<LiveObjectSet>(new LiveObjectSet(std::move(parts), std::move(live)));
}

// --- Finding objects ---

Result<DnodeRef>
LiveObjectSet::readDnode(const Dnode& meta, ObjectId id, const ReadContext& context)
{
    const std::uint64_t perBlock = meta.dataBlockBytes / format::kDnodeSlotBytes;
    const Block block =
        MP_TRY(ObjectSet::readBlock(meta, BlockIndex(id.value() / perBlock), context));
    if (block.data == nullptr) {
        return detail::noSuchObject(d->id, id, "not allocated");
    }
    return detail::dnodeInBlock(block.data->bytes(), block.order, d->id, id);
}

Result<LiveObjectRef> LiveObjectSet::get(ObjectId id, const ReadContext& context)
{
    for (int attempt = 0;; ++attempt) {
        DnodeRef meta;
        std::uint64_t version = 0;
        {
            const MutexLock lock(m_live->mutex);
            if (const auto found = m_live->objects.find(id.value());
                found != m_live->objects.end()) {
                return found->second;
            }
            meta = m_live->meta;
            version = m_live->metaVersion;
        }
        if (id.value() == 0 || id.value() >= format::kMaxObjects) {
            return detail::noSuchObject(d->id, id, "no object has such a number");
        }
        Result<DnodeRef> dnode = readDnode(*meta, id, context);
        const MutexLock lock(m_live->mutex);
        if (version != m_live->metaVersion && attempt < kRetries) {
            continue;
        }
        if (!dnode) {
            return std::unexpected(std::move(dnode).error());
        }
        if (const auto found = m_live->objects.find(id.value()); found != m_live->objects.end()) {
            return found->second;
        }
        auto object = std::make_shared<LiveObject>(id);
        object->synced = std::move(*dnode);
        m_live->keep(object);
        return object;
    }
}

// --- Changing: what all operations share ---

/// The object's changes of `txg`, whose lock the caller holds; null when it has left memory
/// meanwhile and must be looked up again.
Result<Changes*> LiveObjectSet::begin(const LiveObjectRef& object, Txg txg)
{
    const Dnode* newest = object->newest();
    if (newest == nullptr) {
        return detail::noSuchObject(d->id, object->id, "freed");
    }
    if (!object->changes.empty()) {
        Changes& last = *object->changes.back();
        if (last.txg == txg) {
            return &last;
        }
        if (last.txg > txg) {
            return bad(fmt::format(
                           "a change in txg {} after one in txg {}", txg.value(), last.txg.value()),
                       object->id);
        }
    }
    {
        const MutexLock lock(m_live->mutex);
        if (object->evicted) {
            return nullptr;
        }
        ++object->dirty;
        m_live->dirty[txg.value()].push_back(object);
    }
    object->changes.push_back(std::make_unique<Changes>(txg, *newest));
    m_live->charge(*object->changes.back(), kObjectCharge);
    return object->changes.back().get();
}

/// Calls `apply` with the object's lock held, when the blocks that `needs` asks for are in memory
/// or loaded.
Status LiveObjectSet::change(
    Txg txg, ObjectId id, const ReadContext& context, Needs needs, const Apply& apply)
{
    LoadedBlocks loaded;
    for (int attempt = 0;; ++attempt) {
        const LiveObjectRef object = MP_TRY(get(id, context));
        DnodeRef synced;
        std::vector<std::uint64_t> missing;
        {
            const MutexLock lock(object->mutex);
            const Dnode* newest = object->newest();
            if (newest == nullptr) {
                return detail::noSuchObject(d->id, id, "freed");
            }
            const std::vector<std::uint64_t> needed = MP_TRY(needs(*newest));
            const bool current = loaded.object == object.get() && loaded.version == object->version;
            for (const std::uint64_t index : needed) {
                if (object->place(index).kind == BlockPlace::Kind::Disk &&
                    !(current && loaded.find(index) != nullptr)) {
                    missing.push_back(index);
                }
            }
            if (missing.empty()) {
                Changes* changes = MP_TRY(begin(object, txg));
                if (changes != nullptr) {
                    return apply(*object, *changes, loaded);
                }
                continue;
            }
            synced = object->synced;
            loaded = {object.get(), object->version, {}};
        }
        for (const std::uint64_t index : missing) {
            Result<Block> block = ObjectSet::readBlock(*synced, BlockIndex(index), context);
            if (!block) {
                const MutexLock lock(object->mutex);
                if (object->version != loaded.version && attempt < kRetries) {
                    break;
                }
                return std::unexpected(std::move(block).error());
            }
            loaded.blocks.emplace_back(index, std::move(*block));
        }
    }
}

Status LiveObjectSet::changeState(Txg txg,
                                  ObjectId id,
                                  const ReadContext& context,
                                  FunctionRef<Status(Dnode&)> apply)
{
    return change(txg,
                  id,
                  context,
                  kNoBlocks,
                  [&](LiveObject& object, Changes& changes, const LoadedBlocks&) {
                      object.snapshot = nullptr;
                      return apply(changes.state);
                  });
}

/// The block's content as of the changes' txg. The object grows when it is behind the end.
void LiveObjectSet::put(LiveObject& object,
                        Changes& changes,
                        std::uint64_t index,
                        DirtyBlockRef block)
{
    DirtyBlockRef& place = changes.blocks[index];
    if (place != nullptr) {
        m_live->discharge(changes, place->data.size());
    }
    m_live->charge(changes, block->data.size());
    place = std::move(block);
    if (index > changes.state.maxBlockId) {
        changes.state.maxBlockId = index;
        object.snapshot = nullptr;
    }
}

/// The block as of the changes' txg, to be changed in place. Appends it when it is behind the end.
Result<DirtyBlockRef> LiveObjectSet::editable(LiveObject& object,
                                              Changes& changes,
                                              std::uint64_t index,
                                              const LoadedBlocks& loaded)
{
    if (const auto found = changes.blocks.find(index); found != changes.blocks.end()) {
        DirtyBlockRef& block = found->second;
        if (block->loans.load(std::memory_order_acquire) != 0) {
            block = MP_TRY(DirtyBlock::copyOf(block->data.bytes(), block->order));
        }
        return block;
    }
    DirtyBlockRef made;
    const BlockPlace place = object.place(index);
    const Block* onDisk = nullptr;
    if (place.kind == BlockPlace::Kind::Disk) {
        onDisk = loaded.find(index);
        MP_CHECK(onDisk != nullptr);
    }
    if (place.kind == BlockPlace::Kind::Memory) {
        made = MP_TRY(DirtyBlock::copyOf(place.block->data.bytes(), place.block->order));
    } else if (onDisk != nullptr && onDisk->data != nullptr &&
               onDisk->data->size() == changes.state.dataBlockBytes) {
        made = MP_TRY(DirtyBlock::copyOf(onDisk->data->bytes(), onDisk->order));
    } else {
        made = MP_TRY(DirtyBlock::zeroed(changes.state.dataBlockBytes));
    }
    put(object, changes, index, made);
    return made;
}

namespace {

/// Refuses blocks that can't be: behind one whose size is no power of two, or past all addresses.
Status checkAppend(const Dnode& dnode, std::uint64_t lastBlock)
{
    if (lastBlock != 0 && !std::has_single_bit(dnode.dataBlockBytes)) {
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("a second block of {} bytes", dnode.dataBlockBytes),
                    {.objset = dnode.objset, .object = dnode.id});
    }
    std::uint64_t end = 0;
    if (!checkedAdd(lastBlock, 1, end) || !checkedMultiply(end, dnode.dataBlockBytes, end)) {
        return fail(ErrorCode::TooLarge,
                    fmt::format("block {}", lastBlock),
                    {.objset = dnode.objset, .object = dnode.id});
    }
    return {};
}

} // namespace

// --- Content ---

Status LiveObjectSet::write(
    Txg txg, ObjectId id, ByteOffset offset, Bytes data, const ReadContext& context)
{
    if (data.empty()) {
        return {};
    }
    std::uint64_t end = 0;
    if (!checkedAdd(offset.value(), data.size(), end)) {
        return fail(ErrorCode::TooLarge, "a range past the end of the address space");
    }
    const auto needs = [&](const Dnode& dnode) -> Result<std::vector<std::uint64_t>> {
        const std::uint64_t size = dnode.dataBlockBytes;
        MP_TRY(checkAppend(dnode, (end - 1) / size));
        std::vector<std::uint64_t> partial;
        if (offset.value() % size != 0 || end / size == offset.value() / size) {
            partial.push_back(offset.value() / size);
        }
        if (end % size != 0 && (partial.empty() || partial.front() != end / size)) {
            partial.push_back(end / size);
        }
        return partial;
    };
    return change(
        txg,
        id,
        context,
        needs,
        [&](LiveObject& object, Changes& changes, const LoadedBlocks& loaded) -> Status {
            const std::uint64_t size = changes.state.dataBlockBytes;
            for (std::uint64_t at = offset.value(); at < end;) {
                const std::uint64_t index = at / size;
                const std::size_t count =
                    static_cast<std::size_t>(std::min(size - at % size, end - at));
                const Bytes from = data.subspan(at - offset.value(), count);
                if (count == size) {
                    put(object, changes, index, MP_TRY(DirtyBlock::copyOf(from, kHostOrder)));
                } else {
                    const DirtyBlockRef block = MP_TRY(editable(object, changes, index, loaded));
                    std::memcpy(block->data.bytes().data() + at % size, from.data(), count);
                }
                at += count;
            }
            return {};
        });
}

Status LiveObjectSet::modifyBlock(
    Txg txg, ObjectId id, BlockIndex index, Edit edit, const ReadContext& context)
{
    return change(
        txg,
        id,
        context,
        [&](const Dnode& dnode) -> Result<std::vector<std::uint64_t>> {
            MP_TRY(checkAppend(dnode, index.value()));
            return std::vector{index.value()};
        },
        [&](LiveObject& object, Changes& changes, const LoadedBlocks& loaded) -> Status {
            const DirtyBlockRef block = MP_TRY(editable(object, changes, index.value(), loaded));
            return edit(block->data.bytes(), block->order);
        });
}

Status LiveObjectSet::replaceBlock(
    Txg txg, ObjectId id, BlockIndex index, Buffer data, const ReadContext& context)
{
    auto block = std::make_shared<DirtyBlock>();
    block->data = std::move(data);
    block->order = kHostOrder;
    return change(
        txg,
        id,
        context,
        [&](const Dnode& dnode) -> Result<std::vector<std::uint64_t>> {
            MP_TRY(checkAppend(dnode, index.value()));
            if (block->data.size() != dnode.dataBlockBytes) {
                return bad(fmt::format("{} bytes for a block of {}",
                                       block->data.size(),
                                       dnode.dataBlockBytes),
                           id);
            }
            return std::vector<std::uint64_t>();
        },
        [&](LiveObject& object, Changes& changes, const LoadedBlocks&) -> Status {
            put(object, changes, index.value(), block);
            return {};
        });
}

/// Zeroes from..to-1 of one block, unless it is a hole.
Status LiveObjectSet::zeroPart(LiveObject& object,
                               Changes& changes,
                               const LoadedBlocks& loaded,
                               std::uint64_t from,
                               std::uint64_t to)
{
    const std::uint64_t size = changes.state.dataBlockBytes;
    const std::uint64_t index = from / size;
    const BlockPlace place = object.place(index);
    if (place.kind == BlockPlace::Kind::Hole ||
        (place.kind == BlockPlace::Kind::Disk && loaded.find(index)->data == nullptr)) {
        return {};
    }
    const DirtyBlockRef block = MP_TRY(editable(object, changes, index, loaded));
    std::ranges::fill(block->data.bytes().subspan(from % size, to - from), std::byte{0});
    return {};
}

Status LiveObjectSet::freeRange(
    Txg txg, ObjectId id, ByteOffset offset, ByteCount length, const ReadContext& context)
{
    struct Range
    {
        std::uint64_t start = 0;
        std::uint64_t end = 0;
        std::uint64_t size = 1;
        bool toEnd = false; ///< all blocks to the last one
    };

    const auto rangeOf = [&](const Dnode& dnode) {
        Range range;
        range.size = dnode.dataBlockBytes;
        const std::uint64_t limit = (dnode.maxBlockId + 1) * range.size;
        range.start = std::min(offset.value(), limit);
        if (!checkedAdd(offset.value(), length.value(), range.end) || range.end >= limit) {
            range.end = limit;
            range.toEnd = true;
        }
        return range;
    };
    return change(
        txg,
        id,
        context,
        [&](const Dnode& dnode) -> Result<std::vector<std::uint64_t>> {
            const Range range = rangeOf(dnode);
            std::vector<std::uint64_t> partial;
            if (range.start == range.end) {
                return partial;
            }
            if (range.start % range.size != 0) {
                partial.push_back(range.start / range.size);
            }
            if (range.end % range.size != 0) {
                partial.push_back(range.end / range.size);
            }
            return partial;
        },
        [&](LiveObject& object, Changes& changes, const LoadedBlocks& loaded) -> Status {
            const Range range = rangeOf(changes.state);
            if (range.start == range.end) {
                return {};
            }
            std::uint64_t first = range.start / range.size;
            if (range.start % range.size != 0) {
                ++first;
                MP_TRY(zeroPart(
                    object, changes, loaded, range.start, std::min(range.end, first * range.size)));
            }
            const std::uint64_t behind = range.end / range.size; // whole blocks: first..behind-1
            if (range.end % range.size != 0 && behind >= first) {
                MP_TRY(zeroPart(object, changes, loaded, behind * range.size, range.end));
            }
            if (behind <= first) {
                return {};
            }
            auto gone = changes.blocks.lower_bound(first);
            while (gone != changes.blocks.end() && gone->first < behind) {
                m_live->discharge(changes, gone->second->data.size());
                gone = changes.blocks.erase(gone);
            }
            changes.holes.add(first, behind - 1);
            if (range.toEnd) {
                changes.state.maxBlockId = first == 0 ? 0 : first - 1;
                object.snapshot = nullptr;
            }
            return {};
        });
}

Status
LiveObjectSet::setBlockSize(Txg txg, ObjectId id, std::uint32_t bytes, const ReadContext& context)
{
    if (bytes == 0 || bytes % format::kSectorBytes != 0 || bytes > format::kMaxBlockBytes) {
        return bad(fmt::format("blocks of {} bytes", bytes), id);
    }
    return change(
        txg,
        id,
        context,
        [&](const Dnode& dnode) -> Result<std::vector<std::uint64_t>> {
            if (dnode.maxBlockId != 0) {
                return bad("another block size for an object of several blocks", id);
            }
            return std::vector<std::uint64_t>{0};
        },
        [&](LiveObject& object, Changes& changes, const LoadedBlocks& loaded) -> Status {
            if (changes.state.dataBlockBytes == bytes) {
                return {};
            }
            const BlockPlace place = object.place(0);
            const bool hole =
                place.kind == BlockPlace::Kind::Hole ||
                (place.kind == BlockPlace::Kind::Disk && loaded.find(0)->data == nullptr);
            if (!hole) {
                const DirtyBlockRef before = MP_TRY(editable(object, changes, 0, loaded));
                DirtyBlockRef after = MP_TRY(DirtyBlock::zeroed(bytes));
                after->order = before->order;
                std::memcpy(after->data.bytes().data(),
                            before->data.bytes().data(),
                            std::min(before->data.size(), after->data.size()));
                put(object, changes, 0, std::move(after));
            }
            changes.state.dataBlockBytes = bytes;
            object.snapshot = nullptr;
            return {};
        });
}

Status LiveObjectSet::setIndirectShift(Txg txg, ObjectId id, std::uint8_t shift)
{
    if (shift < format::kMinIndirectShift || shift > format::kMaxIndirectShift) {
        return bad(fmt::format("indirect blocks of 2^{} bytes", shift), id);
    }
    return change(txg,
                  id,
                  {},
                  kNoBlocks,
                  [&](LiveObject& object, Changes& changes, const LoadedBlocks&) -> Status {
                      const bool flat = object.synced == nullptr || object.synced->levels == 1;
                      if (!flat || changes.state.maxBlockId >= changes.state.pointers.size()) {
                          return bad("other indirect blocks for an object that has some", id);
                      }
                      changes.state.indirectShift = shift;
                      object.snapshot = nullptr;
                      return {};
                  });
}

std::size_t LiveObjectSet::bonusRoom(const Dnode& dnode, bool withSpill)
{
    const std::size_t taken = format::kDnodeHeaderBytes +
                              dnode.pointers.size() * BlockPointer::kBytes +
                              (withSpill ? kSpillPointerBytes : 0);
    const std::size_t all = dnodeBytes(dnode.slots);
    return all > taken ? all - taken : 0;
}

Status LiveObjectSet::setBonus(
    Txg txg, ObjectId id, std::uint8_t bonusType, Bytes bonus, const ReadContext& context)
{
    if (!format::isValidObjectType(bonusType)) {
        return bad(fmt::format("a bonus of type {}", bonusType), id);
    }
    return changeState(txg, id, context, [&](Dnode& state) -> Status {
        if (bonus.size() > bonusRoom(state, state.spill.has_value())) {
            return bad(fmt::format("a bonus of {} bytes", bonus.size()), id);
        }
        state.bonusType = bonusType;
        state.bonus.assign(bonus.begin(), bonus.end());
        return {};
    });
}

Status LiveObjectSet::setSpill(Txg txg, ObjectId id, Bytes content, const ReadContext& context)
{
    if (content.empty() || content.size() > format::kMaxBlockBytes) {
        return bad(fmt::format("a spill block of {} bytes", content.size()), id);
    }
    DirtyBlockRef block = MP_TRY(DirtyBlock::zeroed(alignUp(content.size(), format::kSectorBytes)));
    std::ranges::copy(content, block->data.bytes().begin());
    return change(
        txg,
        id,
        context,
        [&](const Dnode& dnode) -> Result<std::vector<std::uint64_t>> {
            if (dnode.bonus.size() + kSpillPointerBytes > bonusRoom(dnode, false)) {
                return bad(
                    fmt::format("a bonus of {} bytes beside a spill block", dnode.bonus.size()),
                    id);
            }
            return std::vector<std::uint64_t>();
        },
        [&](LiveObject& object, Changes& changes, const LoadedBlocks&) -> Status {
            m_live->replaceSpill(changes, block);
            changes.state.spill = BlockPointer{};
            object.snapshot = nullptr;
            return {};
        });
}

Status LiveObjectSet::removeSpill(Txg txg, ObjectId id, const ReadContext& context)
{
    return change(txg,
                  id,
                  context,
                  kNoBlocks,
                  [&](LiveObject& object, Changes& changes, const LoadedBlocks&) -> Status {
                      m_live->replaceSpill(changes, nullptr);
                      changes.state.spill.reset();
                      object.snapshot = nullptr;
                      return {};
                  });
}

Status LiveObjectSet::setChecksum(Txg txg, ObjectId id, std::uint8_t checksum)
{
    return changeState(txg, id, {}, [&](Dnode& state) -> Status {
        state.checksum = checksum;
        return {};
    });
}

Status LiveObjectSet::setCompression(Txg txg, ObjectId id, std::uint8_t compression)
{
    return changeState(txg, id, {}, [&](Dnode& state) -> Status {
        state.compression = compression;
        return {};
    });
}

Status LiveObjectSet::setType(Txg txg, ObjectId id, std::uint8_t type)
{
    if (!format::isValidObjectType(type) || type == 0) {
        return bad(fmt::format("an object of type {}", type), id);
    }
    return changeState(txg, id, {}, [&](Dnode& state) -> Status {
        state.type = type;
        return {};
    });
}

bool LiveObjectSet::isDirty(ObjectId id) const
{
    const MutexLock lock(m_live->mutex);
    const auto found = m_live->objects.find(id.value());
    return found != m_live->objects.end() && found->second->dirty != 0;
}

// --- The object set as a whole ---

bool LiveObjectSet::isDirty(Txg txg) const
{
    const MutexLock lock(m_live->mutex);
    return (!m_live->dirty.empty() && m_live->dirty.begin()->first <= txg.value()) ||
           (!m_live->marked.empty() && *m_live->marked.begin() <= txg.value());
}

void LiveObjectSet::markDirty(Txg txg)
{
    const MutexLock lock(m_live->mutex);
    m_live->marked.insert(txg.value());
}

BlockPointer LiveObjectSet::root() const
{
    const MutexLock lock(m_live->mutex);
    return m_live->root;
}

void LiveObjectSet::setIntentLog(Txg txg, const format::ZilHeader& header)
{
    const MutexLock lock(m_live->mutex);
    m_live->intentLog = header;
    m_live->marked.insert(txg.value());
}

format::ZilHeader LiveObjectSet::intentLog() const
{
    const MutexLock lock(m_live->mutex);
    return m_live->intentLog;
}

void LiveObjectSet::setFlags(Txg txg, std::uint64_t flags)
{
    const MutexLock lock(m_live->mutex);
    m_live->flags = flags;
    m_live->marked.insert(txg.value());
}

std::uint64_t LiveObjectSet::flags() const
{
    const MutexLock lock(m_live->mutex);
    return m_live->flags;
}

ByteCount LiveObjectSet::dirtyBytes() const
{
    return ByteCount(m_live->dirtyBytes.load());
}

// --- Reading ---

Result<DnodeRef> LiveObjectSet::dnode(ObjectId id, const ReadContext& context)
{
    if (id == format::kMetaDnodeObject) {
        return metaDnode();
    }
    const LiveObjectRef object = MP_TRY(get(id, context));
    const MutexLock lock(object->mutex);
    DnodeRef snapshot = object->takeSnapshot();
    if (snapshot == nullptr) {
        return detail::noSuchObject(d->id, id, "freed");
    }
    return snapshot;
}

Result<std::optional<ObjectId>> LiveObjectSet::nextObject(ObjectId after,
                                                          const ReadContext& context)
{
    for (int attempt = 0;; ++attempt) {
        DnodeRef meta;
        std::uint64_t version = 0;
        std::vector<LiveObjectRef> unsynced;
        {
            const MutexLock lock(m_live->mutex);
            meta = m_live->meta;
            version = m_live->metaVersion;
            for (auto at = m_live->fresh.upper_bound(after.value()); at != m_live->fresh.end();
                 ++at) {
                const auto found = m_live->objects.find(*at);
                if (found != m_live->objects.end()) {
                    unsynced.push_back(found->second);
                    break;
                }
            }
        }
        const Result<std::optional<ObjectId>> onDisk = nextObjectIn(*meta, after, context);
        if (!onDisk) {
            const MutexLock lock(m_live->mutex);
            if (version != m_live->metaVersion && attempt < kRetries) {
                continue;
            }
            return onDisk;
        }
        std::optional<ObjectId> next = *onDisk;
        if (!unsynced.empty() && (!next || unsynced.front()->id < *next)) {
            next = unsynced.front()->id;
        }
        if (!next) {
            return next;
        }
        const Result<DnodeRef> exists = dnode(*next, context);
        if (exists) {
            return next;
        }
        if (!exists.error().is(ErrorCode::NoSuchObject)) {
            return std::unexpected(exists.error());
        }
        after = *next; // freed, not synced yet
        attempt = 0;
    }
}

DnodeRef LiveObjectSet::metaDnode() const
{
    const MutexLock lock(m_live->mutex);
    return m_live->meta;
}

DnodeRef LiveObjectSet::specialDnode(ObjectId id) const
{
    LiveObjectRef object;
    {
        const MutexLock lock(m_live->mutex);
        const auto found = m_live->objects.find(id.value());
        if (found == m_live->objects.end()) {
            return nullptr;
        }
        object = found->second;
    }
    const MutexLock lock(object->mutex);
    return object->takeSnapshot();
}

DnodeRef LiveObjectSet::userUsedDnode() const
{
    return specialDnode(format::kUserUsedObject);
}

DnodeRef LiveObjectSet::groupUsedDnode() const
{
    return specialDnode(format::kGroupUsedObject);
}

DnodeRef LiveObjectSet::projectUsedDnode() const
{
    return specialDnode(format::kProjectUsedObject);
}

Result<BlockPointer> LiveObjectSet::blockPointer(const Dnode& dnode,
                                                 Level level,
                                                 BlockIndex index,
                                                 const ReadContext& context)
{
    if (dnode.id == format::kMetaDnodeObject) {
        return ObjectSet::blockPointer(*metaDnode(), level, index, context);
    }
    const LiveObjectRef object = MP_TRY(get(dnode.id, context));
    DnodeRef synced;
    {
        const MutexLock lock(object->mutex);
        synced = object->synced;
    }
    return synced == nullptr ? Result<BlockPointer>(BlockPointer{})
                             : ObjectSet::blockPointer(*synced, level, index, context);
}

Result<ObjectSet::Block>
LiveObjectSet::readBlock(const Dnode& dnode, BlockIndex index, const ReadContext& context)
{
    if (dnode.id == format::kMetaDnodeObject) {
        return ObjectSet::readBlock(*metaDnode(), index, context);
    }
    for (int attempt = 0;; ++attempt) {
        const LiveObjectRef object = MP_TRY(get(dnode.id, context));
        DnodeRef synced;
        std::uint64_t version = 0;
        {
            const MutexLock lock(object->mutex);
            if (object->newest() == nullptr) {
                return detail::noSuchObject(d->id, dnode.id, "freed");
            }
            const BlockPlace place = object->place(index.value());
            if (place.kind == BlockPlace::Kind::Hole) {
                return Block{};
            }
            if (place.kind == BlockPlace::Kind::Memory) {
                return Block{detail::lend(place.block), place.block->order};
            }
            synced = object->synced;
            version = object->version;
        }
        Result<Block> block = ObjectSet::readBlock(*synced, index, context);
        if (block || block.error().is(ErrorCode::WouldBlock)) {
            return block;
        }
        if (attempt >= kRetries || !overtaken(*object, version)) {
            return block;
        }
    }
}

Result<ObjectSet::Block> LiveObjectSet::readSpill(const Dnode& dnode, const ReadContext& context)
{
    for (int attempt = 0;; ++attempt) {
        const LiveObjectRef object = MP_TRY(get(dnode.id, context));
        DnodeRef synced;
        std::uint64_t version = 0;
        {
            const MutexLock lock(object->mutex);
            for (const std::unique_ptr<Changes>& change : object->changes | std::views::reverse) {
                if (change->spillChanged) {
                    return change->spill == nullptr
                               ? Block{}
                               : Block{detail::lend(change->spill), change->spill->order};
                }
            }
            synced = object->synced;
            version = object->version;
        }
        if (synced == nullptr) {
            return Block{};
        }
        Result<Block> block = ObjectSet::readSpill(*synced, context);
        if (block || block.error().is(ErrorCode::WouldBlock)) {
            return block;
        }
        if (attempt >= kRetries || !overtaken(*object, version)) {
            return block;
        }
    }
}

Status LiveObjectSet::read(const Dnode& dnode,
                           ByteOffset offset,
                           MutableBytes out,
                           const ReadContext& context)
{
    std::uint64_t end = 0;
    if (!checkedAdd(offset.value(), out.size(), end)) {
        return fail(ErrorCode::InvalidArgument, "a range past the end of the address space");
    }
    bool ahead = context.keep && context.wait == block::Wait::MayBlock;
    for (std::uint64_t at = offset.value(); at < end;) {
        const LiveObjectRef object = MP_TRY(get(dnode.id, context));
        const MutableBytes rest = out.subspan(at - offset.value());
        std::size_t count = 0;
        bool done = false;
        std::uint64_t size = 0;
        {
            const MutexLock lock(object->mutex);
            const Dnode* newest = object->newest();
            if (newest == nullptr) {
                return detail::noSuchObject(d->id, dnode.id, "freed");
            }
            size = newest->dataBlockBytes;
            count =
                static_cast<std::size_t>(std::min<std::uint64_t>(size - at % size, rest.size()));
            const BlockPlace place = object->place(at / size);
            if (place.kind == BlockPlace::Kind::Memory) {
                std::memcpy(rest.data(), place.block->data.bytes().data() + at % size, count);
                done = true;
            } else if (place.kind == BlockPlace::Kind::Hole) {
                std::memset(rest.data(), 0, count);
                done = true;
            }
        }
        if (!done) {
            if (ahead && count < rest.size()) {
                ahead = false;
                prefetch(dnode, {ByteOffset(at + count), ByteCount(rest.size() - count)});
            }
            const Block block = MP_TRY(readBlock(dnode, BlockIndex(at / size), context));
            if (block.data == nullptr) {
                std::memset(rest.data(), 0, count);
            } else if (block.data->size() != size) {
                continue; // resized meanwhile
            } else {
                std::memcpy(rest.data(), block.data->bytes().data() + at % size, count);
            }
        }
        at += count;
    }
    return {};
}

void LiveObjectSet::prefetch(const Dnode& dnode, DataRange range)
{
    const Result<LiveObjectRef> object = get(dnode.id, {.wait = block::Wait::CachedOnly});
    if (!object) {
        return;
    }
    DnodeRef synced;
    {
        const MutexLock lock((*object)->mutex);
        synced = (*object)->synced;
    }
    if (synced != nullptr) {
        ObjectSet::prefetch(*synced, range);
    }
}

namespace {

/// What is known of the blocks from one on without reading.
struct Around
{
    BlockPlace::Kind kind = BlockPlace::Kind::Hole;
    std::optional<std::uint64_t> nextInMemory; ///< behind the block
    std::uint64_t holeEnd = 0;                 ///< of Hole: the next block that may be none
    std::uint64_t untouched = 0;               ///< blocks up to the next one that is changed
    DnodeRef synced;
    std::uint64_t version = 0; ///< of `synced`
    std::uint64_t blockBytes = 0;
    std::uint64_t lastBlock = 0;
};

/// Where a search for data or a hole has come to.
struct Search
{
    ByteOffset offset; ///< where it began
    std::uint64_t blockBytes = 0;
    std::uint64_t block = 0;

    /// A file whose only block has grown meanwhile: from the beginning.
    void adapt(std::uint64_t size)
    {
        if (blockBytes != size) {
            blockBytes = size;
            block = offset.value() / size;
        }
    }

    [[nodiscard]] ByteOffset at(std::uint64_t found) const
    {
        return std::max(offset, ByteOffset(found * blockBytes));
    }
};

/// Nothing when the object has been freed.
std::optional<Around> lookAround(const LiveObject& object, Search& search)
{
    constexpr std::uint64_t kEndless = ~std::uint64_t{0};
    const MutexLock lock(object.mutex);
    const Dnode* newest = object.newest();
    if (newest == nullptr) {
        return std::nullopt;
    }
    Around around;
    around.synced = object.synced;
    around.version = object.version;
    around.blockBytes = newest->dataBlockBytes;
    around.lastBlock = newest->maxBlockId;
    search.adapt(around.blockBytes);
    const std::uint64_t block = search.block;
    around.kind = object.place(block).kind;
    around.holeEnd = block + 1;
    around.untouched = around.lastBlock + 1;
    for (const std::unique_ptr<Changes>& change : object.changes) {
        if (change->holes.contains(block)) {
            around.holeEnd = std::max(around.holeEnd, change->holes.lastOf(block) + 1);
        }
        const auto next = change->blocks.upper_bound(block);
        if (next != change->blocks.end() &&
            (!around.nextInMemory || next->first < *around.nextInMemory)) {
            around.nextInMemory = next->first;
        }
        const auto& ranges = change->holes.ranges();
        if (const auto hole = ranges.lower_bound(block); hole != ranges.end()) {
            around.untouched = std::min(around.untouched, hole->first);
        }
    }
    const bool nothingOnDisk =
        object.synced == nullptr || around.holeEnd > object.synced->maxBlockId;
    if (nothingOnDisk) {
        around.holeEnd = kEndless;
    }
    if (around.nextInMemory) {
        around.holeEnd = std::min(around.holeEnd, *around.nextInMemory);
        around.untouched = std::min(around.untouched, *around.nextInMemory);
    }
    return around;
}

} // namespace

/// What a synced dnode led to has been given up meanwhile: what failed may be tried again.
bool LiveObjectSet::overtaken(const LiveObject& object, std::uint64_t version) const
{
    {
        const MutexLock lock(object.mutex);
        if (object.version != version) {
            return true;
        }
    }
    const MutexLock lock(m_live->mutex);
    return object.evicted;
}

Result<std::optional<ByteOffset>>
LiveObjectSet::nextData(const Dnode& dnode, ByteOffset offset, const ReadContext& context)
{
    Search search{.offset = offset};
    for (int attempt = 0;;) {
        const LiveObjectRef object = MP_TRY(get(dnode.id, context));
        const std::optional<Around> around = lookAround(*object, search);
        if (!around) {
            return detail::noSuchObject(d->id, dnode.id, "freed");
        }
        if (search.block > around->lastBlock) {
            return std::nullopt;
        }
        if (around->kind == BlockPlace::Kind::Memory) {
            return search.at(search.block);
        }
        if (around->kind == BlockPlace::Kind::Hole) {
            search.block = around->holeEnd;
            continue;
        }
        const std::uint64_t syncedBytes = around->synced->dataBlockBytes;
        const Result<std::optional<ByteOffset>> onDisk =
            ObjectSet::nextData(*around->synced, ByteOffset(search.block * syncedBytes), context);
        if (!onDisk) {
            if (!onDisk.error().is(ErrorCode::WouldBlock) && attempt++ < kRetries &&
                overtaken(*object, around->version)) {
                continue;
            }
            return onDisk;
        }
        std::uint64_t found = *onDisk ? (*onDisk)->value() / syncedBytes : around->lastBlock + 1;
        if (around->nextInMemory) {
            found = std::min(found, *around->nextInMemory);
        }
        if (found == search.block) {
            return search.at(search.block);
        }
        search.block = found;
    }
}

Result<ByteOffset>
LiveObjectSet::nextHole(const Dnode& dnode, ByteOffset offset, const ReadContext& context)
{
    Search search{.offset = offset};
    for (int attempt = 0;;) {
        const LiveObjectRef object = MP_TRY(get(dnode.id, context));
        const std::optional<Around> around = lookAround(*object, search);
        if (!around) {
            return detail::noSuchObject(d->id, dnode.id, "freed");
        }
        if (search.block > around->lastBlock || around->kind == BlockPlace::Kind::Hole) {
            return search.at(std::min(search.block, around->lastBlock + 1));
        }
        if (around->kind == BlockPlace::Kind::Memory) {
            ++search.block;
            continue;
        }
        const std::uint64_t syncedBytes = around->synced->dataBlockBytes;
        const Result<ByteOffset> onDisk =
            ObjectSet::nextHole(*around->synced, ByteOffset(search.block * syncedBytes), context);
        if (!onDisk) {
            if (!onDisk.error().is(ErrorCode::WouldBlock) && attempt++ < kRetries &&
                overtaken(*object, around->version)) {
                continue;
            }
            return onDisk;
        }
        const std::uint64_t found = onDisk->value() / syncedBytes;
        if (found < around->untouched || found == search.block) {
            return search.at(found);
        }
        search.block = std::max(around->untouched, search.block + 1);
    }
}

std::uint32_t recommendedBlockSize(const Dnode& dnode, std::uint64_t end, std::uint32_t recordBytes)
{
    const std::uint32_t now = dnode.dataBlockBytes;
    const bool settled = std::has_single_bit(now) && now >= recordBytes;
    if (dnode.maxBlockId != 0 || end <= now || settled) {
        return now;
    }
    const std::uint64_t most =
        now > recordBytes ? std::bit_ceil(std::uint64_t{now}) : std::uint64_t{recordBytes};
    return static_cast<std::uint32_t>(alignUp(std::min(end, most), format::kSectorBytes));
}

} // namespace millpond::object
