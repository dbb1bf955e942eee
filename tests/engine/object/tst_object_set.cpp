// SPDX-License-Identifier: GPL-3.0-or-later
// Object sets made in memory in both byte orders (and mixed) are read back and compared with what
// they were made of; sparse trees are searched against a naive model; damaged ones must end in an
// error after bounded work.
#include "engine/object/memory_objects.h"
#include "object/object_set.h"
#include "support/seed.h"

#include <QtTest>

#include "base/clock.h"

#include <set>

using namespace millpond;
using namespace millpond::test;
using block::Wait;
using object::DnodeRef;
using object::ObjectSet;

namespace {

enum class Orders
{
    Little,
    Big,
    Mixed
};

OrderChoice choice(Orders orders)
{
    switch (orders) {
    case Orders::Little:
        return always(ByteOrder::Little);
    case Orders::Big:
        return always(ByteOrder::Big);
    case Orders::Mixed:
        break;
    }
    return alternating();
}

ByteVector pattern(std::uint64_t seed, std::size_t size)
{
    SeededRandom random(seed);
    ByteVector bytes(size);
    for (std::byte& byte : bytes) {
        byte = std::byte(random.next());
    }
    return bytes;
}

std::shared_ptr<ObjectSet> opened(MemoryBlocks& blocks, const format::BlockPointer& root)
{
    auto objset = ObjectSet::open(blocks, root, ObjsetId(5));
    if (!objset) {
        qWarning("%s", objset.error().toText().c_str());
        return nullptr;
    }
    return *objset;
}

/// A plain file of the given blocks.
DnodeRef sparseFile(MemoryBlocks& blocks, TreeSpec& spec, const std::set<std::uint64_t>& present)
{
    for (const std::uint64_t index : present) {
        spec.blocks[index] = pattern(index, spec.blockBytes);
    }
    return makeDnode({}, spec, buildTree(blocks, spec), ObjectId(9));
}

} // namespace

class tst_ObjectSet : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void orders_data();

    void readsObjectsInAnyOrder_data() { orders_data(); }

    void readsObjectsInAnyOrder();

    void walksObjects_data() { orders_data(); }

    void walksObjects();
    void refusesInteriorSlots();
    void specialObjects();
    void readsAcrossBlocksAndHoles();
    void blockPointers();
    void findsDataAndHolesLikeTheModel_data();
    void findsDataAndHolesLikeTheModel();
    void oddBlockSizeIsData();
    void skipsLargeHolesWithoutReading();
    void wrongCountsEnd();
    void selfContainedTreesEnd();
    void wrongLevelsAndSizesAreRefused();
    void deepTreesDoNotOverflow();
    void cachedOnlyNeverWaits();
    void prefetchesDataAndIndirectBlocks();
    void errorsNameTheBlock();

private:
    MemoryBlocks m_blocks;

    std::shared_ptr<ObjectSet> emptySet()
    {
        ObjsetBuilder builder(m_blocks);
        builder.add(1, {}, {});
        return opened(m_blocks, builder.build());
    }
};

void tst_ObjectSet::orders_data()
{
    QTest::addColumn<int>("orders");
    QTest::newRow("little") << static_cast<int>(Orders::Little);
    QTest::newRow("big") << static_cast<int>(Orders::Big);
    QTest::newRow("mixed") << static_cast<int>(Orders::Mixed);
}

void tst_ObjectSet::readsObjectsInAnyOrder()
{
    QFETCH(const int, orders);
    const OrderChoice order = choice(static_cast<Orders>(orders));
    ObjsetBuilder builder(m_blocks, order);
    for (std::uint64_t object = 1; object < 100; object += 7) {
        TreeSpec spec;
        spec.order = order;
        spec.blockBytes = 1024;
        for (std::uint64_t index = 0; index < object; ++index) {
            spec.blocks[index] = pattern(object * 1000 + index, 1024);
        }
        DnodeSpec dnode;
        dnode.bonusType = format::number(format::ObjectType::SystemAttributes);
        dnode.bonus = pattern(object, 40);
        builder.add(object, dnode, spec);
    }
    const auto objset = opened(m_blocks, builder.build());
    QVERIFY(objset);
    for (std::uint64_t object = 1; object < 100; object += 7) {
        const auto dnode = objset->dnode(ObjectId(object));
        QVERIFY(dnode);
        QCOMPARE((*dnode)->dataBlockBytes, 1024U);
        QCOMPARE((*dnode)->maxBlockId, object - 1);
        QCOMPARE((*dnode)->levels, object > 32 ? 3 : object > 1 ? 2 : 1);
        QVERIFY((*dnode)->bonus == pattern(object, 40));
        QVERIFY((*dnode)->order == order(object / 32));
        for (std::uint64_t index = 0; index < object; ++index) {
            const auto block = objset->readBlock(**dnode, BlockIndex(index));
            QVERIFY(block);
            QVERIFY(std::ranges::equal(block->data->bytes(), pattern(object * 1000 + index, 1024)));
            QVERIFY(block->order == order(index));
        }
    }
}

