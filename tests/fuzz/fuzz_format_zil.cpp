// SPDX-License-Identifier: GPL-3.0-or-later
// Property: any log block is refused, or its records are read to the end or to the first broken
// one. The target's own bits: where the chain stands, or records without a chain.
#include "format/intent_log.h"
#include "fuzz/format_input.h"

using namespace millpond;

namespace {

void readRecords(Bytes bytes, ByteOrder order)
{
    Cursor cursor(bytes, order);
    while (cursor.remaining() != 0) {
        const auto record = format::ZilRecord::take(cursor);
        if (!record) {
            return;
        }
        fuzz::use(record->toText());
        fuzz::use(record->data.size() + record->pointers.size());
        if (record->acl) {
            fuzz::use(record->acl->aces.size() + record->acl->domain.size());
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::FormatInput input(data, size);
    if (input.choice % 3 == 2) {
        readRecords(input.bytes, input.order);
        return 0;
    }
    const auto checksum =
        input.choice % 3 == 0 ? format::ChecksumType::IntentLog2 : format::ChecksumType::IntentLog;
    if (const auto block = format::ZilBlock::decode(input.bytes, checksum, input.order)) {
        readRecords(block->records, input.order);
    }
    return 0;
}
