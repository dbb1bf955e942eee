// SPDX-License-Identifier: GPL-3.0-or-later
// Property: dnodes of every size and object sets of every version read in both orders; parts that
// would reach outside, or numbers that would overflow arithmetic, are refused.
#include "engine/format/bytes_by_hand.h"
#include "format/dnode.h"
#include "format/objset.h"

#include <QTest>

#include <algorithm>

using namespace millpond;
using namespace millpond::format;
using namespace millpond::test;

class TestDnode : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void smallDnode();
    void largeDnodeWithSpill();
    void refusesNonsense_data();
    void refusesNonsense();
    void types();
    void objsets_data();
    void objsets();
    void objsetsRefused();
};

namespace {

/// One pointer, two levels, a bonus of 24 bytes, 512 bytes.
Hand dnodeExample(ByteOrder order)
{
    Hand hand(order);
    hand.u8(19).u8(17).u8(2).u8(1).u8(44).u8(0).u8(15).u8(3);
    hand.u16(256).u16(24).u8(0).zeroes(3);
    hand.u64(1000).u64(12345).zeroes(32);
    hand << plainPointerWords();
    hand.words({0xb0b0, 0xb1b1, 0xb2b2}).upTo(512);
    return hand;
}

Hand objsetExample(ByteOrder order, std::size_t size, std::uint64_t type)
{
    Hand hand(order);
    // The meta dnode: 3 pointers, 16 KiB blocks.
    hand.u8(10).u8(17).u8(1).u8(3).u8(0).u8(0).u8(0).u8(1);
    hand.u16(32).u16(0).u8(0).zeroes(3).u64(0).u64(0).zeroes(32);
    hand << plainPointerWords(0x8000, 10);
    hand.upTo(512);
    hand.words({5, 6}) << std::array<std::uint64_t, 16>{};
    hand.words({7, 2, 8}).upTo(704);
    hand.words({type, 3}).text("portable", 32).text("local", 32).upTo(1024);
    if (size >= 2048) {
        Hand user = dnodeExample(order);
        hand.raw(user.bytes()).upTo(2048);
    }
    if (size >= 4096) {
        hand.raw(dnodeExample(order).bytes()).upTo(4096);
    }
    return hand;
}

} // namespace

void TestDnode::smallDnode()
{
    for (const ByteOrder order : kBothOrders) {
        const Hand hand = dnodeExample(order);
        const auto dnode = DnodeView::create(hand.bytes(), order);
        QVERIFY2(dnode.has_value(), dnode ? "" : dnode.error().what().c_str());
        QCOMPARE(dnode->sizeBytes(), std::size_t{512});
        QCOMPARE(dnode->dataBlockSize().value(), 131072U);
        QCOMPARE(dnode->usedBytes().value(), 12345U);
        QCOMPARE(dnode->pointersPerIndirect(), 1024U);
        QCOMPARE(dnode->pointer(0).dva(0).offset.value(), 0x10000U);
        QCOMPARE(dnode->bonus().size(), std::size_t{24});
        QCOMPARE(load<std::uint64_t>(dnode->bonus(), 16, order), 0xb2b2U);
        QVERIFY(!dnode->hasSpill() && !dnode->spill());
        QVERIFY(dnode->toText().find("ZFS plain file") != std::string::npos);
        QVERIFY(refusesPrefixes(hand.bytes(),
                                [order](Bytes b) { return DnodeView::create(b, order); }));
        std::array<std::byte, kDnodeHeaderBytes> out{};
        encodeDnodeHeader(dnode->header(), out, order);
        QVERIFY(std::ranges::equal(out, Bytes(hand.bytes()).first(64)));
        QVERIFY(!DnodeView::isFree(hand.bytes()));
    }
    QVERIFY(DnodeView::isFree(std::vector<std::byte>(512)));
    QVERIFY(DnodeView::isFree(Bytes()));
}

void TestDnode::largeDnodeWithSpill()
{
    for (const ByteOrder order : kBothOrders) {
        Hand hand = dnodeExample(order);
        hand.upTo(2048);
        hand.put<std::uint8_t>(12, 3);
        hand.put<std::uint8_t>(7, 7);
        hand.put<std::uint16_t>(10, 2048 - 64 - 128 - 128);
        Hand pointer(order);
        pointer << plainPointerWords(0x7000, 44);
        std::ranges::copy(pointer.bytes(), hand.bytes().end() - 128);
        const auto dnode = DnodeView::create(hand.bytes(), order);
        QVERIFY2(dnode.has_value(), dnode ? "" : dnode.error().what().c_str());
        QCOMPARE(dnode->slots(), std::size_t{4});
        QCOMPARE(dnode->bonus().size(), std::size_t{1728});
        QVERIFY(dnode->hasSpill());
        QCOMPARE(dnode->spill()->dva(0).offset.value(), 0x7000U);
        hand.put<std::uint16_t>(10, 1729); // into the spill pointer
        QVERIFY(!DnodeView::create(hand.bytes(), order));
        hand.put<std::uint8_t>(12, 32); // larger than any
        QVERIFY(!DnodeView::create(hand.bytes(), order));
    }
}