void tst_ObjectSet::walksObjects()
{
    QFETCH(const int, orders);
    SeededRandom random(testSeed());
    ObjsetBuilder builder(m_blocks, choice(static_cast<Orders>(orders)));
    std::map<std::uint64_t, std::uint8_t> made; // object to slots
    std::uint64_t object = 1;
    while (object < 3000) {
        auto slots = static_cast<std::uint8_t>(1 + random.next() % 6);
        slots = static_cast<std::uint8_t>(std::min<std::uint64_t>(slots, 32 - object % 32));
        made[object] = slots;
        DnodeSpec dnode;
        dnode.slots = slots;
        builder.add(object, dnode, {});
        object += slots + (random.next() % 4 == 0 ? random.next() % 200 : 0);
    }
    made[5'000'000] = 1; // behind a large hole
    builder.add(5'000'000, {}, {});
    const auto objset = opened(m_blocks, builder.build(5));
    QVERIFY(objset);

    std::uint64_t at = 0;
    for (const auto& [expected, slots] : made) {
        const auto next = objset->nextObject(ObjectId(at));
        QVERIFY(next);
        QVERIFY(next->has_value());
        QCOMPARE((**next).value(), expected);
        const auto dnode = objset->dnode(**next);
        QVERIFY(dnode);
        QCOMPARE((*dnode)->slots, slots);
        at = expected;
    }
    const auto end = objset->nextObject(ObjectId(at));
    QVERIFY(end && !end->has_value());
}

void tst_ObjectSet::refusesInteriorSlots()
{
    ObjsetBuilder builder(m_blocks);
    DnodeSpec large;
    large.slots = 4;
    // What lies inside a large dnode may look like a dnode.
    ByteVector raw = encodeDnode(large, {}, buildTree(m_blocks, {}), ByteOrder::Little);
    const ByteVector inner = encodeDnode({}, {}, buildTree(m_blocks, {}), ByteOrder::Little);
    std::ranges::copy(inner, raw.begin() + 512);
    builder.addRaw(8, raw);
    builder.add(12, {}, {});
    const auto objset = opened(m_blocks, builder.build());
    QVERIFY(objset);
    QVERIFY(objset->dnode(ObjectId(8)));
    for (const std::uint64_t inside : {9, 10, 11, 13, 31, 32, 4000}) {
        const auto dnode = objset->dnode(ObjectId(inside));
        QVERIFY(!dnode);
        QVERIFY(dnode.error().is(ErrorCode::NoSuchObject));
    }
    QCOMPARE((*objset->nextObject(ObjectId(8)))->value(), 12U);
    QCOMPARE((*objset->nextObject(ObjectId(9)))->value(), 12U);
    QVERIFY(objset->dnode(ObjectId(~std::uint64_t{7})).error().is(ErrorCode::NoSuchObject));
    QVERIFY(!objset->nextObject(ObjectId(~std::uint64_t{0} - 1))->has_value());
}

void tst_ObjectSet::specialObjects()
{
    const auto objset = emptySet();
    QVERIFY(objset);
    QVERIFY(objset->metaDnode() != nullptr);
    QVERIFY(*objset->dnode(format::kMetaDnodeObject) == objset->metaDnode());
    QVERIFY(objset->userUsedDnode() == nullptr);
    QVERIFY(objset->dnode(format::kUserUsedObject).error().is(ErrorCode::NoSuchObject));
}

