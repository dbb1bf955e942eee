// SPDX-License-Identifier: GPL-3.0-or-later
#include "space/range_set.h"

#include <algorithm>

namespace millpond::space {

template <class Before> RangeSet::Position RangeSet::find(Before before) const
{
    const auto leaf = std::partition_point(
        m_leaves.begin(), m_leaves.end(), [&](const Leaf& l) { return before(l.back()); });
    if (leaf == m_leaves.end()) {
        return {m_leaves.size(), 0};
    }
    const auto range = std::partition_point(leaf->begin(), leaf->end(), before);
    return {static_cast<std::size_t>(leaf - m_leaves.begin()),
            static_cast<std::size_t>(range - leaf->begin())};
}

RangeSet::Position RangeSet::firstEndingAfter(std::uint64_t value) const
{
    return find([value](const Range& range) { return range.end <= value; });
}

RangeSet::Position RangeSet::firstTouching(std::uint64_t value) const
{
    return find([value](const Range& range) { return range.end < value; });
}

RangeSet::Position RangeSet::next(Position at) const
{
    if (at.index + 1 < m_leaves[at.leaf].size()) {
        return {at.leaf, at.index + 1};
    }
    return {at.leaf + 1, 0};
}

void RangeSet::insert(Position at, Range range)
{
    if (at.leaf == m_leaves.size()) {
        // Past the end: append to the last leaf, so that filling in order makes full leaves.
        if (m_leaves.empty() || m_leaves.back().size() >= kLeafRanges) {
            m_leaves.push_back({range});
            return;
        }
        m_leaves.back().push_back(range);
        return;
    }
    Leaf& leaf = m_leaves[at.leaf];
    leaf.insert(leaf.begin() + static_cast<std::ptrdiff_t>(at.index), range);
    if (leaf.size() > kLeafRanges) {
        const auto middle = leaf.begin() + static_cast<std::ptrdiff_t>(leaf.size() / 2);
        Leaf upper(middle, leaf.end());
        leaf.erase(middle, leaf.end());
        m_leaves.insert(m_leaves.begin() + static_cast<std::ptrdiff_t>(at.leaf) + 1,
                        std::move(upper));
    }
}

void RangeSet::erase(Position at)
{
    Leaf& leaf = m_leaves[at.leaf];
    leaf.erase(leaf.begin() + static_cast<std::ptrdiff_t>(at.index));
    if (leaf.empty()) {
        m_leaves.erase(m_leaves.begin() + static_cast<std::ptrdiff_t>(at.leaf));
    }
}

std::uint64_t RangeSet::add(Range range)
{
    const std::uint64_t asked = range.size();
    std::uint64_t swallowed = 0;
    Position at = firstTouching(range.start);
    while (at.leaf < m_leaves.size() && m_leaves[at.leaf][at.index].start <= range.end) {
        const Range old = m_leaves[at.leaf][at.index];
        swallowed += old.size();
        range.start = std::min(range.start, old.start);
        range.end = std::max(range.end, old.end);
        erase(at);
        at = firstTouching(range.start);
    }
    insert(at, range);
    const std::uint64_t grown = range.size() - swallowed;
    m_total += grown;
    return asked - grown;
}

std::uint64_t RangeSet::remove(Range range)
{
    std::uint64_t found = 0;
    Position at = firstEndingAfter(range.start);
    while (at.leaf < m_leaves.size() && m_leaves[at.leaf][at.index].start < range.end) {
        Range& old = m_leaves[at.leaf][at.index];
        const Range cut{std::max(old.start, range.start), std::min(old.end, range.end)};
        found += cut.size();
        const Range left{old.start, cut.start};
        const Range right{cut.end, old.end};
        if (left.start < left.end) {
            old = left;
            if (right.start < right.end) {
                insert(next(at), right);
            }
        } else if (right.start < right.end) {
            old = right;
        } else {
            erase(at);
        }
        at = firstEndingAfter(range.start);
    }
    m_total -= found;
    return range.size() - found;
}

bool RangeSet::contains(Range range) const
{
    const Position at = firstEndingAfter(range.start);
    return at.leaf < m_leaves.size() && m_leaves[at.leaf][at.index].start <= range.start &&
           m_leaves[at.leaf][at.index].end >= range.end;
}

bool RangeSet::overlaps(Range range) const
{
    const Position at = firstEndingAfter(range.start);
    return at.leaf < m_leaves.size() && m_leaves[at.leaf][at.index].start < range.end;
}

std::size_t RangeSet::rangeCount() const
{
    std::size_t count = 0;
    for (const Leaf& leaf : m_leaves) {
        count += leaf.size();
    }
    return count;
}

std::optional<std::uint64_t> RangeSet::lowest() const
{
    return m_leaves.empty() ? std::nullopt : std::optional(m_leaves.front().front().start);
}

std::optional<std::uint64_t> RangeSet::highest() const
{
    return m_leaves.empty() ? std::nullopt : std::optional(m_leaves.back().back().end - 1);
}

std::optional<Range> RangeSet::rangeFrom(std::uint64_t value) const
{
    const Position at = firstEndingAfter(value);
    return at.leaf == m_leaves.size() ? std::nullopt : std::optional(m_leaves[at.leaf][at.index]);
}

std::optional<Range> RangeSet::rangeTouching(std::uint64_t value) const
{
    const Position at = firstTouching(value);
    return at.leaf == m_leaves.size() ? std::nullopt : std::optional(m_leaves[at.leaf][at.index]);
}

void RangeSet::clear()
{
    m_leaves.clear();
    m_total = 0;
}

} // namespace millpond::space
