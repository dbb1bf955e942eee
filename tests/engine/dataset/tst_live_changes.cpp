// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: renaming moves what a directory counts from one parent to the other, and is refused
// where there is no room, no name, or no sense in it; many datasets are made at once or none is, at
// a cost that does not grow with their number. Method: cases by hand; random renames in a random
// tree with limits, whose figures must stay sums and whose names are compared with a plain model;
// processor time of the first thousands of children against that of the last.

#include "engine/dataset/live_pool.h"
#include "support/mp_ok.h"

#include <QTest>

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

using namespace millpond;
using namespace millpond::dataset;
using namespace millpond::test;
using NewDataset = LiveTree::NewDataset;

namespace {

constexpr Txg kTxg{5};

Setting number(const char* name, std::uint64_t value)
{
    return {name, value};
}

template <class T> ErrorCode codeOf(const T& result)
{
    return result ? ErrorCode::System : result.error().code();
}

} // namespace

class TestLiveChanges : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void renames();
    void refusesRenames();
    void boundsNames();
    void needsRoom();
    void roomComesAlong();
    void movesCounts();
    void randomRenames();
    void allOrNone();
    void reservationsTogether();
    void manyAreNotSlower();
};

void TestLiveChanges::renames()
{
    LivePool pool;
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    const auto a = pool.add(tree.root(), "a", kTxg);
    MP_OK(a);
    const auto b = pool.add(tree.root(), "b", kTxg);
    MP_OK(b);
    const auto c = pool.add(**a, "c", kTxg);
    MP_OK(c);
    MP_OK(pool.grow(**c, 1000, kTxg));
    MP_OK(tree.set(**c, std::vector{number("reservation", 1500)}, kTxg));
    QCOMPARE((*a)->phys.usedBytes, 1500U);
    MP_OK(tree.rename(**c, **b, "d", Txg(6)));
    QCOMPARE((*a)->phys.usedBytes, 0U);
    QCOMPARE((*b)->phys.usedBytes, 1500U);
    QCOMPARE(tree.root().phys.usedBytes, 1500U);
    MP_OK(tree.rename(**b, tree.root(), "e", Txg(6)));
    MP_OK(pool.sync(Txg(6)));
    const auto reader = pool.reader();
    MP_OK(reader);
    QCOMPARE(wrongFigures(**reader), "");
    MP_OK((*reader)->find("pool/e/d"));
    QVERIFY(!(*reader)->find("pool/a/c"));
    QVERIFY(!(*reader)->find("pool/b"));
    // What comes later goes to the new parents.
    MP_OK(pool.grow(**c, 1000, Txg(7)));
    QCOMPARE((*b)->phys.usedBytes, 2000U);
    MP_OK(pool.reopen(Txg(7)));
    const auto again = pool.tree->find("pool/e/d");
    MP_OK(again);
    QCOMPARE((*again)->parent->name, "e");
}

void TestLiveChanges::refusesRenames()
{
    LivePool pool;
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    const auto a = pool.add(tree.root(), "a", kTxg);
    MP_OK(a);
    const auto b = pool.add(**a, "b", kTxg);
    MP_OK(b);
    MP_OK(pool.add(tree.root(), "c", kTxg));
    QCOMPARE(codeOf(tree.rename(**a, **b, "x", kTxg)), ErrorCode::InvalidArgument);
    QCOMPARE(codeOf(tree.rename(**a, **a, "x", kTxg)), ErrorCode::InvalidArgument);
    QCOMPARE(codeOf(tree.rename(tree.root(), **a, "x", kTxg)), ErrorCode::InvalidArgument);
    QCOMPARE(codeOf(tree.rename(**a, tree.root(), "c", kTxg)), ErrorCode::AlreadyExists);
    QCOMPARE(codeOf(tree.rename(**a, tree.root(), "a", kTxg)), ErrorCode::AlreadyExists);
    QCOMPARE(codeOf(tree.rename(**a, tree.root(), "x@y", kTxg)), ErrorCode::InvalidName);
    QCOMPARE(codeOf(tree.rename(**a, tree.root(), "", kTxg)), ErrorCode::InvalidName);
}

