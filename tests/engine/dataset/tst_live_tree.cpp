// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: the datasets of a pool that is written to are, once synced, what DatasetTree reads: the
// same names, the same figures; every directory counts what is below it, and its breakdown is its
// sum. Method: a new tree in memory, random datasets with random blocks born and killed over
// several txgs, compared with sums made here, through the live tree, the immutable one, and a live
// tree opened anew.

#include "engine/dataset/live_pool.h"
#include "support/mp_ok.h"

#include <QTest>

#include <fmt/format.h>

#include <map>

using namespace millpond;
using namespace millpond::dataset;
using namespace millpond::test;

class TestLiveTree : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readersSeeWhatWasSynced();
    void namesAreTakenOnce();
    void quotasBoundWhatIsAvailable();
    void opensAgain();
};

void TestLiveTree::readersSeeWhatWasSynced()
{
    LivePool pool;
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    MP_OK(pool.sync(Txg(4)));

    std::vector<std::pair<std::string, LiveDataset*>> made;
    std::map<std::string, std::int64_t> used;
    std::vector<LiveDirectory*> places{&tree.root()};
    std::vector<std::string> names{"pool"};
    for (std::uint64_t txg = 5; txg < 10; ++txg) {
        for (int i = 0; i < 8; ++i) {
            const std::size_t at = pool.random.next() % places.size();
            const std::string leaf = fmt::format("d{}", places.size());
            const auto directory = tree.createDirectory(*places[at], leaf, Txg(txg));
            MP_OK(directory);
            const auto head = tree.createHead(**directory, Txg(txg));
            MP_OK(head);
            names.push_back(names[at] + "/" + leaf);
            places.push_back(*directory);
            made.emplace_back(names.back(), *head);
        }
        for (auto& [name, dataset] : made) {
            LiveTree::BlockChanges changes;
            const auto born = static_cast<std::int64_t>(pool.random.next() % 1'000'000);
            const std::int64_t killed =
                used[name] == 0 ? 0
                                : static_cast<std::int64_t>(pool.random.next()) % used[name] / 2;
            changes.born = {born, born / 2, born * 2};
            changes.killedOwn = {std::abs(killed), std::abs(killed) / 2, std::abs(killed) * 2};
            MP_OK(tree.apply(*dataset, changes, Txg(txg)));
            used[name] += born - std::abs(killed);
        }
        MP_OK(pool.sync(Txg(txg)));
        QVERIFY(!tree.isDirty());

        const auto reader = pool.reader();
        MP_OK(reader);
        QCOMPARE(wrongFigures(**reader), "");
        for (const std::string& name : names) {
            std::int64_t expected = 0;
            for (const auto& [other, bytes] : used) {
                expected += other == name || other.starts_with(name + "/") ? bytes : 0;
            }
            const auto directory = (*reader)->findDirectory(name);
            MP_OK(directory);
            QCOMPARE((*directory)->phys.usedBytes, static_cast<std::uint64_t>(expected));
            // Nothing is reserved here: all is either its own or its children's.
            const auto& breakdown = (*directory)->phys.usedBreakdown;
            QCOMPARE(breakdown[0], static_cast<std::uint64_t>(used[name]));
            QCOMPARE(breakdown[0] + breakdown[2], (*directory)->phys.usedBytes);
            const auto head = (*reader)->head(*directory);
            MP_OK(head);
            QCOMPARE((*head)->phys.referencedBytes, static_cast<std::uint64_t>(used[name]));
            QCOMPARE((*head)->phys.uniqueBytes, (*head)->phys.referencedBytes);
            QVERIFY((*directory)->phys.origin.value() != 0);
        }
    }
    QVERIFY(pool.storage.complaints().empty());
}

void TestLiveTree::namesAreTakenOnce()
{
    LivePool pool;
    MP_OK(pool.make());
    MP_OK(pool.tree->createDirectory(pool.tree->root(), "a", Txg(5)));
    const auto again = pool.tree->createDirectory(pool.tree->root(), "a", Txg(5));
    QVERIFY(!again && again.error().is(ErrorCode::AlreadyExists));
    const auto missing = pool.tree->find("pool/b");
    QVERIFY(!missing && missing.error().is(ErrorCode::NoSuchDataset));
    const auto own = pool.tree->find("pool/$MOS");
    QVERIFY(!own);
}

void TestLiveTree::quotasBoundWhatIsAvailable()
{
    LivePool pool;
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    const auto directory = tree.createDirectory(tree.root(), "a", Txg(5));
    MP_OK(directory);
    const auto head = tree.createHead(**directory, Txg(5));
    MP_OK(head);
    tree.setUsable(1000);
    LiveTree::BlockChanges changes;
    changes.born = {300, 300, 300};
    MP_OK(tree.apply(**head, changes, Txg(5)));
    QCOMPARE(tree.available(**directory), 700U);
    (*directory)->phys.quota = 400;
    QCOMPARE(tree.available(**directory), 100U);
    (*head)->refQuota = 350;
    QCOMPARE(tree.availableToHead(**head), 50U);
    (*directory)->phys.quota = 200;
    QCOMPARE(tree.available(**directory), 0U);
}

void TestLiveTree::opensAgain()
{
    LivePool pool;
    MP_OK(pool.make());
    const auto directory = pool.tree->createDirectory(pool.tree->root(), "a", Txg(4));
    MP_OK(directory);
    const auto head = pool.tree->createHead(**directory, Txg(4));
    MP_OK(head);
    LiveTree::BlockChanges changes;
    changes.born = {4096, 4096, 4096};
    MP_OK(pool.tree->apply(**head, changes, Txg(4)));
    MP_OK(pool.sync(Txg(4)));
    pool.tree.reset();
    const auto mos = object::LiveObjectSet::open(pool.storage, pool.root, ObjsetId(0));
    MP_OK(mos);
    pool.mos = *mos;
    LiveTree tree(pool.ports());
    MP_OK(tree.open());
    const auto found = tree.find("pool/a");
    MP_OK(found);
    QCOMPARE((*found)->phys.usedBytes, 4096U);
    const auto names = tree.childNames(tree.root());
    MP_OK(names);
    QCOMPARE(names->size(), 4U); // $MOS, $FREE, $ORIGIN, a
    const auto other = tree.createDirectory(**found, "b", Txg(5));
    MP_OK(other);
    MP_OK(tree.createHead(**other, Txg(5)));
}

QTEST_GUILESS_MAIN(TestLiveTree)
#include "tst_live_tree.moc"
