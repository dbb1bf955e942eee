// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "format/nvlist.h"
#include "format/uberblock.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace millpond::pool {

/// One leaf as a scan saw it: where it was found, what its best label says, and the best uberblock
/// of its rings.
struct Sighting
{
    std::string path;       ///< of the device or file on this machine
    std::uint64_t size = 0; ///< of the same, in bytes
    format::NvList label;
    std::optional<format::Uberblock> uberblock;
};

/// A pool as the labels of its leaves describe it [the config nvlist]: enough to open it far enough
/// to read the whole truth, which stands in the pool itself.
struct PoolConfig
{
    std::string name;
    PoolGuid guid;
    Txg txg; ///< of the newest label
    std::uint64_t version = 0;
    std::uint64_t state = 0; ///< format::PoolState
    std::uint64_t hostId = 0;
    std::string hostName;
    std::uint64_t timestamp = 0; ///< of the newest uberblock, seconds since 1970
    format::NvList vdevTree;     ///< root, with missing and hole vdevs in their places
    format::NvList label;        ///< the newest label, whole
    std::map<std::uint64_t, std::string> paths;   ///< leaf guid to path on this machine
    std::map<std::uint64_t, std::uint64_t> sizes; ///< of the same leaves, in bytes; from a scan
    std::optional<format::Uberblock> uberblock;   ///< newest of all leaves
};

/// Sorts sightings into pools and puts each pool's vdev tree together. Spares and cache devices,
/// whose labels name no pool, are offered to every pool through `paths`.
/// A label that makes no sense is left out and described in `complaints`.
[[nodiscard]] std::vector<PoolConfig> assemblePools(const std::vector<Sighting>& sightings,
                                                    std::vector<std::string>& complaints);

/// As assemblePools(), of a pool's own configuration nvlist (trusted: read through verified
/// blocks).
[[nodiscard]] Result<PoolConfig> configFromPool(const format::NvList& config);

} // namespace millpond::pool
