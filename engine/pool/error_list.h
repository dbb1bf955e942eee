// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format/dsl.h"
#include "pool/pool.h"

#include <vector>

namespace millpond::pool {

/// A block that was found damaged, as the pool remembers it.
struct KnownError
{
    format::BookmarkPosition
        position; ///< objset is the head dataset's with the feature head_errlog
    Txg birth;
    std::string dataset; ///< empty: gone
    std::string path;    ///< empty: gone, or not a file
};

struct ErrorList
{
    std::vector<KnownError> errors; ///< at most kMaxListed, the rest counted
    std::uint64_t count = 0;
    static constexpr std::size_t kMaxListed = 10'000;
};

[[nodiscard]] Result<ErrorList> readErrorList(const Pool& pool);

} // namespace millpond::pool
