// SPDX-License-Identifier: GPL-3.0-or-later
// Property: a space map's entries give the set they describe, across blocks, with debug words and
// two-word entries, and every contradiction is an error. Method: maps encoded here, kept in memory.
#include "base/byte_order.h"
#include "space/space_map.h"

#include <QTest>

#include <vector>

using namespace millpond;
using namespace millpond::space;
using format::SpaceMapEntry;

namespace {
constexpr std::uint64_t kBlock = 512;
/// A debug word that says nothing: what writers pad with.
constexpr std::uint64_t kPadding = std::uint64_t{2} << 62U;

class MemoryStore final : public SpaceMapStore
{
public:
    std::vector<std::byte> bytes;
    std::uint64_t blockSize = kBlock;

    void put(const SpaceMapEntry& entry)
    {
        const format::SpaceMapWords words = format::encodeSpaceMapEntry(entry);
        const std::size_t room = kBlock - bytes.size() % kBlock;
        if (words.count * 8 > room) {
            for (std::size_t padded = 0; padded < room; padded += 8) {
                bytes.resize(bytes.size() + 8);
                store<std::uint64_t>(bytes, bytes.size() - 8, kPadding);
            }
        }
        for (std::size_t i = 0; i < words.count; ++i) {
            bytes.resize(bytes.size() + 8);
            store<std::uint64_t>(bytes, bytes.size() - 8, words.words[i]);
        }
    }

    Result<format::SpaceMapPhys> header(ObjectId) override
    {
        format::SpaceMapPhys header;
        header.length = ByteCount(bytes.size());
        return header;
    }

    Result<std::uint64_t> blockBytes(ObjectId) override { return blockSize; }

    Result<Block> block(ObjectId, BlockIndex index) override
    {
        const std::size_t start = static_cast<std::size_t>(index.value() * kBlock);
        Buffer buffer = MP_TRY(Buffer::createZeroed(kBlock));
        std::memcpy(buffer.bytes().data(),
                    bytes.data() + start,
                    std::min<std::size_t>(kBlock, bytes.size() - start));
        return Block{std::make_shared<const Buffer>(std::move(buffer)), ByteOrder::Little};
    }
};

SpaceMapEntry entry(SpaceMapEntry::Type type, std::uint64_t offset, std::uint64_t run)
{
    return {type, offset, run, std::nullopt};
}

constexpr Range kBounds{0, 1ULL << 40};
constexpr auto kAllocate = SpaceMapEntry::Type::Allocate;
constexpr auto kFree = SpaceMapEntry::Type::Free;
} // namespace

class TestSpaceMap : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void manyBlocks();
    void contradictionsAreErrors_data();
    void contradictionsAreErrors();
    void senselessBlockSize();
};

void TestSpaceMap::manyBlocks()
{
    MemoryStore store;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        store.put(entry(kAllocate, i * 10, 4));
        if (i % 7 == 0) {
            store.put({kAllocate, (1ULL << 30) + i * 100'000, 70'000, VdevId(3)}); // two words
        }
    }
    for (std::uint64_t i = 0; i < 1000; i += 2) {
        store.put(entry(kFree, i * 10 + 1, 2));
    }
    const auto set = loadSpaceMap(store, ObjectId(7), 9, {0, ~0ULL});
    QVERIFY2(set.has_value(), set ? "" : set.error().toText().c_str());
    QCOMPARE(set->total(), (1000ULL * 4 - 500 * 2 + 143 * 70'000) * 512);
    QVERIFY(set->contains({10 * 512, 14 * 512}));
    QVERIFY(!set->overlaps({21 * 512, 23 * 512}));
}

void TestSpaceMap::contradictionsAreErrors_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<quint64>("offset");
    QTest::addColumn<quint64>("run");
    QTest::newRow("allocated twice") << int(kAllocate) << quint64(103) << quint64(1);
    QTest::newRow("allocated twice, in part") << int(kAllocate) << quint64(90) << quint64(11);
    QTest::newRow("free of what is free") << int(kFree) << quint64(200) << quint64(1);
    QTest::newRow("free in part of what is free") << int(kFree) << quint64(108) << quint64(4);
    QTest::newRow("outside the bounds") << int(kAllocate) << quint64(1ULL << 31) << quint64(1);
}

void TestSpaceMap::contradictionsAreErrors()
{
    QFETCH(int, type);
    QFETCH(quint64, offset);
    QFETCH(quint64, run);
    MemoryStore store;
    store.put(entry(kAllocate, 100, 10));
    store.put(entry(SpaceMapEntry::Type(type), offset, run));
    const auto set = loadSpaceMap(store, ObjectId(7), 9, kBounds);
    QVERIFY(!set.has_value());
    QVERIFY(set.error().is(ErrorCode::BadSpaceMap));
    QCOMPARE(set.error().where().object.value(), ObjectId(7));
}

void TestSpaceMap::senselessBlockSize()
{
    MemoryStore store;
    store.put(entry(kAllocate, 1, 1));
    store.blockSize = 0;
    QVERIFY(!loadSpaceMap(store, ObjectId(7), 9, kBounds).has_value());
}

QTEST_GUILESS_MAIN(TestSpaceMap)
#include "tst_space_map.moc"
