// SPDX-License-Identifier: GPL-3.0-or-later
// Property: attributes, old znodes and ACLs of both versions read in both orders; attributes that
// do not fit their buffer and ACLs that are cut off are refused.
#include "engine/format/bytes_by_hand.h"
#include "format/nvlist.h"
#include "format/znode.h"

#include <QTest>

#include <algorithm>

using namespace millpond;
using namespace millpond::format;
using namespace millpond::test;

class TestAttributes : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void registry();
    void header();
    void placing();
    void swapping();
    void znode();
    void znodeAcl();
    void oldAces();
    void fuidAces();
    void directoryValue();
    void fuidTable();
    void devices();
};

namespace {

/// Header of 16 bytes with two lengths used, layout 5; then 8, 12 (padded to 16), 20 bytes.
Hand attributesExample(ByteOrder order)
{
    Hand hand(order);
    hand.u32(0x2F505A).u16(2 << 10 | 5).u16(12).u16(20).zeroes(6);
    hand.u64(0100644).text("twelve bytes", 16).text("twenty bytes of text");
    return hand;
}

Hand znodeExample(ByteOrder order)
{
    Hand hand(order);
    hand.words({1, 2, 3, 4, 5, 6, 7, 8}); // times
    hand.words({99, 0100755, 4096, 3, 2, 0, 0, 4, 1000, 1001, 0, 0, 0, 0});
    hand.u64(0).u32(1).u16(0).u16(0);
    hand.u32(1000).u32(0x1601bf).u16(0x1000).u16(0);
    return hand.upTo(ZnodePhys::kBytes);
}

} // namespace

void TestAttributes::registry()
{
    const SaAttributeInfo info{21, 8, SaByteswap::Uint64Array};
    QCOMPARE(info.encode(), 8U << 24 | 21U);
    QVERIFY(*SaAttributeInfo::decode(info.encode()) == info);
    QVERIFY(!SaAttributeInfo::decode(5U << 16));
    QCOMPARE(*decodeSaLayoutNumber("2"), std::uint16_t{2});
    for (const char* key : {"", "-1", "1024", "2x", "99999999"}) {
        QVERIFY(!decodeSaLayoutNumber(key));
    }
    QVERIFY(decodeSaLayout(std::vector<std::uint64_t>{1, 1023}).has_value());
    QVERIFY(!decodeSaLayout(std::vector<std::uint64_t>{1024}));
    QVERIFY(!decodeSaLayout(std::vector<std::uint64_t>(257, 1)));
    QCOMPARE(zplAttributes().size(), std::size_t{22});
}

void TestAttributes::header()
{
    for (const ByteOrder order : kBothOrders) {
        const Hand hand = attributesExample(order);
        const auto header = SaHeader::decode(hand.bytes(), order);
        QVERIFY(header.has_value());
        QCOMPARE(header->layout, std::uint16_t{5});
        QCOMPARE(header->sizeBytes, std::size_t{16});
        QCOMPARE(header->lengths.at(1), std::uint16_t{20});
        std::vector<std::byte> out(16);
        header->encode(out, order);
        QVERIFY(std::ranges::equal(out, Bytes(hand.bytes()).first(16)));
        QVERIFY(refusesPrefixes(Bytes(hand.bytes()).first(16),
                                [order](Bytes b) { return SaHeader::decode(b, order); }));
        Hand noSize = hand;
        noSize.put<std::uint16_t>(4, 5);
        QVERIFY(!SaHeader::decode(noSize.bytes(), order));
        Hand magic = hand;
        magic.put<std::uint32_t>(0, 1);
        QVERIFY(!SaHeader::decode(magic.bytes(), order));
    }
}

void TestAttributes::placing()
{
    const std::vector<std::uint16_t> lengths = {0, 8, 0};
    const std::array<std::uint16_t, 3> layout = {1, 0, 2};
    for (const ByteOrder order : kBothOrders) {
        const Hand hand = attributesExample(order);
        const auto header = SaHeader::decode(hand.bytes(), order);
        const auto placed = placeSaAttributes(hand.bytes(), *header, layout, lengths);
        QVERIFY(placed.has_value());
        QCOMPARE(placed->at(0).offset, std::size_t{16});
        QCOMPARE(placed->at(1).offset, std::size_t{24});
        QCOMPARE(placed->at(1).length, std::size_t{12});
        QCOMPARE(placed->at(2).offset, std::size_t{40});
        QCOMPARE(textOf(Bytes(hand.bytes()).subspan(40, placed->at(2).length)),
                 std::string_view("twenty bytes of text"));
        const Bytes cut = Bytes(hand.bytes()).first(hand.size() - 1);
        QVERIFY(!placeSaAttributes(cut, *header, layout, lengths));
        const std::array<std::uint16_t, 6> many = {0, 2, 0, 2, 0, 2};
        QVERIFY(!placeSaAttributes(hand.bytes(), *header, many, lengths));
        const std::array<std::uint16_t, 1> unknown = {3};
        QVERIFY(!placeSaAttributes(hand.bytes(), *header, unknown, lengths));
    }
}

