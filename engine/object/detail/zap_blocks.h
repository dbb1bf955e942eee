// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/buffer.h"
#include "base/byte_order.h"
#include "base/function_ref.h"

namespace millpond::object::detail {

/// One object as the code sees it that changes the ZAP in it: blocks of one size in little-endian
/// order. For one thread.
class ZapBlocks
{
public:
    virtual ~ZapBlocks() = default;

    [[nodiscard]] virtual std::uint32_t blockBytes() const = 0;
    /// Null for a hole.
    [[nodiscard]] virtual Result<BufferRef> read(std::uint64_t block) = 0;
    /// `change` gets the block as it is (zeroes for a hole) and may change it. When it fails it has
    /// changed nothing, and its error comes back.
    [[nodiscard]] virtual Status modify(std::uint64_t block,
                                        FunctionRef<Status(MutableBytes)> change) = 0;
    /// Only while block 0 is the only one; it keeps what fits, with zeroes behind.
    [[nodiscard]] virtual Status setBlockBytes(std::uint32_t bytes) = 0;
    /// Makes holes.
    [[nodiscard]] virtual Status free(std::uint64_t firstBlock, std::uint64_t count) = 0;
    /// Whether names may have up to 1023 bytes instead of 255: in directories.
    [[nodiscard]] virtual bool allowsLongNames() const = 0;
};

/// Brings any block of a ZAP from one order to the other.
void swapZapBlock(MutableBytes block, ByteOrder from);

} // namespace millpond::object::detail
