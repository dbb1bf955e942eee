// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "format/nvlist.h"
#include "vdev/vdev.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace millpond::pool {

/// One vdev that somebody wants: a leaf (kind Disk or File is found out from the path), or a mirror
/// or raidz over leaves.
struct VdevRequest
{
    enum class Kind : std::uint8_t
    {
        Leaf,
        Mirror,
        Raidz
    };

    Kind kind = Kind::Leaf;
    unsigned parity = 0;                                                   ///< Raidz: 1 to 3
    std::string path;                                                      ///< Leaf
    vdev::AllocationClass allocationClass = vdev::AllocationClass::Normal; ///< of a top-level vdev
    std::vector<VdevRequest> children;
};

/// What a new pool, or an addition to one, is to look like.
struct LayoutRequest
{
    std::vector<VdevRequest> tops;
    std::vector<std::string> spares, caches; ///< paths
    std::optional<unsigned> ashift;          ///< 9 to 16; nothing: from the devices
};

/// What a leaf's device is like.
struct LeafGeometry
{
    ByteCount size;
    ByteCount physicalSector{512};
    bool isBlockDevice = false;
    bool wholeDisk = false;
};

using LeafGeometries = std::map<std::string, LeafGeometry>; ///< by path

/// All paths of a layout, spares and caches too, in its order.
[[nodiscard]] std::vector<std::string> leafPaths(const LayoutRequest& request);

/// Says no to what cannot be: no vdev that takes data, a path named twice, mirrors of one, raidz
/// with too few or too many leaves, a raidz log, nesting, an ashift out of range. InvalidArgument.
[[nodiscard]] Status checkLayout(const LayoutRequest& request);

struct LayoutOptions
{
    std::uint64_t firstId = 0; ///< number of the first top-level vdev
    Txg createTxg;
};

/// The configuration of each top-level vdev, as it will stand in the pool and its labels, with new
/// guids. `geometries` has every path. Errors: checkLayout()'s, DeviceTooSmall naming the device.
[[nodiscard]] Result<std::vector<format::NvList>> layoutConfigs(const LayoutRequest& request,
                                                                const LeafGeometries& geometries,
                                                                const LayoutOptions& options,
                                                                Random& random);

/// The configurations of spares, or of cache devices (which say their sector size).
[[nodiscard]] Result<std::vector<format::NvList>>
auxiliaryConfigs(const std::vector<std::string>& paths,
                 bool isCache,
                 const LeafGeometries& geometries,
                 const LayoutOptions& options,
                 Random& random);

/// Not 0.
[[nodiscard]] std::uint64_t newGuid(Random& random);

/// log2 of a metaslab's bytes for a top-level vdev of that size (OpenZFS module/zfs/vdev.c,
/// vdev_metaslab_set_size): some 16 on a small vdev, one per 512 MiB up to 200, then larger ones.
[[nodiscard]] unsigned metaslabShiftFor(std::uint64_t allocatableBytes);

} // namespace millpond::pool
