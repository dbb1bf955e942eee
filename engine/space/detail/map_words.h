// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/types.h"
#include "format/space_map.h"
#include "space/range_set.h"

#include <vector>

namespace millpond::space::detail {

/// Words for the end of a space map, little-endian, as OpenZFS writes them [space_map_write]:
/// before each set a debug word, entries of one word where they do, no entry across two blocks.
class MapWords
{
public:
    struct Target
    {
        unsigned unitShift = 0;
        std::uint64_t blockBytes = 0; ///< a multiple of 8
        std::uint64_t length = 0;     ///< of the map so far
        bool twoWords = false;        ///< feature spacemap_v2
    };

    explicit MapWords(const Target& target)
        : m_target(target)
    {
    }

    /// Nothing for an empty set. Ranges are whole units.
    void add(const RangeSet& ranges, const format::SpaceMapDebug& debug);

    [[nodiscard]] Bytes bytes() const { return m_bytes; }

private:
    void addRange(Range range, format::SpaceMapEntry::Type type);
    void put(std::uint64_t word);

    const Target m_target;
    std::vector<std::byte> m_bytes;
};

} // namespace millpond::space::detail
