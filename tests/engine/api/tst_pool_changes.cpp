// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: what people do with a pool works through the facade, shows at once in what it lists,
// and is there after the next import; what makes no sense is refused and changes nothing. Method: a
// pool made, filled, changed, exported, imported and destroyed; zdb and our own check in between.

#include "api/engine.h"
#include "api/layout_words.h"
#include "engine/pool/writing_pool.h"
#include "posix/file_system.h"
#include "posix/file_system_writer.h"
#include "support/mp_ok.h"
#include "support/scratch.h"

#include <QTest>

#include <atomic>
#include <thread>

using namespace millpond;
using namespace millpond::test;

namespace {
constexpr std::uint64_t kImageBytes = 256 * MiB;

std::string valueOf(api::Pool& pool, const std::string& dataset, const std::string& property)
{
    api::DatasetQuery query;
    query.roots = {dataset};
    query.properties = {property};
    const auto rows = pool.datasets(query);
    return rows && !rows->empty() ? rows->front().properties.front().value : std::string();
}

api::ImportRequest importOf(const QString& folder)
{
    api::ImportRequest request;
    request.pool = "tank";
    request.where.directories = {folder.toStdString()};
    request.readOnly = false;
    return request;
}
} // namespace

class TestPoolChanges : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void lifeOfAPool();
    void listingWhileChanging();
    void featuresOnDemand();
    void layoutWords();
    void layoutRefusals_data();
    void layoutRefusals();
};

void TestPoolChanges::lifeOfAPool()
{
    const ScratchFolder scratch;
    const QStringList images = makeImages(scratch.path(), 2, kImageBytes);
    auto engine = api::Engine::create({});
    MP_OK(engine);
    api::CreatePoolRequest create;
    create.name = "tank";
    create.vdevs = {"mirror", images[0].toStdString(), images[1].toStdString()};
    create.command = "zpool create tank mirror";
    create.fileSystemProperties = {{"compression", "off"}, {"org.example:note", "made here"}};
    const std::vector<std::byte> content(1'000'000, std::byte{42});
    {
        const auto made = (*engine)->createPool(create);
        MP_OK(made);
        api::Pool& pool = **made;
        QVERIFY(!(*engine)->createPool(create));
        QCOMPARE(valueOf(pool, "tank", "compression"), std::string("off"));
        const std::vector<api::NewDataset> datasets{
            {.name = "tank/home", .properties = {{"quota", "100M"}}},
            {.name = "tank/home/alice", .properties = {{"recordsize", "16K"}}, .uid = 7, .gid = 8}};
        MP_OK(pool.createDatasets(datasets));
        QVERIFY(!pool.createDatasets(datasets));
        QCOMPARE(valueOf(pool, "tank/home/alice", "compression"), std::string("off"));
        QCOMPARE(valueOf(pool, "tank/home", "quota"), std::string("104857600"));
        {
            const auto writer = pool.writer("tank/home/alice");
            MP_OK(writer);
            posix::FileSystemWriter& files = **writer;
            const ObjectId root = files.files()->root();
            const auto file = files.create({root, "letter"}, {.mode = 0600, .uid = 7, .gid = 8});
            MP_OK(file);
            MP_OK(files.write((*file)->object, {.offset = ByteOffset(0), .data = content}));
            // Beyond the quota of the parent: refused, never an I/O error.
            const std::vector<std::byte> piece(1 * MiB, std::byte{1});
            Status limit;
            for (std::uint64_t i = 1; i < 200 && limit; ++i) {
                const auto written = files.write(
                    (*file)->object, {.offset = ByteOffset(i * piece.size()), .data = piece});
                limit = written ? Status() : fail(written.error());
            }
            QVERIFY(!limit);
            QVERIFY2(limit.error().is(ErrorCode::QuotaExceeded), limit.error().toText().c_str());
            MP_OK(files.truncate((*file)->object, content.size()));
            QVERIFY(!pool.destroyDataset("tank/home/alice")); // in use
            MP_OK(pool.setProperties("tank", {{"compression", "lz4"}}));
            QCOMPARE(valueOf(pool, "tank/home/alice", "compression"), std::string("lz4"));
        }
        QVERIFY(!pool.setProperties("tank", {{"compression", "lz5"}}));
        QVERIFY(!pool.setProperties("tank", {{"used", "1"}}));
        MP_OK(pool.renameDataset("tank/home/alice", "tank/alice"));
        MP_OK(pool.inheritProperty("tank", "compression", false));
        pool.note("zfs rename tank/home/alice tank/alice", 1000);
        MP_OK(pool.sync());
        const auto history = pool.history();
        MP_OK(history);
        QCOMPARE(history->front().command, create.command);
        QCOMPARE(history->back().command, std::string("zfs rename tank/home/alice tank/alice"));
        QVERIFY(history->size() > 6);
        MP_OK((*engine)->exportPool("tank", false));
    }
    QCOMPARE(judgePool(scratch.path(), QStringLiteral("tank")), QString());
    {
        const auto imported = (*engine)->importPool(importOf(scratch.path()));
        MP_OK(imported);
        api::Pool& pool = **imported;
        QCOMPARE(valueOf(pool, "tank/alice", "recordsize"), std::string("16384"));
        QCOMPARE(valueOf(pool, "tank", "org.example:note"), std::string("made here"));
        {
            const auto files = pool.fileSystem("tank/alice");
            MP_OK(files);
            const auto entry = (*files)->lookup((*files)->root(), "letter");
            MP_OK(entry);
            const auto attributes = (*files)->attributes(entry->object);
            MP_OK(attributes);
            QCOMPARE((*attributes)->size, content.size());
        }
        MP_OK(pool.setPoolProperties({{"comment", "ours"}, {"autotrim", "on"}}));
        QVERIFY(!pool.setPoolProperties({{"size", "1"}}));
        QVERIFY(!pool.setPoolProperties({{"nonsense", "1"}}));
        const auto set = pool.properties({"comment", "autotrim"});
        MP_OK(set);
        QCOMPARE((*set)[0].value, std::string("ours"));
        QCOMPARE((*set)[1].value, std::string("on"));
        const PoolGuid before = pool.guid();
        MP_OK(pool.newGuid());
        QVERIFY(pool.guid() != before);
        MP_OK(pool.destroyDataset("tank/alice"));
        QVERIFY(!pool.fileSystem("tank/alice"));
        MP_OK(pool.sync());
        MP_OK((*engine)->exportPool("tank", false));
    }
    QCOMPARE(judgePool(scratch.path(), QStringLiteral("tank")), QString());
    {
        const auto imported = (*engine)->importPool(importOf(scratch.path()));
        MP_OK(imported);
    }
    MP_OK((*engine)->destroyPool("tank", false));
    QVERIFY(!(*engine)->importPool(importOf(scratch.path())));
}

