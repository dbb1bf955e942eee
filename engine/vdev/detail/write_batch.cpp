// SPDX-License-Identifier: GPL-3.0-or-later
#include "vdev/detail/write_batch.h"

#include "base/check.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <tuple>

namespace millpond::vdev::detail {

namespace {

/// Requests beyond this gain nothing on any device, and the copies that joining takes stay in the
/// processor's cache.
constexpr std::size_t kMaxJoinedBytes = MiB;
/// Copying a piece of this size costs more than the request that is saved.
constexpr std::size_t kLargePiece = 128 * KiB;

alignas(Buffer::kAlignment) constexpr std::array<std::byte, WriteBatch::kFillerBytes> kZeroes{};

} // namespace

void WriteBatch::beginBlock(std::size_t spareColumns)
{
    m_blocks.push_back({.spareColumns = spareColumns,
                        .firstPiece = m_pieces.size(),
                        .lostColumns = 0,
                        .error = {}});
}

void WriteBatch::dropBlock()
{
    m_pieces.resize(m_blocks.back().firstPiece);
    m_blocks.pop_back();
}

Result<MutableBytes> WriteBatch::buffer(std::size_t size)
{
    m_buffers.push_back(MP_TRY(Buffer::create(size)));
    return m_buffers.back().bytes();
}

void WriteBatch::add(const LeafGroup& group, ByteOffset offset, Bytes from)
{
    m_pieces.push_back(
        {.group = &group, .offset = offset, .from = from, .block = m_blocks.size() - 1});
}

void WriteBatch::addFiller(const LeafGroup& group, ByteOffset offset, std::size_t size)
{
    MP_CHECK(size <= kZeroes.size());
    m_pieces.push_back({.group = &group,
                        .offset = offset,
                        .from = Bytes(kZeroes).first(size),
                        .block = m_blocks.size() - 1,
                        .filler = true});
}

void WriteBatch::run()
{
    std::ranges::sort(
        m_pieces, {}, [](const Piece& piece) { return std::tuple(piece.group, piece.offset); });
    makeRuns();
    send();
    judge();
}

Status WriteBatch::status(std::size_t block) const
{
    const Block& found = m_blocks[block];
    if (found.lostColumns <= found.spareColumns) {
        return {};
    }
    return found.error ? fail(Error(*found.error))
                       : fail(ErrorCode::DeviceMissing, "too many devices are missing");
}

bool WriteBatch::joins(const Run& run, const Piece& next) const
{
    const Piece& last = m_pieces[run.firstPiece + run.pieces - 1];
    const std::size_t length =
        static_cast<std::size_t>((next.end() - m_pieces[run.firstPiece].offset).value());
    return last.group == next.group && last.end() == next.offset && length <= kMaxJoinedBytes &&
           last.from.size() < kLargePiece && next.from.size() < kLargePiece;
}

/// Pieces are in order: what follows its predecessor without a gap joins it.
void WriteBatch::makeRuns()
{
    for (std::size_t i = 0; i < m_pieces.size();) {
        Run run{.firstPiece = i, .pieces = 1, .from = {}};
        while (i + run.pieces < m_pieces.size() && joins(run, m_pieces[i + run.pieces])) {
            ++run.pieces;
        }
        i += run.pieces;
        closeRun(run);
    }
}

/// Fillers at the ends join nothing. Where there is no memory to join in, pieces go one by one.
void WriteBatch::closeRun(Run& run)
{
    while (run.pieces > 0 && m_pieces[run.firstPiece].filler) {
        ++run.firstPiece;
        --run.pieces;
    }
    while (run.pieces > 0 && m_pieces[run.firstPiece + run.pieces - 1].filler) {
        --run.pieces;
    }
    if (run.pieces == 0) {
        return;
    }
    const std::span<const Piece> pieces = std::span(m_pieces).subspan(run.firstPiece, run.pieces);
    Result<MutableBytes> joined =
        pieces.size() == 1
            ? Result<MutableBytes>(MutableBytes())
            : buffer(static_cast<std::size_t>((pieces.back().end() - pieces[0].offset).value()));
    if (pieces.size() == 1 || !joined) {
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            if (!pieces[i].filler) {
                m_runs.push_back(
                    {.firstPiece = run.firstPiece + i, .pieces = 1, .from = pieces[i].from});
            }
        }
        return;
    }
    std::size_t at = 0;
    for (const Piece& piece : pieces) {
        std::memcpy(joined->data() + at, piece.from.data(), piece.from.size());
        at += piece.from.size();
    }
    run.from = *joined;
    m_runs.push_back(run);
}

void WriteBatch::send()
{
    for (const Run& run : m_runs) {
        for (Leaf* leaf : *m_pieces[run.firstPiece].group) {
            if (leaf->readable()) {
                m_requests.push_back({.run = &run, .leaf = leaf, .status = Status()});
            }
        }
    }
    std::map<Leaf*, std::vector<device::DeviceRequest>> byLeaf;
    Countdown countdown(m_requests.size());
    for (Request& request : m_requests) {
        byLeaf[request.leaf].push_back(
            request.leaf->writeRequest(m_pieces[request.run->firstPiece].offset,
                                       request.run->from,
                                       request.run->pieces > 1,
                                       [&request, &countdown](Status status) {
                                           request.status = std::move(status);
                                           countdown.step();
                                       }));
    }
    for (auto& [leaf, batch] : byLeaf) {
        leaf->device()->submit(batch);
    }
    countdown.wait();
    for (auto& [leaf, batch] : byLeaf) {
        leaf->journal().noteWritten(m_txg);
    }
}

void WriteBatch::judge()
{
    for (const Run& run : m_runs) {
        for (Leaf* leaf : *m_pieces[run.firstPiece].group) {
            if (!leaf->readable()) {
                for (std::size_t i = 0; i < run.pieces; ++i) {
                    lose(m_pieces[run.firstPiece + i], *leaf);
                }
            }
        }
    }
    for (Request& request : m_requests) {
        judgeRequest(request);
    }
    for (const Piece& piece : m_pieces) {
        if (!piece.filler && !piece.written) {
            ++m_blocks[piece.block].lostColumns;
        }
    }
    for (const Loss& loss : m_losses) {
        const Block& block = m_blocks[loss.block];
        if (block.lostColumns <= block.spareColumns) {
            loss.leaf->journal().noteLost();
        }
    }
}

/// A request that failed is tried again piece by piece: one bad sector is one block's loss.
void WriteBatch::judgeRequest(Request& request)
{
    for (std::size_t i = 0; i < request.run->pieces; ++i) {
        Piece& piece = m_pieces[request.run->firstPiece + i];
        if (piece.filler) {
            continue;
        }
        if (!request.status) {
            if (Status again = request.leaf->write(piece.offset, piece.from); !again) {
                m_blocks[piece.block].error = std::move(again).error();
                lose(piece, *request.leaf);
                continue;
            }
        }
        piece.written = true;
    }
}

void WriteBatch::lose(const Piece& piece, Leaf& leaf)
{
    if (!piece.filler) {
        leaf.journal().noteMissed(m_txg, m_txg);
        m_losses.push_back({.block = piece.block, .leaf = &leaf});
    }
}

} // namespace millpond::vdev::detail
