// SPDX-License-Identifier: GPL-3.0-or-later
#include "codec/parity.h"
#include "vdev/detail/raidz_stripe.h"
#include "vdev/detail/run_reader.h"
#include "vdev/detail/top_base.h"

#include <algorithm>
#include <cstring>

namespace millpond::vdev::detail {

namespace {

/// Blocks lie on raidz in whole sectors; a caller's block may end within one.
class WholeSectors
{
public:
    [[nodiscard]] static Result<WholeSectors> around(MutableBytes out, std::size_t sector)
    {
        WholeSectors whole(out);
        const std::size_t size = alignUp(out.size(), sector);
        if (size != out.size()) {
            whole.m_padded = MP_TRY(Buffer::create(size));
        }
        return whole;
    }

    [[nodiscard]] MutableBytes bytes() { return m_padded.empty() ? m_out : m_padded.bytes(); }

    /// Copies the caller's part back.
    void finish()
    {
        if (!m_padded.empty()) {
            std::memcpy(m_out.data(), m_padded.bytes().data(), m_out.size());
        }
    }

private:
    explicit WholeSectors(MutableBytes out)
        : m_out(out)
    {
    }

    MutableBytes m_out;
    Buffer m_padded;
};

class RaidzTop final : public TopBase
{
public:
    RaidzTop(Node& node, const TreeContext& context)
        : TopBase(node, context)
        , m_geometry{.width = static_cast<std::uint32_t>(node.children.size()),
                     .parity = node.parity,
                     .ashift = Ashift(static_cast<std::uint8_t>(node.ashift))}
    {
        for (const auto& child : node.children) {
            m_leaves.push_back(leavesOf(*child));
        }
    }

