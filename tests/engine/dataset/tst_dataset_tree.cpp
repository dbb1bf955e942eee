// SPDX-License-Identifier: GPL-3.0-or-later
// Trees of datasets made by hand, in both byte orders: names, order, hidden ones, relations;
// contradictions between objects are refused; ten thousand datasets cost reads in proportion.
#include "dataset/properties.h"
#include "engine/dataset/mos_builder.h"

#include <QElapsedTimer>
#include <QtTest>

using namespace millpond;
using namespace millpond::test;
using dataset::DatasetTree;
using dataset::DirectoryRef;
using dataset::Kind;

namespace {

#define MP_GET(name, expression)                                                                   \
    auto name##Result = (expression);                                                              \
    QVERIFY2(name##Result.has_value(), name##Result ? "" : name##Result.error().toText().c_str()); \
    auto& name = *name##Result

#define MP_FAILS(code, expression)                                                                 \
    do {                                                                                           \
        const auto result = (expression);                                                          \
        QVERIFY(!result.has_value());                                                              \
        QVERIFY2(result.error().is(ErrorCode::code), result.error().toText().c_str());             \
    } while (false)

DatasetSpec usualTree()
{
    DatasetSpec home{.name = "home",
                     .snapshots = {{.name = "zz-first", .txg = 10, .holds = {"keep", "also"}},
                                   {.name = "aa-second", .txg = 20},
                                   {.name = "%hidden", .txg = 30}},
                     .children = {{.name = "bob"}, {.name = "Alice"}, {.name = "%recv"}}};
    return {.name = "tank",
            .children = {home, {.name = "$MOS"}, {.name = "$FREE"}, {.name = "vol"}}};
}

QStringList namesOf(const std::vector<DirectoryRef>& directories)
{
    QStringList names;
    for (const DirectoryRef& directory : directories) {
        names << QString::fromStdString(directory->name);
    }
    return names;
}

} // namespace

class tst_DatasetTree : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void names_data();
    void names();
    void snapshotsAndHolds();
    void byNumber();
    void clones();
    void badNames_data();
    void badNames();
    void wrongParent();
    void twoPlaces();
    void datasetOfAnother();
    void snapshotThatIsNone();
    void noRoot();
    void tenThousand();
};

void tst_DatasetTree::names_data()
{
    QTest::addColumn<bool>("bigEndian");
    QTest::newRow("little-endian") << false;
    QTest::newRow("big-endian") << true;
}

void tst_DatasetTree::names()
{
    QFETCH(bool, bigEndian);
    MemoryBlocks blocks;
    MosBuilder builder(blocks, bigEndian ? ByteOrder::Big : ByteOrder::Little);
    builder.addTree(usualTree());
    MP_GET(tree, builder.build());
    MP_GET(top, tree->children(tree->root()));
    QCOMPARE(namesOf(top), (QStringList{"tank/home", "tank/vol"}));
    MP_GET(all, tree->allChildren(tree->root()));
    QCOMPARE(namesOf(all), (QStringList{"tank/$FREE", "tank/$MOS", "tank/home", "tank/vol"}));
    MP_GET(users, tree->children(top.front()));
    QCOMPARE(namesOf(users), (QStringList{"tank/home/Alice", "tank/home/bob"}));
    MP_GET(bob, tree->find("tank/home/bob"));
    QVERIFY(bob.kind == Kind::Filesystem);
    QCOMPARE(bob.name(), std::string("tank/home/bob"));
    QCOMPARE(bob.directory->depth, 2U);
    QCOMPARE(bob.directory->leafName(), std::string_view("bob"));
    MP_GET(snapshot, tree->find("tank/home@aa-second"));
    QVERIFY(snapshot.kind == Kind::Snapshot);
    QCOMPARE(snapshot.name(), std::string("tank/home@aa-second"));
    for (const char* name : {"tank/nobody",
                             "pool",
                             "tank/home@none",
                             "tank/home#none",
                             "tank/$MOS",
                             "tank/home/%recv",
                             "tank/home@%hidden"}) {
        MP_FAILS(NoSuchDataset, tree->find(name));
    }
}

