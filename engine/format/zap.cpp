// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/zap.h"

#include "base/cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace millpond::format {

namespace {

constexpr std::size_t kMicroHeaderBytes = 64;
constexpr std::size_t kMicroNameOffset = 14;
constexpr unsigned kHashBits = 28;
constexpr unsigned kLongHashBits = 48;
constexpr std::uint64_t kCrc64Polynomial = 0xC96C5795D7870F42ULL; ///< ECMA-182, bits reversed
constexpr std::size_t kLeafHeaderBytes = 48;
constexpr std::size_t kMaxTableShift = 48; ///< no hash has more bits
constexpr std::size_t kMaxKeyWords = 128;  ///< the longest name in words
constexpr std::size_t kMaxLeafChunks = ZapLeafView::kChainEnd;

constexpr std::array<std::uint64_t, 256> makeCrcTable()
{
    std::array<std::uint64_t, 256> table{};
    for (std::uint64_t i = 0; i < table.size(); ++i) {
        std::uint64_t value = i;
        for (int bit = 0; bit < 8; ++bit) {
            value = (value >> 1) ^ ((value & 1) != 0 ? kCrc64Polynomial : 0);
        }
        table[i] = value;
    }
    return table;
}

constexpr std::array<std::uint64_t, 256> kCrcTable = makeCrcTable();

std::uint64_t crcStep(std::uint64_t hash, std::uint64_t byte)
{
    return (hash >> 8) ^ kCrcTable[(hash ^ byte) & 0xff];
}

std::unexpected<Error> bad(std::string what)
{
    return fail(ErrorCode::BadZap, std::move(what));
}

/// Log2 of a block's size if it may hold a part of a fat ZAP.
Result<unsigned> fatBlockShift(Bytes block)
{
    if (!std::has_single_bit(block.size())) {
        return bad(fmt::format("ZAP block of {} bytes", block.size()));
    }
    const auto shift = static_cast<unsigned>(std::countr_zero(block.size()));
    if (shift < kMinZapBlockShift || shift > kMaxZapBlockShift) {
        return bad(fmt::format("ZAP block of {} bytes", block.size()));
    }
    return shift;
}

bool isIntegerSize(std::uint8_t bytes)
{
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/// Array chunks hold integers most significant byte first.
std::vector<std::uint64_t> integersOf(Bytes bytes, std::size_t width)
{
    std::vector<std::uint64_t> integers(bytes.size() / width);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::uint64_t& integer = integers[i / width];
        integer = integer << 8 | static_cast<std::uint64_t>(bytes[i]);
    }
    return integers;
}

} // namespace

std::uint64_t zapHashMask(std::uint64_t flags)
{
    const unsigned used = (flags & ZapFlag::kHash64) != 0 ? kLongHashBits : kHashBits;
    return ~((std::uint64_t{1} << (64 - used)) - 1);
}

std::uint64_t zapHash(std::uint64_t salt, std::string_view name, std::uint64_t flags)
{
    std::uint64_t hash = salt;
    for (const char c : name) {
        hash = crcStep(hash, static_cast<unsigned char>(c));
    }
    return hash & zapHashMask(flags);
}

std::uint64_t zapHash(std::uint64_t salt, std::span<const std::uint64_t> key, std::uint64_t flags)
{
    if ((flags & ZapFlag::kPreHashed) != 0) {
        return key.empty() ? 0 : key.front() & zapHashMask(flags);
    }
    std::uint64_t hash = salt;
    for (const std::uint64_t word : key) {
        for (unsigned byte = 0; byte < 8; ++byte) {
            hash = crcStep(hash, word >> (byte * 8));
        }
    }
    return hash & zapHashMask(flags);
}

Result<ZapKind> zapKind(Bytes block, ByteOrder order)
{
    if (block.size() < 8) {
        return bad("ZAP without a block");
    }
    switch (load<std::uint64_t>(block, 0, order)) {
    case kZapMicroBlock:
        return ZapKind::Micro;
    case kZapHeaderBlock:
        return ZapKind::Fat;
    default:
        return bad("object that is no ZAP");
    }
}

MicroZapView::MicroZapView(Bytes block, ByteOrder order)
    : m_block(block)
    , m_order(order)
    , m_salt(load<std::uint64_t>(block, 8, order))
    , m_normalization(load<std::uint64_t>(block, 16, order))
    , m_slots(block.size() / kEntryBytes - 1)
{
}

Result<MicroZapView> MicroZapView::create(Bytes block, ByteOrder order)
{
    if (block.size() < kMicroHeaderBytes + kEntryBytes ||
        load<std::uint64_t>(block, 0, order) != kZapMicroBlock) {
        return bad("block that is no micro ZAP");
    }
    return MicroZapView(block, order);
}

