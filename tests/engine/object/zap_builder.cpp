// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/object/zap_builder.h"

#include "format/zap.h"
#include "object/detail/name_folding.h"

#include <algorithm>
#include <bit>

namespace millpond::test {

namespace {

constexpr std::size_t kChunk = 24;
constexpr std::size_t kArray = 21;
constexpr std::uint16_t kNone = 0xffff;

void number(std::vector<ZapItem>& items, const ZapShape& shape, std::uint64_t flags)
{
    std::map<std::uint64_t, std::uint32_t> used;
    for (ZapItem& item : items) {
        item.hash = item.key.empty()
                        ? format::zapHash(shape.salt,
                                          object::detail::foldName(item.name, shape.normalization),
                                          flags)
                        : format::zapHash(shape.salt, item.key, flags);
        item.collision = used[item.hash]++;
    }
}

ByteVector bigEndian(const std::vector<std::uint64_t>& values, std::size_t width)
{
    ByteVector bytes;
    for (const std::uint64_t value : values) {
        for (std::size_t i = width; i-- > 0;) {
            bytes.push_back(std::byte(value >> (8 * i)));
        }
    }
    return bytes;
}

ByteVector nameBytes(const ZapItem& item)
{
    if (!item.key.empty()) {
        return bigEndian(item.key, 8);
    }
    ByteVector bytes = bytesFrom(item.name);
    bytes.push_back(std::byte{0});
    return bytes;
}

/// One leaf block being filled.
class Leaf
{
public:
    Leaf(std::uint32_t blockBytes, std::uint64_t prefix, unsigned length, ByteOrder order)
        : m_order(order)
        , m_length(length)
        , m_bytes(blockBytes)
        , m_slotBits(static_cast<unsigned>(std::countr_zero(blockBytes)) - 5)
        , m_chunksAt(48 + (std::size_t{2} << m_slotBits))
        , m_chunks((blockBytes - (std::size_t{2} << m_slotBits)) / kChunk - 2)
    {
        put64(m_bytes, 0, format::kZapLeafBlock, order);
        put64(m_bytes, 16, prefix, order);
        put32(m_bytes, 24, format::kZapLeafMagic, order);
        put16(m_bytes, 32, static_cast<std::uint16_t>(length), order);
        m_bytes[36] = std::byte{1}; // chains sorted by collision number
        for (std::size_t slot = 0; slot < std::size_t{1} << m_slotBits; ++slot) {
            put16(m_bytes, 48 + 2 * slot, kNone, order);
        }
    }

    static std::size_t chunksFor(const ZapItem& item)
    {
        return 1 + divideRoundUp(nameBytes(item).size(), kArray) +
               divideRoundUp(item.values.size() * item.integerBytes, kArray);
    }

    [[nodiscard]] bool fits(const std::vector<ZapItem>& items) const
    {
        std::size_t needed = 0;
        for (const ZapItem& item : items) {
            needed += chunksFor(item);
        }
        return needed <= m_chunks;
    }

    ByteVector fill(std::vector<ZapItem> items)
    {
        // Inserted at the head of chains, so the last collision number goes in first.
        std::ranges::sort(items, std::greater<>(), &ZapItem::collision);
        for (const ZapItem& item : items) {
            insert(item);
        }
        put16(m_bytes, 30, static_cast<std::uint16_t>(items.size()), m_order);
        put16(m_bytes, 28, static_cast<std::uint16_t>(m_chunks - m_next), m_order);
        put16(m_bytes, 34, m_next < m_chunks ? m_next : kNone, m_order);
        for (; m_next < m_chunks; ++m_next) {
            m_bytes[at(m_next)] = std::byte{253};
            put16(m_bytes,
                  at(m_next) + 22,
                  m_next + std::size_t{1} < m_chunks ? static_cast<std::uint16_t>(m_next + 1)
                                                     : kNone,
                  m_order);
        }
        return m_bytes;
    }

private:
    [[nodiscard]] std::size_t at(std::size_t chunk) const { return m_chunksAt + chunk * kChunk; }

    std::uint16_t array(const ByteVector& bytes)
    {
        if (bytes.empty()) {
            return kNone;
        }
        const std::uint16_t first = m_next;
        for (std::size_t done = 0; done < bytes.size(); done += kArray) {
            const std::size_t count = std::min(kArray, bytes.size() - done);
            m_bytes[at(m_next)] = std::byte{251};
            std::ranges::copy(Bytes(bytes).subspan(done, count),
                              m_bytes.begin() + static_cast<std::ptrdiff_t>(at(m_next) + 1));
            put16(m_bytes,
                  at(m_next) + 22,
                  done + count < bytes.size() ? static_cast<std::uint16_t>(m_next + 1) : kNone,
                  m_order);
            ++m_next;
        }
        return first;
    }

    void insert(const ZapItem& item)
    {
        const std::uint16_t chunk = m_next++;
        const std::size_t entry = at(chunk);
        const std::size_t slot =
            item.hash >> (64 - m_slotBits - m_length) & ((std::size_t{1} << m_slotBits) - 1);
        m_bytes[entry] = std::byte{252};
        m_bytes[entry + 1] = std::byte{item.integerBytes};
        put16(m_bytes, entry + 2, load<std::uint16_t>(m_bytes, 48 + 2 * slot, m_order), m_order);
        put16(m_bytes, entry + 4, array(nameBytes(item)), m_order);
        put16(m_bytes,
              entry + 6,
              static_cast<std::uint16_t>(item.key.empty() ? item.name.size() + 1 : item.key.size()),
              m_order);
        put16(m_bytes, entry + 8, array(bigEndian(item.values, item.integerBytes)), m_order);
        put16(m_bytes, entry + 10, static_cast<std::uint16_t>(item.values.size()), m_order);
        put32(m_bytes, entry + 12, item.collision, m_order);
        put64(m_bytes, entry + 16, item.hash, m_order);
        put16(m_bytes, 48 + 2 * slot, chunk, m_order);
    }

