// SPDX-License-Identifier: GPL-3.0-or-later
#include "vdev/detail/top_base.h"

#include "format/block_pointer.h"

#include <fmt/format.h>

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

    [[nodiscard]] Result<ScrubOutcome> scrubRead(
        ByteOffset, MutableBytes, const Verifier&, const ReadOptions&, const ScrubSink&) override
    {
        return fail(nothingToReadFrom());
    }
};

} // namespace

std::unique_ptr<TopLevel> makeAbsentTop(Node& node, const TreeContext& context)
{
    return std::make_unique<AbsentTop>(node, context);
}

} // namespace millpond::vdev::detail
