// SPDX-License-Identifier: GPL-3.0-or-later
//
// Making and freeing objects. Numbers are given out from one dnode block at a time: blocks in which
// numbers got free come first, then those with room by the counts in the pointers to them, in
// ascending order, then new ones at the end. Slots are in use when their dnode block on disk says
// so, or when an object there is not synced yet. Facts: OpenZFS module/zfs/{dmu_object,dnode}.c.

#include "object/detail/block_tree.h"
#include "object/detail/dnode_codec.h"
#include "object/detail/live_set.h"
#include "object/detail/object_set_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::object {

using detail::Changes;
using detail::LiveObject;
using detail::LiveObjectRef;
using format::BlockPointer;

namespace {

constexpr std::uint8_t kMaxSlots = format::kMaxDnodeBytes / format::kDnodeSlotBytes;

std::unexpected<Error> bad(std::string what)
{
    return fail(ErrorCode::InvalidArgument, std::move(what));
}

/// As many pointers as leave room for the bonus; one where attributes may grow.
std::size_t pointerCount(std::size_t room, const ObjectSpec& spec)
{
    if (spec.bonusType == format::number(format::ObjectType::SystemAttributes)) {
        return 1;
    }
    return std::min<std::size_t>(format::kMaxDnodePointers,
                                 1 + (room - spec.bonus.size()) / BlockPointer::kBytes);
}

std::optional<std::size_t> findFree(const std::vector<bool>& used, std::size_t slots)
{
    std::size_t run = 0;
    for (std::size_t i = 0; i < used.size(); ++i) {
        run = used[i] ? 0 : run + 1;
        if (run == slots) {
            return i + 1 - slots;
        }
    }
    return std::nullopt;
}

} // namespace

Result<Dnode> LiveObjectSet::newDnode(const ObjectSpec& spec) const
{
    Dnode dnode;
    dnode.objset = d->id;
    dnode.type = spec.type;
    dnode.bonusType = spec.bonusType;
    dnode.indirectShift =
        spec.indirectShift == 0 ? m_live->options.indirectShift : spec.indirectShift;
    dnode.slots = spec.slots;
    dnode.checksum = spec.checksum;
    dnode.compression = spec.compression;
    dnode.dataBlockBytes = spec.dataBlockBytes == 0
                               ? static_cast<std::uint32_t>(format::kSectorBytes)
                               : spec.dataBlockBytes;
    if (!format::isValidObjectType(spec.type) || spec.type == 0 ||
        !format::isValidObjectType(spec.bonusType) || spec.slots == 0 || spec.slots > kMaxSlots ||
        dnode.indirectShift < format::kMinIndirectShift ||
        dnode.indirectShift > format::kMaxIndirectShift ||
        dnode.dataBlockBytes % format::kSectorBytes != 0 ||
        dnode.dataBlockBytes > format::kMaxBlockBytes) {
        return bad("an object that can't be");
    }
    const std::size_t room = std::size_t{spec.slots} * format::kDnodeSlotBytes -
                             format::kDnodeHeaderBytes - BlockPointer::kBytes;
    if (spec.bonus.size() > room) {
        return bad(fmt::format("a bonus of {} bytes", spec.bonus.size()));
    }
    dnode.pointers.resize(pointerCount(room, spec));
    dnode.bonus.assign(spec.bonus.begin(), spec.bonus.end());
    return dnode;
}

/// Slots of a dnode block that can't be given out.
Result<std::vector<bool>> LiveObjectSet::slotsInUse(std::uint64_t block, const ReadContext& context)
{
    DnodeRef meta;
    std::vector<std::uint64_t> fresh;
    std::uint64_t first = 0;
    std::size_t perBlock = 0;
    {
        // Before the block is read: what is synced in between is then in both rather than in none.
        const MutexLock lock(m_live->mutex);
        meta = m_live->meta;
        perBlock = meta->dataBlockBytes / format::kDnodeSlotBytes;
        first = block * perBlock;
        fresh.assign(m_live->fresh.lower_bound(first), m_live->fresh.lower_bound(first + perBlock));
    }
    std::vector<bool> used(perBlock, false);
    if (block == 0) {
        used[0] = true; // the number of the meta dnode
    }
    for (const std::uint64_t slot : fresh) {
        used[slot - first] = true;
    }
    // The pointers of an older meta dnode may be stale by the time they are followed.
    for (;;) {
        const Result<Block> content = ObjectSet::readBlock(*meta, BlockIndex(block), context);
        if (!content) {
            const DnodeRef now = metaDnode();
            if (now == meta || content.error().is(ErrorCode::WouldBlock)) {
                return std::unexpected(content.error());
            }
            meta = now;
            continue;
        }
        const Bytes bytes = content->data == nullptr ? Bytes() : content->data->bytes();
        for (std::size_t slot = 0; (slot + 1) * format::kDnodeSlotBytes <= bytes.size();) {
            const std::size_t count = detail::slotsAt(bytes, slot);
            if (!format::DnodeView::isFree(bytes.subspan(slot * format::kDnodeSlotBytes))) {
                for (std::size_t i = slot; i < std::min(slot + count, perBlock); ++i) {
                    used[i] = true;
                }
            }
            slot += count;
        }
        return used;
    }
}

