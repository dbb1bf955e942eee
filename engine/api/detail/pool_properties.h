// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "pool/pool.h"
#include "pool/space_figures.h"

#include <span>
#include <string>
#include <vector>

namespace millpond::api::detail {

/// How this import stands outside the pool.
struct ImportFacts
{
    std::string altroot;
    std::uint64_t loadGuid = 0; ///< another at each import
};

/// `zpool get`: values as with -p. NoSuchProperty for an unknown name.
[[nodiscard]] Result<std::vector<PoolProperty>> poolProperties(const pool::Pool& pool,
                                                               const pool::SpaceFigures& space,
                                                               const ImportFacts& facts,
                                                               std::span<const std::string> names);

} // namespace millpond::api::detail