std::optional<MicroZapView::Entry> MicroZapView::entry(std::size_t slot) const
{
    MP_CHECK(slot < m_slots);
    const Bytes raw = m_block.subspan(kMicroHeaderBytes + slot * kEntryBytes, kEntryBytes);
    const std::string_view name = textOf(raw.subspan(kMicroNameOffset, kMicroZapNameBytes));
    if (name.empty()) {
        return std::nullopt;
    }
    return Entry{name, load<std::uint64_t>(raw, 0, m_order), load<std::uint32_t>(raw, 8, m_order)};
}

std::optional<MicroZapView::Entry> MicroZapView::find(std::string_view name) const
{
    if (name.empty() || name.size() > kMicroZapNameBytes) {
        return std::nullopt;
    }
    // A damaged slot may hold 50 characters without an end.
    const bool full = name.size() == kMicroZapNameBytes;
    const Bytes wanted = bytesOf(name);
    for (std::size_t slot = 0; slot < m_slots; ++slot) {
        const std::size_t at = kMicroHeaderBytes + slot * kEntryBytes + kMicroNameOffset;
        if ((full || m_block[at + name.size()] == std::byte{0}) &&
            std::memcmp(&m_block[at], wanted.data(), wanted.size()) == 0) {
            return entry(slot);
        }
    }
    return std::nullopt;
}

std::string MicroZapView::toText() const
{
    std::string text = fmt::format(
        "micro ZAP salt={:#x} normalization={:#x} slots={}", m_salt, m_normalization, m_slots);
    for (std::size_t slot = 0; slot < m_slots; ++slot) {
        if (const auto found = entry(slot)) {
            text +=
                fmt::format("\n    {} = {} (cd {})", found->name, found->value, found->collision);
        }
    }
    return text;
}

FatZapHeaderView::FatZapHeaderView(Bytes block,
                                   ByteOrder order,
                                   unsigned blockShift,
                                   const Header& header)
    : m_block(block)
    , m_order(order)
    , m_blockShift(blockShift)
    , m_header(header)
{
}

Result<FatZapHeaderView> FatZapHeaderView::create(Bytes block, ByteOrder order)
{
    const unsigned shift = MP_TRY(fatBlockShift(block));
    const auto word = [&](std::size_t index) {
        return load<std::uint64_t>(block, index * 8, order);
    };
    if (word(0) != kZapHeaderBlock || word(1) != kZapMagic) {
        return bad("block that is no ZAP header");
    }
    Header header;
    header.tableBlock = word(2);
    header.tableBlocks = word(3);
    header.tableShift = word(4);
    header.nextTableBlock = word(5);
    header.blocksCopied = word(6);
    header.freeBlock = word(7);
    header.leaves = word(8);
    header.entries = word(9);
    header.salt = word(10);
    header.normalization = word(11);
    header.flags = word(12);
    if (header.tableShift > kMaxTableShift) {
        return bad(fmt::format("ZAP with a table of 2^{} pointers", header.tableShift));
    }
    const std::uint64_t needed = std::uint64_t{8} << header.tableShift;
    const std::uint64_t room = header.tableBlocks == 0 ? block.size() / 2 : header.tableBlocks;
    const std::uint64_t neededHere =
        header.tableBlocks == 0 ? needed : divideRoundUp(needed, block.size());
    if (neededHere > room) {
        return bad(fmt::format("ZAP with a table of 2^{} pointers in {} blocks",
                               header.tableShift,
                               header.tableBlocks));
    }
    return FatZapHeaderView(block, order, shift, header);
}

std::uint64_t FatZapHeaderView::embeddedPointer(std::uint64_t index) const
{
    MP_CHECK(tableEmbedded() && index < tableEntries());
    return load<std::uint64_t>(m_block, m_block.size() / 2 + index * 8, m_order);
}

FatZapHeaderView::TablePlace FatZapHeaderView::tablePlace(std::uint64_t index) const
{
    MP_CHECK(!tableEmbedded() && index < tableEntries());
    const std::uint64_t at = index * 8;
    return {m_header.tableBlock + (at >> m_blockShift),
            static_cast<std::size_t>(at & (m_block.size() - 1))};
}

std::string FatZapHeaderView::toText() const
{
    return fmt::format(
        "fat ZAP table block={} blocks={} shift={} free block={} leaves={} entries={} "
        "salt={:#x} normalization={:#x} flags={:#x}",
        m_header.tableBlock,
        m_header.tableBlocks,
        m_header.tableShift,
        m_header.freeBlock,
        m_header.leaves,
        m_header.entries,
        m_header.salt,
        m_header.normalization,
        m_header.flags);
}

