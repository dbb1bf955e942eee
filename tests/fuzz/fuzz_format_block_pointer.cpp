// SPDX-License-Identifier: GPL-3.0-or-later
// Property: every accessor answers for any 128 bytes; a pointer that validates has sizes within the
// limits; encoding gives the bytes back. Gang headers and removed devices' mappings use pointers
// too.
#include "format/block_pointer.h"
#include "format/dsl.h"
#include "format/gang.h"
#include "fuzz/format_input.h"

#include <algorithm>

using namespace millpond;

namespace {

void checkValid(const format::BlockPointer& pointer)
{
    MP_CHECK(pointer.logicalSize().value() <= format::kMaxBlockBytes);
    MP_CHECK(pointer.isHole() || pointer.physicalSize() <= pointer.logicalSize() ||
             pointer.isEmbedded());
    for (std::size_t i = 0; i < pointer.dvaCount() && !pointer.isHole(); ++i) {
        std::uint64_t end = 0;
        MP_CHECK(checkedAdd(pointer.dva(i).offset.value(), pointer.dva(i).allocated.value(), end));
    }
    if (pointer.isEmbedded() && !pointer.isRedacted()) {
        MP_CHECK(pointer.embeddedPayload()->used().size() <= 112);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::FormatInput input(data, size);
    if (const auto pointer = format::BlockPointer::decode(input.bytes, input.order)) {
        fuzz::use(pointer->toText());
        fuzz::use(pointer->fill() + pointer->allocatedSize().value());
        fuzz::use(static_cast<std::uint64_t>(pointer->initVector()[0]));
        fuzz::use(static_cast<std::uint64_t>(pointer->authenticationCode()[0]));
        fuzz::use(pointer->physicalBirth().value());
        if (pointer->validate(16)) {
            checkValid(*pointer);
        }
        std::array<std::byte, format::BlockPointer::kBytes> out{};
        pointer->encode(out, input.order);
        MP_CHECK(std::ranges::equal(out, input.bytes.first(out.size())));
    }
    if (const auto gang = format::GangHeader::decode(input.bytes, input.order)) {
        fuzz::use(gang->size().value());
    }
    if (const auto entry = format::BpTreeEntry::decode(input.bytes, input.order)) {
        fuzz::use(entry->position.object);
    }
    if (const auto dataset = format::DslDatasetPhys::decode(input.bytes, input.order)) {
        fuzz::use(dataset->toText());
    }
    return 0;
}
