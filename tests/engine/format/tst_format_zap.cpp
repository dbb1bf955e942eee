// SPDX-License-Identifier: GPL-3.0-or-later
// Property: micro ZAPs and the parts of fat ones read in both orders, names are found by their
// hash, and damaged chains end in an error, never in a loop.
#include "engine/format/bytes_by_hand.h"
#include "format/zap.h"

#include <QTest>

#include <algorithm>

using namespace millpond;
using namespace millpond::format;
using namespace millpond::test;

class TestZap : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void hash();
    void micro();
    void fatHeader();
    void fatHeaderExternal();
    void fatHeaderRefused();
    void leaf();
    void wordKeys();
    void leafDamage();
    void leafSizes();
};

namespace {

constexpr std::uint64_t kSalt = 0x123456789abcdef1;
constexpr std::size_t kLeafBytes = 1024;
constexpr std::size_t kLeafHashSlots = kLeafBytes / 32;
constexpr std::size_t kFirstChunk = 48 + kLeafHashSlots * 2;

/// Bit by bit, from the definition.
std::uint64_t slowCrc(std::uint64_t crc, std::string_view text)
{
    for (const char c : text) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc & 1) != 0 ? crc >> 1 ^ 0xC96C5795D7870F42U : crc >> 1;
        }
    }
    return crc;
}

std::size_t chunkAt(std::size_t chunk)
{
    return kFirstChunk + chunk * 24;
}

/// A leaf with nothing in it.
Hand emptyLeaf(ByteOrder order)
{
    Hand hand(order);
    hand.u64(kZapLeafBlock).u64(0).u64(0).u32(kZapLeafMagic).u16(0).u16(0).u16(0).u16(0xffff).u8(1);
    hand.upTo(48);
    for (std::size_t i = 0; i < kLeafHashSlots; ++i) {
        hand.u16(0xffff);
    }
    hand.upTo(kLeafBytes);
    for (std::size_t at = kFirstChunk; at + 24 <= kLeafBytes; at += 24) {
        hand.put<std::uint8_t>(at, 253);
    }
    return hand;
}

void putArray(Hand& hand, std::size_t chunk, Bytes bytes, std::uint16_t next)
{
    hand.put<std::uint8_t>(chunkAt(chunk), 251);
    std::ranges::copy(bytes,
                      hand.bytes().begin() + static_cast<std::ptrdiff_t>(chunkAt(chunk) + 1));
    hand.put<std::uint16_t>(chunkAt(chunk) + 22, next);
}

struct EntryNumbers
{
    std::uint16_t next = 0xffff;
    std::uint8_t width = 8;
    std::uint16_t nameLength = 0;
    std::uint16_t valueLength = 1;
    std::uint64_t hash = 0;
};

void putEntry(
    Hand& hand, std::size_t chunk, const EntryNumbers& e, std::uint16_t name, std::uint16_t value)
{
    const std::size_t at = chunkAt(chunk);
    hand.put<std::uint8_t>(at, 252).put<std::uint8_t>(at + 1, e.width);
    hand.put<std::uint16_t>(at + 2, e.next).put<std::uint16_t>(at + 4, name);
    hand.put<std::uint16_t>(at + 6, e.nameLength).put<std::uint16_t>(at + 8, value);
    hand.put<std::uint16_t>(at + 10, e.valueLength).put<std::uint32_t>(at + 12, 0);
    hand.put<std::uint64_t>(at + 16, e.hash);
}

void putHead(Hand& hand, std::uint64_t hash, std::uint16_t chunk)
{
    const std::size_t slot = hash >> (64 - 5);
    hand.put<std::uint16_t>(48 + slot * 2, chunk);
}

