// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/pool_status.h"
#include "pool/pool.h"
#include "pool/space_figures.h"

#include <span>

// What goes on in a pool, or went on last: scrubs, checkpoints, removals, the work on single
// leaves.

namespace millpond::api::detail {

[[nodiscard]] Result<ScanInfo> scanInfo(const pool::Mos& mos);
[[nodiscard]] Result<CheckpointInfo> checkpointInfo(const pool::Pool& pool,
                                                    const pool::SpaceFigures& space);
[[nodiscard]] Result<RemovalInfo> removalInfo(const pool::Pool& pool);
[[nodiscard]] DedupInfo dedupInfo(const pool::DedupStatistics& statistics);
/// Sets initialize and trim. A ZAP that cannot be read keeps nobody from seeing the rest.
void readLeafWork(const pool::Mos& mos, const format::NvList& config, VdevRow& row);

} // namespace millpond::api::detail