    ByteOrder m_order;
    unsigned m_length;
    ByteVector m_bytes;
    unsigned m_slotBits;
    std::size_t m_chunksAt;
    std::size_t m_chunks;
    std::uint16_t m_next = 0;
};

struct LeafPlan
{
    std::uint64_t prefix = 0;
    unsigned length = 0;
    std::vector<ZapItem> items;
};

void plan(std::vector<LeafPlan>& leaves, LeafPlan leaf, const ZapShape& shape)
{
    const Leaf probe(shape.blockBytes, leaf.prefix, leaf.length, ByteOrder::Little);
    if (leaf.length >= shape.minDepth && probe.fits(leaf.items)) {
        leaves.push_back(std::move(leaf));
        return;
    }
    LeafPlan low{.prefix = leaf.prefix * 2, .length = leaf.length + 1, .items = {}};
    LeafPlan high{.prefix = leaf.prefix * 2 + 1, .length = leaf.length + 1, .items = {}};
    for (ZapItem& item : leaf.items) {
        const bool isHigh = (item.hash >> (63 - leaf.length) & 1) != 0;
        (isHigh ? high : low).items.push_back(std::move(item));
    }
    plan(leaves, std::move(low), shape);
    plan(leaves, std::move(high), shape);
}

} // namespace

TreeSpec buildMicroZap(std::vector<ZapItem>& items, const ZapShape& shape)
{
    number(items, shape, 0);
    TreeSpec spec;
    spec.type = format::number(format::ObjectType::Directory);
    spec.blockBytes = shape.blockBytes;
    spec.order = shape.order;
    const ByteOrder order = shape.order(0);
    ByteVector& block = spec.blocks[0];
    block.resize(shape.blockBytes);
    put64(block, 0, format::kZapMicroBlock, order);
    put64(block, 8, shape.salt, order);
    put64(block, 16, shape.normalization, order);
    std::size_t at = 64;
    for (const ZapItem& item : items) {
        put64(block, at, item.values.front(), order);
        put32(block, at + 8, item.collision, order);
        std::ranges::copy(bytesFrom(item.name),
                          block.begin() + static_cast<std::ptrdiff_t>(at + 14));
        at += 64;
    }
    return spec;
}

TreeSpec buildFatZap(std::vector<ZapItem>& items, const ZapShape& shape)
{
    number(items, shape, shape.flags);
    std::vector<LeafPlan> leaves;
    plan(leaves, {.prefix = 0, .length = 0, .items = items}, shape);

    const unsigned blockShift = static_cast<unsigned>(std::countr_zero(shape.blockBytes));
    unsigned tableShift = shape.minTableShift;
    for (const LeafPlan& leaf : leaves) {
        tableShift = std::max(tableShift, leaf.length);
    }
    const unsigned embeddedShift = blockShift - 4;
    const bool external = tableShift > embeddedShift;
    if (!external) {
        tableShift = embeddedShift;
    }

    TreeSpec spec;
    spec.type = format::number(format::ObjectType::Directory);
    spec.blockBytes = shape.blockBytes;
    spec.order = shape.order;
    std::vector<std::uint64_t> table;
    std::uint64_t next = 1;
    for (LeafPlan& leaf : leaves) {
        table.insert(table.end(), std::size_t{1} << (tableShift - leaf.length), next);
        spec.blocks[next] =
            Leaf(shape.blockBytes, leaf.prefix, leaf.length, shape.order(next)).fill(leaf.items);
        ++next;
    }
    const std::uint64_t perBlock = shape.blockBytes / 8;
    const auto store = [&](const std::vector<std::uint64_t>& words, std::uint64_t first) {
        for (std::uint64_t i = 0; i < words.size(); ++i) {
            ByteVector& block = spec.blocks[first + i / perBlock];
            block.resize(shape.blockBytes);
            put64(block, i % perBlock * 8, words[i], shape.order(first + i / perBlock));
        }
    };
    const ByteOrder order = shape.order(0);
    ByteVector& header = spec.blocks[0];
    header.resize(shape.blockBytes);
    const auto word = [&](std::size_t index, std::uint64_t value) {
        put64(header, index * 8, value, order);
    };
    if (external) {
        const std::uint64_t tableBlocks = table.size() / perBlock;
        word(2, next);
        word(3, tableBlocks);
        store(table, next);
        next += tableBlocks;
        if (shape.growing) {
            std::vector<std::uint64_t> larger;
            for (std::uint64_t i = 0; i < tableBlocks / 2 * perBlock; ++i) {
                larger.insert(larger.end(), 2, table[i]);
            }
            word(5, next);
            word(6, tableBlocks / 2);
            store(larger, next);
            next += 2 * tableBlocks;
        }
    } else {
        for (std::size_t i = 0; i < table.size(); ++i) {
            word(perBlock / 2 + i, table[i]);
        }
    }
    word(0, format::kZapHeaderBlock);
    word(1, format::kZapMagic);
    word(4, tableShift);
    word(7, next);
    word(8, leaves.size());
    word(9, items.size());
    word(10, shape.salt);
    word(11, shape.normalization);
    word(12, shape.flags);
    return spec;
}

} // namespace millpond::test
