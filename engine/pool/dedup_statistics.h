// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pool/deflation.h"
#include "pool/mos.h"

#include <array>
#include <cstdint>

namespace millpond::pool {

/// What the tables say of blocks with about the same number of references.
struct DedupBucket
{
    std::uint64_t blocks = 0, logical = 0, physical = 0, deflated = 0;
    /// The same, each block as often as it is referred to.
    std::uint64_t referencedBlocks = 0, referencedLogical = 0, referencedPhysical = 0,
                  referencedDeflated = 0;

    void add(const DedupBucket& other);
};

/// What the dedup tables of a pool hold, summed from the histograms the pool keeps and the entries
/// that stand only in the tables' logs.
struct DedupStatistics
{
    static constexpr std::size_t kBuckets = 64;

    std::array<DedupBucket, kBuckets> histogram{}; ///< bucket n: 2^n references and more
    DedupBucket total;
    std::uint64_t tableBytes = 0;  ///< what the tables take on disk
    std::uint64_t memoryBytes = 0; ///< and would take in memory, whole

    /// Times a hundred; 100 when nothing is deduplicated.
    [[nodiscard]] std::uint64_t ratioPercent() const
    {
        return total.deflated == 0 ? 100 : total.referencedDeflated * 100 / total.deflated;
    }
};

[[nodiscard]] Result<DedupStatistics> dedupStatistics(const Mos& mos, const Deflation& deflation);

} // namespace millpond::pool
