// SPDX-License-Identifier: GPL-3.0-or-later
#include "object/detail/zap_leaf_edit.h"

#include "base/buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace millpond::object::detail {

using format::ZapLeafView;

namespace {

constexpr std::uint16_t kChainEnd = ZapLeafView::kChainEnd;

std::unexpected<Error> bad(std::string what)
{
    return fail(ErrorCode::BadZap, std::move(what));
}

std::size_t chunksFor(std::size_t bytes)
{
    return divideRoundUp(bytes, ZapLeafView::kArrayBytes);
}

std::uint8_t typeNumber(ZapLeafView::ChunkType type)
{
    return static_cast<std::uint8_t>(type);
}

Status allDifferent(std::vector<std::uint16_t> chunks)
{
    std::ranges::sort(chunks);
    if (std::ranges::adjacent_find(chunks) != chunks.end()) {
        return bad("a chunk of a ZAP leaf is used twice");
    }
    return {};
}

} // namespace

void ZapLeafEdit::initialize(MutableBytes block,
                             std::uint64_t prefix,
                             std::uint16_t prefixLength,
                             bool sorted)
{
    const LeafLayout layout(block.size());
    std::memset(block.data(), 0, block.size());
    store(block, 0, format::kZapLeafBlock);
    store(block, LeafLayout::kPrefix, prefix);
    store(block, LeafLayout::kMagic, format::kZapLeafMagic);
    store(block, LeafLayout::kFreeChunks, static_cast<std::uint16_t>(layout.chunks()));
    store(block, LeafLayout::kPrefixLength, prefixLength);
    store(block, LeafLayout::kFreeList, std::uint16_t{0});
    store(block, LeafLayout::kFlags, sorted ? ZapLeafView::kEntriesSorted : std::uint8_t{0});
    for (std::size_t slot = 0; slot < layout.hashSlots(); ++slot) {
        store(block, LeafLayout::chain(slot), kChainEnd);
    }
    for (std::size_t chunk = 0; chunk < layout.chunks(); ++chunk) {
        const std::size_t at = layout.chunk(chunk);
        store(block, at, typeNumber(ZapLeafView::ChunkType::Free));
        store(block,
              at + LeafLayout::kNextChunk,
              chunk + 1 == layout.chunks() ? kChainEnd : static_cast<std::uint16_t>(chunk + 1));
    }
}

Result<ZapLeafEdit> ZapLeafEdit::open(MutableBytes block)
{
    return ZapLeafEdit(block, MP_TRY(ZapLeafView::create(block, ByteOrder::Little)));
}

void ZapLeafEdit::refresh()
{
    const Result<ZapLeafView> view = ZapLeafView::create(m_block, ByteOrder::Little);
    MP_CHECK(view.has_value()); // what identifies a leaf is never changed
    m_view = *view;
}

Result<std::optional<ZapLeafEdit::Found>> ZapLeafEdit::find(std::uint64_t hash,
                                                            const LeafName& name) const
{
    std::uint16_t previous = kChainEnd;
    for (const ZapLeafView::Entry& entry : MP_TRY(m_view.chain(m_view.hashSlot(hash)))) {
        if (entry.hash == hash && entry.nameLength == name.length) {
            Chunks chunks;
            MP_TRY(arrayChunks(entry.nameChunk, name.stored.size(), chunks));
            Bytes rest = name.stored;
            const bool same = std::ranges::all_of(chunks, [&](std::uint16_t chunk) {
                const std::size_t count = std::min(rest.size(), ZapLeafView::kArrayBytes);
                const bool equal = std::memcmp(&m_block[m_layout.chunk(chunk) + LeafLayout::kArray],
                                               rest.data(),
                                               count) == 0;
                rest = rest.subspan(count);
                return equal;
            });
            if (same) {
                return Found{entry, previous, name.stored.size()};
            }
        }
        previous = entry.chunk;
    }
    return std::optional<Found>();
}

Result<ZapLeafEdit::Chunks> ZapLeafEdit::freeChunks(std::size_t count) const
{
    Chunks chunks;
    chunks.reserve(count);
    std::uint16_t chunk = m_view.header().freeList;
    while (chunks.size() < count) {
        if (chunk >= m_layout.chunks() ||
            m_view.chunkType(chunk) != typeNumber(ZapLeafView::ChunkType::Free)) {
            return bad(fmt::format("ZAP leaf chunk {} is not free", chunk));
        }
        chunks.push_back(chunk);
        chunk = m_view.nextChunk(chunk);
    }
    MP_TRY(allDifferent(chunks));
    return chunks;
}

Status ZapLeafEdit::arrayChunks(std::uint16_t first, std::size_t bytes, Chunks& chunks) const
{
    std::uint16_t chunk = first;
    for (std::size_t n = chunksFor(bytes); n > 0; --n) {
        if (chunk >= m_layout.chunks() ||
            m_view.chunkType(chunk) != typeNumber(ZapLeafView::ChunkType::Array)) {
            return bad(fmt::format("ZAP leaf chunk {} is no array", chunk));
        }
        chunks.push_back(chunk);
        chunk = m_view.nextChunk(chunk);
    }
    return {};
}

