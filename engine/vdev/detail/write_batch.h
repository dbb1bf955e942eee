// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/buffer.h"
#include "vdev/detail/leaf.h"

#include <optional>
#include <span>
#include <vector>

namespace millpond::vdev::detail {

/// Blocks on their way to the leaves: pieces are collected, neighbours joined, everything sent at
/// once. Used once, by one thread.
class WriteBatch
{
public:
    explicit WriteBatch(Txg txg)
        : m_txg(txg)
    {
    }

    /// Pieces added from now on are this block's, which can do without `spareColumns` of them.
    void beginBlock(std::size_t spareColumns);
    /// Forgets the pieces of the block begun last; it then has no outcome.
    void dropBlock();

    /// Memory that lives as long as the batch.
    [[nodiscard]] Result<MutableBytes> buffer(std::size_t size);

    /// A column of the block: goes to every leaf of the group. Both outlive the batch.
    void add(const LeafGroup& group, ByteOffset offset, Bytes from);
    /// Room that belongs to the block and holds nothing: written with zeroes where that joins two
    /// neighbours into one request, else left alone. At most kFillerBytes.
    void addFiller(const LeafGroup& group, ByteOffset offset, std::size_t size);

    /// Sends all and waits. Afterwards:
    void run();
    /// Of the n-th block begun and not dropped.
    [[nodiscard]] Status status(std::size_t block) const;

    static constexpr std::size_t kFillerBytes = 65536;

private:
    struct Block
    {
        std::size_t spareColumns = 0;
        std::size_t firstPiece = 0;
        std::size_t lostColumns = 0;
        std::optional<Error> error; ///< the last one met
    };

    struct Piece
    {
        const LeafGroup* group = nullptr;
        ByteOffset offset;
        Bytes from;
        std::size_t block = 0;
        bool filler = false;
        bool written = false; ///< on at least one leaf

        [[nodiscard]] ByteOffset end() const { return offset + ByteCount(from.size()); }
    };

    /// Neighbours that are one request on each leaf of their group.
    struct Run
    {
        std::size_t firstPiece = 0;
        std::size_t pieces = 0;
        Bytes from;
    };

    struct Request
    {
        const Run* run = nullptr;
        Leaf* leaf = nullptr;
        Status status;
    };

    struct Loss
    {
        std::size_t block;
        Leaf* leaf;
    };

    void makeRuns();
    void closeRun(Run& run);
    [[nodiscard]] bool joins(const Run& run, const Piece& next) const;
    void send();
    void judge();
    void judgeRequest(Request& request);
    void lose(const Piece& piece, Leaf& leaf);

    const Txg m_txg;
    std::vector<Block> m_blocks;
    std::vector<Piece> m_pieces;
    std::vector<Buffer> m_buffers;
    std::vector<Run> m_runs;
    std::vector<Request> m_requests;
    std::vector<Loss> m_losses;
};

} // namespace millpond::vdev::detail
