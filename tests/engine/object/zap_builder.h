// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/object/memory_objects.h"

// ZAPs made by hand, block by block, in either byte order.

namespace millpond::test {

struct ZapItem
{
    std::string name;               ///< or
    std::vector<std::uint64_t> key; ///< words
    std::uint8_t integerBytes = 8;
    std::vector<std::uint64_t> values;
    std::uint64_t hash = 0; ///< filled in by the builders, and
    std::uint32_t collision = 0;
};

struct ZapShape
{
    std::uint64_t salt = 0x123456789abcdef1U;
    std::uint64_t normalization = 0;
    std::uint64_t flags = 0;
    std::uint32_t blockBytes = 4096;
    /// Leaves are split at least this often.
    unsigned minDepth = 0;
    /// The pointer table has at least this shift; beyond what fits the header it is external.
    unsigned minTableShift = 0;
    /// Half of a larger table is filled, too.
    bool growing = false;
    OrderChoice order = always(ByteOrder::Little);
};

/// One block. Items must fit and have one 8-byte value each.
[[nodiscard]] TreeSpec buildMicroZap(std::vector<ZapItem>& items, const ZapShape& shape);
[[nodiscard]] TreeSpec buildFatZap(std::vector<ZapItem>& items, const ZapShape& shape);

} // namespace millpond::test
