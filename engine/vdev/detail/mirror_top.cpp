// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks that lie whole on each of several leaves.
#include "vdev/detail/run_reader.h"
#include "vdev/detail/same_bytes.h"
#include "vdev/detail/scrub_teller.h"
#include "vdev/detail/top_base.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>

namespace millpond::vdev::detail {

namespace {

/// Neighbouring blocks stay on one leaf as long as both are idle, so that a disk reads on in one
/// piece; large enough for that, small enough to use all leaves.
constexpr unsigned kRegionShift = 21;

struct Copy
{
    bool missed = false;
    std::uint64_t inFlight = 0; ///< when we looked
    std::size_t turn = 0;       ///< by region
    Leaf* leaf = nullptr;

    [[nodiscard]] auto rank() const { return std::tuple(missed, inFlight, turn); }
};

class MirrorTop final : public TopBase
{
public:
    MirrorTop(Node& node, const TreeContext& context)
        : TopBase(node, context)
        , m_group{leavesOf(node)}
        , m_leaves(m_group.front())
    {
    }

    [[nodiscard]] std::span<const LeafGroup> groups() const override { return m_group; }

    void discard(ByteOffset offset, ByteCount size) const override
    {
        for (Leaf* leaf : m_leaves) {
            leaf->discard(offset, size);
        }
    }

    [[nodiscard]] ByteCount allocatedSize(ByteCount physicalSize) const override
    {
        return ByteCount(alignUp(physicalSize.value(), sector()));
    }

    [[nodiscard]] Result<ReadOutcome> read(ByteOffset offset,
                                           MutableBytes out,
                                           const Verifier& verify,
                                           const ReadOptions& options) override;
    void readRun(std::span<RunBlock> blocks) override;
    [[nodiscard]] Result<ScrubOutcome> scrubRead(ByteOffset offset,
                                                 MutableBytes out,
                                                 const Verifier& verify,
                                                 const ReadOptions& options,
                                                 const ScrubSink& sink) override;

protected:
    [[nodiscard]] Status addPieces(ByteOffset offset, Bytes data, WriteBatch& batch) const override
    {
        batch.add(m_leaves, offset, data);
        return {};
    }

private:
    [[nodiscard]] std::vector<Copy> copiesFor(ByteOffset offset, Txg birth) const;

    const std::array<LeafGroup, 1> m_group;
    const LeafGroup& m_leaves;
};

/// Readable copies in the order of trying: up to date before stale, idle before busy, else by
/// region.
std::vector<Copy> MirrorTop::copiesFor(ByteOffset offset, Txg birth) const
{
    std::vector<Copy> copies;
    copies.reserve(m_leaves.size());
    const std::size_t start = (offset.value() >> kRegionShift) % m_leaves.size();
    for (std::size_t i = 0; i < m_leaves.size(); ++i) {
        Leaf* leaf = m_leaves[(start + i) % m_leaves.size()];
        if (leaf->readable()) {
            copies.push_back({.missed = leaf->missed(birth),
                              .inFlight = leaf->inFlight(),
                              .turn = i,
                              .leaf = leaf});
        }
    }
    std::ranges::sort(copies, {}, &Copy::rank);
    return copies;
}

Result<ReadOutcome> MirrorTop::read(ByteOffset offset,
                                    MutableBytes out,
                                    const Verifier& verify,
                                    const ReadOptions& options)
{
    MP_TRY(checkPlace(offset, out.size()));
    ReadOutcome outcome;
    bool sawData = false;
    bool damaged = false;
    std::optional<Error> lastError;
    for (const Copy& copy : copiesFor(offset, options.birth)) {
        if (Status status = copy.leaf->read(offset, out); !status) {
            lastError = std::move(status).error();
        } else if (verify(out)) {
            if (damaged) {
                repairAfterRead(offset, out.size(), verify, options);
            }
            return outcome;
        } else {
            sawData = true;
            if (!copy.missed) {
                copy.leaf->counters().countChecksumError();
            }
        }
        outcome.repaired = true;
        damaged = damaged || !copy.missed;
    }
    if (sawData) {
        return fail(mismatch());
    }
    return fail(lastError ? std::move(*lastError) : nothingToReadFrom());
}

void MirrorTop::readRun(std::span<RunBlock> blocks)
{
    RunReader reader(blocks);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const RunBlock& block = blocks[i];
        if (!checkPlace(block.offset, block.out.size())) {
            continue;
        }
        const std::vector<Copy> copies = copiesFor(block.offset, block.birth);
        if (!copies.empty() && !copies.front().missed) {
            reader.add(i, *copies.front().leaf, block.offset, block.out);
        }
    }
    reader.run();
}

Result<ScrubOutcome> MirrorTop::scrubRead(ByteOffset offset,
                                          MutableBytes out,
                                          const Verifier& verify,
                                          const ReadOptions& options,
                                          const ScrubSink& sink)
{
    MP_TRY(checkPlace(offset, out.size()));
    RepairLock repairing(context(), options.repair);
    ScrubTeller teller(sink, options.counts);
    std::vector<Piece> pieces;
    std::vector<Buffer> buffers;
    for (Leaf* leaf : m_leaves) {
        if (!leaf->readable()) {
            teller.tell(ScrubFinding::Kind::AwaitingResilver, *leaf, offset, out.size());
            continue;
        }
        MutableBytes into = out; // the first one needs no copy
        if (!pieces.empty()) {
            buffers.push_back(MP_TRY(Buffer::create(out.size())));
            into = buffers.back().bytes();
        }
        pieces.push_back({.leaf = leaf, .offset = offset, .into = into, .status = Status()});
    }
    readPieces(pieces);
    std::vector<Leaf*> bad;
    bool good = false;
    bool sawData = false;
    std::optional<Error> lastError;
    for (Piece& piece : pieces) {
        const bool isRead = piece.status.has_value();
        const bool missed = piece.leaf->missed(options.birth);
        sawData = sawData || isRead;
        teller.countRead(isRead ? piece.into.size() : 0);
        if (isRead && (good ? sameBytes(piece.into, out) : verify(piece.into))) {
            if (piece.into.data() != out.data()) {
                std::memcpy(out.data(), piece.into.data(), out.size());
            }
            good = true;
            continue;
        }
        if (!isRead) {
            lastError = std::move(piece.status).error();
        }
        teller.tellBad(*piece.leaf, isRead, missed, offset, out.size());
        bad.push_back(piece.leaf);
    }
    if (good) {
        if (options.repair && !bad.empty()) {
            Buffer right = MP_TRY(Buffer::createZeroed(alignUp(out.size(), sector())));
            std::memcpy(right.bytes().data(), out.data(), out.size());
            for (Leaf* leaf : bad) {
                teller.repair(*leaf, offset, right.bytes(), options.birth);
            }
        }
        return teller.outcome();
    }
    teller.tellLost(node(), offset, out.size());
    if (sawData) {
        return fail(mismatch());
    }
    return fail(lastError ? std::move(*lastError) : nothingToReadFrom());
}

} // namespace

std::unique_ptr<TopBase> makeMirrorTop(Node& node, const TreeContext& context)
{
    return std::make_unique<MirrorTop>(node, context);
}

} // namespace millpond::vdev::detail
