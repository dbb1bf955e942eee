// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/byte_order.h"
#include "base/result.h"
#include "format/block_pointer.h"

#include <array>

namespace millpond::format {

/// A gang block's header: 512 bytes: three block pointers (at 0, 128, 256), zero, and an embedded
/// checksum (the last 40 bytes; see label.h's EmbeddedChecksum). Its pieces joined are the block; a
/// piece may be a gang itself.
struct GangHeader
{
    static constexpr std::size_t kBytes = 512;
    static constexpr std::size_t kPointers = 3;
    /// Gangs of gangs deeper than this are damage: each level splits a block of 16 MiB at most in
    /// three.
    static constexpr unsigned kMaxDepth = 16;

    std::array<BlockPointer, kPointers> pointers{};

    /// BadGang when the size is not kBytes or a pointer does not validate.
    [[nodiscard]] static Result<GangHeader> decode(Bytes bytes, ByteOrder order);
    /// But for the checksum. `out` has kBytes bytes.
    void encode(MutableBytes out, ByteOrder order = ByteOrder::Little) const;
    /// Joined size of the pieces.
    [[nodiscard]] ByteCount size() const;
};

} // namespace millpond::format
