// SPDX-License-Identifier: GPL-3.0-or-later
// A pool that OpenZFS or Solaris made looks, through our engine, exactly as OpenZFS describes it in
// the pool's manifest; also without any set of disks its redundancy covers, and with as many disks
// silently damaged. A pool with a feature we do not have is refused by that feature's name.
// Method: import read-only from the images, compare everything, show the first 20 differences.
// One row per pool; MILLPOND_GOLDEN_POOL restricts a run to one.
#include "golden/compare.h"
#include "golden/golden_pool.h"
#include "golden/redundancy.h"
#include "support/manifest.h"
#include "support/pools.h"
#include "support/scratch.h"
#include "support/seed.h"

#include <QFile>
#include <QFileInfo>
#include <QRandomGenerator>
#include <QTest>

using namespace millpond;
using namespace millpond::test;

namespace {
/// Features that reading does not know yet, as the manifests call them.
const QStringList kRefused{QStringLiteral("encryption"),
                           QStringLiteral("draid"),
                           QStringLiteral("device_removal"),
                           QStringLiteral("raidz_expansion")};

/// What a pool must be refused for; empty when it must be imported.
QStringList refusalReasons(const QString& name)
{
    auto manifest = loadManifest(name);
    if (!manifest) {
        manifest = loadManifest(name, QStringLiteral("manifest-after-replay"));
    }
    if (!manifest) {
        return {QStringLiteral("999")}; // s-v999: a version from the future has no manifest
    }
    QStringList reasons;
    const QJsonObject features = (*manifest)[QLatin1String("features")].toObject();
    for (const QString& feature : kRefused) {
        if (features[feature].toString() == QLatin1String("active")) {
            reasons << feature;
        }
    }
    return reasons;
}

QStringList chosenPools()
{
    const QString chosen = qEnvironmentVariable("MILLPOND_GOLDEN_POOL");
    return chosen.isEmpty() ? goldenPoolNames() : QStringList{chosen};
}

void addRows(bool refused)
{
    QTest::addColumn<QString>("name");
    bool any = false;
    for (const QString& name : chosenPools()) {
        if (refusalReasons(name).isEmpty() != refused) {
            QTest::newRow(qPrintable(name)) << name;
            any = true;
        }
    }
    if (!any) {
        QTest::newRow("nothing to do for this pool") << QString();
    }
}

Result<api::PoolStatus> statusOf(const QString& folder, const QString& pool)
{
    const GoldenImport import = MP_TRY(GoldenImport::open(folder, pool));
    return import.pool->status();
}

QString fileNames(const QStringList& paths)
{
    QStringList names;
    for (const QString& path : paths) {
        names << QFileInfo(path).fileName();
    }
    return names.join(u'+');
}

/// Files, datasets and all, as far as they do not depend on which disks are there.
void compareContent(api::Pool& pool, const QJsonObject& manifest, Differences& differences)
{
    compareAll(pool, manifest, Images::SomeMissing, differences);
}
} // namespace

