// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "pool/pool.h"
#include "pool/space_figures.h"

#include <span>
#include <string>
#include <vector>

namespace millpond::api::detail {

/// Of every vdev of the tree, the root first: values as with `zpool get -p`. `names` empty: all.
/// NoSuchProperty for a name that cannot be one.
[[nodiscard]] Result<std::vector<VdevProperties>> vdevProperties(
    const pool::Pool& pool, const pool::SpaceFigures& space, std::span<const std::string> names);

} // namespace millpond::api::detail
