// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

namespace millpond::space {

/// Half-open: [start, end). Never empty.
struct Range
{
    std::uint64_t start = 0;
    std::uint64_t end = 0;

    [[nodiscard]] std::uint64_t size() const { return end - start; }

    auto operator<=>(const Range&) const = default;
};

/// A set of numbers kept as disjoint ranges that never touch [range tree]: bytes of a vdev, txgs of
/// a dirty time log. Ordered leaves of at most kLeafRanges ranges: 16 to 32 bytes a range, so that
/// the fragmented space of a large pool fits in memory; every operation is a binary search plus a
/// short move. Not thread-safe.
class RangeSet
{
public:
    /// Adds all of `range`; returns the number of its members that were already there (0: none).
    std::uint64_t add(Range range);
    /// Removes all of `range`; returns the number of its members that were not there (0: none).
    std::uint64_t remove(Range range);

    [[nodiscard]] bool contains(Range range) const; ///< all of it
    [[nodiscard]] bool overlaps(Range range) const; ///< any of it

    [[nodiscard]] std::uint64_t total() const { return m_total; }

    [[nodiscard]] bool empty() const { return m_total == 0; }

    [[nodiscard]] std::size_t rangeCount() const;
    [[nodiscard]] std::optional<std::uint64_t> lowest() const;
    [[nodiscard]] std::optional<std::uint64_t> highest() const; ///< the last member, not the end
    /// The first range with a member that is not below `value`.
    [[nodiscard]] std::optional<Range> rangeFrom(std::uint64_t value) const;
    /// The first range that ends at `value` or later: the one that would grow if `value` was added.
    [[nodiscard]] std::optional<Range> rangeTouching(std::uint64_t value) const;
    void clear();

    template <class Visitor> void forEach(Visitor&& visit) const
    {
        for (const Leaf& leaf : m_leaves) {
            for (const Range& range : leaf) {
                visit(range);
            }
        }
    }

    /// The parts of `range` that are in the set, in order.
    template <class Visitor> void forEachWithin(Range range, Visitor&& visit) const
    {
        for (Position at = firstEndingAfter(range.start); at.leaf < m_leaves.size();
             at = next(at)) {
            const Range& found = m_leaves[at.leaf][at.index];
            if (found.start >= range.end) {
                return;
            }
            visit(Range{found.start < range.start ? range.start : found.start,
                        found.end > range.end ? range.end : found.end});
        }
    }

private:
    static constexpr std::size_t kLeafRanges = 256;
    using Leaf = std::vector<Range>; ///< never empty

    struct Position
    {
        std::size_t leaf = 0;
        std::size_t index = 0;
    };

    [[nodiscard]] Position
    firstEndingAfter(std::uint64_t value) const; ///< first range with end > value
    [[nodiscard]] Position
    firstTouching(std::uint64_t value) const; ///< first range with end >= value
    template <class Before> [[nodiscard]] Position find(Before before) const;
    [[nodiscard]] Position next(Position at) const;
    void insert(Position at, Range range);
    void erase(Position at);

    std::vector<Leaf> m_leaves;
    std::uint64_t m_total = 0;
};

} // namespace millpond::space
