// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/pool_status.h"
#include "pool/pool_config.h"

namespace millpond::api::detail {

/// What can be told of a pool from its labels alone.
[[nodiscard]] FoundPool foundPool(const pool::PoolConfig& config, std::uint64_t hostId);

} // namespace millpond::api::detail
