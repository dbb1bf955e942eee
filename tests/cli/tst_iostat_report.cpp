// SPDX-License-Identifier: GPL-3.0-or-later
// Property: `iostat` prints what OpenZFS 2.3 prints of such counters: columns, class headings,
// histograms, rates against the answer before. Method: answers made by hand of a pool with a
// mirror, a special vdev, a log and a cache device; whole lines as OpenZFS' formats give them.
#include "cli/iostat_report.h"

#include <QStringList>
#include <QTest>

using namespace millpond;
using namespace millpond::cli;

namespace {
constexpr std::uint64_t kSecond = 1'000'000'000;

/// Ten seconds after the import, or two seconds later with so many more reads of 4 KiB.
bus::Document answer(std::uint64_t moreReads = 0)
{
    bus::DocumentWriter writer(1);
    bus::RowWriter<bus::IostatRow> rows(writer);
    bus::RowWriter<bus::IostatBucketRow> buckets(writer);
    std::uint64_t guid = 0;
    const auto add = [&](std::uint64_t depth, std::string_view name, std::string_view allocClass) {
        bus::IostatRow row;
        row.pool = "tank";
        row.depth = depth;
        row.name = name;
        row.guid = ++guid;
        row.isLeaf = name.starts_with("/");
        row.type = row.isLeaf ? "file" : depth == 0 ? "root" : "mirror";
        row.allocClass = allocClass;
        row.allocated = depth <= 1 ? 269 * 1024 : 0;
        row.free = depth <= 1 ? 1008 * 1024 * 1024 : 0;
        row.readOps = 100 + moreReads;
        row.readBytes = row.readOps * 4096;
        row.readTimeNs = row.readOps * 25'000;
        row.writeOps = 10;
        row.writeBytes = 10'240;
        row.readsActive = 3;
        row.importedAt = kSecond;
        row.takenAt = (moreReads == 0 ? 11 : 13) * kSecond;
        rows.append(row);
        buckets.append({row.guid, "read_latency", 14, row.readOps});
        buckets.append({row.guid, "read_size", 12, row.readOps - 1});
        buckets.append({row.guid, "joined_read_size", 17, 1});
        buckets.append({row.guid, "write_size", 10, 10});
    };
    add(0, "tank", "");
    add(1, "mirror-0", "normal");
    add(2, "/a", "normal");
    add(2, "/b", "normal");
    add(1, "/l", "log");
    add(1, "/s", "special");
    add(1, "/c", "l2cache");
    const auto file = writer.finishToMemfd();
    return *bus::Document::open(file->get());
}

QStringList linesOf(const std::string& text)
{
    QStringList lines = QString::fromStdString(text).split(u'\n');
    lines.removeLast();
    return lines;
}

QStringList report(const IostatFormat& format, std::uint64_t moreReads = 0)
{
    IostatReport report(format);
    if (!report.take(answer()) || (moreReads != 0 && !report.take(answer(moreReads)))) {
        return {};
    }
    const bool table = format.kind == IostatFormat::Kind::Table && !format.forScripts;
    return linesOf((table ? report.headings() : "") + report.text());
}
} // namespace

