// SPDX-License-Identifier: GPL-3.0-or-later
#include "posix/space_figures.h"

#include <algorithm>
#include <bit>

namespace millpond::posix {

SpaceFigures spaceFigures(const dataset::Space& space, ByteCount recordSize)
{
    constexpr std::uint64_t kUsualRecordBytes = 128 * KiB;
    SpaceFigures figures;
    figures.blockSize =
        std::has_single_bit(recordSize.value()) ? recordSize.value() : kUsualRecordBytes;
    // Rounded up, so that no file system seems to have no blocks.
    const std::uint64_t referenced = alignUp(space.referenced, figures.blockSize);
    figures.total = (referenced + space.available) / figures.blockSize;
    figures.free = space.available / figures.blockSize;
    figures.available = figures.free;
    // Every further file takes a dnode at least.
    figures.filesFree = std::min(space.objectsAvailable, space.available / format::kDnodeSlotBytes);
    figures.files = figures.filesFree + space.objects;
    return figures;
}

} // namespace millpond::posix
