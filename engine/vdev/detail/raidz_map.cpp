// SPDX-License-Identifier: GPL-3.0-or-later
// Facts from OpenZFS' vdev_raidz.c. A block's sectors, parity included, fill the children row by
// row from the sector its DVA names; each row begins with its parity. Seen by child this makes
// columns. With n data sectors over d = width - parity data columns, the first n mod d data columns
// and all parity columns are one sector longer than the rest ("big columns"). Padding makes every
// allocation a multiple of parity + 1 sectors, so that no hole too small for any block can arise.
// For single parity the first two columns change places in every second MiB of the vdev.
#include "vdev/detail/raidz_map.h"

#include "base/check.h"

#include <algorithm>

namespace millpond::vdev::detail {

namespace {
constexpr std::uint64_t kSwapBit = MiB;
}

RaidzMap raidzMap(const RaidzGeometry& geometry, ByteOffset offset, std::size_t size)
{
    const unsigned shift = geometry.ashift.value();
    [[maybe_unused]] const std::uint64_t sector = std::uint64_t{1} << shift;
    MP_DCHECK(size != 0 && size % sector == 0 && offset.value() % sector == 0);
    const std::uint64_t first = offset.value() >> shift;
    const std::uint64_t sectors = size >> shift;
    const std::uint64_t dataWidth = geometry.width - geometry.parity;
    const std::uint64_t fullRows = sectors / dataWidth;
    const std::uint64_t rest = sectors % dataWidth;
    const std::uint64_t bigColumns = rest == 0 ? 0 : rest + geometry.parity;
    const std::uint64_t used = fullRows == 0 ? bigColumns : geometry.width;

    RaidzMap map{.parity = geometry.parity, .columns = {}};
    map.columns.reserve(used);
    std::size_t inData = 0;
    for (std::uint64_t i = 0; i < used; ++i) {
        const std::uint64_t position = first % geometry.width + i;
        const bool wrapped = position >= geometry.width;
        const std::uint64_t row = first / geometry.width + (wrapped ? 1 : 0);
        RaidzColumn column{
            .child = static_cast<std::uint32_t>(wrapped ? position - geometry.width : position),
            .offset = ByteOffset(row << shift),
            .size = static_cast<std::size_t>((fullRows + (i < bigColumns ? 1 : 0)) << shift),
            .inData = 0};
        if (i >= geometry.parity) {
            column.inData = inData;
            inData += column.size;
        }
        map.columns.push_back(column);
    }
    if (geometry.parity == 1 && (offset.value() & kSwapBit) != 0) {
        std::swap(map.columns[0].child, map.columns[1].child);
        std::swap(map.columns[0].offset, map.columns[1].offset);
    }
    return map;
}

std::vector<RaidzColumn>
raidzPadding(const RaidzGeometry& geometry, ByteOffset offset, std::size_t size)
{
    // Counted in sectors of the vdev, not by column: P and data that changed places change among
    // themselves, padding stays where it is.
    const unsigned shift = geometry.ashift.value();
    const std::uint64_t data = size >> shift;
    const std::uint64_t used =
        data + geometry.parity * divideRoundUp(data, geometry.width - geometry.parity);
    const std::uint64_t first = offset.value() >> shift;
    const std::uint64_t end =
        first + (raidzAllocatedSize(geometry, ByteCount(size)).value() >> shift);
    std::vector<RaidzColumn> padding;
    for (std::uint64_t cell = first + used; cell < end; ++cell) {
        padding.push_back({.child = static_cast<std::uint32_t>(cell % geometry.width),
                           .offset = ByteOffset(cell / geometry.width << shift),
                           .size = std::size_t{1} << shift});
    }
    return padding;
}

std::vector<RaidzColumn>
raidzRange(const RaidzGeometry& geometry, ByteOffset offset, ByteCount size)
{
    const unsigned shift = geometry.ashift.value();
    const std::uint64_t first = offset.value() >> shift;
    const std::uint64_t end = (offset.value() + size.value()) >> shift;
    // Rows of a child: those whose cell is not below the bound.
    const auto rowsBelow = [&](std::uint64_t cell, std::uint64_t child) {
        return cell / geometry.width + (cell % geometry.width > child ? 1 : 0);
    };
    std::vector<RaidzColumn> columns;
    for (std::uint32_t child = 0; child < geometry.width; ++child) {
        const std::uint64_t begin = rowsBelow(first, child);
        columns.push_back(
            {.child = child,
             .offset = ByteOffset(begin << shift),
             .size = static_cast<std::size_t>((rowsBelow(end, child) - begin) << shift)});
    }
    return columns;
}

ByteCount raidzAllocatedSize(const RaidzGeometry& geometry, ByteCount size)
{
    const unsigned shift = geometry.ashift.value();
    const std::uint64_t data = divideRoundUp(size.value(), std::uint64_t{1} << shift);
    const std::uint64_t rows = divideRoundUp(data, geometry.width - geometry.parity);
    const std::uint64_t unit = geometry.parity + 1;
    return ByteCount((divideRoundUp(data + geometry.parity * rows, unit) * unit) << shift);
}

} // namespace millpond::vdev::detail
