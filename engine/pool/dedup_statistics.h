// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pool/deflation.h"
#include "pool/mos.h"

#include <cstdint>

namespace millpond::pool {

/// What the dedup tables of a pool hold, summed from the histograms the pool keeps and the entries
/// that stand only in the tables' logs.
struct DedupStatistics
{
    std::uint64_t entries = 0;
    std::uint64_t allocated = 0;  ///< deflated bytes that the blocks take
    std::uint64_t referenced = 0; ///< deflated bytes that all references together stand for
    std::uint64_t tableBytes = 0; ///< what the tables take themselves

    /// Times a hundred; 100 when nothing is deduplicated.
    [[nodiscard]] std::uint64_t ratioPercent() const
    {
        return allocated == 0 ? 100 : referenced * 100 / allocated;
    }
};

[[nodiscard]] Result<DedupStatistics> dedupStatistics(const Mos& mos, const Deflation& deflation);

} // namespace millpond::pool
