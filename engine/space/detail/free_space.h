// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "space/range_set.h"

#include <array>
#include <bit>

namespace millpond::space::detail {

/// Ranges in order of size, then of place: ordered leaves like RangeSet's. Not thread-safe.
class SizeIndex
{
public:
    void insert(Range range);
    void erase(Range range); ///< is there

    /// The smallest of at least `size`, the first of equals.
    [[nodiscard]] std::optional<Range> smallestOfAtLeast(std::uint64_t size) const;

    [[nodiscard]] std::uint64_t largestSize() const
    {
        return m_leaves.empty() ? 0 : m_leaves.back().back().size;
    }

private:
    struct Key
    {
        std::uint64_t size = 0;
        std::uint64_t start = 0;

        auto operator<=>(const Key&) const = default;
    };

    static constexpr std::size_t kLeafKeys = 256;
    using Leaf = std::vector<Key>; ///< never empty

    [[nodiscard]] std::size_t leafFor(const Key& key) const; ///< first leaf with a key >= key

    std::vector<Leaf> m_leaves;
};

/// Entry i: runs of 2^i up to 2^(i+1) bytes.
using RunHistogram = std::array<std::uint64_t, 64>;

[[nodiscard]] inline std::size_t histogramBucket(std::uint64_t size)
{
    return static_cast<std::size_t>(std::bit_width(size)) - 1;
}

/// The free ranges of one metaslab by place and by size. Every operation is a few binary searches.
/// Not thread-safe.
class FreeSpace
{
public:
    /// None of it is in; merges with what it touches.
    void add(Range range);
    /// All of it is in.
    void remove(Range range);

    [[nodiscard]] bool contains(Range range) const { return m_ranges.contains(range); }

    [[nodiscard]] bool overlaps(Range range) const { return m_ranges.overlaps(range); }

    /// The first range behind `from` (or around it) with `size` bytes free from there on, looking
    /// at a bounded number of ranges: only its part from `from` on.
    [[nodiscard]] std::optional<Range> firstFit(std::uint64_t from, std::uint64_t size) const;

    [[nodiscard]] std::optional<Range> bestFit(std::uint64_t size) const
    {
        return m_bySize.smallestOfAtLeast(size);
    }

    [[nodiscard]] std::uint64_t total() const { return m_ranges.total(); }

    [[nodiscard]] std::uint64_t largest() const { return m_bySize.largestSize(); }

    [[nodiscard]] const RangeSet& ranges() const { return m_ranges; }

    [[nodiscard]] const RunHistogram& histogram() const { return m_histogram; }

private:
    void index(Range range);
    void unindex(Range range);

    RangeSet m_ranges;
    SizeIndex m_bySize;
    RunHistogram m_histogram{};
};

} // namespace millpond::space::detail
