// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes from a disk are untrusted: whatever stands in a pool's blocks, with checksums that fit, the
// engine may refuse it, but does not crash, hang, or take more memory than the pool's size
// justifies, and its errors name the place. Method: blocks of golden pools are changed at random
// and everything above them is written anew with right checksums; a child process with limits
// imports the result, reads everything and runs check. Failing images stay in build/…/hostile.
// A small sample each time; MILLPOND_HOSTILE_ROUNDS=5000 damages so many pools, MILLPOND_SEED
// repeats a run.
#include "crash/pool_damager.h"
#include "support/pools.h"
#include "support/process.h"
#include "support/scratch.h"
#include "support/seed.h"

#include <QDir>
#include <QTest>

using namespace millpond;
using namespace millpond::test;

namespace {
/// Written by little-endian machines, between them with every kind of structure.
const QStringList kPools{QStringLiteral("a-single"),
                         QStringLiteral("c-raidz1"),
                         QStringLiteral("d-raidz2"),
                         QStringLiteral("g-special"),
                         QStringLiteral("i-checksum"),
                         QStringLiteral("i-compress"),
                         QStringLiteral("i-dedup"),
                         QStringLiteral("i-fsprops"),
                         QStringLiteral("j-quota"),
                         QStringLiteral("k-zil"),
                         QStringLiteral("l-checkpoint"),
                         QStringLiteral("l-degraded-mirror"),
                         QStringLiteral("m-nofeat"),
                         QStringLiteral("m-v1"),
                         QStringLiteral("m-v28")};

#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
constexpr int kTimeoutMs = kSanitized ? 240'000 : 60'000;
// The pools unpack to at most 512 MiB; the rest is code, stacks of threads, and the cache.
constexpr quint64 kAddressSpace = quint64{2} << 30;

ProcessOptions limits()
{
    ProcessOptions options;
    options.timeoutMs = kTimeoutMs;
    if (!kSanitized) {
        options.addressSpaceBytes = kAddressSpace;
    }
    return options;
}

ProcessResult readEverything(const QString& folder, const QString& pool)
{
    return runProcess(
        QStringLiteral(MILLPOND_BINARY_DIR "/tests/hostile_reader"), {folder, pool}, limits());
}
} // namespace

class TestHostile : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void readsAnUndamagedPool_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("j-quota") << QStringLiteral("j-quota");
    }

    /// The reader gets somewhere at all: without this the rest would prove little.
    void readsAnUndamagedPool()
    {
        QFETCH(QString, name);
        const ProcessResult result =
            readEverything(unpackGoldenPool(name), findGoldenPool(name)->pool);
        QVERIFY2(result.succeeded(), qPrintable(result.toText()));
        QVERIFY2(result.output.contains("errors 0 check 0"), result.output.constData());
    }

    void survivesDamage_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<quint64>("seed");
        const int rounds = qEnvironmentVariableIntValue("MILLPOND_HOSTILE_ROUNDS");
        SeededRandom random(testSeed());
        QStringList pools;
        for (const QString& name : kPools) {
            if (findGoldenPool(name)) {
                pools << name;
            }
        }
        for (int round = 0; round < (rounds > 0 ? rounds : kDefaultRounds); ++round) {
            const QString& name = pools[round % pools.size()];
            const quint64 seed = random.next();
            QTest::addRow("%s %llu", qPrintable(name), seed) << name << seed;
        }
    }

    void survivesDamage()
    {
        QFETCH(QString, name);
        QFETCH(quint64, seed);
        const ScratchFolder scratch;
        const QString folder = scratch.path(QStringLiteral("images"));
        QVERIFY(copyGoldenPool(name, folder));
        QStringList damages;
        SeededRandom random(seed);
        {
            QStringList images;
            const auto golden = findGoldenPool(name);
            for (const QString& disk : golden->disks) {
                images << folder + u'/' + disk;
            }
            auto damager = PoolDamager::open(images);
            QVERIFY2(damager, damager ? "" : damager.error().toText().c_str());
            for (std::uint64_t i = 0, count = 1 + random.next() % 4; i < count; ++i) {
                const auto damage = damager->damage(random);
                if (damage) {
                    damages << QString::fromStdString(*damage);
                }
            }
        }
        QVERIFY(!damages.isEmpty());
        const ProcessResult result = readEverything(folder, findGoldenPool(name)->pool);
        if (!result.succeeded()) {
            keep(folder, QStringLiteral("%1-%2").arg(name).arg(seed));
            QFAIL(qPrintable(damages.join(u'\n') + u'\n' + result.toText()));
        }
    }

private:
    static constexpr int kDefaultRounds = kSanitized ? 15 : 30; // one or two of each pool

    static void keep(const QString& folder, const QString& as)
    {
        const QString kept = QStringLiteral(MILLPOND_BINARY_DIR "/hostile/") + as;
        QDir().mkpath(kept);
        for (const QString& image : QDir(folder).entryList(QDir::Files)) {
            (void)copySparse(folder + u'/' + image, kept + u'/' + image);
        }
        qInfo("kept in %s", qPrintable(kept));
    }
};

QTEST_GUILESS_MAIN(TestHostile)
#include "tst_hostile.moc"
