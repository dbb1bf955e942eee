// SPDX-License-Identifier: GPL-3.0-or-later
// System attributes in bonus and spill, fixed and variable, each part in a byte order of its own,
// are read back by name; registries, layouts, headers and lengths that make no sense are refused.
#include "engine/object/attribute_objects.h"
#include "object/attributes.h"
#include "support/seed.h"

#include "base/clock.h"

#include <QtTest>

using namespace millpond;
using namespace millpond::test;
using object::AttributeTable;
using object::DnodeRef;

namespace {

ByteVector word(std::uint64_t value, ByteOrder order)
{
    ByteVector bytes(8);
    put64(bytes, 0, value, order);
    return bytes;
}

const std::vector<RegisteredAttribute>& registry()
{
    static const std::vector<RegisteredAttribute> all = {
        {"ZPL_MODE", 5, 8},
        {"ZPL_SIZE", 6, 8},
        {"ZPL_TIMES", 0, 16},
        {"ZPL_SYMLINK", 17, 0, 3},
        {"ZPL_DXATTR", 20, 0, 3},
    };
    return all;
}

} // namespace

class tst_Attributes : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void readsBonusAndSpill_data();
    void readsBonusAndSpill();
    void emptyLayout();
    void refusesDamage();
    void refusesBadTables();
    void survivesRandomBytes();

private:
    MemoryBlocks m_blocks;
    std::shared_ptr<object::ObjectSet> m_objset;
    std::optional<AttributeTable> m_table;

    DnodeRef dnodeWith(ByteVector bonus, std::optional<format::BlockPointer> spill = {})
    {
        DnodeSpec spec;
        spec.bonusType = format::number(format::ObjectType::SystemAttributes);
        spec.bonus = std::move(bonus);
        spec.spill = spill;
        return makeDnode(spec, {}, buildTree(m_blocks, {}), ObjectId(50));
    }

    format::BlockPointer spillOf(ByteVector bytes)
    {
        bytes.resize(alignUp(bytes.size(), 512));
        return m_blocks.add(std::move(bytes), {.type = 44});
    }
};

void tst_Attributes::init()
{
    ObjsetBuilder builder(m_blocks, alternating());
    addAttributeObjects(
        builder, registry(), {{2, {5, 6, 0}}, {3, {5, 17}}, {4, {17, 20, 6}}}, alternating());
    m_objset = *object::ObjectSet::open(m_blocks, builder.build(), ObjsetId(77));
    auto table = AttributeTable::open(*m_objset, ObjectId(kSaObject));
    QVERIFY2(table, table ? "" : table.error().toText().c_str());
    m_table = std::move(*table); // names must survive a move
}

void tst_Attributes::readsBonusAndSpill_data()
{
    QTest::addColumn<bool>("bonusBig");
    QTest::addColumn<bool>("spillBig");
    QTest::newRow("little") << false << false;
    QTest::newRow("big") << true << true;
    QTest::newRow("spill written later") << true << false;
}

void tst_Attributes::readsBonusAndSpill()
{
    QFETCH(const bool, bonusBig);
    QFETCH(const bool, spillBig);
    const ByteOrder first = bonusBig ? ByteOrder::Big : ByteOrder::Little;
    const ByteOrder second = spillBig ? ByteOrder::Big : ByteOrder::Little;
    const ByteVector times(16, std::byte{9});
    const DnodeRef dnode =
        dnodeWith(encodeAttributes(2, {}, {word(0100644, first), word(1234, first), times}, first),
                  spillOf(encodeAttributes(
                      4, {5, 3}, {bytesFrom("a/b/c"), bytesFrom("xyz"), word(7, second)}, second)));
    const auto values = m_table->read(*m_objset, *dnode);
    QVERIFY2(values, values ? "" : values.error().toText().c_str());
    QCOMPARE(values->size(), 5U);
    const auto& mode = values->at("ZPL_MODE");
    QCOMPARE(load<std::uint64_t>(mode.bytes, 0, mode.order), 0100644U);
    QVERIFY(mode.order == first);
    QVERIFY(values->at("ZPL_TIMES").bytes == times);
    QVERIFY(values->at("ZPL_SYMLINK").bytes == bytesFrom("a/b/c"));
    QVERIFY(values->at("ZPL_DXATTR").bytes == bytesFrom("xyz"));
    const auto& size = values->at("ZPL_SIZE"); // the spill block is read last
    QCOMPARE(load<std::uint64_t>(size.bytes, 0, size.order), 7U);
}

