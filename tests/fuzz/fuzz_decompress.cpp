// SPDX-License-Identifier: GPL-3.0-or-later
// One target per decompressor, MILLPOND_FUZZ_ALGORITHM. Input: two bytes of output size (little-
// endian, plus one), then the stream. The output buffer is of exact size, so that AddressSanitizer
// sees a write past it; that success means a filled buffer shows by trying two different fillings.
#include "base/byte_order.h"
#include "base/check.h"
#include "codec/compression.h"

#include <vector>

using namespace millpond;

namespace {

constexpr std::size_t kHeader = 2;

std::vector<std::byte> decompressed(Bytes stream, std::size_t size, std::byte filling, bool& ok)
{
    std::vector<std::byte> out(size, filling);
    ok = codec::decompress(codec::CompressionAlgorithm::MILLPOND_FUZZ_ALGORITHM, stream, out)
             .has_value();
    return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const Bytes input = std::as_bytes(std::span(data, size));
    if (size < kHeader) {
        return 0;
    }
    const std::size_t outSize = load<std::uint16_t>(input, 0, ByteOrder::Little) + std::size_t{1};
    const Bytes stream = input.subspan(kHeader);
    bool first = false;
    bool second = false;
    const auto one = decompressed(stream, outSize, std::byte{0x00}, first);
    const auto two = decompressed(stream, outSize, std::byte{0xff}, second);
    MP_CHECK(first == second);
    MP_CHECK(!first || one == two);
    return 0;
}
