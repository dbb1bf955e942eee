// SPDX-License-Identifier: GPL-3.0-or-later
// Property: `status` prints of a pool what OpenZFS prints, also of what no pool at hand shows: work
// on leaves, removals, errors. Method: answers made by hand, the lines that OpenZFS 2.3 has for
// them (those of a removal from the manifest of l-removed).
#include "cli/status_report.h"
#include "cli/vdev_json.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <ctime>

using namespace millpond;
using namespace millpond::cli;

namespace {
/// 2026-11-30 18:14:28 UTC
constexpr std::uint64_t kTime = 1796062468;

struct Made
{
    std::vector<std::byte> bytes;
    std::optional<StatusAnswer> answer;
};

/// A mirror of two files, the second one with errors, and a disk.
Made make(const bus::PoolRow& pool)
{
    bus::DocumentWriter writer(1);
    bus::RowWriter<bus::PoolRow>(writer).append(pool);
    bus::RowWriter<bus::VdevRow> vdevs(writer);
    const auto add = [&](std::uint64_t depth, std::string_view name, std::string_view type) {
        bus::VdevRow row;
        row.pool = "tank";
        row.depth = depth;
        row.name = row.path = name;
        row.type = type;
        row.state = "ONLINE";
        row.allocClass = "normal";
        row.isLeaf = type == "file" || type == "disk";
        row.initializeState = row.trimState = "none";
        if (name == "/b") {
            row.checksumErrors = 2;
            row.slowIos = 1500;
            row.trimState = "complete";
            row.trimTime = kTime;
        }
        if (name == "/dev/sdc1") {
            row.wholeDisk = true;
            row.initializeState = "suspended";
            row.initializeTime = kTime;
            row.initializeDone = 50;
            row.initializeTotal = 100;
        }
        vdevs.append(row);
    };
    add(0, "tank", "root");
    add(1, "mirror-0", "mirror");
    add(2, "/a", "file");
    add(2, "/b", "file");
    add(1, "/dev/sdc1", "disk");
    bus::RowWriter<bus::DataErrorRow> errors(writer);
    bus::RowWriter<bus::DedupRow> dedup(writer);
    Made made;
    made.bytes = std::move(*writer.finish());
    const bus::Document document = *bus::Document::parse(made.bytes);
    made.answer.emplace(StatusAnswer{*bus::Rows<bus::PoolRow>::of(document),
                                     *bus::Rows<bus::VdevRow>::of(document),
                                     *bus::Rows<bus::DataErrorRow>::of(document),
                                     *bus::Rows<bus::DedupRow>::of(document)});
    return made;
}

bus::PoolRow tank()
{
    bus::PoolRow pool;
    pool.name = "tank";
    pool.state = "ONLINE";
    pool.scanKind = pool.scanState = pool.checkpointState = pool.removalState = "none";
    return pool;
}

QString textOf(const bus::PoolRow& pool, const StatusOptions& options)
{
    const Made made = make(pool);
    return QString::fromStdString(statusText(made.answer->pools[0], *made.answer, options));
}
} // namespace

class TestStatusReport : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void usual();
    void columns();
    void onlyBad();
    void work();
    void removal();
    void scanAndCheckpoint();
    void flatJson();
    void namesOfDisks_data();
    void namesOfDisks();
};

void TestStatusReport::initTestCase()
{
    qputenv("TZ", "UTC");
    tzset();
}

void TestStatusReport::usual()
{
    QCOMPARE(textOf(tank(), {}),
             QStringLiteral("  pool: tank\n"
                            " state: ONLINE\n"
                            "config:\n"
                            "\n"
                            "\tNAME        STATE     READ WRITE CKSUM\n"
                            "\ttank        ONLINE       0     0     0\n"
                            "\t  mirror-0  ONLINE       0     0     0\n"
                            "\t    /a      ONLINE       0     0     0\n"
                            "\t    /b      ONLINE       0     0     2\n"
                            "\t  sdc       ONLINE       0     0     0\n"
                            "\n"
                            "errors: No known data errors\n"));
}

void TestStatusReport::columns()
{
    StatusOptions options;
    options.slow = options.power = options.directErrors = true;
    const QString people = textOf(tank(), options);
    QVERIFY2(people.contains("NAME        STATE     READ WRITE CKSUM  SLOW POWER   DIO\n"),
             qPrintable(people));
    QVERIFY2(people.contains("\t  mirror-0  ONLINE       0     0     0     -     -     0\n"),
             qPrintable(people));
    QVERIFY2(people.contains("\t    /b      ONLINE       0     0     2 1.46K     -     0\n"),
             qPrintable(people));
    options.exact = true;
    const QString exact = textOf(tank(), options);
    QVERIFY2(exact.contains("\t  mirror-0  ONLINE       0     0     0     0     -     0\n"),
             qPrintable(exact));
    QVERIFY2(exact.contains("\t    /b      ONLINE       0     0     2  1500     -     0\n"),
             qPrintable(exact));
}

void TestStatusReport::onlyBad()
{
    StatusOptions options;
    options.onlyBadVdevs = true;
    // The mirror is shown because of its part, which is what there is to see.
    QVERIFY2(textOf(tank(), options)
                 .contains("\ttank        ONLINE       0     0     0\n"
                           "\t  mirror-0  ONLINE       0     0     0\n"
                           "\t    /b      ONLINE       0     0     2\n"
                           "\n"
                           "errors:"),
             qPrintable(textOf(tank(), options)));
}

