// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "pool/check/reporter.h"
#include "pool/metaslabs.h"
#include "space/range_set.h"

#include <map>
#include <memory>

namespace millpond::pool {

/// What the space maps say is allocated and nobody has been seen to use yet. Thread-safe.
class Allocation
{
public:
    /// Loads every space map, log maps included. Damage in them is reported, and what can be read
    /// of them is used.
    [[nodiscard]] static Result<std::unique_ptr<Allocation>> load(const Pool& pool,
                                                                  Reporter& reporter);

    enum class Claim : std::uint8_t
    {
        Good,
        Again,       ///< allocated, but claimed before
        Unallocated, ///< free according to the space maps
        NoSuchPlace, ///< outside of every metaslab
    };

    /// The last two are said once of a place; the next one gets Again.
    [[nodiscard]] Claim claim(VdevId vdev, space::Range bytes);
    /// For what may be gone already: claims what is left of it, silently. False: nothing was.
    bool claimRest(VdevId vdev, space::Range bytes);

    /// Bytes allocated when it was loaded.
    [[nodiscard]] std::uint64_t total() const { return m_total; }

    /// What nobody claimed: leaks. Reports each range, up to a bound, and their sum.
    void reportLeaks(Reporter& reporter);

private:
    struct Vdev
    {
        MetaslabLayout layout;
        mutable Mutex mutex;
        space::RangeSet allocated MP_GUARDED_BY(mutex); ///< all of it
        space::RangeSet unclaimed MP_GUARDED_BY(mutex);
    };

    [[nodiscard]] bool isStray(VdevId vdev, space::Range bytes);
    Status loadMaps(const Pool& pool, Reporter& reporter);
    Status loadLogs(const Pool& pool, Reporter& reporter);

    std::map<std::uint32_t, std::unique_ptr<Vdev>> m_vdevs;
    std::uint64_t m_total = 0;
    Mutex m_straysMutex;
    /// Claimed, but not allocated.
    std::map<std::uint32_t, space::RangeSet> m_strays MP_GUARDED_BY(m_straysMutex);
};

} // namespace millpond::pool
