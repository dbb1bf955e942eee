// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of block pointers and deadlists made by hand: what is in them comes out once, lists in
// lists too; rings, absurd counts and missing blocks end in an error or at once.
#include "dataset/deadlist.h"
#include "engine/dataset/mos_builder.h"

#include <QtTest>

#include <numeric>

using namespace millpond;
using namespace millpond::test;
using dataset::BpObject;
using dataset::Deadlist;

namespace {

#define MP_GET(name, expression)                                                                   \
    auto name##Result = (expression);                                                              \
    QVERIFY2(name##Result.has_value(), name##Result ? "" : name##Result.error().toText().c_str()); \
    auto& name = *name##Result

std::vector<std::uint64_t> upTo(std::uint64_t count)
{
    std::vector<std::uint64_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1);
    return numbers;
}

/// Births of all pointers of a list, sorted; empty with a message when reading fails.
std::vector<std::uint64_t> birthsOf(const auto& list)
{
    std::vector<std::uint64_t> births;
    const Status read =
        list.forEach([&](const format::BlockPointer& pointer, bool) -> Result<bool> {
            births.push_back(pointer.birth().value());
            return true;
        });
    if (!read) {
        qWarning("%s", read.error().toText().c_str());
        births.clear();
    }
    std::ranges::sort(births);
    return births;
}

} // namespace

class tst_Deadlist : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void plain_data();
    void plain();
    void listsInLists();
    void ring();
    void stops();
    void absurdCount();
    void deadlistGroups();
    void oldDeadlist();
    void noList();

private:
    std::shared_ptr<object::ObjectSet> built() { return m_builder->buildObjset(); }

    std::unique_ptr<MemoryBlocks> m_blocks;
    std::unique_ptr<MosBuilder> m_builder;
};

void tst_Deadlist::init()
{
    m_blocks = std::make_unique<MemoryBlocks>();
    m_builder = std::make_unique<MosBuilder>(*m_blocks);
    m_builder->addTree({.name = "tank"});
}

void tst_Deadlist::plain_data()
{
    QTest::addColumn<int>("count"); // eight to a block
    for (const int count : {0, 1, 7, 8, 9, 64, 1000}) {
        QTest::addRow("%d", count) << count;
    }
}

void tst_Deadlist::plain()
{
    QFETCH(int, count);
    const auto births = upTo(static_cast<std::uint64_t>(count));
    const ObjectId object(m_builder->addBpObject(births));
    const auto mos = built();
    MP_GET(list, BpObject::open(*mos, object));
    QCOMPARE(list.ownEntries(), births.size());
    QCOMPARE(list.sums().allocated, births.size() * 512);
    QCOMPARE(birthsOf(list), births);
}

void tst_Deadlist::listsInLists()
{
    const std::uint64_t leaf = m_builder->addBpObject({5, 6});
    const std::uint64_t empty = m_builder->addBpObject({});
    const std::uint64_t middle = m_builder->addBpObject({3, 4}, {leaf, empty});
    const ObjectId top(
        m_builder->addBpObject({1, 2}, {middle, empty, leaf})); // leaf is named twice
    const auto mos = built();
    MP_GET(list, BpObject::open(*mos, top));
    QCOMPARE(birthsOf(list), upTo(6));
    std::size_t objects = 0;
    QVERIFY(list.forEachObject([&](ObjectId) { ++objects; }).has_value());
    QCOMPARE(objects, std::size_t{6}); // four lists, two arrays
}

void tst_Deadlist::ring()
{
    // The next number is this list's own: it includes itself.
    const std::uint64_t first = m_builder->addBpObject({1});
    const std::uint64_t self = first + 2; // its array of lists comes before it
    const ObjectId object(m_builder->addBpObject({2}, {self, first}));
    QCOMPARE(object.value(), self);
    const auto mos = built();
    MP_GET(list, BpObject::open(*mos, object));
    QCOMPARE(birthsOf(list), upTo(2));
}

void tst_Deadlist::stops()
{
    const std::uint64_t below = m_builder->addBpObject(upTo(20));
    const ObjectId object(m_builder->addBpObject(upTo(20), {below}));
    const auto mos = built();
    MP_GET(list, BpObject::open(*mos, object));
    std::size_t seen = 0;
    QVERIFY(
        list.forEach([&](const format::BlockPointer&, bool) -> Result<bool> { return ++seen < 5; })
            .has_value());
    QCOMPARE(seen, std::size_t{5});
}

