// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: a dataset is seen where its properties or its name say, inside an ancestor's mount
// exactly where that makes no difference, and nowhere when it must not be. Method: tables.
#include "fuse/placement.h"

#include <QTest>

using namespace millpond;
using namespace millpond::fuse;

namespace {
DatasetInfo dataset(const char* name, const char* mountpoint)
{
    DatasetInfo info;
    info.name = name;
    info.objset = ObjsetId(100);
    info.mountpoint = mountpoint;
    info.canMount = "on";
    return info;
}

const MountSite kTank{"tank", "/tank", {}};
} // namespace

class TestPlacement : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void placesByProperty()
    {
        const PlacementRules rules;
        QCOMPARE(*placeOf(dataset("tank/a", "/tank/a"), rules), std::string("/tank/a"));
        QVERIFY(!placeOf(dataset("tank/a", "none"), rules));
        QVERIFY(!placeOf(dataset("tank/a", "legacy"), rules));
        QVERIFY(!placeOf(dataset("tank/a", "tank/a"), rules));
        DatasetInfo off = dataset("tank/a", "/tank/a");
        off.canMount = "off";
        QVERIFY(!placeOf(off, rules));
        DatasetInfo locked = dataset("tank/a", "/tank/a");
        locked.encrypted = true;
        QCOMPARE(placeOf(locked, rules).error().code(), ErrorCode::Encrypted);
    }

    void placesByName()
    {
        PlacementRules rules;
        rules.base = "/run/millpond/tank";
        QCOMPARE(*placeOf(dataset("tank", "/etc"), rules), std::string("/run/millpond/tank"));
        QCOMPARE(*placeOf(dataset("tank/a/b", "none"), rules),
                 std::string("/run/millpond/tank/a/b"));
    }

    void insideWhereItMakesNoDifference()
    {
        const PlacementRules rules;
        const DatasetInfo child = dataset("tank/a/b", "/tank/a/b");
        QVERIFY(placeKind(child, "/tank/a/b", rules, &kTank) == PlaceKind::Inside);
        QVERIFY(placeKind(child, "/tank/a/b", rules, nullptr) == PlaceKind::Own);
        QVERIFY(placeKind(child, "/elsewhere", rules, &kTank) == PlaceKind::Own);
        QVERIFY(placeKind(child, "/tank/b", rules, &kTank) == PlaceKind::Own);
        DatasetInfo apart = child;
        apart.separateMount = true;
        QVERIFY(placeKind(apart, "/tank/a/b", rules, &kTank) == PlaceKind::Nested);
        for (bool DatasetInfo::* property :
             {&DatasetInfo::setuid, &DatasetInfo::devices, &DatasetInfo::exec}) {
            DatasetInfo other = child;
            other.*property = false;
            QVERIFY(placeKind(other, "/tank/a/b", rules, &kTank) == PlaceKind::Nested);
        }
        DatasetInfo large = child;
        large.objset = ObjsetId(std::uint64_t{1} << 24U);
        QVERIFY(placeKind(large, "/tank/a/b", rules, &kTank) == PlaceKind::Nested);
    }

    void restrictionsMakePropertiesEqual()
    {
        PlacementRules rules;
        rules.restricted = true;
        DatasetInfo child = dataset("tank/a", "/tank/a");
        child.setuid = child.devices = false;
        const MountSite site{"tank", "/tank", kernelOptionsOf(dataset("tank", "/tank"), rules)};
        QCOMPARE(site.options.toText(), std::string("ro,nosuid,nodev"));
        QVERIFY(placeKind(child, "/tank/a", rules, &site) == PlaceKind::Inside);
        child.exec = false;
        QVERIFY(placeKind(child, "/tank/a", rules, &site) == PlaceKind::Nested);
        rules.oneMountOnly = true;
        QVERIFY(placeKind(child, "/tank/a", rules, &site) == PlaceKind::Inside);
    }

    void optionsOnlyRestrict()
    {
        QCOMPARE(parseMountOptions("", true)->toText(), std::string("ro"));
        QCOMPARE(parseMountOptions("ro,noexec,nodev", true)->toText(),
                 std::string("ro,nodev,noexec"));
        QCOMPARE(parseMountOptions("suid,nosuid,noatime", true)->toText(),
                 std::string("ro,nosuid"));
        QCOMPARE(parseMountOptions("rw", true).error().code(), ErrorCode::ReadOnly);
        QCOMPARE(parseMountOptions("fd=3", true).error().code(), ErrorCode::InvalidArgument);
        QCOMPARE(parseMountOptions("remount", true).error().code(), ErrorCode::InvalidArgument);
    }

    void pathsAndNamesEndAtComponents()
    {
        QVERIFY(isDatasetAtOrBelow("tank/a", "tank"));
        QVERIFY(isDatasetAtOrBelow("tank", "tank"));
        QVERIFY(!isDatasetAtOrBelow("tanker", "tank"));
        QVERIFY(isPathAtOrBelow("/mnt/a", "/"));
        QVERIFY(!isPathAtOrBelow("/mnta", "/mnt"));
        QCOMPARE(pathBelow("/", "tank", "tank/a"), std::string("/a"));
        QCOMPARE(pathBelow("/mnt", "tank", "tank/a/b"), std::string("/mnt/a/b"));
    }
};

QTEST_GUILESS_MAIN(TestPlacement)
#include "tst_placement.moc"