ZapLeafView::ZapLeafView(Bytes block, ByteOrder order, unsigned blockShift, const Header& header)
    : m_block(block)
    , m_order(order)
    , m_blockShift(blockShift)
    , m_hashSlots(std::size_t{1} << (blockShift - 5))
    // The header counts as two chunks, and chunk numbers have 16 bits.
    , m_chunks(std::min((block.size() - 2 * m_hashSlots) / kChunkBytes - 2, kMaxLeafChunks))
    , m_header(header)
{
}

Result<ZapLeafView> ZapLeafView::create(Bytes block, ByteOrder order)
{
    const unsigned shift = MP_TRY(fatBlockShift(block));
    if (load<std::uint64_t>(block, 0, order) != kZapLeafBlock ||
        load<std::uint32_t>(block, 24, order) != kZapLeafMagic) {
        return bad("block that is no ZAP leaf");
    }
    Header header;
    header.prefix = load<std::uint64_t>(block, 16, order);
    header.freeChunks = load<std::uint16_t>(block, 28, order);
    header.entries = load<std::uint16_t>(block, 30, order);
    header.prefixLength = load<std::uint16_t>(block, 32, order);
    header.freeList = load<std::uint16_t>(block, 34, order);
    header.flags = load<std::uint8_t>(block, 36, order);
    if (header.prefixLength > 64 - (shift - 5)) {
        return bad(fmt::format("ZAP leaf with a prefix of {} bits", header.prefixLength));
    }
    return ZapLeafView(block, order, shift, header);
}

std::size_t ZapLeafView::hashSlot(std::uint64_t hash) const
{
    const unsigned slotBits = m_blockShift - 5;
    return static_cast<std::size_t>(hash >> (64 - slotBits - m_header.prefixLength)) &
           (m_hashSlots - 1);
}

std::uint16_t ZapLeafView::chainHead(std::size_t slot) const
{
    MP_CHECK(slot < m_hashSlots);
    return load<std::uint16_t>(m_block, kLeafHeaderBytes + slot * 2, m_order);
}

std::size_t ZapLeafView::chunkOffset(std::size_t chunk) const
{
    MP_CHECK(chunk < m_chunks);
    return kLeafHeaderBytes + m_hashSlots * 2 + chunk * kChunkBytes;
}

std::uint8_t ZapLeafView::chunkType(std::size_t chunk) const
{
    return static_cast<std::uint8_t>(m_block[chunkOffset(chunk)]);
}

Result<ZapLeafView::Entry> ZapLeafView::entry(std::uint16_t chunk) const
{
    if (chunk >= m_chunks || chunkType(chunk) != static_cast<std::uint8_t>(ChunkType::Entry)) {
        return bad(fmt::format("ZAP leaf chunk {} is no entry", chunk));
    }
    const Bytes raw = m_block.subspan(chunkOffset(chunk), kChunkBytes);
    Entry found;
    found.chunk = chunk;
    found.integerBytes = load<std::uint8_t>(raw, 1, m_order);
    found.next = load<std::uint16_t>(raw, 2, m_order);
    found.nameChunk = load<std::uint16_t>(raw, 4, m_order);
    found.nameLength = load<std::uint16_t>(raw, 6, m_order);
    found.valueChunk = load<std::uint16_t>(raw, 8, m_order);
    found.valueLength = load<std::uint16_t>(raw, 10, m_order);
    found.collision = load<std::uint32_t>(raw, 12, m_order);
    found.hash = load<std::uint64_t>(raw, 16, m_order);
    if (!isIntegerSize(found.integerBytes)) {
        return bad(fmt::format("ZAP entry with integers of {} bytes", found.integerBytes));
    }
    return found;
}

std::uint16_t ZapLeafView::nextChunk(std::size_t chunk) const
{
    return load<std::uint16_t>(m_block, chunkOffset(chunk) + kChunkBytes - 2, m_order);
}

Status ZapLeafView::readArray(std::uint16_t chunk, MutableBytes out) const
{
    while (!out.empty()) {
        if (chunk >= m_chunks || chunkType(chunk) != static_cast<std::uint8_t>(ChunkType::Array)) {
            return bad(fmt::format("ZAP leaf chunk {} is no array", chunk));
        }
        const std::size_t count = std::min(out.size(), kArrayBytes);
        std::ranges::copy(m_block.subspan(chunkOffset(chunk) + 1, count), out.begin());
        out = out.subspan(count);
        chunk = nextChunk(chunk);
    }
    return {};
}

