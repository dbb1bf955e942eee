// SPDX-License-Identifier: GPL-3.0-or-later
#include "object/detail/fat_zap.h"

#include <fmt/format.h>

namespace millpond::object::detail {

namespace {

constexpr unsigned kWordBits = 64;
constexpr unsigned kLongCollisionBits = 16;
constexpr unsigned kShortCollisionBits = 32;
constexpr unsigned kShortHashBits = 28;

/// The top `count` bits of a word, as a number.
std::uint64_t topBits(std::uint64_t word, unsigned count)
{
    return count == 0 ? 0 : word >> (kWordBits - count);
}

} // namespace

std::optional<std::uint64_t> ZapOrder::position(std::uint64_t hash, std::uint32_t collision) const
{
    if (m_longHash) {
        if (collision >> kLongCollisionBits != 0) {
            return std::nullopt;
        }
        return (hash >> kLongCollisionBits << kLongCollisionBits) | collision;
    }
    return (topBits(hash, kShortHashBits) << kShortCollisionBits) | collision;
}

std::optional<std::uint64_t> ZapOrder::hash(std::uint64_t position) const
{
    if (m_longHash) {
        return position >> kLongCollisionBits << kLongCollisionBits;
    }
    const std::uint64_t hash = position >> kShortCollisionBits;
    if (hash >> kShortHashBits != 0) {
        return std::nullopt;
    }
    return hash << (kWordBits - kShortHashBits);
}

std::uint64_t FatZap::Leaf::beginHash() const
{
    const unsigned length = view.header().prefixLength;
    return length == 0 ? 0 : view.header().prefix << (kWordBits - length);
}

std::optional<std::uint64_t> FatZap::Leaf::endHash() const
{
    const unsigned length = view.header().prefixLength;
    const std::uint64_t next = view.header().prefix + 1;
    if (length == 0 || next >> length != 0) {
        return std::nullopt;
    }
    return next << (kWordBits - length);
}

bool FatZap::Leaf::covers(std::uint64_t hash) const
{
    return topBits(hash, view.header().prefixLength) == view.header().prefix;
}

Result<FatZap> FatZap::create(ObjectSet& objset,
                              const Dnode& dnode,
                              const ObjectSet::Block& first,
                              const ReadContext& context)
{
    Result<format::FatZapHeaderView> view =
        format::FatZapHeaderView::create(first.data->bytes(), first.order);
    if (!view) {
        return fail(std::move(view).error().at({.objset = dnode.objset, .object = dnode.id}));
    }
    FatZap zap(objset, dnode, context, *view);
    if (view->header().tableShift >= kWordBits) {
        return zap.bad("a pointer table larger than there are hashes");
    }
    return zap;
}

std::unexpected<Error> FatZap::bad(std::string what, std::optional<std::uint64_t> blockId) const
{
    ErrorContext where{.objset = m_dnode.objset, .object = m_dnode.id};
    if (blockId) {
        where.block = BlockIndex(*blockId);
    }
    return fail(ErrorCode::BadZap, std::move(what), std::move(where));
}

Result<FatZap::Leaf> FatZap::leafAt(std::uint64_t blockId)
{
    if (blockId == 0) {
        return bad("its pointer table points to its header");
    }
    ObjectSet::Block block = MP_TRY(m_objset.readBlock(m_dnode, BlockIndex(blockId), m_context));
    if (!block.data) {
        return bad("a leaf is missing", blockId);
    }
    Result<format::ZapLeafView> view =
        format::ZapLeafView::create(block.data->bytes(), block.order);
    if (!view) {
        return fail(std::move(view).error().at(
            {.objset = m_dnode.objset, .object = m_dnode.id, .block = BlockIndex(blockId)}));
    }
    const format::ZapLeafView::Header& leaf = view->header();
    if (leaf.prefixLength >= kWordBits || leaf.prefix >> leaf.prefixLength != 0) {
        return bad(fmt::format("a leaf with a prefix of {} bits", leaf.prefixLength), blockId);
    }
    return Leaf{blockId, std::move(block), *view};
}

Result<FatZap::Leaf> FatZap::leafFor(std::uint64_t hash)
{
    const std::uint64_t blockId = MP_TRY(pointer(m_view.tableIndex(hash)));
    Leaf leaf = MP_TRY(leafAt(blockId));
    if (leaf.view.header().prefixLength > header().tableShift || !leaf.covers(hash)) {
        return bad(fmt::format("the leaf for hashes from {:#x} on has the prefix {:#x} of {} bits",
                               hash,
                               leaf.view.header().prefix,
                               leaf.view.header().prefixLength),
                   blockId);
    }
    return leaf;
}

Result<std::uint64_t> FatZap::pointer(std::uint64_t index)
{
    if (index >= m_view.tableEntries()) {
        return bad("a pointer beyond its pointer table");
    }
    if (m_view.tableEmbedded()) {
        return m_view.embeddedPointer(index);
    }
    const format::FatZapHeaderView::TablePlace place = m_view.tablePlace(index);
    return tableWord(place.block, place.offsetBytes);
}

Result<std::uint64_t> FatZap::tableWord(std::uint64_t blockId, std::size_t offsetBytes)
{
    const auto holds = [blockId](const TableBlock& held) {
        return held.block.data != nullptr && held.blockId == blockId;
    };
    if (!holds(m_tableBlocks[m_lastTableBlock])) {
        m_lastTableBlock = 1 - m_lastTableBlock;
        if (!holds(m_tableBlocks[m_lastTableBlock])) {
            m_tableBlocks[m_lastTableBlock] = {
                blockId, MP_TRY(m_objset.readBlock(m_dnode, BlockIndex(blockId), m_context))};
        }
    }
    const ObjectSet::Block& block = m_tableBlocks[m_lastTableBlock].block;
    if (!block.data) {
        return bad("a block of its pointer table is missing", blockId);
    }
    const Bytes bytes = block.data->bytes();
    if (bytes.size() < sizeof(std::uint64_t) ||
        offsetBytes > bytes.size() - sizeof(std::uint64_t)) {
        return bad("a pointer beyond its pointer table", blockId);
    }
    return load<std::uint64_t>(bytes, offsetBytes, block.order);
}

} // namespace millpond::object::detail
