// SPDX-License-Identifier: GPL-3.0-or-later
// Property: attributes placed in a buffer lie inside it, whatever the header and the layout say.
// The target's own bits: how many attributes the layout has.
#include "format/sa.h"
#include "fuzz/format_input.h"

using namespace millpond;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::FormatInput input(data, size);
    const auto header = format::SaHeader::decode(input.bytes, input.order);
    if (!header) {
        return 0;
    }
    const std::vector<std::uint16_t> lengths = {8, 16, 0, 88, 0, 32, 0, 8};
    std::vector<std::uint16_t> layout;
    for (unsigned i = 0; i < input.choice % 24; ++i) {
        layout.push_back(static_cast<std::uint16_t>((i * 5 + header->layout) % 9));
    }
    const auto placed = format::placeSaAttributes(input.bytes, *header, layout, lengths);
    if (!placed) {
        return 0;
    }
    for (const auto& attribute : *placed) {
        const Bytes value = input.bytes.subspan(attribute.offset, attribute.length);
        for (unsigned kind = 0; kind <= 4; ++kind) {
            fuzz::use(format::swapSaValue(value, format::SaByteswap(kind), input.order).size());
        }
    }
    return 0;
}