class TestIostatReport : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void pools()
    {
        QCOMPARE(report({}),
                 (QStringList{"              capacity     operations     bandwidth ",
                              "pool        alloc   free   read  write   read  write",
                              "----------  -----  -----  -----  -----  -----  -----",
                              "tank         269K  1008M     10      1    40K     1K"}));
    }

    void classes()
    {
        const QStringList lines = report({.vdevs = true});
        QCOMPARE(lines.mid(3),
                 (QStringList{"tank         269K  1008M     10      1    40K     1K",
                              "  mirror-0   269K  1008M     10      1    40K     1K",
                              "    /a          -      -     10      1    40K     1K",
                              "    /b          -      -     10      1    40K     1K",
                              "special         -      -      -      -      -      -",
                              "  /s         269K  1008M     10      1    40K     1K",
                              "logs            -      -      -      -      -      -",
                              "  /l         269K  1008M     10      1    40K     1K",
                              "cache           -      -      -      -      -      -",
                              "  /c         269K  1008M     10      1    40K     1K",
                              "----------  -----  -----  -----  -----  -----  -----"}));
    }

    void waitsAndQueues()
    {
        const QStringList lines = report({.waits = true, .queues = true});
        QVERIFY2(lines[0].startsWith("              capacity     operations     bandwidth    "
                                     "total_wait     disk_wait    syncq_wait    asyncq_wait  scrub"
                                     "   trim  rebuild   syncq_read    syncq_write "),
                 qPrintable(lines[0]));
        QVERIFY2(lines[1].endsWith("  pend  activ   pend  activ   pend  activ   pend  activ   pend"
                                   "  activ   pend  activ   pend  activ"),
                 qPrintable(lines[1]));
        QCOMPARE(
            lines[3].mid(52),
            QStringLiteral("   25us      -   25us      -      -      -      -      -      -   "
                           "   -      -      0      3      0      0      0      0      0      0"
                           "      0      0      0      0      0      0"));
    }

    void rates()
    {
        // 40 more in two seconds.
        QCOMPARE(report({.forScripts = true, .exact = true}, 40),
                 (QStringList{"tank\t275456\t1056964608\t20\t0\t81920\t0"}));
        QCOMPARE(report({.forScripts = true, .exact = true, .vdevs = true})[2],
                 QStringLiteral("/a\t0\t0\t10\t1\t40960\t1024"));
    }

    void latencies()
    {
        const QStringList lines = report({.kind = IostatFormat::Kind::Latencies});
        QCOMPARE(lines.size(), 1 + 3 + 37 + 1);
        QCOMPARE(lines.mid(0, 5),
                 (QStringList{"",
                              "tank         total_wait     disk_wait    syncq_wait    asyncq_wait",
                              "latency      read  write   read  write   read  write   read  write  "
                              "scrub   trim  rebuild",
                              "----------  -----  -----  -----  -----  -----  -----  -----  -----  "
                              "-----  -----  -----",
                              "1ns             0      0      0      0      0      0      0      0  "
                              "    0      0      0"}));
        QCOMPARE(lines[4 + 14],
                 QStringLiteral("32us          100      0    100      0      0      0      0      0"
                                "      0      0      0"));
        QCOMPARE(lines.last(), QString(10 + 11 * 7, u'-'));
        const QStringList later =
            report({.kind = IostatFormat::Kind::Latencies, .forScripts = true}, 40);
        QCOMPARE(later.mid(0, 3), (QStringList{"", "tank", "1\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0"}));
        QCOMPARE(later[2 + 14], QStringLiteral("32767\t20\t0\t20\t0\t0\t0\t0\t0\t0\t0\t0"));
    }

    void sizes()
    {
        const QStringList lines = report({.kind = IostatFormat::Kind::Sizes, .only = {3}});
        QCOMPARE(lines.size(), 1 + 3 + 16 + 1);
        QVERIFY2(lines[1].startsWith("/a            sync_read    sync_write    async_read "),
                 qPrintable(lines[1]));
        QVERIFY2(lines[2].startsWith("req_size      ind    agg    ind    agg "),
                 qPrintable(lines[2]));
        QVERIFY2(lines[4].startsWith("512             0      0 "), qPrintable(lines[4]));
        QVERIFY2(
            lines[5].startsWith("1K              0      0      0      0      0      0     10 "),
            qPrintable(lines[5]));
        QVERIFY2(lines[7].startsWith("4K             99      0 "), qPrintable(lines[7]));
        QVERIFY2(lines[12].startsWith("128K            0      1 "), qPrintable(lines[12]));
    }

    void someVdevs()
    {
        const QStringList lines = report({.only = {3, 5}});
        QVERIFY2(lines[1].startsWith("vdev        alloc "), qPrintable(lines[1]));
        QCOMPARE(lines.mid(3),
                 (QStringList{"/a              -      -     10      1    40K     1K",
                              "/l           269K  1008M     10      1    40K     1K",
                              "----------  -----  -----  -----  -----  -----  -----"}));
    }
};

QTEST_GUILESS_MAIN(TestIostatReport)
#include "tst_iostat_report.moc"
