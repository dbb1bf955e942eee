// SPDX-License-Identifier: GPL-3.0-or-later
// Property: walking a dnode block by its dnodes' sizes ends, and every part of a dnode that is
// accepted can be read; an object set is refused or encodes to what was read of it.
#include "format/dnode.h"
#include "format/objset.h"
#include "fuzz/format_input.h"

using namespace millpond;

namespace {

void readDnode(const format::DnodeView& dnode)
{
    fuzz::use(dnode.toText());
    for (std::size_t i = 0; i < dnode.header().pointerCount; ++i) {
        fuzz::use(dnode.pointer(i).words[0]);
    }
    for (const std::byte byte : dnode.bonus()) {
        fuzz::use(static_cast<std::uint64_t>(byte));
    }
    if (const auto spill = dnode.spill()) {
        fuzz::use(spill->words[15]);
    }
    MP_CHECK(dnode.header().levels <= 1 || dnode.pointersPerIndirect() >= 2);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::FormatInput input(data, size);
    Bytes rest = input.bytes.first(std::min(input.bytes.size(), format::kDnodeBlockBytes));
    while (rest.size() >= format::kDnodeSlotBytes) {
        std::size_t step = format::kDnodeSlotBytes;
        if (!format::DnodeView::isFree(rest)) {
            if (const auto dnode = format::DnodeView::create(rest, input.order)) {
                readDnode(*dnode);
                step = dnode->sizeBytes();
            }
        }
        rest = rest.subspan(step);
    }
    if (const auto objset = format::ObjsetPhys::decode(input.bytes, input.order)) {
        fuzz::use(objset->toText());
        std::vector<std::byte> out(objset->sizeBytes);
        objset->encode(out);
        MP_CHECK(format::ObjsetPhys::decode(out, input.order).has_value());
    }
    return 0;
}
