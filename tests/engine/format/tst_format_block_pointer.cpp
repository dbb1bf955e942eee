// SPDX-License-Identifier: GPL-3.0-or-later
// Property: the bits of a block pointer mean what the format says, in both byte orders; impossible
// pointers are refused by validate(); no accessor fails on any bytes.
#include "engine/format/bytes_by_hand.h"
#include "format/block_pointer.h"
#include "format/gang.h"

#include <QTest>

#include <algorithm>

using namespace millpond;
using namespace millpond::format;
using namespace millpond::test;

class TestBlockPointer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void stored();
    void holes();
    void embedded();
    void encrypted();
    void refusesNonsense_data();
    void refusesNonsense();
    void anyBytes();
    void gangHeader();
    void names();
};

namespace {

BlockPointer pointerOf(const std::array<std::uint64_t, 16>& words)
{
    BlockPointer pointer;
    pointer.words = words;
    return pointer;
}

} // namespace

void TestBlockPointer::stored()
{
    auto words = plainPointerWords();
    words[0] |= std::uint64_t{3} << 32;
    words[2] = 16 | std::uint64_t{1} << 32;
    words[3] = 0x77 | std::uint64_t{1} << 63;
    words[6] = 255 | std::uint64_t{127} << 16 | std::uint64_t{15} << 32 | std::uint64_t{8} << 40 |
               std::uint64_t{10} << 48 | std::uint64_t{2} << 56 | std::uint64_t{1} << 62;
    words[9] = 50;
    for (const ByteOrder order : kBothOrders) {
        Hand hand(order);
        hand << words;
        const auto pointer = BlockPointer::decode(hand.bytes(), order);
        QVERIFY(pointer.has_value());
        QCOMPARE(pointer->dvaCount(), std::size_t{2});
        QCOMPARE(pointer->dva(0).vdev, VdevId(3));
        QCOMPARE(pointer->dva(0).offset.value(), 0x10000U);
        QCOMPARE(pointer->dva(0).allocated.value(), 4096U);
        QVERIFY(!pointer->dva(0).gang && pointer->dva(1).gang && !pointer->isGang());
        QCOMPARE(pointer->dva(1).offset.value(), 0x77U * 512);
        QCOMPARE(pointer->allocatedSize().value(), 4096U + 8192);
        QCOMPARE(pointer->logicalSize().value(), 131072U);
        QCOMPARE(pointer->physicalSize().value(), 65536U);
        QCOMPARE(pointer->compression(), CompressionType::Lz4);
        QCOMPARE(pointer->checksumType(), ChecksumType::Sha256);
        QCOMPARE(pointer->type(), std::uint8_t{10});
        QCOMPARE(pointer->level(), Level(2));
        QVERIFY(pointer->isDedup() && !pointer->usesCrypt() && !pointer->isHole());
        QVERIFY(pointer->byteOrder() == ByteOrder::Big);
        QCOMPARE(pointer->birth(), Txg(42));
        QCOMPARE(pointer->physicalBirth(), Txg(50));
        QCOMPARE(pointer->fill(), 1U);
        QCOMPARE(pointer->checksum()[3], 0x4444U);
        QVERIFY(pointer->toText().find("3:10000:1000") != std::string::npos);
        std::array<std::byte, 128> out{};
        pointer->encode(out, order);
        QVERIFY(std::ranges::equal(out, hand.bytes()));
        QVERIFY(refusesPrefixes(hand.bytes(),
                                [order](Bytes b) { return BlockPointer::decode(b, order); }));
    }
}

void TestBlockPointer::holes()
{
    BlockPointer hole;
    QVERIFY(hole.isHole() && hole.validate() && hole.dvaCount() == 0);
    hole.words[6] = 15 | std::uint64_t{19} << 48 | std::uint64_t{1} << 56;
    hole.words[10] = 9;
    QVERIFY(hole.isHole() && hole.validate());
    QCOMPARE(hole.birth(), Txg(9));
    QCOMPARE(hole.logicalSize().value(), 8192U);
    hole.words[6] |= 0xffff; // 32 MiB of zeroes
    QVERIFY(!hole.validate());
    hole.words[1] = 1;
    QVERIFY(!hole.isHole());
}