/// "a long name of 30 characters.." -> 0x0102, kept over two chunks of name.
Hand leafExample(ByteOrder order)
{
    constexpr std::string_view kName = "a long name of 30 characters..";
    Hand hand = emptyLeaf(order);
    const std::uint64_t hash = zapHash(kSalt, kName, 0);
    putEntry(hand, 0, {.nameLength = 31, .hash = hash}, 1, 3);
    putHead(hand, hash, 0);
    putArray(hand, 1, bytesOf(kName.substr(0, 21)), 2);
    putArray(hand, 2, bytesOf(kName.substr(21)), 0xffff);
    const std::array<std::byte, 8> value = {std::byte{0},
                                            std::byte{0},
                                            std::byte{0},
                                            std::byte{0},
                                            std::byte{0},
                                            std::byte{0},
                                            std::byte{1},
                                            std::byte{2}};
    putArray(hand, 3, value, 0xffff);
    hand.put<std::uint16_t>(30, 1);
    return hand;
}

Hand headerExample(ByteOrder order)
{
    Hand hand(order);
    hand.words({kZapHeaderBlock, kZapMagic, 0, 0, 5, 0, 0, 2, 1, 7, kSalt, 0, 0}).upTo(512);
    for (std::uint64_t i = 0; i < 32; ++i) {
        hand.u64(i + 100);
    }
    return hand.upTo(1024);
}

} // namespace

void TestZap::hash()
{
    for (const std::string_view name : {"", "a", "ROOT", "a somewhat longer name"}) {
        const std::uint64_t expected = slowCrc(kSalt, name);
        QCOMPARE(zapHash(kSalt, name, 0), expected >> 36 << 36);
        QCOMPARE(zapHash(kSalt, name, ZapFlag::kHash64), expected >> 16 << 16);
    }
    // A word is hashed low byte first.
    const std::array<std::uint64_t, 1> key = {0x3837363534333231};
    QCOMPARE(zapHash(kSalt, key, ZapFlag::kHash64), zapHash(kSalt, "12345678", ZapFlag::kHash64));
    QCOMPARE(zapHash(kSalt, key, ZapFlag::kHash64 | ZapFlag::kPreHashed), key[0] >> 16 << 16);
    QCOMPARE(zapHash(kSalt, std::span<const std::uint64_t>(), ZapFlag::kPreHashed), 0U);
}

void TestZap::micro()
{
    for (const ByteOrder order : kBothOrders) {
        Hand hand(order);
        hand.words({kZapMicroBlock, kSalt, 16}).upTo(64);
        hand.u64(34).u32(2).u16(0).text("ROOT", 50);
        hand.zeroes(64);
        hand.u64(5).u32(0).u16(0).text("a name of all the forty-nine characters there are", 50);
        hand.upTo(512);
        QVERIFY(*zapKind(hand.bytes(), order) == ZapKind::Micro);
        const auto zap = MicroZapView::create(hand.bytes(), order);
        QVERIFY(zap.has_value());
        QCOMPARE(zap->salt(), kSalt);
        QCOMPARE(zap->normalization(), 16U);
        QCOMPARE(zap->slots(), std::size_t{7});
        QVERIFY(!zap->entry(1).has_value() && zap->entry(2).has_value());
        QCOMPARE(zap->find("ROOT")->value, 34U);
        QCOMPARE(zap->find("ROOT")->collision, 2U);
        QVERIFY(!zap->find("root").has_value() && !zap->find("").has_value());
        QCOMPARE(zap->entry(2)->name.size(), std::size_t{49});
        QVERIFY(!MicroZapView::create(Bytes(hand.bytes()).first(127), order));
        hand.put<std::uint64_t>(0, kZapHeaderBlock);
        QVERIFY(!MicroZapView::create(hand.bytes(), order));
        hand.put<std::uint64_t>(0, 1);
        QVERIFY(!zapKind(hand.bytes(), order));
        QVERIFY(!zapKind(Bytes(hand.bytes()).first(7), order));
    }
}

