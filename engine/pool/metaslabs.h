// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pool/pool.h"
#include "space/space_map.h"

#include <functional>
#include <map>
#include <vector>

namespace millpond::pool {

/// Where one top-level vdev keeps its space maps, from its configuration and ZAP.
struct MetaslabLayout
{
    VdevId vdev;
    vdev::AllocationClass allocationClass = vdev::AllocationClass::Normal;
    unsigned shift = 0;         ///< log2 of a metaslab's bytes
    unsigned ashift = 0;        ///< unit of the maps
    std::vector<ObjectId> maps; ///< one per metaslab; 0: never written to
    std::vector<Txg>
        unflushedSince;     ///< log maps of this txg and later apply; empty: log maps unused
    ObjectId checkpointMap; ///< freed since the checkpoint, but kept; 0: none

    [[nodiscard]] std::uint64_t metaslabBytes() const { return std::uint64_t{1} << shift; }
};

/// One per top-level vdev that has metaslabs. BadConfig for sizes that make no sense.
[[nodiscard]] Result<std::vector<MetaslabLayout>> metaslabLayouts(const Pool& pool);

/// A log space map: the changes of one txg.
struct LogSpaceMap
{
    Txg txg;
    ObjectId map;
};

/// In order of txg; empty without the feature.
[[nodiscard]] Result<std::vector<LogSpaceMap>> logSpaceMaps(const Pool& pool);

/// Every entry of the log maps that its metaslab's own map does not have yet, in order.
/// `visit(layout index, metaslab index, entry)`; the entry's unit is 512 bytes in log maps, given
/// as a byte range.
struct LogEntry
{
    std::size_t layout = 0;
    std::size_t metaslab = 0;
    bool allocate = false;
    space::Range bytes;
};

[[nodiscard]] Status forEachLogEntry(const Pool& pool,
                                     const std::vector<MetaslabLayout>& layouts,
                                     const std::function<Status(const LogEntry&)>& visit);

} // namespace millpond::pool
