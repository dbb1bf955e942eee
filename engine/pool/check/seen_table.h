// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/types.h"

#include <array>
#include <cstdint>
#include <unordered_map>

namespace millpond::pool {

/// What is known of one object. Kept small: there may be very many. The counts may wrap in a
/// damaged pool; they are only compared.
struct Seen
{
    std::uint32_t names = 0; ///< entries that lead here
    std::uint32_t entries = 0;
    std::uint32_t subdirectories = 0;
    std::uint32_t links = 0;   ///< as recorded
    std::uint16_t excuses = 0; ///< has no name, rightly: root, xattr directory, to be deleted
    std::uint8_t type = 0;     ///< as in directory entries
    bool exists : 1 = false;
    bool isDirectory : 1 = false;
};

/// By object number, in blocks that are made when first touched: numbers are dense, but come from a
/// disk, where a directory may name any. References stay valid.
class SeenTable
{
public:
    Seen& operator[](ObjectId id) { return m_blocks[id.value() / kBlock][id.value() % kBlock]; }

    template <class Visitor> void forEach(Visitor&& visit) const
    {
        for (const auto& [index, block] : m_blocks) {
            for (std::size_t i = 0; i < kBlock; ++i) {
                visit(ObjectId(index * kBlock + i), block[i]);
            }
        }
    }

    void clear() { m_blocks.clear(); }

private:
    /// Costs little where numbers are dense, and bounds what one entry of a hostile directory does.
    static constexpr std::size_t kBlock = 8;
    std::unordered_map<std::uint64_t, std::array<Seen, kBlock>> m_blocks;
};

} // namespace millpond::pool