void tst_ObjectSet::readsAcrossBlocksAndHoles()
{
    TreeSpec spec;
    spec.blockBytes = 1024;
    const DnodeRef dnode = sparseFile(m_blocks, spec, {0, 1, 3, 40, 41});
    const auto objset = emptySet();
    ByteVector whole(45 * 1024);
    for (const auto& [index, bytes] : spec.blocks) {
        std::ranges::copy(bytes, whole.begin() + static_cast<std::ptrdiff_t>(index * 1024));
    }
    SeededRandom random(testSeed());
    for (int i = 0; i < 300; ++i) {
        const std::size_t from = random.next() % whole.size();
        const std::size_t count = random.next() % (whole.size() - from + 1);
        ByteVector out(count, std::byte{0xaa});
        QVERIFY(objset->read(*dnode, ByteOffset(from), out));
        QVERIFY(std::ranges::equal(out, Bytes(whole).subspan(from, count)));
    }
    ByteVector far(10, std::byte{1});
    QVERIFY(objset->read(*dnode, ByteOffset(std::uint64_t{1} << 60), far));
    QVERIFY(far == ByteVector(10));
    QVERIFY(!objset->read(*dnode, ByteOffset(~std::uint64_t{0} - 3), far));
}

void tst_ObjectSet::blockPointers()
{
    TreeSpec spec;
    spec.levels = 3;
    const DnodeRef dnode = sparseFile(m_blocks, spec, {0, 33, 1000});
    const auto objset = emptySet();
    const auto pointer = [&](std::uint8_t level, std::uint64_t index) {
        return *objset->blockPointer(*dnode, Level(level), BlockIndex(index));
    };
    QCOMPARE(pointer(2, 0).level().value(), 2);
    QCOMPARE(pointer(1, 1).level().value(), 1);
    QCOMPARE(pointer(0, 33).level().value(), 0);
    QVERIFY(pointer(0, 1).isHole());
    QVERIFY(pointer(0, 500).isHole());
    QVERIFY(pointer(1, 2).isHole());
    QVERIFY(pointer(0, ~std::uint64_t{0}).isHole());
    QVERIFY(pointer(9, 0).isHole());
}

void tst_ObjectSet::findsDataAndHolesLikeTheModel_data()
{
    QTest::addColumn<int>("levels");
    QTest::addColumn<int>("pointers");
    QTest::addColumn<int>("density");
    for (const int levels : {0, 1, 2, 3}) {
        for (const int pointers : {1, 3}) {
            for (const int density : {2, 50, 98, 100}) {
                QTest::addRow("%d levels, %d pointers, %d%%", levels, pointers, density)
                    << levels << pointers << density;
            }
        }
    }
}

void tst_ObjectSet::findsDataAndHolesLikeTheModel()
{
    QFETCH(const int, levels);
    QFETCH(const int, pointers);
    QFETCH(const int, density);
    SeededRandom random(testSeed());
    const std::uint64_t count = levels == 1 ? static_cast<std::uint64_t>(pointers) : 2500;
    std::set<std::uint64_t> present;
    for (std::uint64_t index = 0; index < count; ++index) {
        if (random.next() % 100 < static_cast<std::uint64_t>(density)) {
            present.insert(index);
        }
    }
    if (density == 50) { // a hole in the middle that spans indirect blocks
        present.erase(present.lower_bound(300), present.lower_bound(1500));
    }
    TreeSpec spec;
    spec.levels = static_cast<std::uint8_t>(levels);
    spec.pointers = static_cast<std::uint8_t>(pointers);
    const DnodeRef dnode = sparseFile(m_blocks, spec, present);
    const auto objset = emptySet();

    for (int i = 0; i < 400; ++i) {
        const std::uint64_t offset = random.next() % ((count + 40) * 512);
        const auto data = objset->nextData(*dnode, ByteOffset(offset));
        QVERIFY(data);
        const auto expected = present.lower_bound(offset / 512);
        QCOMPARE(data->has_value(), expected != present.end());
        if (*data) {
            QCOMPARE((*data)->value(), std::max(*expected * 512, offset));
        }
        const auto hole = objset->nextHole(*dnode, ByteOffset(offset));
        QVERIFY(hole);
        std::uint64_t free = offset / 512;
        while (present.contains(free)) {
            ++free;
        }
        QCOMPARE(hole->value(), std::max(free * 512, offset));
    }
}