/// Lists stay whole while the states they are of are left behind by many short txgs.
void TestPoolChanges::listingWhileChanging()
{
    const ScratchFolder scratch;
    const QStringList images = makeImages(scratch.path(), 1, kImageBytes);
    auto engine = api::Engine::create({.cacheBytes = 16 * MiB});
    MP_OK(engine);
    api::CreatePoolRequest create;
    create.name = "tank";
    create.vdevs = {images[0].toStdString()};
    auto made = (*engine)->createPool(create);
    MP_OK(made);
    api::Pool& pool = **made;
    std::atomic<bool> stop = false;
    std::atomic<int> lists = 0;
    std::string problem;
    std::thread lister([&] {
        api::DatasetQuery query;
        query.roots = {"tank"};
        query.recurse = true;
        query.properties = {"all"};
        while (!stop && problem.empty()) {
            const auto rows = pool.datasets(query);
            problem = rows ? (rows->empty() ? "no rows" : "") : rows.error().toText();
            ++lists;
        }
    });
    Status status;
    for (int i = 0; i < 60 && status; ++i) {
        const std::string name = "tank/fs" + std::to_string(i);
        const std::vector<api::NewDataset> datasets{{.name = name, .properties = {}}};
        status = pool.createDatasets(datasets);
        if (status && i % 2 == 1) {
            status = pool.destroyDataset(name);
        }
    }
    stop = true;
    lister.join();
    MP_OK(status);
    QCOMPARE(problem, std::string());
    QVERIFY(lists > 0);
    made->reset(); // whoever holds the pool holds its devices
    MP_OK((*engine)->exportPool("tank", false));
    QCOMPARE(judgePool(scratch.path(), QStringLiteral("tank")), QString());
}

