// SPDX-License-Identifier: GPL-3.0-or-later
#include "space/detail/metaslab.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::space::detail {

namespace {

/// With less than this part free, runs are short and few: the best fit leaves the longest ones.
constexpr std::uint64_t kScarcePart = 25;
/// A map twice as long as need be is written anew, but not one of a few blocks.
constexpr std::uint64_t kCondenseFactor = 2;
constexpr std::uint64_t kCondenseMinBlocks = 4;
constexpr std::uint64_t kEntryBytes = 8;
constexpr std::size_t kHistogramSize = format::SpaceMapPhys::kHistogramSize;

RangeSet complement(const RangeSet& set, Range whole)
{
    RangeSet rest;
    std::uint64_t at = whole.start;
    set.forEach([&](Range range) {
        if (at < range.start) {
            (void)rest.add({at, range.start});
        }
        at = range.end;
    });
    if (at < whole.end) {
        (void)rest.add({at, whole.end});
    }
    return rest;
}

void unite(RangeSet& set, const RangeSet& with)
{
    with.forEach([&](Range range) { (void)set.add(range); });
}

void subtract(RangeSet& set, const RangeSet& what)
{
    what.forEach([&](Range range) { (void)set.remove(range); });
}

/// Runs of 2^i bytes in the header's terms: the last bucket counts longer ones in its own unit.
void addRuns(format::SpaceMapPhys& header, std::size_t bucket, std::uint64_t count, unsigned shift)
{
    if (bucket < shift) {
        return; // Smaller than the smallest unit: there are none.
    }
    const std::size_t index = std::min(bucket - shift, kHistogramSize - 1);
    header.histogram[index] += count << (bucket - shift - index);
}

void addRuns(format::SpaceMapPhys& header, const RangeSet& set, unsigned shift)
{
    set.forEach([&](Range range) { addRuns(header, histogramBucket(range.size()), 1, shift); });
}

} // namespace

bool MetaslabChanges::empty() const
{
    const auto isEmpty = [](const RangeSet& set) { return set.empty(); };
    return freed.empty() && std::ranges::all_of(allocating, isEmpty) &&
           std::ranges::all_of(freeing, isEmpty) && std::ranges::all_of(deferred, isEmpty);
}

bool MetaslabChanges::noneAllocating() const
{
    return std::ranges::all_of(allocating, [](const RangeSet& set) { return set.empty(); });
}

std::uint64_t MetaslabChanges::keptBack() const
{
    std::uint64_t sum = freed.total();
    for (const RangeSet& set : deferred) {
        sum += set.total();
    }
    return sum;
}

Metaslab::Metaslab(const Place& at, const MetaslabSource& source)
    : place(at)
    , rewrite(source.rewrite)
    , map{.object = source.map,
          .blockBytes = source.mapBlockBytes,
          .hasHistogram = source.header.hasHistogram}
    , header(source.header)
    , used(source.allocated)
{
    estimate = longestRun();
}

MetaslabChanges& Metaslab::changes()
{
    if (!m_changes) {
        m_changes = std::make_unique<MetaslabChanges>();
    }
    return *m_changes;
}

Status Metaslab::becomeLoaded(const RangeSet& allocated)
{
    RangeSet free = complement(allocated, whole());
    if (m_changes) {
        subtract(free, m_changes->freed);
        for (const RangeSet& set : m_changes->deferred) {
            subtract(free, set);
        }
    }
    if (allocated.highest().value_or(0) >= place.size || free.total() != place.size - used) {
        return fail(ErrorCode::BadSpaceMap,
                    fmt::format("metaslab {}: {} bytes are free by its map, {} by its figures",
                                place.id.index,
                                free.total(),
                                place.size - used),
                    {.object = map.object});
    }
    m_free = FreeSpace();
    free.forEach([&](Range range) { m_free.add(range); });
    m_open = Range();
    m_cursor = 0;
    state = State::Loaded;
    return {};
}

void Metaslab::unload()
{
    m_free = FreeSpace();
    m_open = Range();
    state = State::Unloaded;
    estimate = longestRun();
}

void Metaslab::settle()
{
    if (m_open.start < m_open.end) {
        m_free.add(m_open);
    }
    m_open = Range();
}

std::optional<Range> Metaslab::nextRun(std::uint64_t size)
{
    const bool scarce = place.size - used < place.size / kScarcePart;
    if (!scarce) {
        if (const auto found = m_free.firstFit(m_cursor, size)) {
            return found;
        }
    }
    return m_free.bestFit(size);
}

