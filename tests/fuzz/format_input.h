// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/byte_order.h"
#include "base/check.h"
#include "base/types.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// What the format targets share. Input: one byte (bit 0 byte order, the rest the target's own),
// then the structure.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace millpond::fuzz {

struct FormatInput
{
    ByteOrder order = ByteOrder::Little;
    unsigned choice = 0; ///< 0 to 127
    Bytes bytes;

    FormatInput(const std::uint8_t* data, std::size_t size)
    {
        if (size != 0) {
            order = (data[0] & 1) != 0 ? ByteOrder::Big : ByteOrder::Little;
            choice = data[0] >> 1;
            bytes = std::as_bytes(std::span(data + 1, size - 1));
        }
    }
};

/// Keeps a result from being optimised away.
inline void use(std::uint64_t value)
{
    static volatile std::uint64_t sink;
    sink = sink + value;
}

inline void use(const std::string& text)
{
    use(text.size());
}

} // namespace millpond::fuzz
