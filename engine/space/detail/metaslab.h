// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "space/allocator.h"
#include "space/detail/free_space.h"
#include "space/space_map_sink.h"

#include <array>
#include <memory>
#include <optional>

namespace millpond::space::detail {

/// Open, quiescing, syncing, and one of slack.
inline constexpr std::size_t kTxgSlots = 4;
/// Txgs that freed space is kept back for.
inline constexpr std::size_t kDeferredTxgs = 2;

[[nodiscard]] inline std::size_t txgSlot(Txg txg)
{
    return static_cast<std::size_t>(txg.value() % kTxgSlots);
}

/// What happened to a metaslab that its map, or the free space in memory, does not have yet.
/// Ranges count from the metaslab's start.
struct MetaslabChanges
{
    std::array<RangeSet, kTxgSlots> allocating;   ///< taken, not in the map
    std::array<RangeSet, kTxgSlots> freeing;      ///< given back, not in the map
    RangeSet freed;                               ///< free in the map since this txg
    std::array<RangeSet, kDeferredTxgs> deferred; ///< free in the map, kept back; by txg

    [[nodiscard]] bool empty() const;
    /// No allocation is under way that a map to be read would lack.
    [[nodiscard]] bool noneAllocating() const;
    [[nodiscard]] std::uint64_t keptBack() const;
};

/// One slice of a top-level vdev. All members are the Allocator's, under its lock.
class Metaslab
{
public:
    enum class State : std::uint8_t
    {
        Unloaded,
        Loading, ///< one thread reads the map, without the lock
        Loaded,
        Broken, ///< the map can't be read: nothing is allocated here
    };

    struct Place
    {
        MetaslabId id;
        std::uint64_t start = 0; ///< in the vdev
        std::uint64_t size = 0;
        unsigned unitShift = 0;
    };

    Metaslab(const Place& place, const MetaslabSource& source);

    const Place place;
    State state = State::Unloaded;
    std::optional<Error> whyBroken;
    bool syncing = false;  ///< its map is being written, without the lock
    bool disabled = false; ///< nobody is given space here
    bool rewrite = false;
    SpaceMapSink::Map map;
    format::SpaceMapPhys header;
    std::uint64_t used = 0;     ///< bytes that cannot be handed out, for whatever reason
    std::uint64_t estimate = 0; ///< of the longest free run; never too small for long
    Txg lastUsed;

    /// Made when first needed.
    [[nodiscard]] MetaslabChanges& changes();

    [[nodiscard]] const MetaslabChanges* anyChanges() const { return m_changes.get(); }

    /// Loaded: with what is allocated according to the map. BadSpaceMap when that does not agree
    /// with what is known.
    [[nodiscard]] Status becomeLoaded(const RangeSet& allocated);
    void unload();

    /// Loaded. The start of `size` bytes taken.
    [[nodiscard]] std::optional<std::uint64_t> take(std::uint64_t size, Txg txg);
    /// Loaded. False when not all of it is free.
    [[nodiscard]] bool takeAt(Range range, Txg txg);
    /// True: taken in this txg, and free again now.
    [[nodiscard]] bool takeBack(Range range, Txg txg);
    /// False: free already, as far as is known.
    [[nodiscard]] bool giveBack(Range range, Txg txg);

    /// Nothing is set aside for the next allocation any more: freeSpace() is all there is.
    void settle();

    [[nodiscard]] const FreeSpace& freeSpace() const { return m_free; }

    /// Free space as the map has it before this txg: what is kept back, or taken since, included.
    /// Loaded, in the first pass. `taken` has left `allocating` already.
    [[nodiscard]] RangeSet freeInMap(const RangeSet& taken) const;
    [[nodiscard]] bool shouldCondense() const;

    /// Loaded: the longest run; else what the map's header lets one hope for.
    [[nodiscard]] std::uint64_t longestRun() const;
    /// What the header's histogram is to be, `freeing` being on their way into the map.
    void updateHistogram(const RangeSet& freeing);

    /// The txg is done: hands `deferred` of the txg before the last to free space, and defers what
    /// was freed in this one.
    void release(Txg txg, bool scarce);

    /// What release() is about to hand out.
    template <class Visit> void forEachReleasable(Txg txg, bool scarce, Visit visit) const
    {
        m_changes->deferred[txg.value() % kDeferredTxgs].forEach(visit);
        if (scarce) {
            m_changes->freed.forEach(visit);
        }
    }

    [[nodiscard]] Range whole() const { return {0, place.size}; }

private:
    [[nodiscard]] std::optional<Range> nextRun(std::uint64_t size);
    void makeFree(const RangeSet& ranges);

    std::unique_ptr<MetaslabChanges> m_changes;
    FreeSpace m_free;
    /// A run set aside: allocations are cut from its front, so that most of them touch no tree.
    Range m_open;
    std::uint64_t m_cursor = 0;
};

} // namespace millpond::space::detail