void tst_ObjectSet::oddBlockSizeIsData()
{
    TreeSpec spec;
    spec.blockBytes = 1536; // OpenZFS counts the only block of such an object as data, hole or not
    const DnodeRef dnode = makeDnode({}, spec, buildTree(m_blocks, spec), ObjectId(9));
    const auto objset = emptySet();
    QCOMPARE((*objset->nextData(*dnode, ByteOffset(100)))->value(), 100U);
    QVERIFY(!objset->nextData(*dnode, ByteOffset(1536))->has_value());
    QCOMPARE(objset->nextHole(*dnode, ByteOffset(100))->value(), 1536U);
    QCOMPARE(objset->nextHole(*dnode, ByteOffset(2000))->value(), 2000U);
}

void tst_ObjectSet::skipsLargeHolesWithoutReading()
{
    TreeSpec spec;
    const std::uint64_t far = std::uint64_t{1} << 40;
    const DnodeRef dnode = sparseFile(m_blocks, spec, {3, far});
    const auto objset = emptySet();
    m_blocks.forgetCounts();
    QCOMPARE((*objset->nextData(*dnode, ByteOffset(4 * 512)))->value(), far * 512);
    QVERIFY(m_blocks.reads() < 20);
}

void tst_ObjectSet::wrongCountsEnd()
{
    // Every pointer promises blocks below; the lowest indirect block, shared by all, has none.
    constexpr std::uint8_t kLevels = 7;
    TreeSpec spec;
    Tree tree{.pointers = {}, .levels = kLevels, .maxBlockId = ~std::uint64_t{0} >> 20U};
    format::BlockPointer below =
        m_blocks.add(ByteVector(4096), {.type = 19, .level = 1, .fill = 5});
    for (std::uint8_t level = 2; level < kLevels; ++level) {
        ByteVector bytes(4096);
        for (std::size_t slot = 0; slot < 32; ++slot) {
            below.encode(MutableBytes(bytes).subspan(slot * 128));
        }
        below = m_blocks.add(std::move(bytes), {.type = 19, .level = level, .fill = 5});
    }
    tree.pointers = {below};
    const DnodeRef dnode = makeDnode({}, spec, tree, ObjectId(9));
    const auto objset = emptySet();
    m_blocks.forgetCounts();
    const auto data = objset->nextData(*dnode, ByteOffset(0));
    QVERIFY(!data);
    QVERIFY(data.error().is(ErrorCode::BadBlockPointer));
    QVERIFY(m_blocks.reads() < 2000);
}

void tst_ObjectSet::selfContainedTreesEnd()
{
    // An indirect block whose pointers lead to itself.
    format::BlockPointer loop = m_blocks.add(ByteVector(4096), {.type = 19, .level = 1, .fill = 1});
    for (std::size_t slot = 0; slot < 32; ++slot) {
        loop.encode(MutableBytes(m_blocks.content(loop)).subspan(slot * 128));
    }
    TreeSpec spec;
    Tree tree{.pointers = {loop}, .levels = 2, .maxBlockId = 31};
    const DnodeRef dnode = makeDnode({}, spec, tree, ObjectId(9));
    const auto objset = emptySet();
    const auto block = objset->readBlock(*dnode, BlockIndex(3));
    QVERIFY(!block);
    QVERIFY(block.error().is(ErrorCode::BadBlockPointer));
    tree.levels = 9;
    const DnodeRef deep = makeDnode({}, spec, tree, ObjectId(9));
    QVERIFY(!objset->readBlock(*deep, BlockIndex(3)));
    QVERIFY(!objset->nextData(*deep, ByteOffset(0)));
}

