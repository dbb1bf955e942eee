// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/pool_status.h"
#include "pool/pool.h"

namespace millpond::api::detail {

/// What a scan tells of a pool. It is opened for a look, holding nothing, because labels do not
/// tell which features are in use; where that fails, its labels must do.
[[nodiscard]] FoundPool
foundPool(const pool::Services& services, const pool::PoolConfig& config, std::uint64_t hostId);

} // namespace millpond::api::detail