Result<std::uint32_t> ZapLeafEdit::freeCollision(std::uint64_t hash) const
{
    std::vector<std::uint32_t> used;
    for (const ZapLeafView::Entry& entry : MP_TRY(m_view.chain(m_view.hashSlot(hash)))) {
        if (entry.hash == hash) {
            used.push_back(entry.collision);
        }
    }
    std::ranges::sort(used);
    std::uint32_t collision = 0;
    for (const std::uint32_t other : used) {
        collision += other == collision ? 1U : 0U;
    }
    return collision;
}

Result<std::uint16_t> ZapLeafEdit::predecessor(std::uint64_t hash, std::uint32_t collision) const
{
    std::uint16_t previous = kChainEnd;
    for (const ZapLeafView::Entry& entry : MP_TRY(m_view.chain(m_view.hashSlot(hash)))) {
        if (entry.collision > collision) {
            break;
        }
        previous = entry.chunk;
    }
    return previous;
}

void ZapLeafEdit::setNext(std::uint16_t previous, std::size_t slot, std::uint16_t next)
{
    put(previous == kChainEnd ? LeafLayout::chain(slot)
                              : m_layout.chunk(previous) + LeafLayout::kNext,
        next);
}

std::uint16_t ZapLeafEdit::writeArray(std::span<const std::uint16_t> chunks, Bytes bytes)
{
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        const MutableBytes chunk =
            m_block.subspan(m_layout.chunk(chunks[i]), ZapLeafView::kChunkBytes);
        std::memset(chunk.data(), 0, chunk.size());
        store(chunk, 0, typeNumber(ZapLeafView::ChunkType::Array));
        const std::size_t count = std::min(bytes.size(), ZapLeafView::kArrayBytes);
        std::ranges::copy(bytes.first(count), chunk.subspan(LeafLayout::kArray).begin());
        bytes = bytes.subspan(count);
        store(chunk, LeafLayout::kNextChunk, i + 1 == chunks.size() ? kChainEnd : chunks[i + 1]);
    }
    return chunks.empty() ? kChainEnd : chunks.front();
}

void ZapLeafEdit::release(std::span<const std::uint16_t> chunks)
{
    std::uint16_t next = number16(LeafLayout::kFreeList);
    for (std::size_t i = chunks.size(); i-- > 0;) {
        const MutableBytes chunk =
            m_block.subspan(m_layout.chunk(chunks[i]), ZapLeafView::kChunkBytes);
        std::memset(chunk.data(), 0, chunk.size()); // compresses better
        store(chunk, 0, typeNumber(ZapLeafView::ChunkType::Free));
        store(chunk, LeafLayout::kNextChunk, next);
        next = chunks[i];
    }
    put(LeafLayout::kFreeList, next);
    put(LeafLayout::kFreeChunks,
        static_cast<std::uint16_t>(number16(LeafLayout::kFreeChunks) + chunks.size()));
}

Result<bool> ZapLeafEdit::insert(std::uint64_t hash,
                                 const LeafName& name,
                                 const LeafValue& value,
                                 std::optional<std::uint32_t> collision)
{
    const std::size_t nameChunks = chunksFor(name.stored.size());
    const std::size_t needed = 1 + nameChunks + chunksFor(value.stored.size());
    if (needed > m_layout.chunks()) {
        return fail(ErrorCode::TooLarge, "the value does not fit into a leaf");
    }
    if (needed > m_view.header().freeChunks) {
        return false;
    }
    const Chunks chunks = MP_TRY(freeChunks(needed));
    if (!collision) {
        collision = MP_TRY(freeCollision(hash));
    }
    const std::uint16_t previous = MP_TRY(predecessor(hash, *collision));
    const std::size_t slot = m_view.hashSlot(hash);
    const std::uint16_t chunk = chunks.front();
    const std::uint16_t next = previous == kChainEnd
                                   ? m_view.chainHead(slot)
                                   : number16(m_layout.chunk(previous) + LeafLayout::kNext);
    // From here on nothing fails.
    put(LeafLayout::kFreeList, m_view.nextChunk(chunks.back()));
    put(LeafLayout::kFreeChunks, static_cast<std::uint16_t>(m_view.header().freeChunks - needed));
    put(LeafLayout::kEntries, static_cast<std::uint16_t>(m_view.header().entries + 1));
    const std::span<const std::uint16_t> arrays = std::span(chunks).subspan(1);
    const std::size_t at = m_layout.chunk(chunk);
    std::memset(&m_block[at], 0, ZapLeafView::kChunkBytes);
    put(at, typeNumber(ZapLeafView::ChunkType::Entry));
    put(at + LeafLayout::kIntegerBytes, value.integerBytes);
    put(at + LeafLayout::kNext, next);
    put(at + LeafLayout::kNameChunk, writeArray(arrays.first(nameChunks), name.stored));
    put(at + LeafLayout::kNameLength, static_cast<std::uint16_t>(name.length));
    put(at + LeafLayout::kValueChunk, writeArray(arrays.subspan(nameChunks), value.stored));
    put(at + LeafLayout::kValueLength,
        static_cast<std::uint16_t>(value.stored.size() / value.integerBytes));
    put(at + LeafLayout::kCollision, *collision);
    put(at + LeafLayout::kHash, hash);
    setNext(previous, slot, chunk);
    refresh();
    return true;
}

