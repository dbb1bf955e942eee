// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format/intent_log.h"
#include "pool/check/block_claims.h"

namespace millpond::pool {

/// Claims what an intent log holds: its blocks, and blocks its records point to. A chain ends at
/// the first block that does not verify, which is how a log ends; blocks of it may not be allocated
/// yet, or be free already, so nothing here is a finding.
[[nodiscard]] Status
claimIntentLog(const Pool& pool, const format::ZilHeader& header, BlockClaims& claims);

} // namespace millpond::pool
