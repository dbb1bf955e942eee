// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/types.h"
#include "format/space_map.h"
#include "space/range_set.h"

namespace millpond::space {

/// Where a metaslab's map is: top-level vdev and number of the metaslab in it.
struct MetaslabId
{
    VdevId vdev;
    std::size_t index = 0;

    auto operator<=>(const MetaslabId&) const = default;
};

/// The port to the objects that hold the maps, for writing. pool/ implements it over the pool's own
/// object set. Called in syncing context, by Allocator::sync() only, by one thread at a time.
class SpaceMapSink
{
public:
    virtual ~SpaceMapSink() = default;

    struct Map
    {
        ObjectId object;
        std::uint64_t blockBytes = 0; ///< at least 512; entries of two words do not straddle blocks
        bool hasHistogram = false;    ///< feature spacemap_histogram
    };

    /// A new empty map, entered into the vdev's array of metaslabs (and counted for the features it
    /// uses).
    [[nodiscard]] virtual Result<Map> createMap(const MetaslabId& metaslab) = 0;
    /// Empties a map. It may become another object (that has a histogram, or blocks of another
    /// size): then the array is updated as well.
    [[nodiscard]] virtual Result<Map> truncateMap(const MetaslabId& metaslab, ObjectId map) = 0;
    /// Words of the log, little-endian, at the end of what is there: `at` is the map's length.
    [[nodiscard]] virtual Status append(ObjectId map, ByteOffset at, Bytes words) = 0;
    /// The map's bonus; without a histogram only its first 24 bytes.
    [[nodiscard]] virtual Status setHeader(ObjectId map, const format::SpaceMapPhys& header) = 0;
};

/// The port to what is allocated in a metaslab according to its map (as it stands now, what was
/// appended in this txg included) and, right after import, to log space maps. pool/ implements it;
/// reads devices. Thread-safe.
class MetaslabLoader
{
public:
    virtual ~MetaslabLoader() = default;

    /// Bytes counted from the metaslab's start. Errors: those of reading; BadSpaceMap.
    [[nodiscard]] virtual Result<RangeSet> allocated(const MetaslabId& metaslab, ObjectId map) = 0;
};

} // namespace millpond::space
