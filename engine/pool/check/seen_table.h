// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/types.h"

#include <array>
#include <cstdint>
#include <memory>
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
/// disk.
class SeenTable
{
public:
    Seen& operator[](ObjectId id)
    {
        auto& block = m_blocks[id.value() / kBlock];
        if (block == nullptr) {
            block = std::make_unique<std::array<Seen, kBlock>>();
        }
        return (*block)[id.value() % kBlock];
    }

    template <class Visitor> void forEach(Visitor&& visit) const
    {
        for (const auto& [index, block] : m_blocks) {
            for (std::size_t i = 0; i < kBlock; ++i) {
                visit(ObjectId(index * kBlock + i), (*block)[i]);
            }
        }
    }

    void clear() { m_blocks.clear(); }

private:
    static constexpr std::size_t kBlock = 1024;
    std::unordered_map<std::uint64_t, std::unique_ptr<std::array<Seen, kBlock>>> m_blocks;
};

} // namespace millpond::pool
