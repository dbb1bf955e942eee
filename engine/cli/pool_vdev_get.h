// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/property_table.h"

#include <optional>

namespace millpond::cli {

/// `get PROPERTIES POOL all-vdevs | root | VDEV ...`; nothing when the words ask for pools.
[[nodiscard]] std::optional<int>
getOfVdevs(Console& console, bus::Client& client, const GetWords& words, std::string_view usage);

} // namespace millpond::cli
