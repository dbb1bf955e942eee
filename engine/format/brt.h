// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/byte_order.h"
#include "base/result.h"
#include "base/types.h"

#include <span>
#include <string>
#include <string_view>

namespace millpond::format {

/// Block cloning, per top-level vdev: an object named in the pool directory with a bonus
/// (BrtVdevPhys) and an array of 16-bit counts, one per range of 16 MiB (in the order the bonus
/// tells); and the entries: a ZAP from the offset on the vdev (one-word key, bytes) to the number
/// of additional references.
inline constexpr std::string_view kBrtObjectPrefix =
    "com.fudosecurity:brt:vdev:"; ///< and the vdev id in decimal
[[nodiscard]] std::string brtObjectName(VdevId vdev);
inline constexpr std::uint64_t kBrtRangeBytes = 16 * MiB;

struct BrtVdevPhys
{
    static constexpr std::size_t kBytes = 56;

    ObjectId entries;                    ///< ZAP; 0: none
    std::uint64_t size = 0;              ///< counts in the array
    ByteOrder order = ByteOrder::Little; ///< of the counts
    std::uint64_t totalCount = 0;
    std::uint64_t rangeSize = 0; ///< bytes
    std::uint64_t usedSpace = 0;
    std::uint64_t savedSpace = 0;

    /// BadBlockPointer when shorter or out of range.
    [[nodiscard]] static Result<BrtVdevPhys> decode(Bytes bonus, ByteOrder order);
};

/// A ZAP entry: the block at `offset` has `references` references besides the first.
struct BrtEntry
{
    ByteOffset offset;
    std::uint64_t references = 0;

    /// `key` is the entry's key word. `value`: one 8-byte integer, or eight 1-byte integers in
    /// little-endian order.
    [[nodiscard]] static Result<BrtEntry> decode(std::span<const std::uint64_t> key,
                                                 std::uint8_t integerBytes,
                                                 std::span<const std::uint64_t> value);
};

} // namespace millpond::format