/// A pool made without features gets them later; its labels can be cleared when it is exported.
void TestPoolChanges::featuresOnDemand()
{
    const ScratchFolder scratch;
    const QStringList images = makeImages(scratch.path(), 1, kImageBytes);
    const std::string image = images[0].toStdString();
    auto engine = api::Engine::create({});
    MP_OK(engine);
    api::CreatePoolRequest create;
    create.name = "tank";
    create.vdevs = {image};
    create.noFeatures = true;
    {
        const auto made = (*engine)->createPool(create);
        MP_OK(made);
        const auto value = [&](const char* name) {
            const auto read = (*made)->properties({name});
            return read ? read->front().value : std::string();
        };
        QCOMPARE(value("feature@bookmarks"), std::string("disabled"));
        MP_OK((*made)->setPoolProperties({{"feature@bookmarks", "enabled"}}));
        QCOMPARE(value("feature@bookmarks"), std::string("enabled"));
        QCOMPARE(value("feature@extensible_dataset"), std::string("enabled"));
        QVERIFY(!(*made)->setPoolProperties({{"feature@sliced_bread", "enabled"}}));
        MP_OK((*made)->upgrade({}));
        QCOMPARE(value("feature@hole_birth"), std::string("active"));
        const std::vector<api::NewDataset> datasets{{.name = "tank/later", .properties = {}}};
        MP_OK((*made)->createDatasets(datasets));
        QVERIFY(!(*engine)->clearLabel(image, true)); // in use
    }
    MP_OK((*engine)->exportPool("tank", false));
    QCOMPARE(judgePool(scratch.path(), QStringLiteral("tank")), QString());
    MP_OK((*engine)->clearLabel(image, false));
    QVERIFY(!(*engine)->clearLabel(image, false)); // there is none any more
    QVERIFY(!(*engine)->importPool(importOf(scratch.path())));
    MP_OK((*engine)->createPool(create)); // nothing is overwritten now
    MP_OK((*engine)->exportPool("tank", false));
    const auto refused = (*engine)->createPool(create);
    QVERIFY(!refused && refused.error().is(ErrorCode::DeviceBusy));
    create.force = true;
    MP_OK((*engine)->createPool(create));
}

void TestPoolChanges::layoutWords()
{
    const std::vector<std::string> words{"mirror",
                                         "/a",
                                         "/b",
                                         "raidz2",
                                         "/c",
                                         "/d",
                                         "/e",
                                         "/f",
                                         "log",
                                         "mirror",
                                         "/g",
                                         "/h",
                                         "special",
                                         "/i",
                                         "spare",
                                         "/j",
                                         "/k",
                                         "cache",
                                         "/l"};
    const auto layout = api::layoutFromWords(words);
    MP_OK(layout);
    QCOMPARE(layout->tops.size(), std::size_t{4});
    QCOMPARE(layout->tops[1].parity, 2U);
    QCOMPARE(layout->tops[1].children.size(), std::size_t{4});
    QVERIFY(layout->tops[2].allocationClass == vdev::AllocationClass::Log);
    QVERIFY(layout->tops[3].allocationClass == vdev::AllocationClass::Special);
    QCOMPARE(layout->spares.size(), std::size_t{2});
    QCOMPARE(layout->caches.size(), std::size_t{1});
}

void TestPoolChanges::layoutRefusals_data()
{
    QTest::addColumn<QString>("words");
    for (const char* words : {"mirror",
                              "mirror /a",
                              "mirror raidz /a /b",
                              "/a log",
                              "/a spare mirror /b /c",
                              "/a /a",
                              "draid /a /b /c",
                              "/a cache log /b"}) {
        QTest::newRow(words) << QString::fromLatin1(words);
    }
}

void TestPoolChanges::layoutRefusals()
{
    QFETCH(QString, words);
    std::vector<std::string> list;
    for (const QString& word : words.split(u' ')) {
        list.push_back(word.toStdString());
    }
    QVERIFY(!api::layoutFromWords(list));
}

QTEST_GUILESS_MAIN(TestPoolChanges)
#include "tst_pool_changes.moc"