class TestGolden : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void looksAsOpenZfsSeesIt_data() { addRows(false); }

    void looksAsOpenZfsSeesIt()
    {
        QFETCH(QString, name);
        if (name.isEmpty()) {
            return;
        }
        const QString folder = unpackGoldenPool(name);
        const auto golden = findGoldenPool(name);
        auto import = GoldenImport::open(folder, golden->pool);
        QVERIFY2(import, errorText(import).constData());
        const auto status = import->pool->status();
        QVERIFY2(status, errorText(status).constData());
        const bool complete =
            std::none_of(status->vdevs.begin(), status->vdevs.end(), [](const api::VdevRow& row) {
                return row.isLeaf && row.state == api::VdevState::Unavailable;
            });
        Differences differences;
        QFile zdb(golden->folder + QStringLiteral("/zdb-bcc.txt"));
        compareAllocation(*import->pool,
                          zdb.open(QIODevice::ReadOnly) ? zdb.readAll() : QByteArray(),
                          differences);
        if (const auto manifest = loadManifest(name)) {
            compareAll(*import->pool,
                       *manifest,
                       complete ? Images::Complete : Images::SomeMissing,
                       differences);
        } else {
            // k-*: the manifest shows the pool after its log was replayed, which needs writing.
            const auto replayed = loadManifest(name, QStringLiteral("manifest-after-replay"));
            QVERIFY(replayed);
            for (const QString& dataset : (*replayed)[QLatin1String("files")].toObject().keys()) {
                const auto found = readFileSystem(*import->pool, dataset.toStdString());
                QVERIFY2(found, errorText(found).constData());
                QVERIFY(!found->isEmpty());
            }
        }
        differences.print(name);
        QVERIFY2(differences.none(), differences.summary().constData());
    }

    void isRefusedByName_data() { addRows(true); }

    void isRefusedByName()
    {
        QFETCH(QString, name);
        if (name.isEmpty()) {
            return;
        }
        const QStringList reasons = refusalReasons(name);
        const QString folder = unpackGoldenPool(name);
        const auto import = GoldenImport::open(folder, findGoldenPool(name)->pool);
        QVERIFY(!import);
        const QString text = QString::fromUtf8(errorText(import));
        QCOMPARE(import.error().errorClass(), ErrorClass::Unsupported);
        const auto named = [](const QString& where) {
            return [where](const QString& reason) { return where.contains(reason); };
        };
        QVERIFY2(std::any_of(reasons.begin(), reasons.end(), named(text)), qPrintable(text));

        const auto engine = createTestEngine();
        QVERIFY(engine);
        api::ScanRequest where;
        where.directories = {folder.toStdString()};
        const auto found = (*engine)->scan(where);
        QVERIFY2(found, errorText(found).constData());
        QCOMPARE(found->size(), std::size_t{1});
        QVERIFY(!found->front().importable);
        const QString reason = QString::fromStdString(found->front().reason);
        QVERIFY2(std::any_of(reasons.begin(), reasons.end(), named(reason)), qPrintable(reason));
    }

    void readsWithoutDisks_data() { addRows(false); }

    void readsWithoutDisks()
    {
        QFETCH(QString, name);
        if (name.isEmpty()) {
            return;
        }
        const auto manifest = loadManifest(name);
        const auto golden = findGoldenPool(name);
        const QString pool = golden->pool;
        const QString folder = unpackGoldenPool(name);
        const auto status = statusOf(folder, pool);
        QVERIFY2(status, errorText(status).constData());
        for (const QStringList& gone : survivableSets(*status)) {
            QStringList images;
            for (const QString& disk : golden->disks) {
                const QString image = folder + u'/' + disk;
                if (!gone.contains(image)) {
                    images << image;
                }
            }
            const QString place = QStringLiteral("without ") + fileNames(gone);
            auto import = GoldenImport::open(images, pool);
            QVERIFY2(import, qPrintable(place + u' ' + QString::fromUtf8(errorText(import))));
            Differences differences;
            if (manifest) {
                compareContent(*import->pool, *manifest, differences);
            }
            differences.print(name + u' ' + place);
            QVERIFY2(differences.none(), differences.summary().constData());
        }
    }

    void readsDamagedDisks_data() { addRows(false); }

    void readsDamagedDisks()
    {
        QFETCH(QString, name);
        if (name.isEmpty()) {
            return;
        }
        const auto manifest = loadManifest(name);
        const QString pool = findGoldenPool(name)->pool;
        const auto status = statusOf(unpackGoldenPool(name), pool);
        QVERIFY2(status, errorText(status).constData());
        const QList<QStringList> sets = worstSets(*status);
        if (sets.isEmpty() || !manifest) {
            return; // no redundancy
        }
        QRandomGenerator random(static_cast<quint32>(testSeed()));
        constexpr int kRounds = 3;
        for (int round = 0; round < kRounds; ++round) {
            const ScratchFolder scratch;
            QVERIFY(copyGoldenPool(name, scratch.path(QStringLiteral("images"))));
            const QStringList& victims = sets[random.bounded(static_cast<int>(sets.size()))];
            for (const QString& victim : victims) {
                const QString image =
                    scratch.path(QStringLiteral("images/") + QFileInfo(victim).fileName());
                QVERIFY(damageImage(image,
                                    random.generate(),
                                    round == 0 ? LabelDamage::Damage : LabelDamage::Spare));
            }
            const QString place = QStringLiteral("damaged ") + fileNames(victims);
            auto import = GoldenImport::open(scratch.path(QStringLiteral("images")), pool);
            QVERIFY2(import, qPrintable(place + u' ' + QString::fromUtf8(errorText(import))));
            Differences differences;
            compareContent(*import->pool, *manifest, differences);
            differences.print(name + u' ' + place);
            QVERIFY2(differences.none(), differences.summary().constData());
        }
    }
};

QTEST_GUILESS_MAIN(TestGolden)
#include "tst_golden.moc"
