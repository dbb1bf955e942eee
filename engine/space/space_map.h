// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/buffer.h"
#include "base/byte_order.h"
#include "format/space_map.h"
#include "space/range_set.h"

#include <functional>

// Theory of the space layer.
//
// Purpose. Which bytes of which top-level vdev are in use. Everything above asks for space or gives
// it back; the offline check compares what is marked here with what can be reached.
//
// Terms. A metaslab is an equal slice of a top-level vdev. A space map is the log of allocations
// and frees of one metaslab, an object of the pool. A log space map is one txg's log for all
// metaslabs together (feature log_spacemap): a metaslab's own map is complete up to its "unflushed
// txg", and the later changes stand in the log maps only. A dirty time log is a space map whose
// units are txgs instead of bytes: what a leaf has missed.
//
// On disk. format/space_map.h. In memory: RangeSet.
//
// The cycle. Space maps are objects and objects need space: this layer declares the port
// SpaceMapStore, pool/ implements it over the pool's object set.
//
// INV-1 A byte is allocated at most once: an allocation of what is allocated, or a free of what is
//       free, is damage (BadSpaceMap), never repaired silently.
// INV-2 Entries lie inside their metaslab; one that does not is damage.
//
// Concurrency: values only, no locks; the caller serialises. Cost: one pass over the log, a binary
// search per entry. Memory: RangeSet.
//
// Sources: OpenZFS include/sys/space_map.h, module/zfs/space_map.c, spa_log_spacemap.c.

namespace millpond::space {

/// The port to the objects that hold space maps. pool/ implements it.
class SpaceMapStore
{
public:
    virtual ~SpaceMapStore() = default;

    struct Block
    {
        BufferRef data; ///< null: a hole
        ByteOrder order = ByteOrder::Little;
    };

    [[nodiscard]] virtual Result<format::SpaceMapPhys> header(ObjectId map) = 0;
    [[nodiscard]] virtual Result<std::uint64_t> blockBytes(ObjectId map) = 0;
    [[nodiscard]] virtual Result<Block> block(ObjectId map, BlockIndex index) = 0;
};

using EntryVisitor = std::function<Status(const format::SpaceMapEntry&)>;

/// Every entry of a map in the order written.
[[nodiscard]] Status forEachEntry(SpaceMapStore& store, ObjectId map, const EntryVisitor& visit);

/// What entries are applied to: `set` in units of one byte (or txg), limited to `bounds`.
/// INV-1 and INV-2 are checked.
[[nodiscard]] Status
applyEntry(const format::SpaceMapEntry& entry, unsigned unitShift, Range bounds, RangeSet& set);

/// The set a whole map describes.
[[nodiscard]] Result<RangeSet>
loadSpaceMap(SpaceMapStore& store, ObjectId map, unsigned unitShift, Range bounds);

} // namespace millpond::space
