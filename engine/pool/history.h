// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format/nvlist.h"
#include "pool/mos.h"

#include <vector>

namespace millpond::pool {

/// What reading the history found.
struct History
{
    std::vector<format::NvList> records; ///< oldest first
    std::uint64_t lost = 0;              ///< records overwritten since the pool was made
    std::string damage;                  ///< why reading stopped early; empty: it did not
};

/// Empty for pools older than version 4. A broken record ends the list.
[[nodiscard]] Result<History> readHistory(const Mos& mos);

} // namespace millpond::pool