void TestLiveChanges::boundsNames()
{
    LivePool pool;
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    const auto a = pool.add(tree.root(), "a", kTxg);
    MP_OK(a);
    const auto b = pool.add(**a, std::string(100, 'b'), kTxg);
    MP_OK(b);
    // "/" + name + "/" + 100 of b, and the pool's name, which is empty here: 255 in all.
    QCOMPARE(codeOf(tree.checkRename(**a, tree.root(), std::string(154, 'x'))),
             ErrorCode::NameTooLong);
    MP_OK(tree.checkRename(**a, tree.root(), std::string(153, 'x')));
    // Snapshots count.
    const auto head = tree.head(**b);
    MP_OK(head);
    MP_OK(object::ZapWriter(*pool.mos, kTxg).add((*head)->phys.snapshotNames, "0123456789", 7));
    QCOMPARE(codeOf(tree.checkRename(**a, tree.root(), std::string(143, 'x'))),
             ErrorCode::NameTooLong);
    MP_OK(tree.checkRename(**a, tree.root(), std::string(142, 'x')));

    // Depth: 30 levels with 25 below them.
    const auto chain = [&](const char* name, int length) -> Result<std::vector<LiveDirectory*>> {
        std::vector<LiveDirectory*> made{&tree.root()};
        for (int i = 0; i < length; ++i) {
            made.push_back(MP_TRY(pool.add(*made.back(), i == 0 ? name : "x", kTxg)));
        }
        return made;
    };
    const auto upper = chain("u", 30);
    MP_OK(upper);
    const auto lower = chain("l", 25);
    MP_OK(lower);
    LiveDirectory& moved = *(*lower)[1];
    QCOMPARE(codeOf(tree.checkRename(moved, *(*upper)[30], "n")), ErrorCode::NameTooLong);
    QCOMPARE(codeOf(tree.checkRename(moved, *(*upper)[25], "n")), ErrorCode::NameTooLong);
    MP_OK(tree.checkRename(moved, *(*upper)[24], "n"));
}

