// SPDX-License-Identifier: GPL-3.0-or-later
// Property: intent log records of every kind and history records read in both orders; records cut
// off at any length, and chains and rings that make no sense, are refused.
#include "engine/format/bytes_by_hand.h"
#include "format/history.h"
#include "format/intent_log.h"

#include <QTest>

using namespace millpond;
using namespace millpond::format;
using namespace millpond::test;

class TestLogs : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void header();
    void chains();
    void records_data();
    void records();
    void createWithEverything();
    void writeWithPointer();
    void cloneRange();
    void nonsense();
    void historyRing();
    void historyRecords();
};

namespace {

/// Puts the common header in front of a body, padded to 8 bytes.
Hand record(ByteOrder order, std::uint64_t type, const Hand& body)
{
    const std::size_t length = alignUp(32 + body.size(), 8);
    Hand hand(order);
    hand.words({type, length, 500, 17}).raw(body.bytes()).upTo(length);
    return hand;
}

Result<ZilRecord> take(const Hand& hand)
{
    Cursor cursor(hand.bytes(), hand.order());
    return ZilRecord::take(cursor);
}

Hand createBody(ByteOrder order)
{
    Hand body(order);
    body.words({34, std::uint64_t{3} << 56 | 99, 0100644, 1000, 1001, 500, 11, 12, 0});
    return body;
}

Hand pointerBytes(ByteOrder order)
{
    Hand hand(order);
    hand << plainPointerWords();
    return hand;
}

} // namespace

void TestLogs::header()
{
    for (const ByteOrder order : kBothOrders) {
        Hand hand(order);
        hand.words({1, 2}) << plainPointerWords(0x3000, 9);
        hand.words({3, 2, 5}).upTo(ZilHeader::kBytes);
        const auto zil = ZilHeader::decode(hand.bytes(), order);
        QVERIFY(zil && zil->replaySequence == 2 && zil->claimBlockSequence == 3);
        QCOMPARE(zil->flags, ZilHeader::kClaimRecordSequenceValid);
        QCOMPARE(zil->log.dva(0).offset.value(), 0x3000U);
        std::vector<std::byte> out(ZilHeader::kBytes);
        zil->encode(out, order);
        QVERIFY(out == hand.bytes());
        QVERIFY(refusesPrefixes(hand.bytes(),
                                [order](Bytes b) { return ZilHeader::decode(b, order); }));
    }
}

void TestLogs::chains()
{
    for (const ByteOrder order : kBothOrders) {
        // In front: 8 bytes, next, used (with the chain), checksum.
        Hand front(order);
        front.u64(0) << plainPointerWords(0x5000, 9);
        front.u64(184 + 64).upTo(4096);
        const auto block = ZilBlock::decode(front.bytes(), ChecksumType::IntentLog2, order);
        QVERIFY(block && block->records.size() == 64);
        QVERIFY(block->records.data() == front.bytes().data() + 184);
        QCOMPARE(block->chain.next.dva(0).offset.value(), 0x5000U);
        front.put<std::uint64_t>(136, 4097);
        QVERIFY(!ZilBlock::decode(front.bytes(), ChecksumType::IntentLog2, order));
        front.put<std::uint64_t>(136, 183);
        QVERIFY(!ZilBlock::decode(front.bytes(), ChecksumType::IntentLog2, order));
        // Old: at the end.
        Hand back(order);
        back.upTo(4096 - 184).u64(0) << plainPointerWords(0x5000, 9);
        back.u64(64).upTo(4096);
        const auto old = ZilBlock::decode(back.bytes(), ChecksumType::IntentLog, order);
        QVERIFY(old && old->records.size() == 64 && old->records.data() == back.bytes().data());
        back.put<std::uint64_t>(4096 - 184 + 136, 4096 - 183);
        QVERIFY(!ZilBlock::decode(back.bytes(), ChecksumType::IntentLog, order));
        QVERIFY(!ZilBlock::decode(Bytes(back.bytes()).first(183), ChecksumType::IntentLog, order));
    }
}

