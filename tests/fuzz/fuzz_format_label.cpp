// SPDX-License-Identifier: GPL-3.0-or-later
// Property: any ring slot is refused, or encodes to the same 216 bytes; embedded checksums and boot
// environments likewise are refused or read.
#include "format/label.h"
#include "format/uberblock.h"
#include "fuzz/format_input.h"

#include <algorithm>

using namespace millpond;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const Bytes bytes = std::as_bytes(std::span(data, size));
    if (const auto uberblock = format::Uberblock::decode(bytes)) {
        fuzz::use(uberblock->toText());
        std::array<std::byte, format::Uberblock::kBytes> out{};
        uberblock->encode(out);
        MP_CHECK(std::ranges::equal(out, bytes.first(out.size())));
    }
    if (const auto checksum = format::EmbeddedChecksum::decode(bytes)) {
        fuzz::use(checksum->words[0]);
    }
    std::vector<std::byte> area(bytes.begin(), bytes.end());
    area.resize(format::kBootEnvBytes);
    if (const auto environment = format::BootEnvironment::decode(area)) {
        fuzz::use(environment->text);
    }
    return 0;
}
