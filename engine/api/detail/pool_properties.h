// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "pool/pool.h"
#include "pool/space_figures.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace millpond::api::detail {

class EventLog;

/// How this import stands outside the pool.
struct ImportFacts
{
    std::string altroot;
    std::uint64_t loadGuid = 0; ///< another at each import
    EventLog* events = nullptr; ///< outlives the pool; null: nobody is told
    /// Pool properties for as long as it is imported, by full name.
    std::map<std::string, std::string, std::less<>> temporary;
};

/// Those of an import order. NoSuchProperty, ReadOnly and InvalidArgument name what cannot be set.
[[nodiscard]] Result<std::map<std::string, std::string, std::less<>>>
temporaryProperties(const std::vector<std::pair<std::string, std::string>>& wanted);

/// `zpool get`: values as with -p. NoSuchProperty for an unknown name.
[[nodiscard]] Result<std::vector<PoolProperty>> poolProperties(const pool::Pool& pool,
                                                               const pool::SpaceFigures& space,
                                                               const ImportFacts& facts,
                                                               std::span<const std::string> names);

} // namespace millpond::api::detail