void TestBlockPointer::embedded()
{
    // Payload bytes 0, 1, 2, ... as the writer's machine had them in memory.
    std::array<std::byte, 112> payload{};
    for (std::size_t i = 0; i < payload.size(); ++i) {
        payload[i] = static_cast<std::byte>(i);
    }
    constexpr std::uint64_t kSize = 100;
    const std::uint64_t properties = (5000 - 1) | (kSize - 1) << 25 | std::uint64_t{15} << 32 |
                                     std::uint64_t{1} << 39 | std::uint64_t{19} << 48 |
                                     std::uint64_t{1} << 63;
    BlockPointer pointer;
    pointer.words[6] = properties;
    pointer.words[10] = 7;
    std::size_t at = 0;
    for (std::size_t i = 0; i < 16; ++i) {
        if (i != 6 && i != 10) {
            pointer.words[i] = load<std::uint64_t>(payload, at, ByteOrder::Little);
            at += 8;
        }
    }
    QVERIFY(pointer.isEmbedded() && !pointer.isHole() && !pointer.isGang() && pointer.validate());
    QCOMPARE(pointer.logicalSize().value(), 5000U);
    QCOMPARE(pointer.physicalSize().value(), 0U);
    QCOMPARE(pointer.dvaCount(), std::size_t{0});
    QCOMPARE(pointer.fill(), 1U);
    QCOMPARE(pointer.physicalBirth(), Txg(7));
    const auto read = pointer.embeddedPayload();
    QVERIFY(read.has_value());
    QVERIFY(std::ranges::equal(read->used(), Bytes(payload).first(kSize)));

    pointer.words[6] = properties | std::uint64_t{2} << 40;
    QVERIFY(pointer.isRedacted() && pointer.validate() && !pointer.embeddedPayload());
    QCOMPARE(pointer.logicalSize().value(), 0U);
    pointer.words[6] = properties | std::uint64_t{1} << 40;
    QVERIFY(!pointer.validate());
    pointer.words[6] = properties | std::uint64_t{127} << 25; // 128 bytes do not fit
    QVERIFY(!pointer.validate());
}

void TestBlockPointer::encrypted()
{
    auto words = plainPointerWords();
    words[4] = 0x0102030405060708; // salt
    words[5] = 0x1112131415161718; // IV
    words[6] |= std::uint64_t{1} << 61;
    words[11] = std::uint64_t{0x21222324} << 32 | 9;
    BlockPointer pointer = pointerOf(words);
    QVERIFY(pointer.isEncrypted() && !pointer.isAuthenticated() && pointer.validate());
    QCOMPARE(pointer.dvaCount(), std::size_t{1});
    QCOMPARE(pointer.fill(), 9U);
    QCOMPARE(pointer.salt(), 0x0102030405060708U);
    QCOMPARE(pointer.initVector()[0], std::byte{0x18});
    QCOMPARE(pointer.initVector()[8], std::byte{0x24});
    QCOMPARE(pointer.authenticationCode()[0], std::byte{0x33});
    words[6] &= ~(std::uint64_t{1} << 63); // a big-endian writer
    QCOMPARE(pointerOf(words).initVector()[0], std::byte{0x11});
    words[6] = (words[6] & ~(std::uint64_t{0xff} << 48)) | std::uint64_t{21} << 48;
    QVERIFY(pointerOf(words).isAuthenticated());
    words[6] |= std::uint64_t{1} << 56;
    QVERIFY(pointerOf(words).hasIndirectMacChecksum() && !pointerOf(words).isAuthenticated());
}