void TestAttributes::swapping()
{
    Hand big(ByteOrder::Big);
    big.u64(0x0102030405060708);
    Hand little(ByteOrder::Little);
    little.u64(0x0102030405060708);
    const auto swapped = swapSaValue(big.bytes(), SaByteswap::Uint64Array, ByteOrder::Big);
    QVERIFY(swapped == (kHostOrder == ByteOrder::Little ? little.bytes() : big.bytes()));
    QVERIFY(swapSaValue(big.bytes(), SaByteswap::Uint8Array, ByteOrder::Big) == big.bytes());
    std::vector<Ace> aces(3);
    aces[0].flags = AceFlag::kOwner;
    aces[1].who = 1234;
    aces[2].type = AceType::kDenyObject;
    aces[2].access = 7;
    const auto bytes = encodeAces(aces, AclVersion::Fuid, ByteOrder::Big);
    const auto host = swapSaValue(bytes, SaByteswap::Acl, ByteOrder::Big);
    QVERIFY(decodeAces(host, 3, AclVersion::Fuid, kHostOrder).value() == aces);
    // Cut off anywhere: no read behind the end.
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        (void)swapSaValue(Bytes(bytes).first(size), SaByteswap::Acl, ByteOrder::Big);
    }
}

void TestAttributes::znode()
{
    for (const ByteOrder order : kBothOrders) {
        const Hand hand = znodeExample(order);
        const auto znode = ZnodePhys::decode(hand.bytes(), order);
        QVERIFY(znode.has_value());
        QCOMPARE(znode->accessed.nanoseconds, 2U);
        QCOMPARE(znode->created.seconds, 7U);
        QCOMPARE(znode->mode, 0100755U);
        QCOMPARE(znode->size, 4096U);
        QCOMPARE(znode->links, 2U);
        QCOMPARE(znode->uid, 1000U);
        QCOMPARE(znode->gid, 1001U);
        std::vector<std::byte> out = hand.bytes();
        std::fill_n(out.begin(), 176, std::byte{0xee});
        znode->encode(out, order);
        QVERIFY(out == hand.bytes());
        QVERIFY(refusesPrefixes(hand.bytes(),
                                [order](Bytes b) { return ZnodePhys::decode(b, order); }));
    }
}

void TestAttributes::znodeAcl()
{
    for (const ByteOrder order : kBothOrders) {
        Hand hand = znodeExample(order);
        const auto decode = [&] {
            return ZnodeAcl::decode(Bytes(hand.bytes()).subspan(ZnodePhys::kAclOffset), order);
        };
        auto acl = decode();
        QVERIFY(acl.has_value());
        QCOMPARE(acl->aces.size(), std::size_t{1});
        QCOMPARE(acl->aces[0].who, 1000U);
        QCOMPARE(acl->sizeBytes, 12U);
        hand.put<std::uint32_t>(184, 7); // seven entries do not fit
        QVERIFY(!decode());
        hand.put<std::uint64_t>(176, 55); // but may be elsewhere
        acl = decode();
        QVERIFY(acl && acl->external == ObjectId(55) && acl->count == 7 && acl->aces.empty());
        hand.put<std::uint16_t>(188, 2); // version
        QVERIFY(!decode());
        // Version 1: size 40, three entries of 8, 16 and 16 bytes.
        hand.put<std::uint64_t>(176, 0).put<std::uint32_t>(184, 40);
        hand.put<std::uint16_t>(188, 1).put<std::uint16_t>(190, 3);
        std::vector<Ace> aces(3);
        aces[0].flags = AceFlag::kEveryone;
        aces[1].who = 77;
        aces[2].flags = AceFlag::kIdentifierGroup;
        aces[2].who = std::uint64_t{2} << 32 | 500;
        const auto bytes = encodeAces(aces, AclVersion::Fuid, order);
        QCOMPARE(bytes.size(), std::size_t{40});
        std::ranges::copy(bytes, hand.bytes().begin() + 192);
        acl = decode();
        QVERIFY(acl && acl->aces == aces);
    }
}

