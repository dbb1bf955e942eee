// SPDX-License-Identifier: GPL-3.0-or-later
#include "block/extents.h"

#include "codec/checksum.h"
#include "format/gang.h"

#include <fmt/format.h>

#include <array>

namespace millpond::block {

Result<format::GangHeader> readGangHeader(const VdevMap& vdevs, const format::BlockPointer& pointer)
{
    std::array<std::byte, format::GangHeader::kBytes> bytes{};
    // The verifier names the first copy, whichever copy is read.
    const format::Dva first = pointer.dva(0);
    ByteOrder order = ByteOrder::Little;
    const auto verify = [&](Bytes header) {
        const auto verified =
            codec::verifyGangHeader(header, first.vdev, first.offset, pointer.physicalBirth());
        order = verified ? *verified : order;
        return verified.has_value();
    };
    for (std::size_t i = 0; i < pointer.dvaCount(); ++i) {
        const format::Dva dva = pointer.dva(i);
        vdev::TopLevel* top = vdevs.top(dva.vdev);
        if (top != nullptr &&
            top->read(dva.offset, bytes, verify, {.birth = pointer.physicalBirth()})) {
            return format::GangHeader::decode(bytes, order);
        }
    }
    return fail(ErrorCode::BadGang, "no copy of the gang header can be read");
}

namespace {

Status visitPointer( // NOLINT(misc-no-recursion): GangHeader::kMaxDepth
    const VdevMap& vdevs,
    const format::BlockPointer& pointer,
    const ExtentVisitor& visit,
    unsigned depth)
{
    if (pointer.isEmbedded() || pointer.isHole()) {
        return {};
    }
    for (std::size_t i = 0; i < pointer.dvaCount(); ++i) {
        const format::Dva dva = pointer.dva(i);
        ByteCount size = dva.allocated;
        if (const vdev::TopLevel* top = vdevs.top(dva.vdev); dva.gang && top != nullptr) {
            // A gang's own size counts its members too.
            size = top->allocatedSize(ByteCount(format::GangHeader::kBytes));
        }
        visit({dva.vdev, dva.offset, size});
    }
    if (!pointer.isGang()) {
        return {};
    }
    if (depth == format::GangHeader::kMaxDepth) {
        return fail(ErrorCode::BadGang, fmt::format("gangs nested deeper than {}", depth));
    }
    const format::GangHeader header = MP_TRY(readGangHeader(vdevs, pointer));
    for (const format::BlockPointer& member : header.pointers) {
        MP_TRY(visitPointer(vdevs, member, visit, depth + 1));
    }
    return {};
}
} // namespace

Status
forEachExtent(const VdevMap& vdevs, const format::BlockPointer& pointer, const ExtentVisitor& visit)
{
    return visitPointer(vdevs, pointer, visit, 0);
}

} // namespace millpond::block