void TestDnode::refusesNonsense_data()
{
    QTest::addColumn<int>("offset");
    QTest::addColumn<int>("width");
    QTest::addColumn<quint64>("value");
    const auto row = [](const char* name, int offset, int width, std::uint64_t value) {
        QTest::newRow(name) << offset << width << quint64{value};
    };
    row("free", 0, 1, 0);
    row("type", 0, 1, 54);
    row("bonus type", 4, 1, 54);
    row("no level", 2, 1, 0);
    row("levels", 2, 1, 33);
    row("levels times shift", 2, 1, 8);
    row("shift small", 1, 1, 9);
    row("shift large", 1, 1, 18);
    row("no pointer", 3, 1, 0);
    row("pointers", 3, 1, 4);
    row("block size", 8, 2, 0);
    row("bonus", 10, 2, 321);
    row("larger than the block", 12, 1, 1);
    row("last block", 16, 8, ~std::uint64_t{0});
    row("last block times size", 16, 8, std::uint64_t{1} << 50);
}

void TestDnode::refusesNonsense()
{
    QFETCH(int, offset);
    QFETCH(int, width);
    QFETCH(quint64, value);
    for (const ByteOrder order : kBothOrders) {
        Hand hand = dnodeExample(order);
        const auto at = static_cast<std::size_t>(offset);
        if (width == 1) {
            hand.put(at, static_cast<std::uint8_t>(value));
        } else if (width == 2) {
            hand.put(at, static_cast<std::uint16_t>(value));
        } else {
            hand.put(at, std::uint64_t{value});
        }
        const auto dnode = DnodeView::create(hand.bytes(), order);
        QVERIFY(!dnode && dnode.error().is(ErrorCode::BadDnode));
    }
}

void TestDnode::types()
{
    QCOMPARE(objectTypeName(number(ObjectType::BpObjectSubobject)),
             std::string_view("bpobj subobj"));
    QCOMPARE(objectTypeName(54), std::string_view("invalid type"));
    const std::uint8_t zapMetadata = newType(Layout::Zap, true);
    QCOMPARE(zapMetadata, std::uint8_t{0xc4});
    QVERIFY(isValidObjectType(zapMetadata) && isMetadataType(zapMetadata));
    QCOMPARE(objectLayout(zapMetadata), Layout::Zap);
    QCOMPARE(objectTypeName(zapMetadata), std::string_view("zap metadata"));
    QVERIFY(isEncryptedType(newType(Layout::Uint8, false, true)));
    QVERIFY(!isValidObjectType(0x80 | 10));
    QVERIFY(isEncryptedType(number(ObjectType::PlainFile)));
    QVERIFY(!isMetadataType(number(ObjectType::PlainFile)));
    QVERIFY(!isEncryptedType(number(ObjectType::MasterNode)));
    for (unsigned type = 0; type < 256; ++type) {
        QVERIFY(!objectTypeName(static_cast<std::uint8_t>(type)).empty());
        (void)objectLayout(static_cast<std::uint8_t>(type));
    }
}

void TestDnode::objsets_data()
{
    QTest::addColumn<quint64>("size");
    for (const quint64 size : {1024, 2048, 4096}) {
        QTest::addRow("%llu", size) << size;
    }
}

void TestDnode::objsets()
{
    QFETCH(quint64, size);
    for (const ByteOrder order : kBothOrders) {
        const Hand hand = objsetExample(order, size, 2);
        const auto objset = ObjsetPhys::decode(hand.bytes(), order);
        QVERIFY2(objset.has_value(), objset ? "" : objset.error().what().c_str());
        QCOMPARE(objset->type, ObjsetType::Filesystem);
        QCOMPARE(objset->flags, 3U);
        QCOMPARE(objset->sizeBytes, std::size_t{size});
        QCOMPARE(objset->intentLog.claimTxg, 5U);
        QCOMPARE(objset->intentLog.claimRecordSequence, 8U);
        QCOMPARE(objset->portableMac[0], std::byte{'p'});
        QCOMPARE(objset->userUsedDnode.has_value(), size >= 2048);
        QVERIFY(!objset->groupUsedDnode.has_value());
        QCOMPARE(objset->projectUsedDnode.has_value(), size >= 4096);
        QVERIFY(DnodeView::create(objset->metaDnode, objset->order).has_value());
        QVERIFY(objset->toText().find("ZPL") != std::string::npos);
        std::vector<std::byte> out(objset->sizeBytes);
        objset->encode(out);
        QVERIFY(out == hand.bytes());
    }
}

void TestDnode::objsetsRefused()
{
    for (const ByteOrder order : kBothOrders) {
        const Hand good = objsetExample(order, 1024, 1);
        QVERIFY(refusesPrefixes(good.bytes(),
                                [order](Bytes b) { return ObjsetPhys::decode(b, order); }));
        for (const std::uint64_t type : {std::uint64_t{0}, std::uint64_t{5}, ~std::uint64_t{0}}) {
            QVERIFY(!ObjsetPhys::decode(objsetExample(order, 1024, type).bytes(), order));
        }
        Hand broken = good;
        broken.put<std::uint8_t>(0, 0);
        const auto objset = ObjsetPhys::decode(broken.bytes(), order);
        QVERIFY(!objset && objset.error().is(ErrorCode::BadObjset));
    }
}

QTEST_GUILESS_MAIN(TestDnode)
#include "tst_format_dnode.moc"
