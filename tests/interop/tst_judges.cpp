// SPDX-License-Identifier: GPL-3.0-or-later
// The judges themselves: OpenZFS' zdb finds nothing wrong in a pool that OpenZFS made, and does
// find what we break in a copy of it. Otherwise "zdb says no leaks" in other tests would prove
// nothing. Method: a committed golden pool, and the same with damage in its space maps' area.
#include "support/pools.h"
#include "support/scratch.h"
#include "support/seed.h"
#include "support/zdb.h"

#include <QFile>
#include <QRandomGenerator>
#include <QTest>

using namespace millpond::test;

class TestJudges : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void passesAGoodPool_data()
    {
        QTest::addColumn<QString>("pool");
        for (const char* name : {"c-raidz1", "j-quota", "m-v28"}) {
            QTest::newRow(name) << QString::fromLatin1(name);
        }
    }

    void passesAGoodPool()
    {
        MP_REQUIRE_JUDGE("zdb");
        QFETCH(QString, pool);
        const ZdbVerdict verdict = runZdb(unpackGoldenPool(pool), findGoldenPool(pool)->pool);
        QVERIFY2(verdict.passed, qPrintable(verdict.process.toText()));
    }

    void failsADamagedPool()
    {
        MP_REQUIRE_JUDGE("zdb");
        const QString name = QStringLiteral("j-quota");
        const ScratchFolder scratch;
        const QString folder = scratch.path(QStringLiteral("damaged"));
        QVERIFY(copyGoldenPool(name, folder));
        QFile image(folder + QStringLiteral("/disk0.img"));
        QVERIFY(image.open(QIODevice::ReadWrite));
        // Everything but the labels at either end, in a stripe pattern that no ditto copy survives.
        constexpr qint64 kLabels = 4 << 20;
        QRandomGenerator random(static_cast<quint32>(testSeed()));
        QByteArray noise(512, Qt::Uninitialized);
        for (qint64 at = kLabels; at < image.size() - kLabels; at += 4096) {
            std::generate(noise.begin(), noise.end(), [&random] {
                return static_cast<char>(random.generate());
            });
            QVERIFY(image.seek(at) && image.write(noise) == noise.size());
        }
        image.close();
        QVERIFY(!runZdb(folder, findGoldenPool(name)->pool).passed);
    }
};

QTEST_GUILESS_MAIN(TestJudges)
#include "tst_judges.moc"
