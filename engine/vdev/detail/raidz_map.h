// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/types.h"

#include <vector>

namespace millpond::vdev::detail {

struct RaidzGeometry
{
    std::uint32_t width = 0;  ///< children: parity + 1 to 255
    std::uint32_t parity = 0; ///< 1 to 3
    Ashift ashift;
};

struct RaidzColumn
{
    std::uint32_t child = 0;
    ByteOffset offset;      ///< on the child, from behind its front labels
    std::size_t size = 0;   ///< bytes; of a block's column never 0
    std::size_t inData = 0; ///< of a data column: where its bytes stand in the block
};

/// Where one block lies. Columns 0 … parity-1 are parity (P, Q, R), then data in order; column 0 is
/// never shorter than another.
struct RaidzMap
{
    std::uint32_t parity = 0;
    std::vector<RaidzColumn> columns;

    [[nodiscard]] std::size_t columnBytes() const { return columns.front().size; }

    [[nodiscard]] std::size_t dataColumns() const { return columns.size() - parity; }
};

/// `offset` and `size` are multiples of the sector size, `size` is not 0 and bounded by the format.
[[nodiscard]] RaidzMap raidzMap(const RaidzGeometry& geometry, ByteOffset offset, std::size_t size);

/// The sectors behind a block of `size` bytes that are allocated with it and hold nothing: at most
/// `parity` of them, one a child.
[[nodiscard]] std::vector<RaidzColumn>
raidzPadding(const RaidzGeometry& geometry, ByteOffset offset, std::size_t size);

/// A range of the vdev as it lies on each child, whole sectors; size 0 where it has none.
[[nodiscard]] std::vector<RaidzColumn>
raidzRange(const RaidzGeometry& geometry, ByteOffset offset, ByteCount size);

/// Space for `size` bytes (not 0) with parity and padding.
[[nodiscard]] ByteCount raidzAllocatedSize(const RaidzGeometry& geometry, ByteCount size);

} // namespace millpond::vdev::detail
