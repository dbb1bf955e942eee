// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format/dsl.h"

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <span>

namespace millpond::dataset::detail {

/// What may still be used at a place in the tree, in bytes: the least of what the ancestors leave
/// over, but at least its own reservation. `upwards` leads from the place to the root, which may
/// use `usable` in all. [dsl_dir_space_available]
inline std::uint64_t availableAt(std::span<const format::DslDirPhys* const> upwards,
                                 std::uint64_t usable)
{
    constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};
    std::uint64_t available = kUnlimited;
    for (const format::DslDirPhys* phys : upwards | std::views::reverse) {
        std::uint64_t limit = phys->quota != 0 ? phys->quota : kUnlimited;
        if (phys == upwards.back()) {
            limit = std::min(limit, usable);
        } else if (phys->reserved > phys->usedBytes && available != kUnlimited) {
            available += phys->reserved - phys->usedBytes;
        }
        available = phys->usedBytes > limit ? 0 : std::min(available, limit - phys->usedBytes);
    }
    return available;
}

} // namespace millpond::dataset::detail