void tst_ObjectSet::wrongLevelsAndSizesAreRefused()
{
    const auto objset = emptySet();
    TreeSpec spec;
    const auto data = m_blocks.add(ByteVector(1024), {.type = 19, .level = 0});
    Tree tree{.pointers = {data}, .levels = 1, .maxBlockId = 0};
    QVERIFY(objset->readBlock(*makeDnode({}, spec, tree, ObjectId(9)), BlockIndex(0))
                .error()
                .is(ErrorCode::BadBlockPointer)); // twice the block size
    const auto indirect = m_blocks.add(ByteVector(1024), {.type = 19, .level = 1});
    tree = {.pointers = {indirect}, .levels = 2, .maxBlockId = 0};
    QVERIFY(objset->readBlock(*makeDnode({}, spec, tree, ObjectId(9)), BlockIndex(0))
                .error()
                .is(ErrorCode::BadBlockPointer)); // a quarter of an indirect block
    const auto high = m_blocks.add(ByteVector(512), {.type = 19, .level = 3});
    tree = {.pointers = {high}, .levels = 1, .maxBlockId = 0};
    QVERIFY(objset->readBlock(*makeDnode({}, spec, tree, ObjectId(9)), BlockIndex(0))
                .error()
                .is(ErrorCode::BadBlockPointer));
}

void tst_ObjectSet::deepTreesDoNotOverflow()
{
    const auto objset = emptySet();
    for (const int levels : {1, 9, 14, 31, 32}) {
        for (const int shift : {8, 12, 17, 24}) {
            TreeSpec spec;
            spec.indirectShift = static_cast<std::uint8_t>(shift);
            Tree tree{.pointers = {{}, {}, {}},
                      .levels = static_cast<std::uint8_t>(levels),
                      .maxBlockId = ~std::uint64_t{0}};
            const DnodeRef dnode = makeDnode({}, spec, tree, ObjectId(9));
            for (const std::uint64_t offset :
                 {std::uint64_t{0}, std::uint64_t{1} << 50, ~std::uint64_t{0} - 5000}) {
                QVERIFY(!objset->nextData(*dnode, ByteOffset(offset))->has_value());
                QCOMPARE(objset->nextHole(*dnode, ByteOffset(offset))->value() >= offset, true);
                ByteVector out(100);
                QVERIFY(objset->read(*dnode, ByteOffset(offset), out));
                objset->prefetch(*dnode, {ByteOffset(offset), ByteCount(1000)});
            }
        }
    }
}

void tst_ObjectSet::cachedOnlyNeverWaits()
{
    TreeSpec spec;
    const DnodeRef dnode = sparseFile(m_blocks, spec, {0, 5, 100});
    const auto objset = emptySet();
    m_blocks.setCold(true);
    const block::ReadContext cached{.wait = Wait::CachedOnly};
    ByteVector out(512);
    const auto cold = objset->read(*dnode, ByteOffset(100 * 512), out, cached);
    QVERIFY(!cold);
    QVERIFY(cold.error().is(ErrorCode::WouldBlock));
    QVERIFY(objset->read(*dnode, ByteOffset(100 * 512), out));
    QVERIFY(objset->read(*dnode, ByteOffset(100 * 512), out, cached));
}

void tst_ObjectSet::prefetchesDataAndIndirectBlocks()
{
    TreeSpec spec;
    std::set<std::uint64_t> all;
    for (std::uint64_t i = 0; i < 100; ++i) {
        all.insert(i);
    }
    const DnodeRef dnode = sparseFile(m_blocks, spec, all);
    const auto objset = emptySet();
    m_blocks.setCold(true);
    const object::DataRange range{ByteOffset(0), ByteCount(100 * 512)};
    objset->prefetch(*dnode, range); // the top of the tree
    objset->prefetch(*dnode, range); // the level below
    objset->prefetch(*dnode, range); // the data
    const block::ReadContext cached{.wait = Wait::CachedOnly};
    ByteVector out(100 * 512);
    QVERIFY(objset->read(*dnode, ByteOffset(0), out, cached));
}

void tst_ObjectSet::errorsNameTheBlock()
{
    TreeSpec spec;
    const DnodeRef dnode = sparseFile(m_blocks, spec, {0, 40});
    const auto objset = emptySet();
    const auto indirect = *objset->blockPointer(*dnode, Level(1), BlockIndex(1));
    ByteVector(1024).swap(m_blocks.content(indirect)); // too short
    const auto block = objset->readBlock(*dnode, BlockIndex(40));
    QVERIFY(!block);
    QCOMPARE(block.error().where().object->value(), 9U);
    QCOMPARE(block.error().where().level->value(), 1);
    QCOMPARE(block.error().where().block->value(), 1U);
    QVERIFY(objset->readBlock(*dnode, BlockIndex(0)));
}

QTEST_GUILESS_MAIN(tst_ObjectSet)
#include "tst_object_set.moc"