void TestLogs::records_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<QByteArray>(
        "words"); // numbers of the body, then text after a slash; \0 ends a name
    QTest::addColumn<QString>("text");
    const auto row = [](int type, const char* words, const char* text) {
        QTest::newRow(zilRecordTypeName(ZilRecordType(static_cast<std::uint32_t>(type))).data())
            << type << QByteArray(words) << QString::fromLatin1(text);
    };
    const char* create = "34 99 33188 1000 1001 500 11 12 0/name\\0";
    for (const int type : {1, 2, 3}) {
        row(type, create, "directory=34 name='name'");
    }
    row(4,
        "34 99 41471 0 0 500 1 2 0/link\\0where/it/points\\0",
        "name='link' target='where/it/points'");
    row(5, "34/gone\\0", "directory=34 name='gone'");
    row(6, "34/dir\\0", "directory=34 name='dir'");
    row(7, "34 99/second\\0", "object=99 directory=34 name='second'");
    row(8, "34 35/old\\0new\\0", "name='old' target='new'");
    row(22, "34 35/one\\0two\\0", "name='one' target='two'");
    row(23,
        "34 35 98 8192 0 0 1 2 3 0/one\\0two\\0",
        "object=98 directory=34 name='one' target='two'");
    row(10, "99 4096 0", "object=99 offset=4096 size=0");
    row(20, "99 4096 512", "object=99 offset=4096 size=512");
    row(11, "99 7 33188 1 2 512 3 4 5 6", "object=99 offset=0 size=512");
    row(12, "99 0", "object=99");
    row(13, "99 0 0 0 0 0", "object=99");
    row(21, "99 4/user.x\\0abcd", "name='user.x' offset=0 size=4");
}

void TestLogs::records()
{
    QFETCH(int, type);
    QFETCH(QByteArray, words);
    QFETCH(QString, text);
    for (const ByteOrder order : kBothOrders) {
        const int slash = static_cast<int>(words.indexOf('/'));
        Hand body(order);
        for (const QByteArray& word : (slash < 0 ? words : words.left(slash)).split(' ')) {
            body.u64(word.toULongLong());
        }
        if (slash >= 0) {
            QByteArray tail = words.mid(slash + 1);
            tail.replace("\\0", QByteArray(1, '\0'));
            body.text({tail.constData(), static_cast<std::size_t>(tail.size())});
        }
        const Hand hand = record(order, static_cast<std::uint64_t>(type), body);
        const auto parsed = take(hand);
        QVERIFY2(parsed.has_value(), parsed ? "" : parsed.error().what().c_str());
        QCOMPARE(static_cast<int>(parsed->type), type);
        QCOMPARE(parsed->txg, Txg(500));
        QCOMPARE(parsed->sequence, 17U);
        const QString shown = QString::fromStdString(parsed->toText());
        QVERIFY2(shown.contains(text), qPrintable(shown));
        // Shorter bodies with an honest length: refused or at least harmless.
        for (std::size_t size = 0; size < body.size(); ++size) {
            Hand cut(order);
            cut.words({static_cast<std::uint64_t>(type), 32 + size, 500, 17});
            cut.raw(Bytes(body.bytes()).first(size));
            const auto result = take(cut);
            QVERIFY(!result || size + 8 > body.size() || type == 21);
        }
    }
}

void TestLogs::createWithEverything()
{
    for (const ByteOrder order : kBothOrders) {
        Hand body = createBody(order);
        body.words({1, 1, 2, 12, 0}); // ACL counts: 12 bytes of entries
        body.u32(3).u32(0x10).u32(0).u32(0).words({5, 6, 7}).text("stamp", 32); // attributes
        body.text("acl entries.", 16).words({501, 502});
        body.text("S-1-5-21").zeroes(1).text("file").zeroes(1);
        const auto parsed = take(record(order, 16 | std::uint64_t{1} << 63, body));
        QVERIFY2(parsed.has_value(), parsed ? "" : parsed.error().what().c_str());
        QVERIFY(parsed->ignoreCase && parsed->type == ZilRecordType::CreateAclAttributes);
        QCOMPARE(parsed->object.object, 99U);
        QCOMPARE(parsed->object.slots, 4U);
        QCOMPARE(parsed->mode, 0100644U);
        QVERIFY(parsed->extra && parsed->extra->mask.size() == 3 && parsed->extra->attributes == 5);
        QVERIFY(parsed->acl && parsed->acl->aces.size() == 12 && parsed->acl->fuids.size() == 2);
        QCOMPARE(parsed->acl->domain.at(0), std::string_view("S-1-5-21"));
        QCOMPARE(parsed->name, std::string_view("file"));
    }
}

void TestLogs::writeWithPointer()
{
    for (const ByteOrder order : kBothOrders) {
        Hand body(order);
        body.words({99, 8192, 4096, 0}).raw(pointerBytes(order).bytes());
        const auto indirect = take(record(order, 9, body));
        QVERIFY(indirect && indirect->data.empty() && indirect->size == 4096);
        QCOMPARE(indirect->pointer.dva(0).offset.value(), 0x10000U);
        // The data in the record; whatever stands in the pointer does not matter.
        Hand direct(order);
        direct.words({99, 8192, 6, 0});
        for (int i = 0; i < 16; ++i) {
            direct.u64(~std::uint64_t{0});
        }
        direct.text("inline", 8);
        const auto data = take(record(order, 9, direct));
        QVERIFY2(data.has_value(), data ? "" : data.error().what().c_str());
        QCOMPARE(textOf(data->data), std::string_view("inline"));
        direct.put<std::uint64_t>(16, 9);
        QVERIFY(!take(record(order, 9, direct)));
    }
}