Result<std::uint64_t> LiveObjectSet::nextBlockWithRoom(std::uint64_t from,
                                                       const ReadContext& context)
{
    const DnodeRef meta = metaDnode();
    const std::uint64_t perBlock = meta->dataBlockBytes / format::kDnodeSlotBytes;
    detail::PointerWalker walker(source(), *meta, context);
    while (from <= meta->maxBlockId) {
        const Result<BlockPointer> pointer = walker.pointer(0, from);
        if (!pointer) {
            if (metaDnode() != meta) {
                return from; // overtaken by a sync: look into the block itself
            }
            return std::unexpected(pointer.error());
        }
        if (pointer->isHole() || pointer->fill() < perBlock) {
            break;
        }
        ++from;
    }
    return from;
}

void LiveObjectSet::insertNew(Txg txg, ObjectId id, Dnode dnode)
{
    dnode.id = id;
    auto object = std::make_shared<LiveObject>(id);
    object->changes.push_back(std::make_unique<Changes>(txg, dnode));
    object->changes.back()->allocated = true;
    m_live->charge(*object->changes.back(), format::kDnodeBlockBytes / 16);
    object->dirty = 1;
    const MutexLock lock(m_live->mutex);
    m_live->objects.insert_or_assign(id.value(), object);
    m_live->dirty[txg.value()].push_back(std::move(object));
    if (id.value() < format::kMaxObjects) {
        for (std::uint64_t slot = 0; slot < dnode.slots; ++slot) {
            m_live->fresh.insert(id.value() + slot);
        }
    }
}

Result<ObjectId>
LiveObjectSet::allocateObject(Txg txg, const ObjectSpec& spec, const ReadContext& context)
{
    Dnode dnode = MP_TRY(newDnode(spec));
    const MutexLock lock(m_live->allocMutex);
    for (;;) {
        if (const std::optional<std::size_t> slot = findFree(m_live->usedSlots, spec.slots)) {
            const std::uint64_t id = m_live->block * m_live->usedSlots.size() + *slot;
            if (id >= format::kMaxObjects) {
                return fail(ErrorCode::TooMany, "no object number is left", {.objset = d->id});
            }
            for (std::size_t i = 0; i < spec.slots; ++i) {
                m_live->usedSlots[*slot + i] = true;
            }
            insertNew(txg, ObjectId(id), std::move(dnode));
            return ObjectId(id);
        }
        std::optional<std::uint64_t> block;
        {
            const MutexLock inner(m_live->mutex);
            if (!m_live->room.empty()) {
                block = *m_live->room.begin();
            }
        }
        const bool reused = block.has_value();
        if (!block) {
            block = MP_TRY(nextBlockWithRoom(m_live->nextBlock, context));
        }
        m_live->usedSlots = MP_TRY(slotsInUse(*block, context));
        m_live->block = *block;
        if (!reused) {
            m_live->nextBlock = *block + 1;
        } else {
            const MutexLock inner(m_live->mutex);
            m_live->room.erase(*block);
        }
    }
}

Status
LiveObjectSet::claimObject(Txg txg, ObjectId id, const ObjectSpec& spec, const ReadContext& context)
{
    Dnode dnode = MP_TRY(newDnode(spec));
    const auto taken = [&] {
        return fail(
            ErrorCode::AlreadyExists, "the number is taken", {.objset = d->id, .object = id});
    };
    const MutexLock lock(m_live->allocMutex);
    if (id.value() >= format::kMaxObjects) {
        const bool special = id == format::kUserUsedObject || id == format::kGroupUsedObject ||
                             id == format::kProjectUsedObject;
        if (!special || spec.slots != 1) {
            return bad("no object has such a number");
        }
        if (specialDnode(id) != nullptr) {
            return taken();
        }
        insertNew(txg, id, std::move(dnode));
        return {};
    }
    const std::uint64_t perBlock = metaDnode()->dataBlockBytes / format::kDnodeSlotBytes;
    const std::uint64_t block = id.value() / perBlock;
    const std::uint64_t slot = id.value() % perBlock;
    const std::vector<bool> used = MP_TRY(slotsInUse(block, context));
    if (slot + spec.slots > perBlock) {
        return bad("a dnode that would cross the end of its block");
    }
    for (std::uint64_t i = slot; i < slot + spec.slots; ++i) {
        if (used[i]) {
            return taken();
        }
    }
    if (m_live->block == block && !m_live->usedSlots.empty()) {
        for (std::uint64_t i = slot; i < slot + spec.slots; ++i) {
            m_live->usedSlots[i] = true;
        }
    }
    insertNew(txg, id, std::move(dnode));
    return {};
}

Status LiveObjectSet::freeObject(Txg txg, ObjectId id, const ReadContext& context)
{
    return change(txg,
                  id,
                  context,
                  kNoBlocks,
                  [&](LiveObject& object, Changes& changes, const LoadedBlocks&) -> Status {
                      std::uint64_t bytes =
                          changes.spill == nullptr ? 0 : changes.spill->data.size();
                      for (const auto& [index, block] : changes.blocks) {
                          bytes += block->data.size();
                      }
                      m_live->discharge(changes, bytes);
                      changes.blocks.clear();
                      changes.spill = nullptr;
                      changes.freed = true;
                      object.snapshot = nullptr;
                      return {};
                  });
}

} // namespace millpond::object