Result<bool> ZapLeafEdit::replace(const Found& found, const LeafValue& value)
{
    const ZapLeafView::Entry& entry = found.entry;
    Chunks chunks;
    MP_TRY(
        arrayChunks(entry.valueChunk, std::size_t{entry.valueLength} * entry.integerBytes, chunks));
    MP_TRY(allDifferent(chunks));
    const std::size_t needed = chunksFor(value.stored.size());
    const std::size_t had = chunks.size();
    std::uint16_t freeList = m_view.header().freeList;
    if (needed > had) {
        if (needed - had > m_view.header().freeChunks) {
            return false;
        }
        const Chunks more = MP_TRY(freeChunks(needed - had));
        chunks.insert(chunks.end(), more.begin(), more.end());
        freeList = m_view.nextChunk(more.back());
    }
    // From here on nothing fails.
    if (needed > had) {
        put(LeafLayout::kFreeList, freeList);
        put(LeafLayout::kFreeChunks,
            static_cast<std::uint16_t>(m_view.header().freeChunks - (needed - had)));
    }
    const std::span<const std::uint16_t> all(chunks);
    const std::size_t at = m_layout.chunk(entry.chunk);
    put(at + LeafLayout::kIntegerBytes, value.integerBytes);
    put(at + LeafLayout::kValueChunk, writeArray(all.first(needed), value.stored));
    put(at + LeafLayout::kValueLength,
        static_cast<std::uint16_t>(value.stored.size() / value.integerBytes));
    release(all.subspan(needed));
    refresh();
    return true;
}

Status ZapLeafEdit::remove(const Found& found)
{
    const ZapLeafView::Entry& entry = found.entry;
    Chunks chunks{entry.chunk};
    MP_TRY(arrayChunks(entry.nameChunk, found.nameBytes, chunks));
    MP_TRY(
        arrayChunks(entry.valueChunk, std::size_t{entry.valueLength} * entry.integerBytes, chunks));
    MP_TRY(allDifferent(chunks));
    if (m_view.header().entries == 0) {
        return bad("a ZAP leaf has more entries than its header says");
    }
    setNext(found.previous, m_view.hashSlot(entry.hash), entry.next);
    release(chunks);
    put(LeafLayout::kEntries, static_cast<std::uint16_t>(m_view.header().entries - 1));
    refresh();
    return {};
}

Result<std::vector<std::byte>> ZapLeafEdit::array(std::uint16_t first, std::size_t bytes) const
{
    Chunks chunks;
    MP_TRY(arrayChunks(first, bytes, chunks));
    std::vector<std::byte> content;
    content.reserve(chunks.size() * ZapLeafView::kArrayBytes);
    for (const std::uint16_t chunk : chunks) {
        const Bytes raw = m_block;
        const Bytes part =
            raw.subspan(m_layout.chunk(chunk) + LeafLayout::kArray, ZapLeafView::kArrayBytes);
        content.insert(content.end(), part.begin(), part.end());
    }
    content.resize(bytes);
    return content;
}

Status ZapLeafEdit::split(MutableBytes upper, std::size_t nameIntegerBytes, bool sorted)
{
    MP_CHECK(upper.size() == m_block.size());
    const ZapLeafView::Header& header = m_view.header();
    if (header.prefixLength + 1U >= 64) {
        return bad("a ZAP leaf that cannot be split any more");
    }
    const auto length = static_cast<std::uint16_t>(header.prefixLength + 1);
    const std::uint64_t bit = std::uint64_t{1} << (64U - length);
    Buffer lower = MP_TRY(Buffer::create(m_block.size()));
    initialize(lower.bytes(), header.prefix << 1U, length, sorted);
    initialize(upper, header.prefix << 1U | 1U, length, sorted);
    ZapLeafEdit low = MP_TRY(open(lower.bytes()));
    ZapLeafEdit high = MP_TRY(open(upper));
    for (const ZapLeafView::Entry& entry : MP_TRY(m_view.entries())) {
        const std::vector<std::byte> name =
            MP_TRY(array(entry.nameChunk, entry.nameLength * nameIntegerBytes));
        const std::vector<std::byte> value =
            MP_TRY(array(entry.valueChunk, std::size_t{entry.valueLength} * entry.integerBytes));
        ZapLeafEdit& to = (entry.hash & bit) != 0 ? high : low;
        const bool fits = MP_TRY(to.insert(
            entry.hash, {name, entry.nameLength}, {value, entry.integerBytes}, entry.collision));
        if (!fits) {
            return bad("a ZAP leaf whose entries share chunks");
        }
    }
    std::ranges::copy(lower.bytes(), m_block.begin());
    refresh();
    return {};
}

} // namespace millpond::object::detail
