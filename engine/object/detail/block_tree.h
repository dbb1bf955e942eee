// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "object/object_set.h"

#include <array>
#include <optional>

namespace millpond::object::detail {

/// Index arithmetic over the tree of blocks below a dnode. Every shift may exceed the width of a
/// word: levels and shift come from a disk.
class TreeShape
{
public:
    explicit TreeShape(const Dnode& dnode);

    [[nodiscard]] unsigned top() const { return m_top; }

    /// The block at level `to` above block `index` of level `from` (`to` >= `from`).
    [[nodiscard]] std::uint64_t ancestor(std::uint64_t index, unsigned from, unsigned to) const;
    /// The first block at level `to` below block `index` of level `from`; nothing past 64 bits.
    [[nodiscard]] std::optional<std::uint64_t>
    firstBelow(std::uint64_t index, unsigned from, unsigned to) const;
    /// Level 0 blocks below one block of `level`; nothing when more than 64 bits can count.
    [[nodiscard]] std::optional<std::uint64_t> span(unsigned level) const;

    /// Where in its indirect block the pointer to block `index` stands, in bytes.
    [[nodiscard]] std::size_t slotOffset(std::uint64_t index) const
    {
        return static_cast<std::size_t>(index & ((std::uint64_t{1} << m_shift) - 1)) *
               format::BlockPointer::kBytes;
    }

private:
    unsigned m_shift; ///< log2 of the pointers in an indirect block
    unsigned m_top;   ///< level of the dnode's own pointers
};

/// Finds block pointers of one object. Keeps the indirect blocks of the last path, so that
/// neighbours cost no cache look-up. For one thread.
class PointerWalker
{
public:
    /// All three outlive the walker.
    PointerWalker(block::BlockSource& source, const Dnode& dnode, const ReadContext& context);

    /// A hole below a hole and past the end.
    [[nodiscard]] Result<format::BlockPointer> pointer(unsigned level, std::uint64_t index);

    [[nodiscard]] const TreeShape& shape() const { return m_shape; }

    /// Indirect blocks read so far.
    [[nodiscard]] std::size_t loads() const { return m_loads; }

    /// The indirect block whose reading failed last, to be fetched in the background.
    struct Missing
    {
        format::BlockPointer pointer;
        block::Bookmark bookmark;
    };

    [[nodiscard]] const std::optional<Missing>& missing() const { return m_missing; }

private:
    struct Held
    {
        std::uint64_t index = 0;
        BufferRef data;
        ByteOrder order = ByteOrder::Little;
    };

    [[nodiscard]] bool holds(unsigned level, std::uint64_t index) const
    {
        return m_held[level].data != nullptr && m_held[level].index == index;
    }

    Status load(unsigned level, std::uint64_t index, const format::BlockPointer& pointer);

    block::BlockSource& m_source;
    const Dnode& m_dnode;
    const ReadContext& m_context;
    TreeShape m_shape;
    std::array<Held, format::kMaxLevels> m_held;
    std::size_t m_loads = 0;
    std::optional<Missing> m_missing;
};

enum class Want : std::uint8_t
{
    Data,
    Hole
};

/// The first level 0 block at or after `start` that is (not) a hole, by the counts that indirect
/// pointers carry. Nothing at the end of the tree. BadBlockPointer when the counts promise so often
/// what is not there that the search would not end.
[[nodiscard]] Result<std::optional<std::uint64_t>>
findBlock(PointerWalker& walker, const Dnode& dnode, std::uint64_t start, Want want);

} // namespace millpond::object::detail
