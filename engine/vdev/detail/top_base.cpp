// SPDX-License-Identifier: GPL-3.0-or-later
#include "vdev/detail/top_base.h"

#include "format/block_pointer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace millpond::vdev::detail {

Status TopBase::checkPlace(ByteOffset offset, std::size_t size) const
{
    const ByteCount allocated = allocatedSize(ByteCount(size));
    std::uint64_t end = 0;
    if (size == 0 || size > format::kMaxBlockBytes ||
        !checkedAdd(offset.value(), allocated.value(), end) ||
        (m_node.asize != 0 && end > m_node.asize)) {
        return fail(
            ErrorCode::BadBlockPointer,
            fmt::format("{} bytes at {} do not lie in {}", size, offset.value(), m_node.name()),
            {.vdev = m_node.guid});
    }
    return {};
}

namespace {

/// Direct I/O wants sectors of aligned memory; devices have no smaller ones than this.
constexpr std::uintptr_t kMemoryAlignment = 512;

bool isAligned(Bytes data)
{
    return (reinterpret_cast<std::uintptr_t>(data.data()) & (kMemoryAlignment - 1)) == 0;
}

} // namespace

Status TopBase::plan(ByteOffset offset, Bytes data, WriteBatch& batch) const
{
    MP_TRY(checkPlace(offset, data.size()));
    if (offset.value() % sector() != 0) {
        return fail(ErrorCode::BadBlockPointer,
                    "a block that does not begin at a sector of " + m_node.name(),
                    {.vdev = m_node.guid});
    }
    Bytes whole = data;
    const std::size_t size = alignUp(data.size(), sector());
    if (size != data.size() || !isAligned(data)) {
        const MutableBytes padded = MP_TRY(batch.buffer(size));
        std::memcpy(padded.data(), data.data(), data.size());
        std::ranges::fill(padded.subspan(data.size()), std::byte{0});
        whole = padded;
    }
    batch.beginBlock(spareColumns());
    Status added = addPieces(offset, whole, batch);
    if (!added) {
        batch.dropBlock();
    }
    return added;
}

/// INV-7: the block is read anew while nobody writes, and what is written is what verified then. A
/// reader of an old txg whose block was freed and allocated again finds the new content, or, where
/// leaves missed something, is not listened to.
void TopBase::repairAfterRead(ByteOffset offset,
                              std::size_t size,
                              const Verifier& verify,
                              const ReadOptions& options)
{
    if (!m_context.readRepair) {
        return;
    }
    for (const LeafGroup& group : groups()) {
        for (const Leaf* leaf : group) {
            if (leaf->journal().missedAnything()) {
                return;
            }
        }
    }
    Result<Buffer> scratch = Buffer::create(size);
    if (scratch) {
        const auto ignore = [](const ScrubFinding&) {};
        (void)scrubRead(offset,
                        scratch->bytes(),
                        verify,
                        {.birth = options.birth, .repair = true, .counts = false},
                        ignore);
    }
}

namespace {

class AbsentTop final : public TopBase
{
public:
    using TopBase::TopBase;

    [[nodiscard]] ByteCount allocatedSize(ByteCount physicalSize) const override
    {
        return physicalSize;
    }

    [[nodiscard]] Result<ReadOutcome>
    read(ByteOffset, MutableBytes, const Verifier&, const ReadOptions&) override
    {
        return fail(nothingToReadFrom());
    }

    void readRun(std::span<RunBlock>) override {}

    [[nodiscard]] Result<ScrubOutcome> scrubRead(
        ByteOffset, MutableBytes, const Verifier&, const ReadOptions&, const ScrubSink&) override
    {
        return fail(nothingToReadFrom());
    }

    [[nodiscard]] std::span<const LeafGroup> groups() const override { return {}; }

    void discard(ByteOffset, ByteCount) const override {}

protected:
    [[nodiscard]] Status addPieces(ByteOffset, Bytes, WriteBatch&) const override
    {
        return fail(nothingToReadFrom());
    }
};

} // namespace

std::unique_ptr<TopBase> makeAbsentTop(Node& node, const TreeContext& context)
{
    return std::make_unique<AbsentTop>(node, context);
}

} // namespace millpond::vdev::detail
