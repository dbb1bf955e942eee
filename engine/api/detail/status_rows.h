// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/pool_status.h"
#include "pool/error_list.h"
#include "pool/pool.h"
#include "pool/space_figures.h"

#include <vector>

namespace millpond::api::detail {

[[nodiscard]] VdevState vdevState(vdev::VdevState state);

/// The vdev tree of an open pool, then its cache devices and spares. `space` may be null.
[[nodiscard]] std::vector<VdevRow> vdevRows(const pool::Pool& pool,
                                            const pool::SpaceFigures* space);
/// The tree alone, of a pool that is not open.
[[nodiscard]] std::vector<VdevRow> vdevRows(const vdev::VdevTree& tree,
                                            const std::string& poolName);

/// Sets state, messageId, status and action from the rest of `status`: what is wrong first, then
/// what could be better.
struct HealthFacts
{
    bool lacksFeatures = false; ///< this program knows features that the pool has not enabled
};

void describeHealth(PoolStatus& status, const HealthFacts& facts);

} // namespace millpond::api::detail
