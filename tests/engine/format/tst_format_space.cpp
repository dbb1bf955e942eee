// SPDX-License-Identifier: GPL-3.0-or-later
// Property: space map headers and entries of one and two words, dedup entries of both forms, dedup
// logs and clone tables read in both orders; entries cut in half and foreign sizes are refused.
#include "engine/format/bytes_by_hand.h"
#include "format/brt.h"
#include "format/ddt.h"
#include "format/space_map.h"

#include <QTest>

using namespace millpond;
using namespace millpond::format;
using namespace millpond::test;

class TestSpace : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void header();
    void entries();
    void encoding();
    void cutEntry();
    void dedupKey();
    void dedupLegacy();
    void dedupFlat();
    void dedupLog();
    void dedupNames();
    void cloneTable();
};

namespace {

constexpr std::uint64_t kAllocate = 0;
constexpr std::uint64_t kFree = 1;

std::uint64_t shortWord(std::uint64_t offset, std::uint64_t run, std::uint64_t type)
{
    return offset << 16 | type << 15 | (run - 1);
}

} // namespace

void TestSpace::header()
{
    for (const ByteOrder order : kBothOrders) {
        Hand hand(order);
        hand.words({30, 4096, static_cast<std::uint64_t>(-512)});
        auto map = SpaceMapPhys::decode(hand.bytes(), order);
        QVERIFY(map && !map->hasHistogram && map->allocated == -512 && map->length.value() == 4096);
        QVERIFY(refusesPrefixes(hand.bytes(),
                                [order](Bytes b) { return SpaceMapPhys::decode(b, order); }));
        hand.upTo(SpaceMapPhys::kBytes);
        hand.put<std::uint64_t>(64 + 31 * 8, 7);
        map = SpaceMapPhys::decode(hand.bytes(), order);
        QVERIFY(map && map->hasHistogram && map->histogram[31] == 7);
        std::vector<std::byte> out(SpaceMapPhys::kBytes);
        map->encode(out, order);
        QVERIFY(out == hand.bytes());
        hand.put<std::uint64_t>(8, 4097);
        QVERIFY(!SpaceMapPhys::decode(hand.bytes(), order));
    }
}

void TestSpace::entries()
{
    for (const ByteOrder order : kBothOrders) {
        Hand hand(order);
        hand.u64(std::uint64_t{2} << 62 | std::uint64_t{1} << 60 | std::uint64_t{3} << 50 | 777);
        hand.u64(shortWord(100, 8, kAllocate))
            .u64(shortWord((std::uint64_t{1} << 47) - 1, 32768, kFree));
        hand.u64(std::uint64_t{3} << 62 | (std::uint64_t{1} << 20) << 24 | 5);
        hand.u64(std::uint64_t{1} << 63 | std::uint64_t{1} << 50);
        hand.u64(std::uint64_t{2} << 62);
        SpaceMapReader reader(hand.bytes(), order);
        auto entry = reader.next();
        QVERIFY(entry && *entry);
        QCOMPARE((*entry)->offset, 100U);
        QCOMPARE((*entry)->run, 8U);
        QVERIFY((*entry)->type == SpaceMapEntry::Type::Allocate && !(*entry)->vdev);
        QCOMPARE(reader.debug().txg, Txg(777));
        QCOMPARE(reader.debug().syncPass, 3U);
        entry = reader.next();
        QCOMPARE((*entry)->run, 32768U);
        QVERIFY((*entry)->type == SpaceMapEntry::Type::Free);
        entry = reader.next();
        QVERIFY((*entry)->vdev == VdevId(5) && (*entry)->run == (1U << 20) + 1);
        QCOMPARE((*entry)->offset, std::uint64_t{1} << 50);
        entry = reader.next();
        QVERIFY(entry && !*entry);
    }
}

