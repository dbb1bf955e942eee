// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/buffer.h"
#include "vdev/detail/leaf.h"

#include <map>
#include <vector>

namespace millpond::vdev::detail {

/// The pieces of neighbouring blocks, gathered by leaf and read in as few requests as possible. A
/// request costs a device and the kernel as much as some 64 KiB do: smaller gaps between pieces
/// (raidz: parity) are read, too, and thrown away.
class RunReader
{
public:
    explicit RunReader(std::span<RunBlock> blocks)
        : m_blocks(blocks)
        , m_whole(blocks.size(), true)
        , m_pieces(blocks.size(), 0)
    {
    }

    /// `into` is all or part of a block. Pieces of a leaf come in ascending order.
    void add(std::size_t block, Leaf& leaf, ByteOffset offset, MutableBytes into);

    /// The block cannot be read this way.
    void drop(std::size_t block) { m_whole[block] = false; }

    /// Reads, and marks the blocks that have all their pieces.
    void run();

private:
    static constexpr std::uint64_t kMaxGap = 64 * KiB;

    struct Part
    {
        std::size_t block = 0;
        ByteOffset offset;
        MutableBytes into;
    };

    void readLeaf(Leaf& leaf, std::span<const Part> parts);
    /// How many of the parts one request can read; at least one.
    [[nodiscard]] static std::size_t together(std::span<const Part> parts);
    void readTogether(Leaf& leaf, std::span<const Part> parts);

    std::span<RunBlock> m_blocks;
    std::vector<bool> m_whole; ///< nothing failed so far
    std::vector<unsigned> m_pieces;
    std::map<Leaf*, std::vector<Part>> m_parts;
    Buffer m_waste;
};

} // namespace millpond::vdev::detail
