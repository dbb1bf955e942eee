// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "pool/pool.h"

namespace millpond::api::detail {

/// Checks an open pool and turns findings into the facade's values.
[[nodiscard]] Result<CheckReport> runCheck(const pool::Pool& pool,
                                           Progress& progress,
                                           const Clock& clock,
                                           const std::function<void(const CheckProblem&)>& found);

} // namespace millpond::api::detail