void TestStatusReport::work()
{
    StatusOptions options;
    options.initialize = true;
    const QString initialize = textOf(tank(), options);
    QVERIFY2(initialize.contains("\t    /a      ONLINE       0     0     0  (uninitialized)\n"),
             qPrintable(initialize));
    QVERIFY2(initialize.contains("  (49% initialized, suspended, started at Mon Nov 30 18:14:28 "
                                 "2026)\n"),
             qPrintable(initialize));
    QVERIFY(initialize.contains("\t  mirror-0  ONLINE       0     0     0\n"));
    options.initialize = false;
    options.trim = true;
    const QString trim = textOf(tank(), options);
    QVERIFY2(trim.contains("\t    /a      ONLINE       0     0     0  (untrimmed)\n"),
             qPrintable(trim));
    QVERIFY2(trim.contains("  (100% trimmed, completed at Mon Nov 30 18:14:28 2026)\n"),
             qPrintable(trim));
}

void TestStatusReport::removal()
{
    bus::PoolRow pool = tank();
    pool.removalState = "finished";
    pool.removalVdev = 2;
    pool.removalStarted = pool.removalEnded = kTime;
    pool.removalToCopy = pool.removalCopied = 4528640;
    QVERIFY2(textOf(pool, {}).contains(
                 " state: ONLINE\nremove: Removal of vdev 2 copied 4.32M in 0h0m, completed on Mon "
                 "Nov 30 18:14:28 2026\n"),
             qPrintable(textOf(pool, {})));
    pool.removalState = "cancelled";
    pool.removalName = "mirror-0";
    QVERIFY2(textOf(pool, {}).contains(
                 "remove: Removal of mirror-0 canceled on Mon Nov 30 18:14:28 2026\n"),
             qPrintable(textOf(pool, {})));
    const Made made = make(pool);
    const QString json =
        QString::fromStdString(statusJson(made.answer->pools[0], *made.answer, {}).toText());
    QVERIFY2(json.contains("\"removal_stats\":{\"name\":\"mirror-0\",\"vdev_type\":\"mirror\","),
             qPrintable(json));
    QVERIFY2(json.contains("\"state\":\"CANCELED\",\"removing_vdev\":\"2\""), qPrintable(json));
}

void TestStatusReport::scanAndCheckpoint()
{
    bus::PoolRow pool = tank();
    pool.scanKind = "scrub";
    pool.scanState = "running";
    pool.scanStarted = kTime;
    pool.scanToExamine = 4096;
    pool.scanSkipped = 1024;
    pool.scanExamined = 2560;
    pool.scanIssued = 1536;
    pool.checkpointState = "exists";
    pool.checkpointCreated = kTime;
    pool.checkpointBytes = 246272;
    QVERIFY2(textOf(pool, {}).contains(
                 "  scan: scrub in progress since Mon Nov 30 18:14:28 2026\n"
                 "\t2.50K / 4K scanned, 1.50K / 3K issued\n"
                 "\t0B repaired, 50.00% done, no estimated completion time\n"
                 "    scan warning: skipping blocks that are only referenced by the checkpoint.\n"
                 "checkpoint: created Mon Nov 30 18:14:28 2026, consumes 240K\n"),
             qPrintable(textOf(pool, {})));
    pool.checkpointState = "discarding";
    QVERIFY(textOf(pool, {}).contains("checkpoint: discarding, 240K remaining.\n"));
    QVERIFY(!textOf(pool, {}).contains("scan warning"));
}

void TestStatusReport::flatJson()
{
    StatusOptions options;
    options.flat = true;
    const Made made = make(tank());
    const std::string text = statusJson(made.answer->pools[0], *made.answer, options).toText();
    const QJsonObject vdevs = QJsonDocument::fromJson(QByteArray::fromStdString(text))
                                  .object()[QLatin1String("vdevs")]
                                  .toObject();
    QCOMPARE(vdevs.keys(), QStringList({"/a", "/b", "mirror-0", "sdc", "tank"}));
    const auto member = [&](const char* vdev, const char* key) -> QJsonValue {
        return vdevs[QLatin1String(vdev)].toObject()[QLatin1String(key)];
    };
    QCOMPARE(member("/b", "parent").toString(), QStringLiteral("mirror-0"));
    QCOMPARE(member("mirror-0", "parent").toString(), QStringLiteral("tank"));
    QVERIFY(!member("tank", "parent").isString());
    QCOMPARE(member("tank", "vdevs").toObject().keys(),
             QStringList({"/a", "/b", "mirror-0", "sdc"}));
    QCOMPARE(member("/b", "checksum_errors").toString(), QStringLiteral("2"));
}

void TestStatusReport::namesOfDisks_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("disk");
    const auto row = [](const char* name, const char* disk) {
        QTest::newRow(name) << QString::fromLatin1(name) << QString::fromLatin1(disk);
    };
    row("sda1", "sda");
    row("xvdb12", "xvdb");
    row("nvme0n1p1", "nvme0n1");
    row("ata-WDC_WD40-part1", "ata-WDC_WD40");
    row("ata-WDC_WD40", "ata-WDC_WD40");
    row("nvme0n1", "nvme0n1");
    row("md0p2", "md0");
    row("loop1", "loop1");
    row("sda", "sda");
    row("1", "1");
}

void TestStatusReport::namesOfDisks()
{
    QFETCH(QString, name);
    QFETCH(QString, disk);
    QCOMPARE(QString::fromStdString(withoutPartition(name.toStdString())), disk);
}

QTEST_GUILESS_MAIN(TestStatusReport)
#include "tst_status_report.moc"