Result<std::string> ZapLeafView::name(const Entry& entry) const
{
    std::array<std::byte, kZapMaxLongNameBytes> bytes;
    if (entry.nameLength == 0 || entry.nameLength > bytes.size()) {
        return bad(fmt::format("ZAP entry with a name of {} bytes", entry.nameLength));
    }
    const MutableBytes raw = MutableBytes(bytes).first(entry.nameLength);
    MP_TRY(readArray(entry.nameChunk, raw));
    const std::string_view text = textOf(raw);
    if (text.size() + 1 != raw.size()) {
        return bad("ZAP entry whose name does not end where it should");
    }
    return std::string(text);
}

Result<std::vector<std::uint64_t>> ZapLeafView::key(const Entry& entry) const
{
    std::array<std::byte, kMaxKeyWords * 8> bytes;
    if (entry.nameLength == 0 || entry.nameLength > kMaxKeyWords) {
        return bad(fmt::format("ZAP entry with a key of {} words", entry.nameLength));
    }
    const MutableBytes raw = MutableBytes(bytes).first(std::size_t{entry.nameLength} * 8);
    MP_TRY(readArray(entry.nameChunk, raw));
    return integersOf(raw, 8);
}

Result<std::vector<std::byte>> ZapLeafView::valueBytes(const Entry& entry) const
{
    const std::size_t size = std::size_t{entry.valueLength} * entry.integerBytes;
    if (size > m_chunks * kArrayBytes) {
        return bad(fmt::format("ZAP entry with a value of {} bytes", size));
    }
    std::vector<std::byte> bytes(size);
    MP_TRY(readArray(entry.valueChunk, bytes));
    return bytes;
}

Result<std::vector<std::uint64_t>> ZapLeafView::values(const Entry& entry) const
{
    const std::vector<std::byte> bytes = MP_TRY(valueBytes(entry));
    return integersOf(bytes, entry.integerBytes);
}

Result<std::vector<ZapLeafView::Entry>> ZapLeafView::chain(std::size_t slot) const
{
    std::vector<Entry> found;
    for (std::uint16_t chunk = chainHead(slot); chunk != kChainEnd;) {
        if (found.size() == m_chunks) {
            return bad("ZAP leaf with a chain that never ends");
        }
        found.push_back(MP_TRY(entry(chunk)));
        if (hashSlot(found.back().hash) != slot) {
            return bad(fmt::format("ZAP entry in chunk {} is in the wrong chain", chunk));
        }
        chunk = found.back().next;
    }
    return found;
}

Result<std::optional<ZapLeafView::Entry>> ZapLeafView::find(std::uint64_t hash,
                                                            std::string_view wanted) const
{
    for (const Entry& candidate : MP_TRY(chain(hashSlot(hash)))) {
        if (candidate.hash == hash && candidate.nameLength == wanted.size() + 1 &&
            MP_TRY(name(candidate)) == wanted) {
            return candidate;
        }
    }
    return std::optional<Entry>();
}

Result<std::optional<ZapLeafView::Entry>>
ZapLeafView::find(std::uint64_t hash, std::span<const std::uint64_t> wanted) const
{
    for (const Entry& candidate : MP_TRY(chain(hashSlot(hash)))) {
        if (candidate.hash == hash && candidate.nameLength == wanted.size() &&
            std::ranges::equal(MP_TRY(key(candidate)), wanted)) {
            return candidate;
        }
    }
    return std::optional<Entry>();
}

Result<std::vector<ZapLeafView::Entry>> ZapLeafView::entries() const
{
    // A chain holds only entries of its slot, so that no chunk is met twice and all chains together
    // are no longer than the leaf.
    std::vector<Entry> all;
    for (std::size_t slot = 0; slot < m_hashSlots; ++slot) {
        if (chainHead(slot) != kChainEnd) {
            const std::vector<Entry> found = MP_TRY(chain(slot));
            all.insert(all.end(), found.begin(), found.end());
        }
    }
    std::ranges::sort(all, [](const Entry& a, const Entry& b) {
        return a.hash != b.hash ? a.hash < b.hash : a.collision < b.collision;
    });
    return all;
}

std::string ZapLeafView::toText() const
{
    std::string text =
        fmt::format("ZAP leaf prefix={:#x}/{} entries={} free={} chunks={} flags={:#x}",
                    m_header.prefix,
                    m_header.prefixLength,
                    m_header.entries,
                    m_header.freeChunks,
                    m_chunks,
                    m_header.flags);
    const auto all = entries();
    if (!all) {
        return text + "\n    " + all.error().what();
    }
    for (const Entry& found : *all) {
        const auto label = name(found);
        text += fmt::format("\n    {} hash={:#x} cd={} {}x{}",
                            label ? *label : "(binary)",
                            found.hash,
                            found.collision,
                            found.valueLength,
                            found.integerBytes);
    }
    return text;
}

} // namespace millpond::format