void TestSpace::encoding()
{
    using Type = SpaceMapEntry::Type;
    const SpaceMapEntry small{Type::Free, 5, 32768, std::nullopt};
    QCOMPARE(encodeSpaceMapEntry(small).count, std::size_t{1});
    QCOMPARE(encodeSpaceMapEntry(small).words[0], shortWord(5, 32768, kFree));
    for (const SpaceMapEntry& large :
         {SpaceMapEntry{Type::Allocate, 5, 32769, VdevId(0)},
          SpaceMapEntry{Type::Free, std::uint64_t{1} << 47, 1, VdevId(0)},
          SpaceMapEntry{Type::Free, 1, 1, VdevId(77)}}) {
        const SpaceMapWords words = encodeSpaceMapEntry(large);
        QCOMPARE(words.count, std::size_t{2});
        Hand hand(ByteOrder::Little);
        hand.words({words.words[0], words.words[1]});
        SpaceMapReader reader(hand.bytes(), ByteOrder::Little);
        QVERIFY(**reader.next() == large);
    }
}

void TestSpace::cutEntry()
{
    Hand hand(ByteOrder::Little);
    hand.u64(shortWord(1, 1, kFree)).u64(std::uint64_t{3} << 62).u32(0);
    SpaceMapReader reader(hand.bytes(), ByteOrder::Little);
    QVERIFY(reader.next().has_value());
    const auto cut = reader.next();
    QVERIFY(!cut && cut.error().is(ErrorCode::BadSpaceMap));
}

void TestSpace::dedupKey()
{
    BlockPointer pointer;
    pointer.words = plainPointerWords();
    const DdtKey key = DdtKey::of(pointer);
    QCOMPARE(key.logicalSize(), pointer.logicalSize());
    QCOMPARE(key.physicalSize(), pointer.physicalSize());
    QCOMPARE(key.compression(), CompressionType::Off);
    QVERIFY(!key.encrypted());
    const std::array<std::uint64_t, 5> words = {0x1111, 0x2222, 0x3333, 0x4444, key.properties};
    QVERIFY(*DdtKey::decode(words) == key);
    QVERIFY(!DdtKey::decode(std::span(words).first(4)));
}

void TestSpace::dedupLegacy()
{
    BlockPointer pointer;
    pointer.words = plainPointerWords();
    for (const ByteOrder order : kBothOrders) {
        Hand hand(order);
        hand.zeroes(64);
        hand.words({8, 0x80, 0, 0, 0, 0, 3, 42}).upTo(DdtEntry::kLegacyBytes);
        const auto entry = DdtEntry::decode(hand.bytes(), order);
        QVERIFY(entry && !entry->flat && entry->variants.size() == 4);
        QCOMPARE(entry->variants[1].references, 3U);
        QCOMPARE(entry->variants[1].physicalBirth, Txg(42));
        const BlockPointer made = entry->pointer(DdtKey::of(pointer), ChecksumType::Sha256, 1);
        QVERIFY(made.validate() && made.isDedup());
        QCOMPARE(made.dva(0), pointer.dva(0));
        QCOMPARE(made.checksum(), pointer.checksum());
        QVERIFY(DdtKey::of(made) == DdtKey::of(pointer));
        QVERIFY(!DdtEntry::decode(Bytes(hand.bytes()).first(255), order));
    }
}

void TestSpace::dedupFlat()
{
    for (const ByteOrder order : kBothOrders) {
        Hand hand(order);
        hand.words({8, 0x80, 16, 0x90, 0, 0, 9, 43, 1700000000});
        const auto entry = DdtEntry::decode(hand.bytes(), order);
        QVERIFY(entry && entry->flat && entry->variants.size() == 1);
        QCOMPARE(entry->variants[0].references, 9U);
        QCOMPARE(entry->variants[0].dvas[1].allocated.value(), 8192U);
        QCOMPARE(entry->variants[0].classStart, 1700000000U);
        QVERIFY(
            refusesPrefixes(hand.bytes(), [order](Bytes b) { return DdtEntry::decode(b, order); }));
    }
    const std::array<std::byte, 3> stored = {std::byte{0x80 | 14}, std::byte{1}, std::byte{2}};
    const auto value = DdtStoredValue::decode(stored);
    QVERIFY(value && value->compression == CompressionType::Zle &&
            value->order == ByteOrder::Little);
    QCOMPARE(value->compressed.size(), std::size_t{2});
    QVERIFY(!DdtStoredValue::decode(Bytes()));
}

