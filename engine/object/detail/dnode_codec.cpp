// SPDX-License-Identifier: GPL-3.0-or-later
#include "object/detail/dnode_codec.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::object::detail {

namespace {

constexpr std::size_t kExtraSlotsOffset = 12; // in a dnode; zero in old pools

Result<DnodeRef> decodeDnode(Bytes bytes, ByteOrder order, ObjsetId objset, ObjectId id)
{
    Result<format::DnodeView> view = format::DnodeView::create(bytes, order);
    if (!view) {
        return fail(std::move(view).error().at({.objset = objset, .object = id}));
    }
    const format::DnodeHeader& header = view->header();
    auto dnode = std::make_shared<Dnode>();
    dnode->id = id;
    dnode->objset = objset;
    dnode->order = order;
    dnode->type = header.type;
    dnode->bonusType = header.bonusType;
    dnode->levels = header.levels;
    dnode->indirectShift = header.indirectShift;
    dnode->flags = header.flags;
    dnode->slots = static_cast<std::uint8_t>(view->slots());
    dnode->checksum = header.checksum;
    dnode->compression = header.compression;
    dnode->dataBlockBytes = static_cast<std::uint32_t>(view->dataBlockSize().value());
    dnode->maxBlockId = header.maxBlockId;
    dnode->usedBytes = view->usedBytes().value();
    for (std::size_t i = 0; i < header.pointerCount; ++i) {
        dnode->pointers.push_back(view->pointer(i));
    }
    dnode->spill = view->spill();
    const Bytes bonus = view->bonus();
    dnode->bonus.assign(bonus.begin(), bonus.end());
    return dnode;
}

/// What INV-1 needs of any dnode; the format's own checks may allow more.
Status checkDnode(const Dnode& dnode)
{
    const bool shiftFits = dnode.indirectShift > 7 && dnode.indirectShift <= 24;
    if (dnode.levels == 0 || dnode.levels > format::kMaxLevels || dnode.dataBlockBytes == 0 ||
        dnode.dataBlockBytes > format::kMaxBlockBytes || (dnode.levels > 1 && !shiftFits)) {
        return fail(ErrorCode::BadDnode,
                    fmt::format("{} levels, data blocks of {} bytes, indirect blocks of 2^{} bytes",
                                dnode.levels,
                                dnode.dataBlockBytes,
                                dnode.indirectShift),
                    {.objset = dnode.objset, .object = dnode.id});
    }
    return {};
}

} // namespace

Result<DnodeRef> makeDnode(Bytes bytes, ByteOrder order, ObjsetId objset, ObjectId id)
{
    DnodeRef dnode = MP_TRY(decodeDnode(bytes, order, objset, id));
    MP_TRY(checkDnode(*dnode));
    return dnode;
}

std::size_t slotsAt(Bytes block, std::size_t slot)
{
    const Bytes here = block.subspan(slot * format::kDnodeSlotBytes);
    if (format::DnodeView::isFree(here)) {
        return 1;
    }
    return std::size_t{1} + std::to_integer<std::size_t>(here[kExtraSlotsOffset]);
}

std::unexpected<Error> noSuchObject(ObjsetId objset, ObjectId id, std::string why)
{
    return fail(ErrorCode::NoSuchObject, std::move(why), {.objset = objset, .object = id});
}

Result<DnodeRef> dnodeInBlock(Bytes block, ByteOrder order, ObjsetId objset, ObjectId id)
{
    const std::size_t perBlock = block.size() / format::kDnodeSlotBytes;
    const std::size_t wanted = id.value() % perBlock;
    std::size_t slot = 0;
    while (slot < wanted) {
        slot += slotsAt(block, slot);
    }
    if (slot != wanted) {
        return noSuchObject(objset, id, "inside another dnode");
    }
    const Bytes mine = block.subspan(slot * format::kDnodeSlotBytes);
    if (format::DnodeView::isFree(mine)) {
        return noSuchObject(objset, id, "not allocated");
    }
    return makeDnode(mine, order, objset, id);
}

std::uint64_t countDnodes(Bytes block)
{
    std::uint64_t count = 0;
    const std::size_t slots = block.size() / format::kDnodeSlotBytes;
    for (std::size_t slot = 0; slot < slots; slot += slotsAt(block, slot)) {
        if (!format::DnodeView::isFree(block.subspan(slot * format::kDnodeSlotBytes))) {
            ++count;
        }
    }
    return count;
}

void encodeDnode(const Dnode& dnode, MutableBytes out)
{
    MP_CHECK(out.size() == std::size_t{dnode.slots} * format::kDnodeSlotBytes);
    std::ranges::fill(out, std::byte{0});
    const std::uint8_t spillFlag = format::DnodeFlag::kSpillPointer;
    format::DnodeHeader header;
    header.type = dnode.type;
    header.indirectShift = dnode.indirectShift;
    header.levels = dnode.levels;
    header.pointerCount = static_cast<std::uint8_t>(dnode.pointers.size());
    header.bonusType = dnode.bonusType;
    header.checksum = dnode.checksum;
    header.compression = dnode.compression;
    header.flags = static_cast<std::uint8_t>(
        (dnode.flags & ~spillFlag) | (dnode.spill ? spillFlag : 0) | format::DnodeFlag::kUsedBytes);
    header.dataBlockSectors =
        static_cast<std::uint16_t>(dnode.dataBlockBytes / format::kSectorBytes);
    header.bonusLength = static_cast<std::uint16_t>(dnode.bonus.size());
    header.extraSlots = static_cast<std::uint8_t>(dnode.slots - 1);
    header.maxBlockId = dnode.maxBlockId;
    header.used = dnode.usedBytes;
    format::encodeDnodeHeader(header, out.first(format::kDnodeHeaderBytes), dnode.order);
    std::size_t at = format::kDnodeHeaderBytes;
    for (const format::BlockPointer& pointer : dnode.pointers) {
        pointer.encode(out.subspan(at), dnode.order);
        at += format::BlockPointer::kBytes;
    }
    const std::size_t spillBytes = dnode.spill ? format::BlockPointer::kBytes : 0;
    MP_CHECK(at + dnode.bonus.size() + spillBytes <= out.size());
    std::ranges::copy(dnode.bonus, out.subspan(at).begin());
    if (dnode.spill) {
        dnode.spill->encode(out.last(format::BlockPointer::kBytes), dnode.order);
    }
}

} // namespace millpond::object::detail