void TestAttributes::oldAces()
{
    for (const ByteOrder order : kBothOrders) {
        Hand hand(order);
        hand.u32(100).u32(0x20001).u16(AceFlag::kIdentifierGroup).u16(AceType::kDeny);
        hand.u32(0).u32(3).u16(AceFlag::kEveryone).u16(AceType::kAllow);
        const auto aces = decodeAces(hand.bytes(), 2, AclVersion::Initial, order);
        QVERIFY(aces.has_value());
        QCOMPARE(aces->at(0).who, 100U);
        QCOMPARE(aces->at(0).type, AceType::kDeny);
        QCOMPARE(aces->at(1).access, 3U);
        QVERIFY(encodeAces(*aces, AclVersion::Initial, order) == hand.bytes());
        QVERIFY(refusesPrefixes(hand.bytes(), [order](Bytes b) {
            return decodeAces(b, 2, AclVersion::Initial, order);
        }));
    }
    QVERIFY(!decodeAces(Bytes(), kMaxAces + 1, AclVersion::Initial, ByteOrder::Little));
}

void TestAttributes::fuidAces()
{
    for (const ByteOrder order : kBothOrders) {
        Hand hand(order);
        hand.u16(AceType::kAllow).u16(AceFlag::kOwner).u32(1);
        hand.u16(AceType::kAllow).u16(0).u32(2).u64(4711);
        hand.u16(AceType::kAudit).u16(AceFlag::kOwner).u32(3).u64(0); // audits carry an id always
        hand.u16(AceType::kAllowObject)
            .u16(0)
            .u32(4)
            .u64(5)
            .text("object-type", 16)
            .text("inherited", 16);
        const auto aces = decodeAces(hand.bytes(), 4, AclVersion::Fuid, order);
        QVERIFY2(aces.has_value(), aces ? "" : aces.error().what().c_str());
        QCOMPARE(aces->at(1).who, 4711U);
        QCOMPARE(aces->at(3).objectType[0], std::byte{'o'});
        QVERIFY(encodeAces(*aces, AclVersion::Fuid, order) == hand.bytes());
        QVERIFY(refusesPrefixes(
            hand.bytes(), [order](Bytes b) { return decodeAces(b, 4, AclVersion::Fuid, order); }));
    }
}

void TestAttributes::directoryValue()
{
    const std::uint64_t raw = std::uint64_t{8} << 60 | 0x123456789abc;
    const DirectoryValue value = DirectoryValue::decode(raw | std::uint64_t{0xabc} << 48);
    QCOMPARE(value.object, ObjectId(0x123456789abc));
    QCOMPARE(value.type, std::uint8_t{8});
    QCOMPARE(value.encode(), raw);
}

void TestAttributes::fuidTable()
{
    const auto entry = [](std::uint64_t index, std::string_view domain) {
        NvList list;
        list.setU64(kFuidIndex, index);
        list.setU64(kFuidOffset, 0);
        list.setText(kFuidDomain, domain);
        return list;
    };
    NvList table;
    table.set(kFuidArray, NvValue::lists({entry(2, "S-1-5-21-2"), entry(1, "S-1-5-21-1")}));
    const auto domains = decodeFuidTable(table.encode());
    QVERIFY(domains && domains->size() == 3 && domains->at(1) == "S-1-5-21-1");
    table.set(kFuidArray, NvValue::lists({entry(60000, "far")}));
    QVERIFY(!decodeFuidTable(table.encode()));
    table.set(kFuidArray, NvValue::lists({NvList()}));
    QVERIFY(!decodeFuidTable(table.encode()));
    QCOMPARE(Fuid::decode(std::uint64_t{2} << 32 | 500).domain, 2U);
    QCOMPARE(Fuid::decode(1000).id, 1000U);
}

void TestAttributes::devices()
{
    QCOMPARE(decodeDeviceNumber(8U << 20 | 17U).major, 8U);
    QCOMPARE(decodeDeviceNumber(8U << 20 | 17U).minor, 17U);
    QCOMPARE(decodeDeviceNumber(259U << 20 | 1048575U).major, 259U);
    QCOMPARE(decodeDeviceNumber(std::uint64_t{32} << 32 | 5).major, 32U);
    QCOMPARE(decodeDeviceNumber(std::uint64_t{32} << 32 | 5).minor, 5U);
}

QTEST_GUILESS_MAIN(TestAttributes)
#include "tst_format_attributes.moc"
