// SPDX-License-Identifier: GPL-3.0-or-later
// Property: the offline check finds what is wrong behind right checksums, and says where. Method:
// one number of a sound pool is changed where it stands, and everything above gets its new checksum
// (crash/pool_editor.h); written anew without a change, the same blocks give a clean check.
#include "engine/pool/planter.h"
#include "support/pools.h"
#include "support/scratch.h"

#include <QTest>

#include <algorithm>

using namespace millpond;
using namespace millpond::test;

namespace {
using Plant = std::function<Planter::Planted(Planter&)>;

struct Planting
{
    const char* name;
    Plant plant;
};

/// One wrong number shows in a few places, not everywhere.
constexpr std::uint64_t kMaxProblems = 6;

struct Target
{
    const char* pool;   ///< golden
    const char* live;   ///< a live dataset
    const char* shared; ///< one with files of several blocks
    const char* snapshot;
};

// One disk, a raidz and a mirror.
constexpr Target kTargets[] = {
    {"a-single", "a_single/data", "a_single/rs4k", "a_single/data@snap1"},
    {"c-raidz1", "c_raidz1/fs", "c_raidz1/rs8k", "c_raidz1/fs@s1"},
    {"l-degraded-mirror", "l_degraded_mirror/fs", "l_degraded_mirror/fs", nullptr},
};

std::vector<Planting> plantingsFor(const Target& target)
{
    const std::string live = target.live;
    const std::string shared = target.shared;
    std::vector<Planting> plantings{
        {"leaked segment", [](Planter& planter) { return planter.leakedSegment(); }},
        {"segment in use called free", [](Planter& planter) { return planter.freeSegmentInUse(); }},
        {"segment used twice", [=](Planter& planter) { return planter.sharedSegment(shared); }},
        {"referenced count", [=](Planter& planter) { return planter.referencedCount(live); }},
        {"entry to a freed object",
         [=](Planter& planter) { return planter.entryToFreedObject(live); }},
        {"link count", [=](Planter& planter) { return planter.linkCount(live); }},
        {"space of an object", [=](Planter& planter) { return planter.objectSpace(live); }},
        {"used by a dataset", [=](Planter& planter) { return planter.directorySpace(live); }},
        {"sum of a deadlist", [=](Planter& planter) { return planter.deadlistSum(live); }},
        {"count of a ZAP", [](Planter& planter) { return planter.zapCount(); }},
    };
    if (target.snapshot != nullptr) {
        const std::string snapshot = target.snapshot;
        plantings.insert(
            plantings.end(),
            {{"next snapshot", [=](Planter& planter) { return planter.nextSnapshot(snapshot); }},
             {"entry to a freed object in a snapshot",
              [=](Planter& planter) { return planter.entryToFreedObject(snapshot); }},
             {"link count in a snapshot",
              [=](Planter& planter) { return planter.linkCount(snapshot); }},
             {"space of an object in a snapshot",
              [=](Planter& planter) { return planter.objectSpace(snapshot); }}});
    }
    return plantings;
}

bool holds(const Expected& expected, const api::CheckProblem& problem)
{
    return problem.kind == expected.kind &&
           (expected.dataset.empty() || problem.dataset == expected.dataset) &&
           (expected.path.empty() || problem.path == expected.path) &&
           problem.text.find(expected.text) != std::string::npos &&
           problem.text.find(problem.dataset) != std::string::npos &&
           problem.text.find(problem.path) != std::string::npos;
}

QString linesOf(const api::CheckReport& report)
{
    QStringList lines{QStringLiteral("%1 problems").arg(report.problemCount)};
    for (const api::CheckProblem& problem : report.problems) {
        lines << QString::fromStdString(problem.text);
    }
    return lines.mid(0, 20).join(u'\n');
}
} // namespace

class TestCheckPlantings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void soundPools_data();
    void soundPools();
    void control_data();
    void control();
    void finds_data();
    void finds();
};

void TestCheckPlantings::soundPools_data()
{
    QTest::addColumn<QString>("name");
    for (const QString& name : goldenPoolNames()) {
        QTest::newRow(qPrintable(name)) << name;
    }
}

/// Whatever their makers left in them, nothing is found that is not there.
void TestCheckPlantings::soundPools()
{
    QFETCH(QString, name);
    const auto golden = findGoldenPool(name);
    const auto report = checkPool(unpackGoldenPool(name), golden->pool);
    if (!report) { // Refused by the name of a feature: the comparison of pools tests that.
        QVERIFY2(report.error().errorClass() == ErrorClass::Unsupported,
                 report.error().toText().c_str());
        return;
    }
    QVERIFY2(report->problemCount == 0, qPrintable(linesOf(*report)));
}

void TestCheckPlantings::control_data()
{
    QTest::addColumn<int>("target");
    for (int i = 0; i < int{std::size(kTargets)}; ++i) {
        QTest::newRow(kTargets[i].pool) << i;
    }
}

void TestCheckPlantings::control()
{
    QFETCH(int, target);
    const QString name = QString::fromLatin1(kTargets[target].pool);
    MP_REQUIRE_POOL(name);
    const auto golden = findGoldenPool(name);
    const ScratchFolder scratch;
    const QString folder = scratch.path(QStringLiteral("images"));
    QVERIFY(copyGoldenPool(name, folder));
    for (const Planting& planting : plantingsFor(kTargets[target])) {
        Planter planter(folder, golden->disks, false);
        const auto planted = planting.plant(planter);
        QVERIFY2(planted,
                 planted ? "" : (planting.name + (": " + planted.error().toText())).c_str());
    }
    const auto report = checkPool(folder, golden->pool);
    QVERIFY2(report, report ? "" : report.error().toText().c_str());
    QVERIFY2(report->problemCount == 0, qPrintable(linesOf(*report)));
}

void TestCheckPlantings::finds_data()
{
    QTest::addColumn<int>("target");
    QTest::addColumn<int>("planting");
    for (int i = 0; i < int{std::size(kTargets)}; ++i) {
        const auto plantings = plantingsFor(kTargets[i]);
        for (std::size_t k = 0; k < plantings.size(); ++k) {
            QTest::addRow("%s: %s", kTargets[i].pool, plantings[k].name) << i << int(k);
        }
    }
}

void TestCheckPlantings::finds()
{
    QFETCH(int, target);
    QFETCH(int, planting);
    const QString name = QString::fromLatin1(kTargets[target].pool);
    MP_REQUIRE_POOL(name);
    const auto golden = findGoldenPool(name);
    const ScratchFolder scratch;
    const QString folder = scratch.path(QStringLiteral("images"));
    QVERIFY(copyGoldenPool(name, folder));
    Planter planter(folder, golden->disks, true);
    const auto planted =
        plantingsFor(kTargets[target])[static_cast<std::size_t>(planting)].plant(planter);
    QVERIFY2(planted, planted ? "" : planted.error().toText().c_str());
    QVERIFY2(planted->has_value(), "the pool has no place for it");
    const auto report = checkPool(folder, golden->pool);
    QVERIFY2(report, report ? "" : report.error().toText().c_str());
    QVERIFY2(std::ranges::any_of(
                 report->problems,
                 [&](const api::CheckProblem& problem) { return holds(**planted, problem); }),
             qPrintable(linesOf(*report)));
    QVERIFY2(report->problemCount <= kMaxProblems, qPrintable(linesOf(*report)));
}

QTEST_GUILESS_MAIN(TestCheckPlantings)
#include "tst_check_plantings.moc"
