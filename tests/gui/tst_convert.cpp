// SPDX-License-Identifier: GPL-3.0-or-later
// Property: documents of the bus become the values the window shows, and documents that lack tables
// or point outside them become an error, never a crash. Method: documents written with the bus' own
// writer, whole and broken.
#include "gui/client/convert.h"

#include <QTest>

using namespace millpond;

class ConvertTest : public QObject
{
    Q_OBJECT

private slots:
    void poolsWithDevicesAndErrors();
    void foundPools();
    void sectionsHaveHeadings();
    void datasetsAsTable();
    void rangesOutsideTheTable();
    void missingTable();
    void notADocument();
    void checkReport();
};

namespace {

bus::Document documentOf(bus::DocumentWriter& writer)
{
    auto fd = writer.finishToMemfd();
    Q_ASSERT(fd);
    return *bus::Document::open(fd->get());
}

void writeVdevs(bus::DocumentWriter& writer, std::uint64_t poolGuid)
{
    bus::RowWriter<bus::VdevRow> vdevs(writer);
    bus::VdevRow row;
    row.poolGuid = poolGuid;
    row.name = "tank";
    row.guid = poolGuid;
    row.state = "DEGRADED";
    row.size = bus::kUnknown;
    vdevs.append(row);
    row.depth = 1'000'000'000;
    row.name = "disk";
    row.isLeaf = true;
    vdevs.append(row);
    row.poolGuid = 12345; // of no pool that was answered
    vdevs.append(row);
}

} // namespace

