// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/objset.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::format {

namespace {

using DnodeBytes = std::array<std::byte, kDnodeSlotBytes>;

constexpr std::size_t kIntentLogOffset = 512;
constexpr std::size_t kTypeOffset = 704;
constexpr std::size_t kFlagsOffset = 712;
constexpr std::size_t kPortableMacOffset = 720;
constexpr std::size_t kLocalMacOffset = 752;
constexpr std::size_t kUserUsedOffset = 1024;
constexpr std::size_t kGroupUsedOffset = 1536;
constexpr std::size_t kProjectUsedOffset = 2048;

constexpr std::array<std::string_view, 6> kTypeNames = {
    "NONE", "META", "ZPL", "ZVOL", "OTHER", "ANY"};

std::size_t knownSize(std::size_t available)
{
    if (available >= ObjsetPhys::kBytesV3) {
        return ObjsetPhys::kBytesV3;
    }
    return available >= ObjsetPhys::kBytesV2 ? ObjsetPhys::kBytesV2 : ObjsetPhys::kBytesV1;
}

void copyFrom(Bytes bytes, std::size_t offset, MutableBytes out)
{
    std::ranges::copy(bytes.subspan(offset, out.size()), out.begin());
}

void copyTo(MutableBytes out, std::size_t offset, Bytes bytes)
{
    std::ranges::copy(bytes, out.subspan(offset).begin());
}

Result<std::optional<DnodeBytes>>
accountingDnode(Bytes bytes, std::size_t offset, ByteOrder order, std::size_t size)
{
    if (offset + kDnodeSlotBytes > size) {
        return std::optional<DnodeBytes>();
    }
    const Bytes slot = bytes.subspan(offset, kDnodeSlotBytes);
    if (DnodeView::isFree(slot)) {
        return std::optional<DnodeBytes>();
    }
    MP_TRY(DnodeView::create(slot, order));
    DnodeBytes copy;
    copyFrom(slot, 0, copy);
    return std::optional(copy);
}

} // namespace

std::string_view objsetTypeName(ObjsetType type)
{
    const auto index = static_cast<std::uint64_t>(type);
    return index < kTypeNames.size() ? kTypeNames[index] : "invalid";
}

Result<ObjsetPhys> ObjsetPhys::decode(Bytes bytes, ByteOrder order)
{
    if (bytes.size() < kBytesV1) {
        return fail(ErrorCode::BadObjset, fmt::format("{} bytes are no object set", bytes.size()));
    }
    ObjsetPhys objset;
    objset.order = order;
    objset.sizeBytes = knownSize(bytes.size());
    objset.type = ObjsetType(load<std::uint64_t>(bytes, kTypeOffset, order));
    if (objset.type == ObjsetType::None || objset.type >= ObjsetType::Any) {
        return fail(
            ErrorCode::BadObjset,
            fmt::format("object set of unknown type {}", static_cast<std::uint64_t>(objset.type)));
    }
    const Bytes meta = bytes.first(kDnodeSlotBytes);
    if (auto view = DnodeView::create(meta, order); !view) {
        return fail(ErrorCode::BadObjset,
                    "object set without a meta dnode: " + view.error().what());
    }
    copyFrom(meta, 0, objset.metaDnode);
    objset.intentLog =
        MP_TRY(ZilHeader::decode(bytes.subspan(kIntentLogOffset, ZilHeader::kBytes), order));
    objset.flags = load<std::uint64_t>(bytes, kFlagsOffset, order);
    copyFrom(bytes, kPortableMacOffset, objset.portableMac);
    copyFrom(bytes, kLocalMacOffset, objset.localMac);
    objset.userUsedDnode = MP_TRY(accountingDnode(bytes, kUserUsedOffset, order, objset.sizeBytes));
    objset.groupUsedDnode =
        MP_TRY(accountingDnode(bytes, kGroupUsedOffset, order, objset.sizeBytes));
    objset.projectUsedDnode =
        MP_TRY(accountingDnode(bytes, kProjectUsedOffset, order, objset.sizeBytes));
    return objset;
}

void ObjsetPhys::encode(MutableBytes out) const
{
    MP_CHECK(out.size() >= sizeBytes && sizeBytes >= kBytesV1);
    std::ranges::fill(out.first(sizeBytes), std::byte{0});
    copyTo(out, 0, metaDnode);
    intentLog.encode(out.subspan(kIntentLogOffset), order);
    store(out, kTypeOffset, static_cast<std::uint64_t>(type), order);
    store(out, kFlagsOffset, flags, order);
    copyTo(out, kPortableMacOffset, portableMac);
    copyTo(out, kLocalMacOffset, localMac);
    if (userUsedDnode) {
        copyTo(out, kUserUsedOffset, *userUsedDnode);
    }
    if (groupUsedDnode) {
        copyTo(out, kGroupUsedOffset, *groupUsedDnode);
    }
    if (projectUsedDnode) {
        copyTo(out, kProjectUsedOffset, *projectUsedDnode);
    }
}

std::string ObjsetPhys::toText() const
{
    const auto describe = [this](std::string_view name, const DnodeBytes& bytes) {
        const auto view = DnodeView::create(bytes, order);
        return fmt::format("\n  {}: {}", name, view ? view->toText() : view.error().what());
    };
    std::string text = fmt::format("object set {} flags={:#x} size={}\n  log: {}",
                                   objsetTypeName(type),
                                   flags,
                                   sizeBytes,
                                   intentLog.toText());
    text += describe("meta dnode", metaDnode);
    if (userUsedDnode) {
        text += describe("user accounting", *userUsedDnode);
    }
    if (groupUsedDnode) {
        text += describe("group accounting", *groupUsedDnode);
    }
    if (projectUsedDnode) {
        text += describe("project accounting", *projectUsedDnode);
    }
    return text;
}

} // namespace millpond::format
