// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/detail/dying_tree.h"

#include "format/objset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

// Sources: OpenZFS module/zfs/dmu_traverse.c (traverse_visitbp, traverse_dnode), zio.c
// (zbookmark_compare, zbookmark_subtree_completed), bptree.c.
//
// A stored place is an object, level 0 and a block: the first that is left. Object 0 is the meta
// dnode: then everything below that block of dnodes is done, but not the block itself. A place with
// object set 0 is the beginning.

namespace millpond::dataset::detail {

using format::BlockPointer;
using format::DnodeView;

namespace {

/// What places in dead object sets carry as their object set.
constexpr std::uint64_t kDeadObjset = ~std::uint64_t{0};
constexpr std::uint64_t kMetaObject = 0;
constexpr std::uint64_t kDnodesPerBlock = format::kDnodeBlockBytes / format::kDnodeSlotBytes;
constexpr unsigned kPointerShift = 7;
constexpr std::uint64_t kSpill = block::kSpillBlock.value();
/// Indirect blocks and blocks of dnodes that are read ahead.
constexpr std::uint64_t kReadAhead = 32;
constexpr block::ReadContext kOnce{.wait = block::Wait::MayBlock, .keep = false};

/// How many blocks of level 0 lie before the end of what is below a block; the largest number if
/// there are too many.
std::uint64_t endBelow(std::uint64_t block, unsigned level, unsigned shift)
{
    const unsigned bits = level * shift;
    const std::uint64_t next = block + 1;
    return bits >= 64 || next > (~std::uint64_t{0} >> bits) ? ~std::uint64_t{0} : next << bits;
}

std::uint64_t firstBelow(std::uint64_t block, unsigned level, unsigned shift)
{
    const unsigned bits = level * shift;
    return bits >= 64 ? 0 : block << bits;
}

/// Places compare as they are come to.
std::pair<std::uint64_t, std::uint64_t> order(const format::BookmarkPosition& position)
{
    if (position.objset != kDeadObjset) {
        return {0, 0};
    }
    if (position.object != kMetaObject) {
        return {position.object, position.block};
    }
    return {position.block * kDnodesPerBlock + kDnodesPerBlock - 1, ~std::uint64_t{0}};
}

} // namespace

bool DyingTree::isOld(const BlockPointer& pointer) const
{
    return pointer.isHole() || pointer.isRedacted() || pointer.birth() <= m_entry.birth;
}

/// Whether all of a place and below it was freed before this run.
bool DyingTree::isDone(const Place& place) const
{
    if (m_start.objset != kDeadObjset) {
        return false;
    }
    const bool inDnodes = m_start.object == kMetaObject;
    const std::uint64_t object = inDnodes ? m_start.block * kDnodesPerBlock : m_start.object;
    const std::uint64_t end = endBelow(place.block, place.level, place.indirectShift);
    if (place.object == kMetaObject) {
        // The accounting objects, which have the largest numbers, come after all the others.
        return object >= format::kProjectUsedObject.value() ||
               (end <= ~std::uint64_t{0} / kDnodesPerBlock && end * kDnodesPerBlock <= object);
    }
    if (place.object != object) {
        return place.object < object;
    }
    if (inDnodes) {
        return false;
    }
    return m_start.block == kSpill ? place.block != kSpill : end <= m_start.block;
}

bool DyingTree::stoppedAt(const Place& place) const
{
    return m_start.objset == kDeadObjset && place.level == 0 && place.object == m_start.object &&
           place.block == m_start.block;
}

block::Bookmark DyingTree::bookmark(const Place& place) const
{
    return {ObjsetId(kDeadObjset),
            ObjectId(place.object),
            Level(static_cast<std::uint8_t>(place.level)),
            BlockIndex(place.block)};
}

DyingTree::Outcome DyingTree::paused(const Place& place)
{
    m_entry.position = {kDeadObjset, place.object, 0, place.block};
    return Outcome::Paused;
}

/// Nothing below the place was done in this run. What stands for that is never a place in the meta
/// dnode, which would say the opposite: the first object there does. Where the run began, above
/// that is no way back: a block that can't be read now could be when what was below it was freed.
DyingTree::Outcome DyingTree::damaged(const Place& place, Error error)
{
    m_damage = std::move(error);
    const std::uint64_t first = firstBelow(place.block, place.level, place.indirectShift);
    format::BookmarkPosition position;
    if (place.object != kMetaObject) {
        position = {kDeadObjset, place.object, 0, place.block == kSpill ? kSpill : first};
    } else if (first != 0) {
        position = {kDeadObjset, first * kDnodesPerBlock, 0, 0};
    }
    if (order(position) > order(m_start)) {
        m_entry.position = position;
    }
    return Outcome::Damaged;
}

Result<DyingTree::Outcome> DyingTree::run(Visit visit)
{
    m_visit.emplace(visit);
    if (isOld(m_entry.pointer)) {
        return Outcome::Done;
    }
    return root();
}

Result<DyingTree::Outcome> DyingTree::root()
{
    const Place beginning{.object = kMetaObject};
    const BlockPointer& pointer = m_entry.pointer;
    const auto block = m_source.read(
        pointer, {ObjsetId(kDeadObjset), ObjectId(), block::kRootLevel, BlockIndex()}, kOnce);
    if (!block) {
        return damaged(beginning, block.error());
    }
    const auto objset = format::ObjsetPhys::decode((*block)->bytes(), pointer.byteOrder());
    if (!objset) {
        return damaged(beginning, objset.error());
    }
    std::size_t slots = 0;
    Outcome outcome = MP_TRY(dnode(objset->metaDnode, objset->order, kMetaObject, slots));
    const std::array accounting{std::pair(format::kProjectUsedObject, &objset->projectUsedDnode),
                                std::pair(format::kGroupUsedObject, &objset->groupUsedDnode),
                                std::pair(format::kUserUsedObject, &objset->userUsedDnode)};
    for (const auto& [object, bytes] : accounting) {
        if (outcome == Outcome::Done && bytes->has_value()) {
            outcome = MP_TRY(dnode(**bytes, objset->order, object.value(), slots));
        }
    }
    if (outcome == Outcome::Done) {
        MP_TRY((*m_visit)(pointer, false));
    }
    return outcome;
}

/// `slots`: how many the dnode takes.
Result<DyingTree::Outcome> // NOLINTNEXTLINE(misc-no-recursion): the meta dnode, then its dnodes
DyingTree::dnode(Bytes bytes, ByteOrder order, std::uint64_t object, std::size_t& slots)
{
    slots = 1;
    if (DnodeView::isFree(bytes)) {
        return Outcome::Done;
    }
    const auto view = DnodeView::create(bytes, order);
    Place place{.object = object};
    if (!view) {
        return damaged(place, view.error());
    }
    slots = view->slots();
    if (object != kMetaObject && m_start.objset == kDeadObjset && object < m_start.object) {
        return Outcome::Done;
    }
    place.level = view->header().levels - 1U;
    place.indirectShift = view->header().indirectShift -
                          std::min<unsigned>(kPointerShift, view->header().indirectShift);
    for (std::size_t i = 0; i < view->header().pointerCount; ++i) {
        place.block = i;
        if (const Outcome outcome = MP_TRY(visit(view->pointer(i), place));
            outcome != Outcome::Done) {
            return outcome;
        }
    }
    if (const auto spill = view->spill()) {
        return visit(*spill, {.object = object, .block = kSpill});
    }
    return Outcome::Done;
}

Result<DyingTree::Outcome> // NOLINTNEXTLINE(misc-no-recursion): levels, and see dnode()
DyingTree::visit(const BlockPointer& pointer, const Place& place)
{
    if (isDone(place) || isOld(pointer)) {
        return Outcome::Done;
    }
    if (const Status valid = pointer.validate(); !valid) {
        return damaged(place, valid.error());
    }
    if (pointer.level().value() != place.level) {
        return damaged(place, Error(ErrorCode::BadBlockPointer, "a pointer to another level"));
    }
    const bool leads = place.level > 0 || place.object == kMetaObject;
    if (leads && !stoppedAt(place)) {
        if (const Outcome outcome = MP_TRY(below(pointer, place)); outcome != Outcome::Done) {
            return outcome;
        }
    }
    const bool mayPause = place.level == 0;
    if (!MP_TRY((*m_visit)(pointer, mayPause)) && mayPause) {
        return paused(place);
    }
    return Outcome::Done;
}

Result<DyingTree::Outcome> // NOLINTNEXTLINE(misc-no-recursion): see visit()
DyingTree::below(const BlockPointer& pointer, const Place& place)
{
    const auto block = m_source.read(pointer, bookmark(place), kOnce);
    if (!block) {
        return damaged(place, block.error());
    }
    const Bytes bytes = (*block)->bytes();
    return place.level > 0 ? pointersIn(bytes, pointer.byteOrder(), place)
                           : dnodesIn(bytes, pointer.byteOrder(), place);
}

Result<DyingTree::Outcome> // NOLINTNEXTLINE(misc-no-recursion): see visit()
DyingTree::pointersIn(Bytes bytes, ByteOrder order, const Place& place)
{
    const std::uint64_t count = bytes.size() / BlockPointer::kBytes;
    if (count != std::uint64_t{1} << place.indirectShift) {
        return damaged(
            place,
            Error(ErrorCode::BadDnode, fmt::format("an indirect block of {} bytes", bytes.size())));
    }
    Place child = place;
    --child.level;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (i % kReadAhead == 0) {
            prefetch(bytes, order, place, i);
        }
        child.block = (place.block << place.indirectShift) + i;
        const auto pointer = BlockPointer::at(bytes, i * BlockPointer::kBytes, order);
        if (const Outcome outcome = MP_TRY(visit(pointer, child)); outcome != Outcome::Done) {
            return outcome;
        }
    }
    return Outcome::Done;
}

