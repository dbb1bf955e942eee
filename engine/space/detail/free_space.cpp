// SPDX-License-Identifier: GPL-3.0-or-later
#include "space/detail/free_space.h"

#include "base/check.h"

#include <algorithm>

namespace millpond::space::detail {

std::size_t SizeIndex::leafFor(const Key& key) const
{
    const auto leaf = std::partition_point(
        m_leaves.begin(), m_leaves.end(), [&](const Leaf& l) { return l.back() < key; });
    return static_cast<std::size_t>(leaf - m_leaves.begin());
}

void SizeIndex::insert(Range range)
{
    const Key key{.size = range.size(), .start = range.start};
    if (m_leaves.empty()) {
        m_leaves.push_back({key});
        return;
    }
    const std::size_t at = std::min(leafFor(key), m_leaves.size() - 1);
    Leaf& leaf = m_leaves[at];
    leaf.insert(std::lower_bound(leaf.begin(), leaf.end(), key), key);
    if (leaf.size() > kLeafKeys) {
        const auto middle = leaf.begin() + static_cast<std::ptrdiff_t>(leaf.size() / 2);
        Leaf upper(middle, leaf.end());
        leaf.erase(middle, leaf.end());
        m_leaves.insert(m_leaves.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(upper));
    }
}

void SizeIndex::erase(Range range)
{
    const Key key{.size = range.size(), .start = range.start};
    const std::size_t at = leafFor(key);
    MP_CHECK(at < m_leaves.size());
    Leaf& leaf = m_leaves[at];
    const auto found = std::lower_bound(leaf.begin(), leaf.end(), key);
    MP_CHECK(found != leaf.end() && *found == key);
    leaf.erase(found);
    if (leaf.empty()) {
        m_leaves.erase(m_leaves.begin() + static_cast<std::ptrdiff_t>(at));
    }
}

std::optional<Range> SizeIndex::smallestOfAtLeast(std::uint64_t size) const
{
    const Key key{.size = size, .start = 0};
    const std::size_t at = leafFor(key);
    if (at == m_leaves.size()) {
        return std::nullopt;
    }
    const auto found = std::lower_bound(m_leaves[at].begin(), m_leaves[at].end(), key);
    return Range{found->start, found->start + found->size};
}

void FreeSpace::index(Range range)
{
    m_bySize.insert(range);
    ++m_histogram[histogramBucket(range.size())];
}

void FreeSpace::unindex(Range range)
{
    m_bySize.erase(range);
    --m_histogram[histogramBucket(range.size())];
}

void FreeSpace::add(Range range)
{
    Range merged = range;
    if (const auto left = m_ranges.rangeTouching(range.start); left && left->end == range.start) {
        unindex(*left);
        merged.start = left->start;
    }
    if (const auto right = m_ranges.rangeFrom(range.end); right && right->start == range.end) {
        unindex(*right);
        merged.end = right->end;
    }
    MP_CHECK(m_ranges.add(range) == 0);
    index(merged);
}

void FreeSpace::remove(Range range)
{
    const auto around = m_ranges.rangeFrom(range.start);
    MP_CHECK(around && around->start <= range.start && range.end <= around->end);
    unindex(*around);
    (void)m_ranges.remove(range);
    if (around->start < range.start) {
        index({around->start, range.start});
    }
    if (range.end < around->end) {
        index({range.end, around->end});
    }
}

std::optional<Range> FreeSpace::firstFit(std::uint64_t from, std::uint64_t size) const
{
    /// Beyond so many ranges the search by size is quicker, and what it finds no worse.
    constexpr int kMaxRanges = 100;
    std::optional<Range> found = m_ranges.rangeFrom(from);
    for (int i = 0; found && i < kMaxRanges; ++i) {
        const Range usable{std::max(found->start, from), found->end};
        if (usable.size() >= size) {
            return usable;
        }
        found = m_ranges.rangeFrom(found->end);
    }
    return std::nullopt;
}

} // namespace millpond::space::detail