void TestBlockPointer::refusesNonsense_data()
{
    QTest::addColumn<int>("word");
    QTest::addColumn<quint64>("set");
    QTest::addColumn<quint64>("clear");
    const auto row = [](const char* name, int word, std::uint64_t set, std::uint64_t clear) {
        QTest::newRow(name) << word << quint64{set} << quint64{clear};
    };
    row("type", 6, std::uint64_t{54} << 48, std::uint64_t{0xff} << 48);
    row("new type", 6, std::uint64_t{0x8a} << 48, std::uint64_t{0xff} << 48);
    row("checksum", 6, std::uint64_t{15} << 40, std::uint64_t{0xff} << 40);
    row("checksum inherit", 6, 0, std::uint64_t{0xff} << 40);
    row("compression", 6, std::uint64_t{17} << 32, std::uint64_t{0x7f} << 32);
    row("logical size", 6, 0xffff, 0);
    row("stored more than logical", 6, std::uint64_t{8} << 16, std::uint64_t{0xffff} << 16);
    row("no copy", 0, 0, 0xffffff);
    row("less allocated than stored", 0, 1, 0xffffff);
    row("vdev", 0, std::uint64_t{8} << 32, 0);
    row("offset", 1, std::uint64_t{1} << 60, 0);
    row("copy 3 without copy 2", 4, 8, 0);
}

void TestBlockPointer::refusesNonsense()
{
    QFETCH(int, word);
    QFETCH(quint64, set);
    QFETCH(quint64, clear);
    auto words = plainPointerWords();
    QVERIFY(pointerOf(words).validate(8));
    std::uint64_t& changed = words[static_cast<std::size_t>(word)];
    changed = (changed & ~std::uint64_t{clear}) | set;
    const Status status = pointerOf(words).validate(8);
    QVERIFY(!status && status.error().is(ErrorCode::BadBlockPointer));
}

void TestBlockPointer::anyBytes()
{
    std::uint64_t seed = 1;
    for (int round = 0; round < 20000; ++round) {
        std::array<std::uint64_t, 16> words{};
        for (std::uint64_t& word : words) {
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            word = seed ^ seed >> 29;
        }
        const BlockPointer pointer = pointerOf(words);
        (void)pointer.toText();
        (void)pointer.allocatedSize();
        (void)pointer.initVector();
        if (pointer.validate()) {
            QVERIFY(pointer.logicalSize().value() <= kMaxBlockBytes);
        }
    }
}

void TestBlockPointer::gangHeader()
{
    for (const ByteOrder order : kBothOrders) {
        Hand hand(order);
        hand << plainPointerWords(0x1000) << plainPointerWords(0x9000)
             << std::array<std::uint64_t, 16>{};
        hand.upTo(GangHeader::kBytes);
        const auto gang = GangHeader::decode(hand.bytes(), order);
        QVERIFY(gang.has_value());
        QCOMPARE(gang->size().value(), 8192U);
        std::vector<std::byte> out(GangHeader::kBytes);
        gang->encode(out, order);
        QVERIFY(out == hand.bytes());
        QVERIFY(refusesPrefixes(hand.bytes(),
                                [order](Bytes b) { return GangHeader::decode(b, order); }));
        hand.put<std::uint64_t>(48, ~std::uint64_t{0});
        QVERIFY(!GangHeader::decode(hand.bytes(), order));
    }
}

void TestBlockPointer::names()
{
    QCOMPARE(checksumName(ChecksumType::EdonR), std::string_view("edonr"));
    QCOMPARE(checksumName(ChecksumType(99)), std::string_view("unknown"));
    QCOMPARE(compressionName(CompressionType(10)), std::string_view("gzip-6"));
    QCOMPARE(compressionName(CompressionType(127)), std::string_view("unknown"));
}

QTEST_GUILESS_MAIN(TestBlockPointer)
#include "tst_format_block_pointer.moc"