void tst_DatasetTree::snapshotsAndHolds()
{
    MemoryBlocks blocks;
    MosBuilder builder(blocks);
    builder.addTree(usualTree());
    MP_GET(tree, builder.build());
    MP_GET(home, tree->findDirectory("tank/home"));
    MP_GET(snapshots, tree->snapshots(home));
    QCOMPARE(snapshots.size(), std::size_t{2});
    QCOMPARE(snapshots[0]->snapshot, std::string("zz-first")); // by age, not by name
    QCOMPARE(snapshots[1]->snapshot, std::string("aa-second"));
    MP_GET(everything, tree->allSnapshots(home));
    QCOMPARE(everything.size(), std::size_t{3});
    MP_GET(holds, tree->holds(*snapshots[0]));
    QCOMPARE(holds.size(), std::size_t{2});
    QCOMPARE(holds[0].tag, std::string("also"));
    MP_GET(none, tree->holds(*snapshots[1]));
    QVERIFY(none.empty());
    MP_GET(bookmarks, tree->bookmarks(home));
    QVERIFY(bookmarks.empty());
}

void tst_DatasetTree::byNumber()
{
    MemoryBlocks blocks;
    MosBuilder builder(blocks);
    builder.addTree(usualTree());
    const std::uint64_t bob = builder.datasetObject("tank/home/bob");
    const std::uint64_t snapshot = builder.datasetObject("tank/home@zz-first");
    const std::uint64_t directory = builder.dirObject("tank/home");
    MP_GET(tree, builder.build());
    MP_GET(found, tree->dataset(ObjsetId(bob)));
    QCOMPARE(found->name(), std::string("tank/home/bob"));
    MP_GET(old, tree->dataset(ObjsetId(snapshot)));
    QCOMPARE(old->name(), std::string("tank/home@zz-first"));
    MP_FAILS(NoSuchDataset, tree->dataset(ObjsetId(directory)));
    MP_FAILS(NoSuchDataset, tree->dataset(ObjsetId(99999)));
}

void tst_DatasetTree::clones()
{
    // Once with the pool's own list of clones, once found by searching, as in old pools.
    for (const bool recorded : {true, false}) {
        MemoryBlocks blocks;
        MosBuilder builder(blocks);
        DatasetSpec root = usualTree();
        root.children.push_back({.name = "copy"});
        builder.addTree(root);
        const std::uint64_t origin = builder.datasetObject("tank/home@zz-first");
        builder.dir("tank/copy").origin = ObjectId(origin);
        format::DslDatasetPhys& phys = builder.dataset("tank/home@zz-first");
        phys.childCount = 2;
        if (recorded) {
            phys.nextClones =
                ObjectId(builder.addZap({numberItem("x", builder.datasetObject("tank/copy"))}));
        }
        MP_GET(tree, builder.build());
        MP_GET(node, tree->find("tank/home@zz-first"));
        MP_GET(names, tree->clones(*node.dataset));
        QCOMPARE(names, std::vector<std::string>{"tank/copy"});
        MP_GET(copy, tree->findDirectory("tank/copy"));
        MP_GET(from, tree->origin(*copy));
        QCOMPARE(from->name(), std::string("tank/home@zz-first"));
    }
}

void tst_DatasetTree::badNames_data()
{
    QTest::addColumn<QString>("name");
    const QString tooLong(300, 'x');
    for (const QString& name : {QString(),
                                QString("/tank"),
                                QString("tank/"),
                                QString("tank//home"),
                                QString("tank@"),
                                QString("tank@a@b"),
                                QString("tank@a/b"),
                                QString("tank#a@b"),
                                "tank/" + tooLong}) {
        QTest::newRow(qPrintable(name.left(40))) << name;
    }
}

