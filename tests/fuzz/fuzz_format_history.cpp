// SPDX-License-Identifier: GPL-3.0-or-later
// Property: any history reads record by record and ends; offsets of an accepted header map into its
// ring. Error log keys that are accepted encode to themselves.
#include "base/cursor.h"
#include "format/error_log.h"
#include "format/history.h"
#include "fuzz/format_input.h"

using namespace millpond;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::FormatInput input(data, size);
    if (const auto header = format::HistoryPhys::decode(input.bytes, input.order)) {
        fuzz::use(header->physical(header->begin) + header->bytes());
        MP_CHECK(header->physical(header->end) <= header->physicalMaximum);
    }
    format::HistoryReader reader(input.bytes);
    for (;;) {
        const std::size_t before = reader.position();
        const auto record = reader.next();
        if (record && !*record) {
            break;
        }
        if (!record && reader.position() == before) {
            break;
        }
        if (record) {
            fuzz::use((*record)->toText());
        }
    }
    const std::string_view text = textOf(input.bytes);
    if (const auto key = format::ErrorLogKey::decode(text)) {
        const auto again = format::ErrorLogKey::decode(format::ErrorLogKey::encode(*key));
        MP_CHECK(again && again->block == key->block);
    }
    if (const auto key = format::HeadErrorLogKey::decode(text)) {
        fuzz::use(key->encode());
    }
    return 0;
}