void tst_Attributes::emptyLayout()
{
    const DnodeRef dnode = dnodeWith(encodeAttributes(1, {}, {}, ByteOrder::Little));
    const auto values = m_table->read(*m_objset, *dnode);
    QVERIFY(values);
    QVERIFY(values->empty());
}

void tst_Attributes::refusesDamage()
{
    const auto refused = [&](ByteVector bonus, std::optional<format::BlockPointer> spill = {}) {
        const auto values = m_table->read(*m_objset, *dnodeWith(std::move(bonus), spill));
        return !values && values.error().is(ErrorCode::BadAttributes) &&
               values.error().where().object == ObjectId(50);
    };
    const ByteOrder order = ByteOrder::Little;
    const ByteVector good =
        encodeAttributes(2, {}, {word(1, order), word(2, order), ByteVector(16)}, order);
    QVERIFY(!refused(good));
    for (std::size_t size = 0; size < good.size(); ++size) {
        QVERIFY(
            refused(ByteVector(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size))));
    }
    ByteVector bad = good;
    bad[0] ^= std::byte{1};
    QVERIFY(refused(bad));                                                    // magic
    QVERIFY(refused(encodeAttributes(9, {}, {}, order)));                     // no such layout
    QVERIFY(refused(encodeAttributes(3, {60'000}, {word(1, order)}, order))); // length
    bad = good;
    put16(bad, 4, 2 | 63 << 10, order); // a header larger than the bonus
    QVERIFY(refused(bad));
    put16(bad, 4, 2, order); // no header
    QVERIFY(refused(bad));
    QVERIFY(refused(good, spillOf(ByteVector(512))));

    DnodeSpec old;
    old.bonusType = format::number(format::ObjectType::Znode);
    old.bonus = good;
    const DnodeRef znode = makeDnode(old, {}, buildTree(m_blocks, {}), ObjectId(50));
    QVERIFY(m_table->read(*m_objset, *znode).error().is(ErrorCode::BadAttributes));

    // What stands in a spill block that cannot be read is told as that.
    const format::BlockPointer spill = spillOf(good);
    m_blocks.fail(spill);
    const auto unreadable = m_table->read(*m_objset, *dnodeWith(good, spill));
    QVERIFY(unreadable.error().is(ErrorCode::ChecksumMismatch));
}

void tst_Attributes::refusesBadTables()
{
    const auto open = [&](const std::vector<RegisteredAttribute>& attributes,
                          const std::map<std::uint16_t, std::vector<std::uint16_t>>& layouts) {
        ObjsetBuilder builder(m_blocks);
        addAttributeObjects(builder, attributes, layouts);
        const auto objset = *object::ObjectSet::open(m_blocks, builder.build(), ObjsetId(77));
        auto table = AttributeTable::open(*objset, ObjectId(kSaObject));
        if (table) { // a layout may be wrong as long as nobody uses it
            const auto values =
                table->read(*objset, *dnodeWith(encodeAttributes(2, {}, {}, ByteOrder::Little)));
            return values ? ErrorCode::System : values.error().code();
        }
        return table.error().code();
    };
    QCOMPARE(open({{"A", 60'000, 8}}, {}), ErrorCode::BadAttributes);
    QCOMPARE(open({{"A", 3, 8}, {"B", 3, 8}}, {}), ErrorCode::BadAttributes);
    QCOMPARE(open({{"A", 3, 8, 77}}, {}), ErrorCode::BadAttributes);
    QCOMPARE(open({{"A", 3, 8}}, {{2, {3, 4}}}), ErrorCode::BadAttributes); // 4 is not registered
    QCOMPARE(open({{"A", 3, 8}}, {{2, {9999}}}), ErrorCode::BadAttributes);
    QVERIFY(AttributeTable::open(*m_objset, ObjectId(999)).error().is(ErrorCode::NoSuchObject));
}

void tst_Attributes::survivesRandomBytes()
{
    SeededRandom random(testSeed());
    const ByteVector good =
        encodeAttributes(4, {5, 3}, {ByteVector(5), ByteVector(3), ByteVector(8)}, ByteOrder::Big);
    for (int i = 0; i < 3000; ++i) {
        ByteVector bytes = good;
        for (std::uint64_t n = random.next() % 4; n > 0; --n) {
            bytes[4 + random.next() % 8] = std::byte(random.next());
        }
        (void)m_table->read(*m_objset, *dnodeWith(bytes));
    }
}

QTEST_GUILESS_MAIN(tst_Attributes)
#include "tst_attributes.moc"
