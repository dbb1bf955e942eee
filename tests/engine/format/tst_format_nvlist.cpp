// SPDX-License-Identifier: GPL-3.0-or-later
// Property: every type of value survives packing; XDR bytes written by hand, and native bytes in
// both orders, decode to what they say; anything cut off, too deep or contradictory is refused.
#include "engine/format/bytes_by_hand.h"
#include "format/nvlist.h"

#include <QTest>

using namespace millpond;
using namespace millpond::format;
using namespace millpond::test;

class TestNvlist : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void xdrByHand();
    void everyType();
    void nativeByHand();
    void nested();
    void refusesNonsense();
    void boundsDepthAndCounts();
    void access();
};

namespace {

/// {"version" uint64 5000, "name" string "tank"} with the sizes OpenZFS writes.
Hand xdrExample(std::uint8_t endianMarker)
{
    Hand hand(ByteOrder::Big);
    hand.u8(1).u8(endianMarker).u16(0);
    hand.u32(0).u32(1);
    hand.u32(36).u32(32).u32(7).text("version", 8).u32(8).u32(1).u64(5000);
    hand.u32(32).u32(32).u32(4).text("name").u32(9).u32(1).u32(4).text("tank");
    hand.u32(0).u32(0);
    return hand;
}

NvList everything()
{
    NvList inner;
    inner.setText("type", "disk");
    NvList list;
    list.set("boolean", NvValue::flag());
    list.set("yes", NvValue::number(NvType::BooleanValue, 1));
    list.set("byte", NvValue::number(NvType::Byte, 200));
    list.set("int8", NvValue::number(NvType::Int8, static_cast<std::uint64_t>(-5)));
    list.set("uint8", NvValue::number(NvType::Uint8, 250));
    list.set("int16", NvValue::number(NvType::Int16, static_cast<std::uint64_t>(-300)));
    list.set("uint16", NvValue::number(NvType::Uint16, 65000));
    list.set("int32", NvValue::number(NvType::Int32, static_cast<std::uint64_t>(-70000)));
    list.set("uint32", NvValue::number(NvType::Uint32, 4000000000));
    list.set("int64", NvValue::number(NvType::Int64, static_cast<std::uint64_t>(-1)));
    list.setU64("uint64", ~std::uint64_t{0});
    list.set("time", NvValue::number(NvType::HighResTime, 123456789));
    list.set("double", NvValue::number(NvType::Double, std::bit_cast<std::uint64_t>(1.5)));
    list.setText("text", "some text");
    list.setText("empty", "");
    const std::array<std::byte, 3> raw = {std::byte{1}, std::byte{0xff}, std::byte{0}};
    list.set("bytes", NvValue::bytes(NvType::ByteArray, raw));
    list.set("int8s", NvValue::bytes(NvType::Int8Array, raw));
    list.set("uint8s", NvValue::bytes(NvType::Uint8Array, raw));
    list.set("uint16s", NvValue::numbers(NvType::Uint16Array, {1, 65535}));
    list.set("int32s", NvValue::numbers(NvType::Int32Array, {static_cast<std::uint64_t>(-2)}));
    list.set("uint64s", NvValue::numbers(NvType::Uint64Array, {1, 2, 3}));
    list.set("none", NvValue::numbers(NvType::Uint64Array, {}));
    list.set("booleans", NvValue::numbers(NvType::BooleanArray, {1, 0}));
    list.set("texts", NvValue::texts({"a", "", "ccc"}));
    list.setList("list", inner);
    list.set("lists", NvValue::lists({inner, NvList(), inner}));
    return list;
}

/// Native: one uint64, one string array, one nested list with one string.
Hand nativeExample(ByteOrder order)
{
    Hand hand(order);
    hand.u8(0).u8(order == ByteOrder::Little ? 1 : 0).u16(0);
    hand.u32(0).u32(1);
    hand.u32(32).u16(4).u16(0).u32(1).u32(8).text("txg", 8).u64(77);
    hand.u32(48).u16(3).u16(0).u32(2).u32(17).text("ab", 8).zeroes(16).text("x").zeroes(1).text(
        "yz", 6);
    hand.u32(48).u16(5).u16(0).u32(1).u32(19).text("nest", 8).u32(0).u32(1).zeroes(16);
    hand.u32(32).u16(2).u16(0).u32(1).u32(9).text("k", 8).text("v", 8);
    hand.u32(0);
    hand.u32(0);
    return hand;
}

} // namespace

void TestNvlist::xdrByHand()
{
    for (const std::uint8_t marker : {0, 1}) {
        const Hand hand = xdrExample(marker);
        const auto list = NvList::decode(hand.bytes());
        QVERIFY2(list.has_value(), list ? "" : list.error().what().c_str());
        QCOMPARE(list->u64("version").value_or(0), 5000U);
        QCOMPARE(std::string(list->text("name").value_or("")), std::string("tank"));
        QCOMPARE(list->pairs().size(), std::size_t{2});
        QCOMPARE(list->flags(), NvList::kUniqueNames);
        QVERIFY(list->encode(marker == 1 ? ByteOrder::Little : ByteOrder::Big) == hand.bytes());
        QVERIFY(refusesPrefixes(hand.bytes(), [](Bytes b) { return NvList::decode(b); }));
        // Labels are padded.
        auto padded = hand.bytes();
        padded.resize(4096, std::byte{0x5a});
        QVERIFY(NvList::decode(padded).value() == *list);
    }
}

