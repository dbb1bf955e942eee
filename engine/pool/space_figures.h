// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pool/dedup_statistics.h"
#include "pool/pool.h"

#include <cstdint>
#include <map>
#include <optional>

namespace millpond::pool {

struct VdevSpace
{
    std::uint64_t size = 0;      ///< bytes in metaslabs, parity included
    std::uint64_t allocated = 0; ///< of those, in use
    std::uint64_t deflated = 0;  ///< size as datasets count it: without parity
    std::uint64_t deflatedAllocated = 0;
    std::uint64_t checkpoint = 0;                 ///< held by a checkpoint
    std::optional<unsigned> fragmentationPercent; ///< nothing without histograms
    vdev::AllocationClass allocationClass = vdev::AllocationClass::Normal;
};

/// What `zpool list` and `zfs list` count with. All in bytes.
struct SpaceFigures
{
    std::map<std::uint64_t, VdevSpace> tops; ///< by top-level vdev number
    std::uint64_t size = 0, allocated = 0;   ///< normal, special and dedup classes together
    std::optional<unsigned> fragmentationPercent;
    std::uint64_t checkpoint = 0;
    DedupStatistics dedup;
    std::uint64_t cloneUsed = 0, cloneSaved = 0;
    std::uint64_t slop = 0;   ///< what ordinary writes may not use
    std::uint64_t usable = 0; ///< deflated, without slop: what the root dataset may use
    std::uint64_t freeing = 0, leaked = 0;
};

/// What the usable space follows from, in bytes as datasets count them (deflated).
struct Capacity
{
    std::uint64_t normal = 0;      ///< of the normal class, without what is set aside for logs
    std::uint64_t embeddedLog = 0; ///< set aside
    std::uint64_t saved = 0;       ///< by deduplication and cloning
    std::uint64_t held = 0;        ///< by a checkpoint and deferred frees

    /// One normal top-level vdev.
    void add(std::uint64_t size, std::size_t metaslabs, std::uint64_t metaslabSize);
    [[nodiscard]] std::uint64_t slop() const;
    [[nodiscard]] std::uint64_t usable() const;
};

/// Sums of what the space maps' headers and the log space maps say: cost is one read per metaslab.
[[nodiscard]] Result<SpaceFigures> spaceFigures(const Pool& pool);

} // namespace millpond::pool