void TestLogs::cloneRange()
{
    for (const ByteOrder order : kBothOrders) {
        Hand body(order);
        body.words({99, 0, 8192, 4096, 2})
            .raw(pointerBytes(order).bytes())
            .raw(pointerBytes(order).bytes());
        const auto clone = take(record(order, 24, body));
        QVERIFY(clone && clone->pointers.size() == 2 && clone->blockSize == 4096);
        body.put<std::uint64_t>(32, 3);
        QVERIFY(!take(record(order, 24, body)));
        body.put<std::uint64_t>(32, ~std::uint64_t{0});
        QVERIFY(!take(record(order, 24, body)));
    }
}

void TestLogs::nonsense()
{
    for (const std::uint64_t length :
         {std::uint64_t{0}, std::uint64_t{31}, std::uint64_t{41}, ~std::uint64_t{0}}) {
        Hand hand(ByteOrder::Little);
        hand.words({5, length, 1, 1}).text("x", 8);
        QVERIFY(!take(hand));
    }
    Hand type(ByteOrder::Little);
    type.words({25, 32, 1, 1});
    QVERIFY(!take(type));
    // A name without an end.
    Hand body(ByteOrder::Little);
    body.u64(34).text("12345678");
    QVERIFY(!take(record(ByteOrder::Little, 5, body)));
}

void TestLogs::historyRing()
{
    for (const ByteOrder order : kBothOrders) {
        Hand hand(order);
        hand.words({100, 1100, 2500, 3400, 7});
        const auto history = HistoryPhys::decode(hand.bytes(), order);
        QVERIFY(history && history->recordsLost == 7 && history->bytes() == 1000);
        QCOMPARE(history->physical(50), 50U);
        QCOMPARE(history->physical(100), 100U);
        QCOMPARE(history->physical(1100), 100U);
        QCOMPARE(history->physical(2500), 500U);
        std::vector<std::byte> out(HistoryPhys::kBytes);
        history->encode(out, order);
        QVERIFY(out == hand.bytes());
        QVERIFY(refusesPrefixes(hand.bytes(),
                                [order](Bytes b) { return HistoryPhys::decode(b, order); }));
        for (const std::array<std::uint64_t, 4>& broken :
             std::initializer_list<std::array<std::uint64_t, 4>>{{100, 99, 100, 100},
                                                                 {100, 1100, 50, 60},
                                                                 {100, 1100, 300, 200},
                                                                 {100, 1100, 100, 1101}}) {
            Hand other(order);
            other.words({broken[0], broken[1], broken[2], broken[3], 0});
            QVERIFY(!HistoryPhys::decode(other.bytes(), order));
        }
        Hand noRing(order);
        noRing.words({100, 100, 200, 200, 0});
        QCOMPARE(HistoryPhys::decode(noRing.bytes(), order)->physical(200), 100U);
        Hand empty(order);
        empty.words({0, 131072, 0, 0, 0});
        QVERIFY(HistoryPhys::decode(empty.bytes(), order).has_value());
    }
}

void TestLogs::historyRecords()
{
    NvList first;
    first.setText(kHistoryCommand, "zpool create tank disk");
    NvList second;
    second.setText(kHistoryCommand, "zfs create tank/home");
    Hand hand(ByteOrder::Little);
    hand.u64(first.encodedSize()).raw(first.encode()).u64(5).text("wrong");
    hand.u64(second.encodedSize()).raw(second.encode());
    const std::size_t whole = hand.size();
    hand.u64(100).text("not yet all here");
    HistoryReader reader(hand.bytes());
    QVERIFY(reader.next()->value() == first);
    QVERIFY(!reader.next()); // broken, but of known length
    QVERIFY(reader.next()->value() == second);
    QVERIFY(!reader.next()->has_value());
    QCOMPARE(reader.position(), whole);
    Hand huge(ByteOrder::Little);
    huge.u64(~std::uint64_t{0}).zeroes(64);
    HistoryReader hugeReader(huge.bytes());
    QVERIFY(!hugeReader.next());
    QCOMPARE(historyEventName(1), std::string_view("pool create"));
    QVERIFY(historyEventName(99).empty());
}

QTEST_GUILESS_MAIN(TestLogs)
#include "tst_format_logs.moc"