void TestZap::fatHeader()
{
    for (const ByteOrder order : kBothOrders) {
        const Hand hand = headerExample(order);
        QVERIFY(*zapKind(hand.bytes(), order) == ZapKind::Fat);
        const auto zap = FatZapHeaderView::create(hand.bytes(), order);
        QVERIFY2(zap.has_value(), zap ? "" : zap.error().what().c_str());
        QVERIFY(zap->tableEmbedded());
        QCOMPARE(zap->tableEntries(), 32U);
        QCOMPARE(zap->blockShift(), 10U);
        QCOMPARE(zap->header().entries, 7U);
        QCOMPARE(zap->tableIndex(std::uint64_t{3} << 59), 3U);
        QCOMPARE(zap->embeddedPointer(31), 131U);
        QCOMPARE(zap->hash("x"), zapHash(kSalt, "x", 0));
        QVERIFY(refusesPrefixes(Bytes(hand.bytes()).first(512),
                                [order](Bytes b) { return FatZapHeaderView::create(b, order); }));
    }
}

void TestZap::fatHeaderExternal()
{
    for (const ByteOrder order : kBothOrders) {
        Hand hand = headerExample(order);
        hand.put<std::uint64_t>(16, 9).put<std::uint64_t>(24, 2).put<std::uint64_t>(32, 8);
        const auto zap = FatZapHeaderView::create(hand.bytes(), order);
        QVERIFY(zap && !zap->tableEmbedded());
        QCOMPARE(zap->tablePlace(0).block, 9U);
        QCOMPARE(zap->tablePlace(255).block, 10U);
        QCOMPARE(zap->tablePlace(255).offsetBytes, std::size_t{1016});
    }
}

void TestZap::fatHeaderRefused()
{
    const auto refused = [](std::size_t at, std::uint64_t value) {
        Hand hand = headerExample(ByteOrder::Little);
        hand.put(at, value);
        const auto zap = FatZapHeaderView::create(hand.bytes(), ByteOrder::Little);
        return !zap && zap.error().is(ErrorCode::BadZap);
    };
    QVERIFY(refused(0, kZapLeafBlock));
    QVERIFY(refused(8, 1));
    QVERIFY(refused(32, 7));  // an embedded table larger than half the block
    QVERIFY(refused(32, 64)); // shifts by the width
    QVERIFY(refused(32, ~std::uint64_t{0}));
    Hand external = headerExample(ByteOrder::Little);
    external.put<std::uint64_t>(24, 1).put<std::uint64_t>(32, 8);
    QVERIFY(!FatZapHeaderView::create(external.bytes(), ByteOrder::Little));
    external.upTo(1000);
    QVERIFY(!FatZapHeaderView::create(external.bytes(), ByteOrder::Little));
}

void TestZap::leaf()
{
    constexpr std::string_view kName = "a long name of 30 characters..";
    for (const ByteOrder order : kBothOrders) {
        const Hand hand = leafExample(order);
        const auto leaf = ZapLeafView::create(hand.bytes(), order);
        QVERIFY2(leaf.has_value(), leaf ? "" : leaf.error().what().c_str());
        QCOMPARE(leaf->hashSlots(), std::size_t{32});
        QCOMPARE(leaf->chunks(), std::size_t{(1024 - 64) / 24 - 2});
        const std::uint64_t hash = zapHash(kSalt, kName, 0);
        const auto found = leaf->find(hash, kName);
        QVERIFY(found && found->has_value());
        QCOMPARE(*leaf->name(**found), std::string(kName));
        QCOMPARE(leaf->values(**found)->at(0), 0x0102U);
        QVERIFY(!leaf->find(hash, "another name of 30 characters.")->has_value());
        QVERIFY(!leaf->find(hash ^ std::uint64_t{1} << 63, kName)->has_value());
        QCOMPARE(leaf->entries()->size(), std::size_t{1});
        QVERIFY(leaf->toText().find(kName) != std::string::npos);
        QVERIFY(refusesPrefixes(Bytes(hand.bytes()).first(512),
                                [order](Bytes b) { return ZapLeafView::create(b, order); }));
    }
}

