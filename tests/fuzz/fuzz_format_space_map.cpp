// SPDX-License-Identifier: GPL-3.0-or-later
// Property: a space map's block reads to its end; every entry encodes to words that read as itself.
#include "format/space_map.h"
#include "fuzz/format_input.h"

using namespace millpond;

namespace {

void checkRoundTrip(const format::SpaceMapEntry& entry)
{
    const format::SpaceMapWords words = format::encodeSpaceMapEntry(entry);
    std::array<std::byte, 16> bytes{};
    store(bytes, 0, words.words[0]);
    store(bytes, 8, words.words[1]);
    format::SpaceMapReader reader(Bytes(bytes).first(words.count * 8), ByteOrder::Little);
    const auto again = reader.next();
    MP_CHECK(again && *again && **again == entry);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::FormatInput input(data, size);
    if (const auto map = format::SpaceMapPhys::decode(input.bytes, input.order)) {
        fuzz::use(map->toText());
    }
    format::SpaceMapReader reader(input.bytes, input.order);
    for (;;) {
        const auto entry = reader.next();
        if (!entry || !*entry) {
            return 0;
        }
        MP_CHECK((*entry)->run != 0);
        checkRoundTrip(**entry);
    }
}
