// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pool/check/allocation.h"
#include "pool/check/reporter.h"

#include <unordered_map>

namespace millpond::pool {

/// Claims the space of every block met, and counts the references of blocks that may have several:
/// deduplicated and cloned ones. For one thread.
class BlockClaims
{
public:
    /// Loads the tables of cloned blocks.
    BlockClaims(const Pool& pool, Reporter& reporter, Allocation& allocation);

    [[nodiscard]] Status load();

    struct Claimed
    {
        bool isNew = true;  ///< nothing that was met before
        bool verify = true; ///< false for a further reference to a deduplicated or cloned block
    };

    /// Reports double use and use of free space.
    Claimed claim(const format::BlockPointer& pointer, const block::Bookmark& where);
    /// As claim(), for blocks on their way to be freed: what is gone already is no finding. False:
    /// all of it is gone.
    bool claimRest(const format::BlockPointer& pointer);
    /// When all has been met: compares the counts with the tables.
    [[nodiscard]] Status compareCounts();

private:
    struct Place
    {
        std::uint64_t vdev = 0;
        std::uint64_t offset = 0;
        bool operator==(const Place&) const = default;
    };

    struct PlaceHash
    {
        std::size_t operator()(const Place& place) const noexcept
        {
            return std::hash<std::uint64_t>()(place.offset * 31 + place.vdev);
        }
    };

    using Counts = std::unordered_map<Place, std::uint64_t, PlaceHash>;

    [[nodiscard]] static Place placeOf(const format::BlockPointer& pointer);
    Claimed claimExtents(const format::BlockPointer& pointer, const block::Bookmark& where);
    [[nodiscard]] Status loadClones();
    [[nodiscard]] Status compareTable(format::ChecksumType checksum);
    void compareDedup(const Place& place, std::uint64_t references);

    const Pool& m_pool;
    Reporter& m_reporter;
    Allocation& m_allocation;
    block::TreeVdevMap m_vdevs;
    Counts m_dedupMet;
    Counts m_clones;    ///< additional references, as the tables say
    Counts m_clonesMet; ///< as found
};

} // namespace millpond::pool
