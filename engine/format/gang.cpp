// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/gang.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::format {

Result<GangHeader> GangHeader::decode(Bytes bytes, ByteOrder order)
{
    if (bytes.size() != kBytes) {
        return fail(ErrorCode::BadGang, fmt::format("{} bytes are no gang header", bytes.size()));
    }
    GangHeader header;
    for (std::size_t i = 0; i < kPointers; ++i) {
        header.pointers[i] = BlockPointer::at(bytes, i * BlockPointer::kBytes, order);
        if (auto valid = header.pointers[i].validate(); !valid) {
            return fail(ErrorCode::BadGang,
                        fmt::format("piece {} of a gang: {}", i, valid.error().what()));
        }
    }
    return header;
}

void GangHeader::encode(MutableBytes out, ByteOrder order) const
{
    MP_CHECK(out.size() >= kBytes);
    std::ranges::fill(out.first(kBytes), std::byte{0});
    for (std::size_t i = 0; i < kPointers; ++i) {
        pointers[i].encode(out.subspan(i * BlockPointer::kBytes), order);
    }
}

ByteCount GangHeader::size() const
{
    ByteCount sum;
    for (const BlockPointer& pointer : pointers) {
        if (!pointer.isHole()) {
            sum += pointer.physicalSize();
        }
    }
    return sum;
}

} // namespace millpond::format
