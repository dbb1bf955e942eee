// SPDX-License-Identifier: GPL-3.0-or-later
#include "object/detail/block_tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::object::detail {

using format::BlockPointer;

namespace {

constexpr unsigned kPointerShift = 7; // log2 of BlockPointer::kBytes
constexpr unsigned kWordBits = 64;

/// Indirect blocks a search may read. True counts need two paths through the tree; the rest is
/// patience with writers that counted wrong.
constexpr std::size_t kSearchLoads = 1024;

bool nothingWanted(const BlockPointer& pointer,
                   unsigned level,
                   const TreeShape& shape,
                   std::uint64_t perBlock,
                   Want want)
{
    if (want == Want::Data) {
        return pointer.isHole() || pointer.fill() == 0;
    }
    if (pointer.isHole()) {
        return false;
    }
    if (level == 0) {
        return true;
    }
    std::uint64_t full = 0;
    const std::optional<std::uint64_t> span = shape.span(level);
    return span && checkedMultiply(*span, perBlock, full) && pointer.fill() == full;
}

} // namespace

TreeShape::TreeShape(const Dnode& dnode)
    : m_shift(dnode.indirectShift > kPointerShift ? dnode.indirectShift - kPointerShift : 0)
    , m_top(dnode.levels == 0 ? 0 : dnode.levels - 1U)
{
}

std::uint64_t TreeShape::ancestor(std::uint64_t index, unsigned from, unsigned to) const
{
    const unsigned shift = m_shift * (to - from);
    return shift >= kWordBits ? 0 : index >> shift;
}

std::optional<std::uint64_t>
TreeShape::firstBelow(std::uint64_t index, unsigned from, unsigned to) const
{
    const unsigned shift = m_shift * (from - to);
    if (shift >= kWordBits) {
        return index == 0 ? std::optional<std::uint64_t>(0) : std::nullopt;
    }
    if (shift != 0 && (index >> (kWordBits - shift)) != 0) {
        return std::nullopt;
    }
    return index << shift;
}

std::optional<std::uint64_t> TreeShape::span(unsigned level) const
{
    return firstBelow(1, level, 0);
}

PointerWalker::PointerWalker(block::BlockSource& source,
                             const Dnode& dnode,
                             const ReadContext& context)
    : m_source(source)
    , m_dnode(dnode)
    , m_context(context)
    , m_shape(dnode)
{
}

Result<BlockPointer> PointerWalker::pointer(unsigned level, std::uint64_t index)
{
    const unsigned top = m_shape.top();
    if (level > top || top >= m_held.size()) {
        return BlockPointer{};
    }
    unsigned at = level + 1;
    while (at <= top && !holds(at, m_shape.ancestor(index, level, at))) {
        ++at;
    }
    BlockPointer found;
    if (at > top) {
        const std::uint64_t slot = m_shape.ancestor(index, level, top);
        if (slot >= m_dnode.pointers.size()) {
            return BlockPointer{};
        }
        found = m_dnode.pointers[slot];
        at = top;
    } else {
        --at;
        found = BlockPointer::at(m_held[at + 1].data->bytes(),
                                 m_shape.slotOffset(m_shape.ancestor(index, level, at)),
                                 m_held[at + 1].order);
    }
    for (; at > level; --at) {
        if (found.isHole()) {
            return BlockPointer{};
        }
        MP_TRY(load(at, m_shape.ancestor(index, level, at), found));
        found = BlockPointer::at(m_held[at].data->bytes(),
                                 m_shape.slotOffset(m_shape.ancestor(index, level, at - 1)),
                                 m_held[at].order);
    }
    return found;
}

Status PointerWalker::load(unsigned level, std::uint64_t index, const BlockPointer& pointer)
{
    const block::Bookmark bookmark{
        m_dnode.objset, m_dnode.id, Level(static_cast<std::uint8_t>(level)), BlockIndex(index)};
    if (pointer.level() != bookmark.level) {
        return fail(ErrorCode::BadBlockPointer,
                    fmt::format("its pointer is for level {}", pointer.level().value()),
                    bookmark.context());
    }
    m_missing.reset();
    Result<BufferRef> data = m_source.read(pointer, bookmark, m_context);
    if (!data) {
        m_missing = Missing{pointer, bookmark};
        return std::unexpected(std::move(data).error());
    }
    if ((*data)->size() != std::size_t{1} << m_dnode.indirectShift) {
        return fail(ErrorCode::BadBlockPointer,
                    fmt::format("an indirect block of {} bytes in an object that has them of {}",
                                (*data)->size(),
                                std::size_t{1} << m_dnode.indirectShift),
                    bookmark.context());
    }
    m_held[level] = Held{index, std::move(*data), pointer.byteOrder()};
    ++m_loads;
    return {};
}

Result<std::optional<std::uint64_t>>
findBlock(PointerWalker& walker, const Dnode& dnode, std::uint64_t start, Want want)
{
    const TreeShape& shape = walker.shape();
    // The count in a pointer to dnodes is of dnodes, otherwise of blocks.
    const std::uint64_t perBlock =
        dnode.type == format::number(format::ObjectType::Dnode)
            ? std::max<std::uint64_t>(dnode.dataBlockBytes / format::kDnodeSlotBytes, 1)
            : 1;
    std::uint64_t at = start;
    for (;;) {
        unsigned level = shape.top();
        if (shape.ancestor(at, 0, level) >= dnode.pointers.size()) {
            return std::nullopt;
        }
        for (;;) {
            const BlockPointer pointer =
                MP_TRY(walker.pointer(level, shape.ancestor(at, 0, level)));
            if (nothingWanted(pointer, level, shape, perBlock, want)) {
                break;
            }
            if (level == 0 || pointer.isHole()) {
                return at;
            }
            --level;
        }
        if (walker.loads() > kSearchLoads) {
            return fail(ErrorCode::BadBlockPointer,
                        "the counts of blocks below its indirect blocks are wrong",
                        {.objset = dnode.objset, .object = dnode.id});
        }
        const std::optional<std::uint64_t> next =
            shape.firstBelow(shape.ancestor(at, 0, level) + 1, level, 0);
        if (!next) {
            return std::nullopt;
        }
        at = *next;
    }
}

} // namespace millpond::object::detail