void TestZap::wordKeys()
{
    for (const ByteOrder order : kBothOrders) {
        Hand hand = emptyLeaf(order);
        const std::array<std::uint64_t, 2> key = {0x1122334455667788, 9};
        const std::uint64_t hash = zapHash(kSalt, key, ZapFlag::kHash64);
        // Array chunks are big-endian whatever the block is.
        Hand words(ByteOrder::Big);
        words.words({key[0], key[1]});
        putEntry(hand, 4, {.width = 1, .nameLength = 2, .valueLength = 3, .hash = hash}, 5, 6);
        putHead(hand, hash, 4);
        putArray(hand, 5, words.bytes(), 0xffff);
        putArray(hand, 6, bytesOf("xyz"), 0xffff);
        const auto leaf = ZapLeafView::create(hand.bytes(), order);
        const auto found = leaf->find(hash, std::span<const std::uint64_t>(key));
        QVERIFY(found && found->has_value());
        QVERIFY(std::ranges::equal(*leaf->key(**found), key));
        QVERIFY(std::ranges::equal(*leaf->valueBytes(**found), bytesOf("xyz")));
    }
}

void TestZap::leafDamage()
{
    constexpr std::string_view kName = "a long name of 30 characters..";
    const std::uint64_t hash = zapHash(kSalt, kName, 0);
    const ByteOrder order = ByteOrder::Little;
    const auto listed = [&](const Hand& hand) {
        return ZapLeafView::create(hand.bytes(), order)->entries();
    };
    const auto named = [&](const Hand& hand) {
        const auto leaf = ZapLeafView::create(hand.bytes(), order);
        return leaf->name(*leaf->entry(0));
    };
    Hand loop = leafExample(order);
    loop.put<std::uint16_t>(chunkAt(0) + 2, 0); // its own successor
    QVERIFY(!listed(loop));
    QVERIFY(!ZapLeafView::create(loop.bytes(), order)->find(hash, "absent"));
    Hand outside = leafExample(order);
    outside.put<std::uint16_t>(chunkAt(0) + 2, 0x4000);
    QVERIFY(!listed(outside));
    Hand wrongChain = leafExample(order);
    wrongChain.put<std::uint64_t>(chunkAt(0) + 16, hash ^ std::uint64_t{1} << 63);
    QVERIFY(!listed(wrongChain));
    Hand width = leafExample(order);
    width.put<std::uint8_t>(chunkAt(0) + 1, 3);
    QVERIFY(!listed(width));
    Hand chunkType = leafExample(order);
    chunkType.put<std::uint8_t>(chunkAt(2), 253);
    QVERIFY(!named(chunkType));
    Hand nameLoop = leafExample(order);
    nameLoop.put<std::uint16_t>(chunkAt(1) + 22, 1);
    QVERIFY(!named(nameLoop)); // ends, but not in a NUL where it should
    Hand longName = leafExample(order);
    longName.put<std::uint16_t>(chunkAt(0) + 6, 0xffff);
    QVERIFY(!named(longName));
    Hand longValue = leafExample(order);
    longValue.put<std::uint16_t>(chunkAt(0) + 10, 0xffff);
    const auto leaf = ZapLeafView::create(longValue.bytes(), order);
    QVERIFY(!leaf->values(*leaf->entry(0)));
    Hand prefix = leafExample(order);
    prefix.put<std::uint16_t>(32, 60);
    QVERIFY(!ZapLeafView::create(prefix.bytes(), order));
}

void TestZap::leafSizes()
{
    // Even the smallest and the largest block have a sane number of chunks.
    for (const std::size_t size : {std::size_t{512}, std::size_t{16 * MiB}}) {
        Hand hand(ByteOrder::Little);
        hand.u64(kZapLeafBlock).u64(0).u64(0).u32(kZapLeafMagic).upTo(size);
        const auto leaf = ZapLeafView::create(hand.bytes(), ByteOrder::Little);
        QVERIFY(leaf.has_value());
        QVERIFY(leaf->chunks() > 10 && leaf->chunks() <= 0xffff);
        (void)leaf->nextChunk(leaf->chunks() - 1);
        QVERIFY(!leaf->entries());
    }
}

QTEST_GUILESS_MAIN(TestZap)
#include "tst_format_zap.moc"