std::optional<std::uint64_t> Metaslab::take(std::uint64_t size, Txg txg)
{
    if (m_open.size() < size) {
        settle();
        const std::optional<Range> run = nextRun(size);
        if (!run) {
            return std::nullopt;
        }
        m_free.remove(*run);
        m_open = *run;
    }
    const Range taken{m_open.start, m_open.start + size};
    m_open.start = taken.end;
    m_cursor = taken.end;
    used += size;
    lastUsed = std::max(lastUsed, txg);
    (void)changes().allocating[txgSlot(txg)].add(taken);
    return taken.start;
}

bool Metaslab::takeAt(Range range, Txg txg)
{
    settle();
    if (!m_free.contains(range)) {
        return false;
    }
    m_free.remove(range);
    used += range.size();
    (void)changes().allocating[txgSlot(txg)].add(range);
    return true;
}

bool Metaslab::takeBack(Range range, Txg txg)
{
    if (state != State::Loaded || !m_changes ||
        !m_changes->allocating[txgSlot(txg)].contains(range)) {
        return false;
    }
    (void)m_changes->allocating[txgSlot(txg)].remove(range);
    used -= range.size();
    m_free.add(range);
    return true;
}

bool Metaslab::giveBack(Range range, Txg txg)
{
    const auto overlapsOpen = m_open.start < range.end && range.start < m_open.end;
    if (state == State::Loaded && (overlapsOpen || m_free.overlaps(range))) {
        return false;
    }
    MetaslabChanges& all = changes();
    const auto overlaps = [&](const RangeSet& set) { return set.overlaps(range); };
    if (all.freed.overlaps(range) || std::ranges::any_of(all.deferred, overlaps) ||
        std::ranges::any_of(all.freeing, overlaps)) {
        return false;
    }
    (void)all.freeing[txgSlot(txg)].add(range);
    return true;
}

RangeSet Metaslab::freeInMap(const RangeSet& taken) const
{
    RangeSet free = m_free.ranges();
    if (m_open.start < m_open.end) {
        (void)free.add(m_open);
    }
    unite(free, taken);
    if (m_changes) {
        unite(free, m_changes->freed);
        for (const RangeSet& set : m_changes->deferred) {
            unite(free, set);
        }
        for (const RangeSet& set : m_changes->allocating) {
            unite(free, set);
        }
    }
    return free;
}

bool Metaslab::shouldCondense() const
{
    const std::uint64_t blockBytes = std::max(map.blockBytes, std::uint64_t{1} << place.unitShift);
    const std::uint64_t needed = (m_free.ranges().rangeCount() + 2) * kEntryBytes;
    return header.length.value() > kCondenseMinBlocks * blockBytes &&
           header.length.value() >= kCondenseFactor * needed;
}

std::uint64_t Metaslab::longestRun() const
{
    if (state == State::Loaded) {
        return std::max(m_free.largest(), m_open.size());
    }
    const std::uint64_t free = place.size - std::min(used, place.size);
    if (used == 0 || !header.hasHistogram) {
        return free;
    }
    for (std::size_t i = kHistogramSize; i-- > 0;) {
        if (header.histogram[i] != 0) {
            // Up to twice that: the promise is kept or broken when the map is read.
            return i + 1 == kHistogramSize
                       ? free
                       : std::min(std::uint64_t{2} << (i + place.unitShift), free);
        }
    }
    return 0;
}

void Metaslab::updateHistogram(const RangeSet& freeing)
{
    header.hasHistogram = map.hasHistogram;
    if (!header.hasHistogram) {
        return;
    }
    if (state == State::Loaded) {
        settle();
        header.histogram.fill(0);
        for (std::size_t i = 0; i < m_free.histogram().size(); ++i) {
            addRuns(header, i, m_free.histogram()[i], place.unitShift);
        }
        if (m_changes) {
            addRuns(header, m_changes->freed, place.unitShift);
            for (const RangeSet& set : m_changes->deferred) {
                addRuns(header, set, place.unitShift);
            }
        }
    }
    addRuns(header, freeing, place.unitShift);
}

void Metaslab::makeFree(const RangeSet& ranges)
{
    used -= ranges.total();
    if (state == State::Loaded) {
        ranges.forEach([&](Range range) { m_free.add(range); });
    }
}

void Metaslab::release(Txg txg, bool scarce)
{
    RangeSet& deferred = changes().deferred[txg.value() % kDeferredTxgs];
    makeFree(deferred);
    deferred.clear();
    if (scarce) {
        makeFree(m_changes->freed);
        m_changes->freed.clear();
    }
    std::swap(deferred, m_changes->freed);
    estimate = longestRun();
    if (m_changes->empty()) {
        m_changes.reset();
    }
}

} // namespace millpond::space::detail