void tst_DatasetTree::badNames()
{
    QFETCH(QString, name);
    MemoryBlocks blocks;
    MosBuilder builder(blocks);
    builder.addTree(usualTree());
    MP_GET(tree, builder.build());
    MP_FAILS(InvalidName, tree->find(name.toStdString()));
}

void tst_DatasetTree::wrongParent()
{
    // A directory that lists its own ancestor as a child would make a tree without end.
    MemoryBlocks blocks;
    MosBuilder builder(blocks);
    builder.addTree(usualTree());
    builder.childItems("tank/home").push_back(numberItem("ring", builder.dirObject("tank")));
    MP_GET(tree, builder.build());
    MP_GET(home, tree->findDirectory("tank/home"));
    MP_FAILS(BadDataset, tree->children(home));
    MP_FAILS(BadDataset, tree->find("tank/home/ring"));
}

void tst_DatasetTree::twoPlaces()
{
    MemoryBlocks blocks;
    MosBuilder builder(blocks);
    builder.addTree(usualTree());
    builder.childItems("tank/home")
        .push_back(numberItem("again", builder.dirObject("tank/home/bob")));
    MP_GET(tree, builder.build());
    MP_GET(home, tree->findDirectory("tank/home"));
    MP_FAILS(BadDataset, tree->children(home));
}

void tst_DatasetTree::datasetOfAnother()
{
    MemoryBlocks blocks;
    MosBuilder builder(blocks);
    builder.addTree(usualTree());
    builder.dir("tank/vol").headDataset = ObjectId(builder.datasetObject("tank/home"));
    MP_GET(tree, builder.build());
    MP_FAILS(BadDataset, tree->find("tank/vol"));
}

void tst_DatasetTree::snapshotThatIsNone()
{
    MemoryBlocks blocks;
    MosBuilder builder(blocks);
    builder.addTree(usualTree());
    builder.dataset("tank/home@zz-first").childCount = 0; // says it is no snapshot
    MP_GET(tree, builder.build());
    MP_GET(home, tree->findDirectory("tank/home"));
    MP_FAILS(BadDataset, tree->snapshots(home));
}

void tst_DatasetTree::noRoot()
{
    MemoryBlocks blocks;
    MosBuilder builder(blocks);
    builder.addTree(usualTree());
    builder.dir("tank").parent = ObjectId(12345);
    MP_FAILS(BadDataset, builder.build());
}

void tst_DatasetTree::tenThousand()
{
    constexpr int kUsers = 10'000;
    DatasetSpec home{.name = "home", .settings = {textItem("mountpoint", "/home")}};
    for (int i = 0; i < kUsers; ++i) {
        DatasetSpec user{.name = "user" + std::to_string(i)};
        user.dir.quota = 1 * GiB;
        home.children.push_back(user);
    }
    MemoryBlocks blocks;
    MosBuilder builder(blocks);
    builder.addTree({.name = "tank", .children = {home}});
    MP_GET(tree, builder.build());
    dataset::Properties properties(tree, {.space = {.usable = 100 * GiB}});
    const std::string wanted[] = {"used", "available", "mountpoint", "quota", "written"};
    blocks.forgetCounts();
    QElapsedTimer timer;
    timer.start();
    MP_GET(directory, tree->findDirectory("tank/home"));
    MP_GET(users, tree->children(directory));
    QCOMPARE(users.size(), std::size_t{kUsers});
    for (const DirectoryRef& user : users) {
        MP_GET(live, tree->head(user));
        MP_GET(node, tree->node(live));
        MP_GET(values, properties.select(node, wanted));
        QCOMPARE(values[2].inheritedFrom, std::string("tank/home"));
    }
    qInfo("%d datasets: %zu block reads, %lld ms", kUsers, blocks.reads(), timer.elapsed());
    // A few reads for each, however many there are; each is a memory lookup when cached.
    QVERIFY(blocks.reads() < std::size_t{kUsers} * 12);
}

QTEST_GUILESS_MAIN(tst_DatasetTree)
#include "tst_dataset_tree.moc"