/// What will have to be read among the next pointers.
void DyingTree::prefetch(Bytes bytes, ByteOrder order, const Place& place, std::uint64_t from) const
{
    Place child = place;
    --child.level;
    if (child.level == 0 && child.object != kMetaObject) {
        return;
    }
    const std::uint64_t count = bytes.size() / BlockPointer::kBytes;
    for (std::uint64_t i = from; i < std::min(count, from + kReadAhead); ++i) {
        child.block = (place.block << place.indirectShift) + i;
        const auto pointer = BlockPointer::at(bytes, i * BlockPointer::kBytes, order);
        if (!isDone(child) && !stoppedAt(child) && !isOld(pointer) && pointer.validate()) {
            m_source.prefetch(pointer, bookmark(child));
        }
    }
}

Result<DyingTree::Outcome> // NOLINTNEXTLINE(misc-no-recursion): see visit()
DyingTree::dnodesIn(Bytes bytes, ByteOrder order, const Place& place)
{
    std::size_t slots = 1;
    for (std::size_t at = 0; at < bytes.size() / format::kDnodeSlotBytes; at += slots) {
        const std::uint64_t object = place.block * kDnodesPerBlock + at;
        if (object == kMetaObject) {
            slots = 1; // no object has this number
            continue;
        }
        if (const Outcome outcome =
                MP_TRY(dnode(bytes.subspan(at * format::kDnodeSlotBytes), order, object, slots));
            outcome != Outcome::Done) {
            return outcome;
        }
    }
    return Outcome::Done;
}

} // namespace millpond::dataset::detail
