// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format/ddt.h"
#include "pool/mos.h"

#include <functional>

namespace millpond::pool {

/// Every entry of one checksum's dedup table as it is now: what the logs say wins over what is
/// stored. Nothing when there is no such table. Memory: the logs' keys.
[[nodiscard]] Status forEachDedupEntry(const Mos& mos,
                                       format::ChecksumType checksum,
                                       const std::function<Status(const format::DdtEntry&)>& visit);

/// What the objects of one checksum's table take; nothing when there is none.
struct DedupTableSize
{
    std::uint64_t diskBytes = 0;
    std::uint64_t memoryBytes = 0; ///< uncompressed
};

[[nodiscard]] Result<DedupTableSize> dedupTableSize(const Mos& mos, format::ChecksumType checksum);

/// Every record of the logs, oldest first.
[[nodiscard]] Status
forEachDedupLogRecord(const Mos& mos,
                      format::ChecksumType checksum,
                      const std::function<void(const format::DdtLogRecord&)>& visit);

} // namespace millpond::pool
