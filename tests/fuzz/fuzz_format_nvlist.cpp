// SPDX-License-Identifier: GPL-3.0-or-later
// Property: any packed list is refused, or decodes to a value that encodes and decodes to itself.
#include "format/nvlist.h"
#include "fuzz/format_input.h"

using namespace millpond;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto list = format::NvList::decode(std::as_bytes(std::span(data, size)));
    if (list) {
        fuzz::use(list->toText());
        const auto again = format::NvList::decode(list->encode());
        MP_CHECK(again && *again == *list);
    }
    return 0;
}