void ConvertTest::poolsWithDevicesAndErrors()
{
    bus::DocumentWriter writer(1);
    bus::PoolRow pool;
    pool.name = "tank";
    pool.guid = 7;
    pool.state = "DEGRADED";
    pool.scanKind = "scrub";
    pool.scanState = "finished";
    pool.scanEnded = 1'700'000'000;
    pool.errorCount = 1;
    bus::RowWriter<bus::PoolRow>(writer).append(pool);
    writeVdevs(writer, 7);
    bus::DataErrorRow error;
    error.pool = "tank";
    error.dataset = "tank/home";
    error.path = "/file";
    bus::RowWriter<bus::DataErrorRow>(writer).append(error);

    const auto pools = client::importedPools(documentOf(writer));
    QVERIFY(pools.has_value());
    QCOMPARE(pools->size(), 1);
    const state::Pool& tank = pools->front();
    QVERIFY(tank.imported);
    QCOMPARE(tank.health(), state::Health::Degraded);
    QCOMPARE(tank.vdevs.size(), 2);
    QVERIFY(!tank.vdevs.front().size.has_value());
    QVERIFY(tank.vdevs.back().depth < 100); // whatever the document says
    QCOMPARE(tank.errors.front().path, QStringLiteral("/file"));
    QCOMPARE(tank.scan.ended.toSecsSinceEpoch(), 1'700'000'000);
}

void ConvertTest::foundPools()
{
    bus::DocumentWriter writer(1);
    bus::PoolRow pool;
    pool.name = "old";
    pool.guid = 9;
    bus::RowWriter<bus::PoolRow>(writer).append(pool);
    bus::FoundPoolRow found;
    found.guid = 9;
    found.importable = true;
    found.devices = "/dev/sda1\n/dev/sdb1";
    found.missingFeatures = "a:b c:d";
    bus::RowWriter<bus::FoundPoolRow>(writer).append(found);
    writeVdevs(writer, 9);

    const auto pools = client::foundPools(documentOf(writer));
    QVERIFY(pools.has_value());
    QVERIFY(pools->front().importable && !pools->front().imported);
    QCOMPARE(pools->front().devices.size(), 2);
    QCOMPARE(pools->front().missingFeatures.size(), 2);
}

void ConvertTest::sectionsHaveHeadings()
{
    bus::DocumentWriter writer(1);
    bus::PoolRow pool;
    pool.guid = 7;
    bus::RowWriter<bus::PoolRow>(writer).append(pool);
    bus::RowWriter<bus::VdevRow> vdevs(writer);
    const auto add =
        [&vdevs](std::uint64_t depth, std::string_view name, std::string_view allocClass) {
            bus::VdevRow row;
            row.poolGuid = 7;
            row.guid = 1;
            row.depth = depth;
            row.name = name;
            row.allocClass = allocClass;
            vdevs.append(row);
        };
    add(0, "tank", "normal");
    add(1, "a", "normal");
    add(1, "mirror-1", "log");
    add(2, "b", "log");
    add(2, "c", "log");
    add(1, "d", "log");
    add(1, "e", "spare");
    (void)bus::RowWriter<bus::DataErrorRow>(writer);
    const auto pools = client::importedPools(documentOf(writer));
    QVERIFY(pools.has_value());
    QStringList names;
    for (const state::Vdev& vdev : pools->front().vdevs) {
        names.append(vdev.name);
    }
    QCOMPARE(names.join(QLatin1Char(' ')), QStringLiteral("tank a logs mirror-1 b c d spares e"));
}

void ConvertTest::datasetsAsTable()
{
    bus::DocumentWriter writer(1);
    bus::RowWriter<bus::DatasetRow> datasets(writer);
    bus::RowWriter<bus::DatasetPropertyRow> properties(writer);
    datasets.append({"tank", "filesystem", 0, 2});
    datasets.append({"tank/vol", "volume", 2, 1});
    properties.append({"tank", "filesystem", "used", "100", "-", "", "-"});
    properties.append({"tank", "filesystem", "mountpoint", "/tank", "default", "", "-"});
    properties.append({"tank/vol", "volume", "used", "50", "-", "", "-"});

    const QStringList asked{QStringLiteral("mountpoint"), QStringLiteral("used")};
    const auto table = client::datasetTable(documentOf(writer), asked);
    QVERIFY(table.has_value());
    QCOMPARE(table->size(), std::size_t{2});
    QCOMPARE(table->name(1), std::string_view("tank/vol"));
    QCOMPARE(table->kind(1), state::DatasetKind::Volume);
    QCOMPARE(table->cell(0, 0), std::string_view("/tank"));
    QCOMPARE(table->cell(1, 0), std::string_view());
    QCOMPARE(table->cell(1, 1), std::string_view("50"));
}

void ConvertTest::rangesOutsideTheTable()
{
    bus::DocumentWriter writer(1);
    bus::RowWriter<bus::DatasetRow> datasets(writer);
    bus::RowWriter<bus::DatasetPropertyRow> properties(writer);
    datasets.append({"a", "filesystem", 5, 3});
    datasets.append({"b", "filesystem", ~std::uint64_t{0}, ~std::uint64_t{0}});
    datasets.append({"c", "filesystem", 0, ~std::uint64_t{0}});
    properties.append({"c", "filesystem", "used", "1", "-", "", "-"});
    const auto table = client::datasetTable(documentOf(writer), {QStringLiteral("used")});
    QVERIFY(table.has_value());
    QCOMPARE(table->cell(0, 0), std::string_view());
    QCOMPARE(table->cell(2, 0), std::string_view("1"));
}

void ConvertTest::missingTable()
{
    bus::DocumentWriter writer(1);
    const bus::Document document = documentOf(writer);
    const auto pools = client::importedPools(document);
    QVERIFY(!pools.has_value());
    QCOMPARE(pools.error().kind, state::CallError::Kind::BadAnswer);
    QVERIFY(!client::datasetTable(document, {}).has_value());
    QVERIFY(!client::jobList(document).has_value());
    QVERIFY(!client::checkReport(document).has_value());
}

void ConvertTest::notADocument()
{
    QVERIFY(!client::openDocument(-1).has_value());
    QVERIFY(!client::openDocument(0).has_value());
}

void ConvertTest::checkReport()
{
    bus::DocumentWriter writer(1);
    bus::RowWriter<bus::CheckProblemRow> problems(writer);
    bus::CheckProblemRow problem;
    problem.kind = "leak";
    problem.text = "4096 bytes";
    problems.append(problem);
    bus::RowWriter<bus::CheckSummaryRow> summary(writer);
    const auto before = client::checkReport(documentOf(writer));
    QVERIFY(before.has_value() && !before->finished);
    bus::CheckSummaryRow row;
    row.problemCount = 20'000;
    summary.append(row);
    const auto after = client::checkReport(documentOf(writer));
    QVERIFY(after->finished);
    QCOMPARE(after->problemCount, quint64{20'000});
    QCOMPARE(after->problems.size(), 1);
}

QTEST_GUILESS_MAIN(ConvertTest)

#include "tst_convert.moc"
