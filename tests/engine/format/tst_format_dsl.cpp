// SPDX-License-Identifier: GPL-3.0-or-later
// Property: the pool's own structures read field by field in both orders and encode to their bytes;
// every structure cut off at any length is refused.
#include "engine/format/bytes_by_hand.h"
#include "format/dsl.h"
#include "format/error_log.h"

#include <QTest>

#include <numeric>

using namespace millpond;
using namespace millpond::format;
using namespace millpond::test;

class TestDsl : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void directory();
    void dataset();
    void deadlist();
    void bpObjects();
    void bookmarks();
    void freedTrees();
    void scan();
    void redactionAndRemoval();
    void errorLogKeys();
};

namespace {

Hand counting(ByteOrder order, std::uint64_t from, std::size_t words)
{
    Hand hand(order);
    for (std::size_t i = 0; i < words; ++i) {
        hand.u64(from + i);
    }
    return hand;
}

template <class T> bool encodesTo(const T& value, const Hand& hand)
{
    std::vector<std::byte> out(hand.size(), std::byte{0xee});
    value.encode(out, hand.order());
    return out == hand.bytes();
}

} // namespace

void TestDsl::directory()
{
    for (const ByteOrder order : kBothOrders) {
        Hand hand = counting(order, 1, 19);
        hand.upTo(DslDirPhys::kBytes);
        const auto dir = DslDirPhys::decode(hand.bytes(), order);
        QVERIFY(dir.has_value());
        QCOMPARE(dir->headDataset, ObjectId(2));
        QCOMPARE(dir->parent, ObjectId(3));
        QCOMPARE(dir->origin, ObjectId(4));
        QCOMPARE(dir->childDirectories, ObjectId(5));
        QCOMPARE(dir->usedBytes, 6U);
        QCOMPARE(dir->quota, 9U);
        QCOMPARE(dir->properties, ObjectId(11));
        QCOMPARE(dir->flags, 13U);
        QCOMPARE(dir->usedBreakdown[4], 18U);
        QCOMPARE(dir->clones, ObjectId(19));
        QVERIFY(encodesTo(*dir, hand));
        QVERIFY(refusesPrefixes(hand.bytes(),
                                [order](Bytes b) { return DslDirPhys::decode(b, order); }));
    }
}

void TestDsl::dataset()
{
    for (const ByteOrder order : kBothOrders) {
        Hand hand = counting(order, 1, 16);
        hand << plainPointerWords(0x2000, 11);
        hand.words({17, 18, 19}).upTo(DslDatasetPhys::kBytes);
        const auto dataset = DslDatasetPhys::decode(hand.bytes(), order);
        QVERIFY(dataset.has_value());
        QCOMPARE(dataset->directory, ObjectId(1));
        QCOMPARE(dataset->previousSnapshotTxg, Txg(3));
        QCOMPARE(dataset->snapshotNames, ObjectId(5));
        QVERIFY(dataset->isSnapshot());
        QCOMPARE(dataset->creationTxg, Txg(8));
        QCOMPARE(dataset->deadlist, ObjectId(9));
        QCOMPARE(dataset->uniqueBytes, 13U);
        QCOMPARE(dataset->guid, 15U);
        QCOMPARE(dataset->root.dva(0).offset.value(), 0x2000U);
        QCOMPARE(dataset->userRefs, ObjectId(19));
        QVERIFY(encodesTo(*dataset, hand));
        QVERIFY(refusesPrefixes(hand.bytes(),
                                [order](Bytes b) { return DslDatasetPhys::decode(b, order); }));
        hand.put<std::uint64_t>(128 + 48, ~std::uint64_t{0});
        QVERIFY(!DslDatasetPhys::decode(hand.bytes(), order));
    }
}

void TestDsl::deadlist()
{
    for (const ByteOrder order : kBothOrders) {
        Hand hand = counting(order, 10, 3);
        QVERIFY(refusesPrefixes(hand.bytes(),
                                [order](Bytes b) { return DeadlistPhys::decode(b, order); }));
        hand.upTo(DeadlistPhys::kBytes);
        const auto deadlist = DeadlistPhys::decode(hand.bytes(), order);
        QVERIFY(deadlist && deadlist->uncompressedBytes == 12);
        QVERIFY(encodesTo(*deadlist, hand));
    }
}

void TestDsl::bpObjects()
{
    for (const ByteOrder order : kBothOrders) {
        for (const std::size_t words : {2U, 4U, 6U, 7U}) {
            const Hand hand = counting(order, 1, words);
            const auto list = BpObjectPhys::decode(hand.bytes(), order);
            QVERIFY(list.has_value());
            QCOMPARE(list->sizeBytes, words * 8);
            QCOMPARE(list->hasCompressed(), words >= 4);
            QCOMPARE(list->hasSubobjects(), words >= 6);
            QCOMPARE(list->subobjects, ObjectId(words >= 6 ? 5 : 0));
            QCOMPARE(list->freedCount, words >= 7 ? 7U : 0U);
            QVERIFY(encodesTo(*list, hand));
        }
        QVERIFY(refusesPrefixes(counting(order, 1, 2).bytes(),
                                [order](Bytes b) { return BpObjectPhys::decode(b, order); }));
    }
}