void tst_Deadlist::absurdCount()
{
    format::BpObjectPhys phys;
    phys.pointers = ~std::uint64_t{0};
    phys.sizeBytes = format::BpObjectPhys::kBytesV2;
    DnodeSpec dnode{.type = format::number(format::ObjectType::BpObject),
                    .bonus = ByteVector(phys.sizeBytes)};
    phys.encode(dnode.bonus);
    const ObjectId tooMany(m_builder->add(dnode, {}));
    phys.pointers = 0;
    phys.subobjects = ObjectId(2);
    phys.subobjectCount = ~std::uint64_t{0};
    phys.encode(dnode.bonus);
    const ObjectId tooManyLists(m_builder->add(dnode, {}));
    // A million entries in blocks that were never written.
    phys.subobjects = ObjectId(0);
    phys.pointers = 1'000'000;
    phys.encode(dnode.bonus);
    TreeSpec sparse;
    sparse.blockBytes = 512;
    sparse.blocks[400'000] = ByteVector(512);
    const ObjectId holes(m_builder->add(dnode, sparse));
    const auto mos = built();
    const auto refused = BpObject::open(*mos, tooMany);
    QVERIFY(!refused && refused.error().is(ErrorCode::BadDataset));
    MP_GET(lists, BpObject::open(*mos, tooManyLists));
    const auto included = lists.includedLists();
    QVERIFY(!included && included.error().is(ErrorCode::BadDataset));
    MP_GET(list, BpObject::open(*mos, holes));
    const auto read =
        list.forEach([](const format::BlockPointer&, bool) -> Result<bool> { return true; });
    QVERIFY(!read && read.error().is(ErrorCode::BadDataset));
}

void tst_Deadlist::deadlistGroups()
{
    const ObjectId object(
        m_builder->addDeadlist({{0, {1, 2}}, {0x10, {0x11}}, {0x20, {0x21, 0x22, 0x23}}}));
    const auto mos = built();
    MP_GET(deadlist, Deadlist::open(*mos, object));
    QVERIFY(!deadlist.isOldFormat());
    QCOMPARE(deadlist.sums().allocated, std::uint64_t{6 * 512});
    QCOMPARE(deadlist.groups().size(), std::size_t{3});
    QCOMPARE(birthsOf(deadlist).size(), std::size_t{6});
    const auto sum = [&](std::uint64_t after, std::uint64_t to) {
        const auto sums = deadlist.sumsOf({Txg(after), Txg(to)}, nullptr);
        return sums ? sums->allocated / 512 : ~std::uint64_t{0};
    };
    QCOMPARE(sum(0, 0x10), std::uint64_t{2});
    QCOMPARE(sum(0, 0x20), std::uint64_t{3});
    QCOMPARE(sum(0x10, 0x20), std::uint64_t{1});
    QCOMPARE(sum(0x20, 0xffff), std::uint64_t{3});
    QCOMPARE(sum(0, 0), std::uint64_t{0});
}

void tst_Deadlist::oldDeadlist()
{
    const ObjectId object(m_builder->addBpObject({1, 2, 0x11, 0x21}));
    const auto mos = built();
    MP_GET(deadlist, Deadlist::open(*mos, object));
    QVERIFY(deadlist.isOldFormat());
    QCOMPARE(deadlist.sums().allocated, std::uint64_t{4 * 512});
    QCOMPARE(birthsOf(deadlist).size(), std::size_t{4});
    const auto charged = [](const format::BlockPointer&) { return std::uint64_t{100}; };
    MP_GET(sums, deadlist.sumsOf({Txg(1), Txg(0x11)}, charged));
    QCOMPARE(sums.allocated, std::uint64_t{200}); // born at 2 and 0x11
}

void tst_Deadlist::noList()
{
    const auto mos = built();
    MP_GET(empty, Deadlist::open(*mos, ObjectId(0)));
    QVERIFY(birthsOf(empty).empty());
    QVERIFY(!Deadlist::open(*mos, ObjectId(m_builder->dirObject("tank"))).has_value());
    QVERIFY(!BpObject::open(*mos, ObjectId(77777)).has_value());
}

QTEST_GUILESS_MAIN(tst_Deadlist)
#include "tst_deadlist.moc"
