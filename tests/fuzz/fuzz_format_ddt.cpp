// SPDX-License-Identifier: GPL-3.0-or-later
// Property: any dedup entry, log block or clone table is refused or read; an entry's pointers can
// be shown.
#include "format/brt.h"
#include "format/ddt.h"
#include "fuzz/format_input.h"

using namespace millpond;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::FormatInput input(data, size);
    if (const auto entry = format::DdtEntry::decode(input.bytes, input.order)) {
        fuzz::use(entry->toText());
        for (std::size_t i = 0; i < entry->variants.size(); ++i) {
            const auto pointer = entry->pointer({}, format::ChecksumType::Sha256, i);
            fuzz::use(pointer.toText());
            MP_CHECK(format::DdtKey::of(pointer) == format::DdtKey());
        }
    }
    if (const auto records = format::DdtLogRecord::decodeBlock(input.bytes, input.order)) {
        MP_CHECK(records->size() <= input.bytes.size() / 120);
    }
    if (const auto value = format::DdtStoredValue::decode(input.bytes)) {
        fuzz::use(value->compressed.size());
    }
    if (const auto log = format::DdtLogHeader::decode(input.bytes, input.order)) {
        fuzz::use(log->checkpoint.logicalSize().value());
    }
    if (const auto table = format::BrtVdevPhys::decode(input.bytes, input.order)) {
        fuzz::use(table->size);
    }
    return 0;
}