void TestDsl::bookmarks()
{
    std::vector<std::uint64_t> words(12);
    std::iota(words.begin(), words.end(), 1);
    const auto bookmark = BookmarkPhys::decode(words);
    QVERIFY(bookmark && bookmark->guid == 1 && bookmark->ivsetGuid == 12 && bookmark->flags == 5);
    QVERIFY(bookmark->encode() == words);
    words.resize(3);
    const auto old = BookmarkPhys::decode(words);
    QVERIFY(old && old->creationTime == 3 && old->redaction == ObjectId(0));
    QVERIFY(old->encode() == words);
    words.resize(2);
    QVERIFY(!BookmarkPhys::decode(words));
    words.resize(13);
    QVERIFY(!BookmarkPhys::decode(words));
}

void TestDsl::freedTrees()
{
    for (const ByteOrder order : kBothOrders) {
        const Hand bonus = counting(order, 1, 5);
        const auto tree = BpTreePhys::decode(bonus.bytes(), order);
        QVERIFY(tree && tree->begin == 1 && tree->end == 2 && tree->uncompressedBytes == 5);
        QVERIFY(refusesPrefixes(bonus.bytes(),
                                [order](Bytes b) { return BpTreePhys::decode(b, order); }));
        Hand reversed = bonus;
        reversed.put<std::uint64_t>(0, 3);
        QVERIFY(!BpTreePhys::decode(reversed.bytes(), order));
        Hand hand(order);
        hand << plainPointerWords();
        hand.words({9, 1, 2, ~std::uint64_t{0}, 4});
        const auto entry = BpTreeEntry::decode(hand.bytes(), order);
        QVERIFY(entry && entry->birth == Txg(9) && entry->position.level == -1);
        QCOMPARE(entry->position.block, 4U);
        QVERIFY(refusesPrefixes(hand.bytes(),
                                [order](Bytes b) { return BpTreeEntry::decode(b, order); }));
    }
}

void TestDsl::scan()
{
    std::vector<std::uint64_t> words(24);
    std::iota(words.begin(), words.end(), 100);
    words[0] = 1;
    words[1] = 2;
    const auto scan = ScanPhys::decode(words);
    QVERIFY(scan && scan->function == ScanFunction::Scrub && scan->state == ScanState::Finished);
    QCOMPARE(scan->endTime, 108U);
    QCOMPARE(scan->errors, 113U);
    QCOMPARE(scan->ddtBookmark[0], 115U);
    QCOMPARE(scan->position.objset, 119U);
    QCOMPARE(scan->flags, 123U);
    words.pop_back();
    QVERIFY(!ScanPhys::decode(words));
}

void TestDsl::redactionAndRemoval()
{
    for (const ByteOrder order : kBothOrders) {
        Hand hand(order);
        hand.words({7, 8, 9, 2, 100, 200});
        const auto list = RedactionListPhys::decode(hand.bytes(), order);
        QVERIFY(list && list->snapshotGuids == (std::vector<std::uint64_t>{100, 200}));
        QVERIFY(refusesPrefixes(hand.bytes(),
                                [order](Bytes b) { return RedactionListPhys::decode(b, order); }));
        hand.put<std::uint64_t>(24, ~std::uint64_t{0});
        QVERIFY(!RedactionListPhys::decode(hand.bytes(), order));
        Hand mapping(order);
        mapping.words({std::uint64_t{1} << 63 | 10, std::uint64_t{1} << 32 | 8, 20});
        const auto entry = IndirectMappingEntry::decode(mapping.bytes(), order);
        QVERIFY(entry && entry->source.value() == 5120 && entry->destination.vdev == VdevId(1));
        QCOMPARE(entry->destination.allocated.value(), 4096U);
        const auto header = IndirectMappingPhys::decode(mapping.bytes(), order);
        QVERIFY(header && header->entries == 20 && header->counts == ObjectId(0));
    }
    const std::array<std::uint64_t, 7> removing = {2, 1, ~std::uint64_t{0}, 5, 6, 7, 8};
    QVERIFY(RemovingPhys::decode(removing)->state == ScanState::Finished);
    QVERIFY(!RemovingPhys::decode(std::span(removing).first(6)));
}

void TestDsl::errorLogKeys()
{
    const BookmarkPosition position{0x36, 0x80, -1, 0xffff};
    const std::string key = ErrorLogKey::encode(position);
    QCOMPARE(key, std::string("36:80:ffffffffffffffff:ffff"));
    const auto decoded = ErrorLogKey::decode(key);
    QVERIFY(decoded && decoded->objset == 0x36 && decoded->level == -1 && decoded->block == 0xffff);
    const auto head = HeadErrorLogKey::decode("80:0:7:1a");
    QVERIFY(head && head->position.object == 0x80 && head->birth == Txg(26));
    QCOMPARE(head->encode(), std::string("80:0:7:1a"));
    QCOMPARE(*HeadErrorLogKey::decodeDataset("36"), ObjsetId(0x36));
    for (const char* broken : {"",
                               "1:2:3",
                               "1:2:3:4:5",
                               "1:2:3:",
                               "1:2:x:4",
                               ":::",
                               "1:2:3:4g",
                               "10000000000000000:0:0:0"}) {
        QVERIFY2(!ErrorLogKey::decode(broken), broken);
    }
}

QTEST_GUILESS_MAIN(TestDsl)
#include "tst_format_dsl.moc"