    [[nodiscard]] ByteCount allocatedSize(ByteCount physicalSize) const override
    {
        return raidzAllocatedSize(m_geometry, physicalSize);
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

    [[nodiscard]] std::span<const LeafGroup> groups() const override { return m_leaves; }

    void discard(ByteOffset offset, ByteCount size) const override;

protected:
    [[nodiscard]] Status addPieces(ByteOffset offset, Bytes data, WriteBatch& batch) const override;

private:
    [[nodiscard]] Status checkSectors(ByteOffset offset, std::size_t size) const;
    [[nodiscard]] Error whyNot(RaidzStripe& stripe);

    const RaidzGeometry m_geometry;
    std::vector<LeafGroup> m_leaves; ///< by child
};

Status RaidzTop::checkSectors(ByteOffset offset, std::size_t size) const
{
    MP_TRY(checkPlace(offset, size));
    if (offset.value() % sector() != 0) {
        return fail(ErrorCode::BadBlockPointer,
                    "a block that does not begin at a sector of " + node().name(),
                    {.vdev = node().guid});
    }
    return {};
}

Status RaidzTop::addPieces(ByteOffset offset, Bytes data, WriteBatch& batch) const
{
    const RaidzMap map = raidzMap(m_geometry, offset, data.size());
    const MutableBytes parity = MP_TRY(batch.buffer(map.parity * map.columnBytes()));
    std::vector<Bytes> dataColumns;
    std::vector<MutableBytes> parityColumns;
    for (std::size_t i = 0; i < map.columns.size(); ++i) {
        const RaidzColumn& column = map.columns[i];
        if (i < map.parity) {
            parityColumns.push_back(parity.subspan(i * map.columnBytes(), column.size));
            batch.add(m_leaves[column.child], column.offset, parityColumns.back());
        } else {
            dataColumns.push_back(data.subspan(column.inData, column.size));
            batch.add(m_leaves[column.child], column.offset, dataColumns.back());
        }
    }
    for (const RaidzColumn& sector : raidzPadding(m_geometry, offset, data.size())) {
        batch.addFiller(m_leaves[sector.child], sector.offset, sector.size);
    }
    return codec::generateParity(dataColumns, parityColumns);
}

void RaidzTop::discard(ByteOffset offset, ByteCount size) const
{
    // Where P and data change places they do so within their block's sectors: what is free of
    // blocks is free on the children.
    for (const RaidzColumn& column : raidzRange(m_geometry, offset, size)) {
        for (Leaf* leaf : m_leaves[column.child]) {
            leaf->discard(column.offset, ByteCount(column.size));
        }
    }
}

Error RaidzTop::whyNot(RaidzStripe& stripe)
{
    if (stripe.sawEnough()) {
        node().checksumErrors.fetch_add(1, std::memory_order_relaxed);
        return mismatch();
    }
    return stripe.lastError() ? *std::move(stripe.lastError()) : nothingToReadFrom();
}

Result<ReadOutcome> RaidzTop::read(ByteOffset offset,
                                   MutableBytes out,
                                   const Verifier& verify,
                                   const ReadOptions& options)
{
    MP_TRY(checkSectors(offset, out.size()));
    WholeSectors whole = MP_TRY(WholeSectors::around(out, sector()));
    const RaidzMap map = raidzMap(m_geometry, offset, whole.bytes().size());
    const auto verifyPart = [&](Bytes bytes) { return verify(bytes.first(out.size())); };
    const Verifier verifier(verifyPart);
    RaidzStripe stripe(map, m_leaves, whole.bytes(), verifier, options.birth);
    const RaidzStripe::Found found = MP_TRY(stripe.read());
    whole.finish();
    if (found == RaidzStripe::Found::Nothing) {
        return fail(whyNot(stripe));
    }
    if (stripe.damaged()) {
        repairAfterRead(offset, out.size(), verify, options);
    }
    return ReadOutcome{.repaired = found == RaidzStripe::Found::Rebuilt};
}

void RaidzTop::readRun(std::span<RunBlock> blocks)
{
    RunReader reader(blocks);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const RunBlock& block = blocks[i];
        if (block.out.size() % sector() != 0 || !checkSectors(block.offset, block.out.size())) {
            continue;
        }
        const RaidzMap map = raidzMap(m_geometry, block.offset, block.out.size());
        for (std::size_t c = map.parity; c < map.columns.size(); ++c) {
            const RaidzColumn& column = map.columns[c];
            const LeafGroup& group = m_leaves[column.child];
            const auto leaf = std::ranges::find_if(group, [&](const Leaf* candidate) {
                return candidate->readable() && !candidate->missed(block.birth);
            });
            if (leaf == group.end()) {
                reader.drop(i);
                break;
            }
            reader.add(i, **leaf, column.offset, block.out.subspan(column.inData, column.size));
        }
    }
    reader.run();
}

Result<ScrubOutcome> RaidzTop::scrubRead(ByteOffset offset,
                                         MutableBytes out,
                                         const Verifier& verify,
                                         const ReadOptions& options,
                                         const ScrubSink& sink)
{
    MP_TRY(checkSectors(offset, out.size()));
    WholeSectors whole = MP_TRY(WholeSectors::around(out, sector()));
    const RaidzMap map = raidzMap(m_geometry, offset, whole.bytes().size());
    const auto verifyPart = [&](Bytes bytes) { return verify(bytes.first(out.size())); };
    const Verifier verifier(verifyPart);
    RepairLock repairing(context(), options.repair);
    RaidzStripe stripe(map, m_leaves, whole.bytes(), verifier, options.birth);
    ScrubTeller teller(sink, options.counts);
    const RaidzStripe::Found found = MP_TRY(stripe.scrub(teller, options.repair));
    whole.finish();
    if (found == RaidzStripe::Found::Nothing) {
        teller.tellLost(node(), offset, out.size());
        return fail(whyNot(stripe));
    }
    return teller.outcome();
}

} // namespace

std::unique_ptr<TopBase> makeRaidzTop(Node& node, const TreeContext& context)
{
    return std::make_unique<RaidzTop>(node, context);
}

} // namespace millpond::vdev::detail
