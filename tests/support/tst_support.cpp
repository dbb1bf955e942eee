// SPDX-License-Identifier: GPL-3.0-or-later
// The helpers that other tests trust: an unpacked pool equals what zstd unpacks, a copy equals its
// original and stays sparse, a child that hangs or is killed is reported as such. Method: small
// children of the shell, a committed golden pool, `zstd` as second opinion.
#include "support/cleanup.h"
#include "support/manifest.h"
#include "support/pools.h"
#include "support/process.h"
#include "support/scratch.h"

#include <QFile>
#include <QTest>

#include <csignal>
#include <sys/stat.h>

using namespace millpond::test;

namespace {
const QString kPool = QStringLiteral("j-quota");

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

qint64 storedBytes(const QString& path)
{
    struct stat info = {};
    return stat(qPrintable(path), &info) == 0 ? qint64{info.st_blocks} * 512 : -1;
}
} // namespace

class TestSupport : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void findsPools()
    {
        const auto pool = findGoldenPool(kPool);
        QVERIFY(pool);
        QCOMPARE(pool->pool, QStringLiteral("j_quota"));
        QCOMPARE(pool->disks, QStringList{QStringLiteral("disk0.img")});
        QVERIFY(goldenPoolNames().contains(kPool));
        QVERIFY(!findGoldenPool(QStringLiteral("no-such-pool")));
        QCOMPARE(loadManifest(kPool)->value(QLatin1String("pool")).toString(), pool->pool);
    }

    void unpacksAndCopies()
    {
        const ScratchFolder scratch;
        const QString image = unpackGoldenPool(kPool) + QStringLiteral("/disk0.img");
        const QString packed = findGoldenPool(kPool)->folder + QStringLiteral("/disk0.img.zst");
        const ProcessResult zstd = runProcess(QStringLiteral("zstd"),
                                              {QStringLiteral("-dq"),
                                               packed,
                                               QStringLiteral("-o"),
                                               scratch.path(QStringLiteral("z"))});
        QVERIFY2(zstd.succeeded(), qPrintable(zstd.toText()));
        QVERIFY(contentOf(image) == contentOf(scratch.path(QStringLiteral("z"))));
        QVERIFY(storedBytes(image) < QFile(image).size() / 4);

        QVERIFY(copyGoldenPool(kPool, scratch.path(QStringLiteral("copy"))));
        const QString copy = scratch.path(QStringLiteral("copy/disk0.img"));
        QVERIFY(contentOf(copy) == contentOf(image));
        QVERIFY(storedBytes(copy) < QFile(image).size() / 4);
        QVERIFY(QFile(copy).open(QIODevice::ReadWrite));
    }

    void reportsHowAChildEnded()
    {
        const auto shell = [](const QString& script, int timeoutMs = 10'000) {
            ProcessOptions options;
            options.timeoutMs = timeoutMs;
            return runProcess(QStringLiteral("sh"), {QStringLiteral("-c"), script}, options);
        };
        QVERIFY(shell(QStringLiteral("exit 0")).succeeded());
        QCOMPARE(shell(QStringLiteral("exit 3")).exitCode, 3);
        QCOMPARE(shell(QStringLiteral("kill -SEGV $$")).signal, SIGSEGV);
        QCOMPARE(shell(QStringLiteral("echo out; echo err >&2")).output, QByteArray("out\n"));
        const ProcessResult hung = shell(QStringLiteral("sleep 100 & sleep 100"), 200);
        QVERIFY(hung.timedOut);
        QVERIFY(!hung.succeeded());
        QVERIFY(!runProcess(QStringLiteral("/no/such/program"), {}).started);
    }

    void limitsAChild()
    {
        ProcessOptions options;
        options.cpuSeconds = 1;
        const ProcessResult result =
            runProcess(QStringLiteral("sh"),
                       {QStringLiteral("-c"), QStringLiteral("while :; do :; done")},
                       options);
        QCOMPARE(result.signal, SIGXCPU);
    }

    void listsMounts()
    {
        QVERIFY(mountsBelow(QStringLiteral("/proc")).contains(QStringLiteral("/proc")));
        QVERIFY(mountsBelow(QStringLiteral("/no/such")).isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestSupport)
#include "tst_support.moc"
