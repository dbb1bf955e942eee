// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format/dsl.h"

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <span>

namespace millpond::dataset::detail {

/// A directory's space, in bytes; a quota of 0 is none.
struct SpaceLevel
{
    std::uint64_t used = 0, quota = 0, reserved = 0;
    std::uint64_t freed = 0; ///< of `used`, by something that is moved from one place below

    [[nodiscard]] static SpaceLevel of(const format::DslDirPhys& phys)
    {
        return {phys.usedBytes, phys.quota, phys.reserved, 0};
    }
};

/// What may still be used at a place in the tree, in bytes: the least of what the ancestors leave
/// over, but at least its own reservation. `upwards` leads from the place to the root, which may
/// use `usable` in all. [dsl_dir_space_available]
inline std::uint64_t availableAt(std::span<const SpaceLevel> upwards, std::uint64_t usable)
{
    constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};
    std::uint64_t available = kUnlimited;
    bool isRoot = true;
    for (const SpaceLevel& level : upwards | std::views::reverse) {
        std::uint64_t limit = level.quota != 0 ? level.quota : kUnlimited;
        if (isRoot) {
            limit = std::min(limit, usable);
        } else if (level.reserved > level.used && available != kUnlimited) {
            available += level.reserved - level.used;
        }
        isRoot = false;
        const std::uint64_t used = level.used - level.freed;
        available += available != kUnlimited ? level.freed : 0;
        available = used > limit ? 0 : std::min(available, limit - used);
    }
    return available;
}

} // namespace millpond::dataset::detail
