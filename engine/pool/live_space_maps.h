// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "object/live_object_set.h"
#include "pool/live_features.h"
#include "pool/metaslabs.h"
#include "space/allocator.h"

#include <map>

namespace millpond::pool {

/// Where the metaslabs of one top-level vdev keep their maps.
struct MetaslabArray
{
    VdevId vdev;
    unsigned metaslabShift = 0;
    unsigned ashift = 0;
    ObjectId array; ///< of words in the MOS: one map for each metaslab, 0: none yet
    std::vector<ObjectId> maps;
};

/// The space maps of a pool that is written to, as objects of its MOS: what the allocator writes
/// through and loads from. load() from any thread; the rest in syncing context.
class LiveSpaceMaps final : public space::SpaceMapSink, public space::MetaslabLoader
{
public:
    /// Both outlive this.
    LiveSpaceMaps(object::LiveObjectSet& mos, LiveFeatures& features)
        : m_mos(mos)
        , m_features(features)
    {
    }

    /// Of a top-level vdev that is new in the pool: an array of `count` metaslabs without maps.
    [[nodiscard]] Result<ObjectId>
    createArray(VdevId vdev, unsigned metaslabShift, unsigned ashift, std::size_t count, Txg txg);
    /// Of one that is there already.
    void addArray(MetaslabArray array);
    /// A change that stands in log space maps only, until the metaslab's map is written anew. In
    /// the order it was logged in.
    void addLogged(const space::MetaslabId& metaslab, bool allocate, space::Range bytes);

    /// Syncing context of `txg` begins: createMap() and the like belong to it.
    void begin(Txg txg) { m_txg = txg; }

    // --- space::SpaceMapSink ---

    [[nodiscard]] Result<Map> createMap(const space::MetaslabId& metaslab) override;
    [[nodiscard]] Result<Map> truncateMap(const space::MetaslabId& metaslab, ObjectId map) override;
    [[nodiscard]] Status append(ObjectId map, ByteOffset at, Bytes words) override;
    [[nodiscard]] Status setHeader(ObjectId map, const format::SpaceMapPhys& header) override;

    // --- space::MetaslabLoader ---

    [[nodiscard]] Result<space::RangeSet> allocated(const space::MetaslabId& metaslab,
                                                    ObjectId map) override;

private:
    struct Logged
    {
        bool allocate = false;
        space::Range bytes;
    };

    [[nodiscard]] Status enter(const space::MetaslabId& metaslab, ObjectId map);

    object::LiveObjectSet& m_mos;
    LiveFeatures& m_features;
    Txg m_txg;
    mutable Mutex m_mutex;
    std::map<VdevId, MetaslabArray> m_arrays MP_GUARDED_BY(m_mutex);
    std::map<space::MetaslabId, std::vector<Logged>> m_logged MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::pool