void TestLiveChanges::needsRoom()
{
    LivePool pool;
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    tree.setUsable(10'000);
    const auto a = pool.add(tree.root(), "a", kTxg);
    MP_OK(a);
    const auto b = pool.add(tree.root(), "b", kTxg);
    MP_OK(b);
    MP_OK(pool.grow(**a, 600, kTxg));
    MP_OK(tree.set(**b, std::vector{number("quota", 599)}, kTxg));
    QCOMPARE(codeOf(tree.rename(**a, **b, "a", kTxg)), ErrorCode::NoSpace);
    MP_OK(tree.set(**b, std::vector{number("quota", 600)}, kTxg));
    MP_OK(tree.rename(**a, **b, "a", kTxg));
}

/// What is moved within a full directory needs no more room there than it has.
void TestLiveChanges::roomComesAlong()
{
    LivePool pool;
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    const auto top = pool.add(tree.root(), "top", kTxg);
    MP_OK(top);
    const auto a = pool.add(**top, "a", kTxg);
    MP_OK(a);
    const auto b = pool.add(**top, "b", kTxg);
    MP_OK(b);
    const auto c = pool.add(**a, "c", kTxg);
    MP_OK(c);
    MP_OK(pool.grow(**c, 1000, kTxg));
    MP_OK(tree.set(**top, std::vector{number("quota", 1000)}, kTxg));
    MP_OK(tree.rename(**c, **b, "c", kTxg));
    MP_OK(tree.rename(**c, **a, "c", kTxg));
    // But what the old parent has reserved stays there.
    MP_OK(tree.set(**a, std::vector{number("reservation", 1000)}, kTxg));
    QCOMPARE(codeOf(tree.rename(**c, **b, "c", kTxg)), ErrorCode::NoSpace);
}

void TestLiveChanges::movesCounts()
{
    LivePool pool;
    pool.features.enable({"filesystem_limits", "extensible_dataset"});
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    const auto a = pool.add(tree.root(), "a", kTxg);
    MP_OK(a);
    const auto b = pool.add(tree.root(), "b", kTxg);
    MP_OK(b);
    const auto c = pool.add(**a, "c", kTxg);
    MP_OK(c);
    MP_OK(pool.add(**c, "d", kTxg));
    for (LiveDirectory* limited : {*a, *b}) {
        MP_OK(tree.set(*limited, std::vector{number("filesystem_limit", 100)}, kTxg));
    }
    MP_OK(tree.rename(**c, **b, "c", kTxg));
    MP_OK(pool.sync(kTxg));
    const auto reader = pool.reader();
    MP_OK(reader);
    const auto inA = (*reader)->findDirectory("pool/a");
    MP_OK(inA);
    QCOMPARE((*inA)->filesystemCount.value_or(99), 0U);
    const auto inB = (*reader)->findDirectory("pool/b");
    MP_OK(inB);
    QCOMPARE((*inB)->filesystemCount.value_or(99), 2U);
}

void TestLiveChanges::randomRenames()
{
    struct Node
    {
        LiveDirectory* directory;
        std::size_t parent;
        std::string name;
    };

    LivePool pool;
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    std::vector<Node> nodes{{&tree.root(), 0, "pool"}};
    const auto isBelow = [&](std::size_t node, std::size_t above) {
        while (node != 0 && node != above) {
            node = nodes[node].parent;
        }
        return node == above;
    };
    int moved = 0;
    for (std::uint64_t txg = 5; txg < 20; ++txg) {
        for (int i = 0; i < 15; ++i) {
            const std::size_t to = pool.random.next() % nodes.size();
            if (nodes.size() < 25) {
                const std::string name = fmt::format("d{}", nodes.size());
                const auto made = pool.add(*nodes[to].directory, name, Txg(txg));
                MP_OK(made);
                nodes.push_back({*made, to, name});
            }
            const std::size_t at = 1 + pool.random.next() % (nodes.size() - 1);
            MP_OK(pool.grow(*nodes[at].directory,
                            static_cast<std::int64_t>(pool.random.next() % 5000),
                            Txg(txg)));
            MP_OK(tree.set(*nodes[at].directory,
                           std::vector{number("reservation", pool.random.next() % 20'000)},
                           Txg(txg)));
            const std::string name = fmt::format("n{}-{}", txg, i);
            const Status status =
                tree.rename(*nodes[at].directory, *nodes[to].directory, name, Txg(txg));
            QCOMPARE(status.has_value(), !isBelow(to, at));
            if (status) {
                nodes[at].parent = to;
                nodes[at].name = name;
                ++moved;
            }
        }
        MP_OK(pool.sync(Txg(txg)));
        const auto reader = pool.reader();
        MP_OK(reader);
        QCOMPARE(wrongFigures(**reader), "");
        for (std::size_t at = 1; at < nodes.size(); ++at) {
            std::string name = nodes[at].name;
            for (std::size_t up = at; up != 0;) {
                up = nodes[up].parent;
                name = nodes[up].name + "/" + name;
            }
            const auto found = (*reader)->findDirectory(name);
            MP_OK(found);
            QCOMPARE((*found)->object, nodes[at].directory->object);
        }
    }
    QVERIFY(moved > 50);
}

void TestLiveChanges::allOrNone()
{
    LivePool pool;
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    MP_OK(pool.add(tree.root(), "taken", kTxg));
    MP_OK(pool.sync(kTxg));
    const auto before = pool.objects();
    MP_OK(before);
    const auto refused = [&](std::vector<NewDataset> requests) {
        requests.insert(requests.begin(), {"pool/first", {}});
        return codeOf(tree.createMany(requests, Txg(6)));
    };
    QCOMPARE(refused({{"pool/taken", {}}}), ErrorCode::AlreadyExists);
    QCOMPARE(refused({{"pool/first", {}}}), ErrorCode::AlreadyExists);
    QCOMPARE(refused({{"pool/a/b", {}}}), ErrorCode::NoSuchDataset);
    QCOMPARE(refused({{"pool/a@b", {}}}), ErrorCode::InvalidName);
    QCOMPARE(refused({{"pool", {}}}), ErrorCode::AlreadyExists);
    QCOMPARE(refused({{"pool/a", {{"quota", std::string("1G")}}}}), ErrorCode::InvalidArgument);
    MP_OK(pool.sync(Txg(6)));
    const auto after = pool.objects();
    MP_OK(after);
    QCOMPARE(*after, *before);

    const std::vector<NewDataset> requests{
        {"pool/a", {number("quota", 5000), number("compression", 15)}},
        {"pool/a/b", {number("refquota", 3000)}},
        {"pool/taken/c", {}}};
    const auto made = tree.createMany(requests, Txg(7));
    MP_OK(made);
    QCOMPARE(made->size(), std::size_t{3});
    QCOMPARE((*made)[1]->directory->name, "b");
    QCOMPARE((*made)[1]->directory->parent, (*made)[0]->directory);
    QCOMPARE((*made)[0]->directory->phys.quota, 5000U);
    QCOMPARE((*made)[1]->refQuota, 3000U);
    MP_OK(pool.sync(Txg(7)));
    const auto reader = pool.reader();
    MP_OK(reader);
    MP_OK((*reader)->find("pool/a/b"));
    MP_OK((*reader)->find("pool/taken/c"));
}

void TestLiveChanges::reservationsTogether()
{
    LivePool pool;
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    tree.setUsable(10'000);
    const auto ask = [](std::uint64_t each) {
        return std::vector<NewDataset>{{"pool/a", {number("reservation", each)}},
                                       {"pool/b", {number("refreservation", each)}},
                                       {"pool/a/c", {number("reservation", each)}}};
    };
    // The child's lies within its parent's.
    QCOMPARE(codeOf(tree.createMany(ask(5001), kTxg)), ErrorCode::NoSpace);
    MP_OK(tree.createMany(ask(5000), kTxg));
    QCOMPARE(tree.root().phys.usedBytes, 10'000U);
    MP_OK(pool.sync(kTxg));
    const auto reader = pool.reader();
    MP_OK(reader);
    QCOMPARE(wrongFigures(**reader), "");
}

void TestLiveChanges::manyAreNotSlower()
{
    constexpr std::size_t kParts = 5;
    // 10,000 with MILLPOND_DATASETS=2000.
    const auto asked = static_cast<std::size_t>(qEnvironmentVariableIntValue("MILLPOND_DATASETS"));
    const std::size_t partSize = asked != 0 ? asked : 500;
    LivePool pool;
    MP_OK(pool.make());
    std::vector<double> perDataset; // µs of processor time
    for (std::size_t part = 0; part < kParts; ++part) {
        std::vector<NewDataset> requests;
        for (std::size_t i = 0; i < partSize; ++i) {
            requests.push_back({fmt::format("pool/user{:05}", part * partSize + i),
                                {number("quota", 10'000'000'000)}});
        }
        const std::clock_t start = std::clock();
        MP_OK(pool.tree->createMany(requests, Txg(5 + part)));
        const std::clock_t made = std::clock();
        MP_OK(pool.sync(Txg(5 + part)));
        const auto micros = [&](std::clock_t time) {
            return static_cast<double>(time) * 1e6 / CLOCKS_PER_SEC / static_cast<double>(partSize);
        };
        perDataset.push_back(micros(std::clock() - start));
        qInfo("datasets %zu to %zu: %.0f µs each to make, %.0f µs to sync",
              part * partSize,
              (part + 1) * partSize,
              micros(made - start),
              micros(std::clock() - made));
    }
    // The first part has a micro ZAP for most of the time; from then on nothing grows.
    QVERIFY(perDataset.back() < 3 * perDataset.front());
    const auto found = pool.tree->find(fmt::format("pool/user{:05}", kParts * partSize - 1));
    MP_OK(found);
    QCOMPARE((*found)->phys.quota, 10'000'000'000U);
}

QTEST_GUILESS_MAIN(TestLiveChanges)
#include "tst_live_changes.moc"
