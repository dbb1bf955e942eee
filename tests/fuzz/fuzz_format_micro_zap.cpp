// SPDX-License-Identifier: GPL-3.0-or-later
// Property: any micro ZAP is refused or can be listed, and finds some entry for every name it
// lists.
#include "format/zap.h"
#include "fuzz/format_input.h"

using namespace millpond;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::FormatInput input(data, size);
    const auto zap = format::MicroZapView::create(input.bytes, input.order);
    if (!zap) {
        return 0;
    }
    fuzz::use(zap->toText());
    for (std::size_t slot = 0; slot < zap->slots(); ++slot) {
        if (const auto entry = zap->entry(slot)) {
            MP_CHECK(zap->find(entry->name).has_value());
            fuzz::use(zap->hash(entry->name));
        }
    }
    return 0;
}