void TestNvlist::everyType()
{
    const NvList list = everything();
    const std::vector<std::byte> packed = list.encode();
    QCOMPARE(packed.size(), list.encodedSize());
    const auto again = NvList::decode(packed);
    QVERIFY2(again.has_value(), again ? "" : again.error().what().c_str());
    QVERIFY(*again == list);
    QVERIFY(again->encode() == packed);
    QVERIFY(refusesPrefixes(packed, [](Bytes b) { return NvList::decode(b); }));
    const std::string text = again->toText();
    for (const char* line : {"int16: -300\n",
                             "uint64: 18446744073709551615\n",
                             "yes: true\n",
                             "text: 'some text'\n",
                             "lists[2]:\n    type: 'disk'\n",
                             "boolean\n"}) {
        QVERIFY2(text.find(line) != std::string::npos, line);
    }
}

void TestNvlist::nativeByHand()
{
    for (const ByteOrder order : kBothOrders) {
        const Hand hand = nativeExample(order);
        const auto list = NvList::decode(hand.bytes());
        QVERIFY2(list.has_value(), list ? "" : list.error().what().c_str());
        QCOMPARE(list->u64("txg").value_or(0), 77U);
        QCOMPARE(list->textArray("ab").size(), std::size_t{2});
        QCOMPARE(list->textArray("ab")[1], std::string("yz"));
        QVERIFY(list->list("nest") != nullptr);
        QCOMPARE(std::string(list->list("nest")->text("k").value_or("")), std::string("v"));
        QVERIFY(refusesPrefixes(hand.bytes(), [](Bytes b) { return NvList::decode(b); }));
    }
}

void TestNvlist::nested()
{
    NvList list;
    for (unsigned i = 0; i < NvList::kMaxDepth; ++i) {
        NvList outer;
        outer.setList("in", list);
        list = outer;
    }
    QVERIFY(NvList::decode(list.encode()).value() == list);
    NvList deeper;
    deeper.setList("in", list);
    QVERIFY(!NvList::decode(deeper.encode()).has_value());
}

void TestNvlist::refusesNonsense()
{
    const auto refused = [](std::size_t at, std::uint32_t value) {
        Hand hand = xdrExample(1);
        hand.put(at, value);
        const auto list = NvList::decode(hand.bytes());
        return !list && list.error().is(ErrorCode::BadNvlist);
    };
    QVERIFY(refused(0, 0x02010000));  // encoding
    QVERIFY(refused(4, 1));           // version
    QVERIFY(refused(20, 0x7fffffff)); // length of a name
    QVERIFY(refused(32, 0));          // types
    QVERIFY(refused(32, 28));
    QVERIFY(refused(32, 1)); // a boolean has no element
    QVERIFY(refused(36, 2)); // a number has one
}

void TestNvlist::boundsDepthAndCounts()
{
    // Arrays that claim more than there is must not be allocated first.
    for (const std::uint32_t type : {10U, 12U, 16U, 17U, 20U, 24U, 25U}) {
        Hand hand(ByteOrder::Big);
        hand.u8(1).u8(1).u16(0).u32(0).u32(1);
        hand.u32(64)
            .u32(64)
            .u32(1)
            .text("a", 4)
            .u32(type)
            .u32(0xfffffff0)
            .u32(0xfffffff0)
            .zeroes(32);
        QVERIFY(!NvList::decode(hand.bytes()).has_value());
    }
    for (const std::uint32_t type : {16U, 17U, 20U}) {
        Hand hand(ByteOrder::Little);
        hand.u8(0).u8(1).u16(0).u32(0).u32(1);
        hand.u32(40).u16(2).u16(0).u32(0xfffffff0).u32(type).text("a", 8).zeroes(16).u32(0);
        QVERIFY(!NvList::decode(hand.bytes()).has_value());
    }
    const std::vector<std::byte> huge(NvList::kMaxPackedBytes + 1, std::byte{1});
    QVERIFY(!NvList::decode(huge).has_value());
}

void TestNvlist::access()
{
    NvList list = everything();
    QVERIFY(list.flag("boolean") && list.flag("yes") && !list.flag("absent") && !list.flag("text"));
    QVERIFY(!list.u64("text") && !list.u64("boolean") && !list.text("uint64"));
    QCOMPARE(list.u64Array("uint64s").size(), std::size_t{3});
    QCOMPARE(list.listArray("lists").size(), std::size_t{3});
    QCOMPARE(list.byteArray("bytes").size(), std::size_t{3});
    QVERIFY(list.listArray("list").empty() && list.list("lists") == nullptr);
    QVERIFY(list.requireU64("uint64").has_value());
    const auto missing = list.requireText("nothing");
    QVERIFY(!missing && missing.error().is(ErrorCode::BadConfig));
    QVERIFY(missing.error().what().find("nothing") != std::string::npos);
    list.setU64("uint64", 1);
    QCOMPARE(list.u64("uint64").value_or(0), 1U);
    list.remove("uint64");
    QVERIFY(!list.has("uint64"));
    list.append("text", NvValue::text("second"));
    QCOMPARE(std::string(*list.text("text")), std::string("some text"));
}

QTEST_GUILESS_MAIN(TestNvlist)
#include "tst_format_nvlist.moc"