void TestSpace::dedupLog()
{
    for (const ByteOrder order : kBothOrders) {
        Hand header(order);
        header.words({std::uint64_t{3} << 8 | 1, 4096, 99, 1, 2, 3, 4, 5});
        const auto log = DdtLogHeader::decode(header.bytes(), order);
        QVERIFY(log && log->version == 1 && log->flags == 3 && log->firstTxg == Txg(99));
        QCOMPARE(log->checkpoint.properties, 5U);
        QVERIFY(refusesPrefixes(header.bytes(),
                                [order](Bytes b) { return DdtLogHeader::decode(b, order); }));
        Hand block(order);
        for (const std::uint64_t ddtClass : {1U, 2U}) {
            block.u64(ddtClass << 56 | 120U << 8 | 1);
            block.words({1, 2, 3, 4, 5, 8, 0x80, 0, 0, 0, 0, 7, 43, 0});
        }
        block.upTo(512);
        const auto records = DdtLogRecord::decodeBlock(block.bytes(), order);
        QVERIFY(records && records->size() == 2);
        QVERIFY(records->at(1).ddtClass == DdtClass::Unique && records->at(1).entry.flat);
        QCOMPARE(records->at(0).entry.variants[0].references, 7U);
        QVERIFY(!DdtLogRecord::decodeBlock(Bytes(block.bytes()).first(200), order));
        block.put<std::uint64_t>(0, 1 | 8 << 8);
        QVERIFY(!DdtLogRecord::decodeBlock(block.bytes(), order));
    }
}

void TestSpace::dedupNames()
{
    QCOMPARE(ddtObjectName(ChecksumType::Sha256, DdtClass::Duplicate),
             std::string("DDT-sha256-zap-duplicate"));
    QCOMPARE(ddtDirectoryName(ChecksumType::Blake3), std::string("DDT-blake3"));
    QCOMPARE(ddtLogName(ChecksumType::Skein, 1), std::string("DDT-log-skein-1"));
    QCOMPARE(brtObjectName(VdevId(3)), std::string("com.fudosecurity:brt:vdev:3"));
}

void TestSpace::cloneTable()
{
    for (const ByteOrder order : kBothOrders) {
        Hand hand(order);
        hand.words({50, 10, 1, 3, 16 * MiB, 4096, 8192});
        const auto table = BrtVdevPhys::decode(hand.bytes(), order);
        QVERIFY(table && table->entries == ObjectId(50) && table->order == ByteOrder::Big);
        QCOMPARE(table->savedSpace, 8192U);
        QVERIFY(refusesPrefixes(hand.bytes(),
                                [order](Bytes b) { return BrtVdevPhys::decode(b, order); }));
        hand.put<std::uint64_t>(16, 2);
        QVERIFY(!BrtVdevPhys::decode(hand.bytes(), order));
    }
    const std::array<std::uint64_t, 1> key = {0x10000};
    const std::array<std::uint64_t, 8> bytes = {2, 1, 0, 0, 0, 0, 0, 0};
    QCOMPARE(BrtEntry::decode(key, 1, bytes)->references, 258U);
    QCOMPARE(BrtEntry::decode(key, 8, std::span(bytes).first(1))->references, 2U);
    QVERIFY(!BrtEntry::decode(bytes, 1, bytes));
    QVERIFY(!BrtEntry::decode(key, 4, bytes));
}

QTEST_GUILESS_MAIN(TestSpace)
#include "tst_format_space.moc"
