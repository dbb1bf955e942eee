// SPDX-License-Identifier: GPL-3.0-or-later
// Property: a pool that is found but refused says what it needs, in its health too, and shows its
// devices with their true sizes. Method: a scan of pools with features this program lacks.
#include "api/engine.h"
#include "support/pools.h"

#include <QFileInfo>
#include <QTest>

#include <algorithm>

using namespace millpond;
using namespace millpond::test;

class TestFoundPools : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void namesWhatIsMissing_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("words");
        QTest::newRow("draid") << QStringLiteral("h-draid") << QStringLiteral("org.openzfs:draid");
        QTest::newRow("removed device")
            << QStringLiteral("l-removed") << QStringLiteral("com.delphix:device_removal");
        QTest::newRow("expanded raidz")
            << QStringLiteral("l-expand") << QStringLiteral("org.openzfs:raidz_expansion");
        QTest::newRow("from the future") << QStringLiteral("s-v999") << QStringLiteral("999");
    }

    void namesWhatIsMissing()
    {
        QFETCH(QString, name);
        QFETCH(QString, words);
        MP_REQUIRE_POOL(name);
        const auto found = scan(name);
        if (!found) {
            QFAIL("not found");
            return;
        }
        if (found->importable) {
            QSKIP("supported by now; the pools of ../shared have no other");
        }
        const std::string expected = words.toStdString();
        QVERIFY2(found->reason.find(expected) != std::string::npos, found->reason.c_str());
        QVERIFY2(found->status.status.find(expected) != std::string::npos,
                 found->status.status.c_str());
        QVERIFY2(found->status.action.find("onnect") == std::string::npos,
                 found->status.action.c_str());
    }

    void showsSizesOfDevices()
    {
        const QString name = QStringLiteral("s-v999"); // refused, but its vdevs are plain
        MP_REQUIRE_POOL(name);
        const auto found = scan(name);
        QVERIFY(found && !found->importable);
        bool hasLeaf = false;
        for (const api::VdevRow& row : found->status.vdevs) {
            if (row.isLeaf) {
                hasLeaf = true;
                const QString image =
                    unpackGoldenPool(name) + u'/' + findGoldenPool(name)->disks.value(0);
                QCOMPARE(row.physicalSize, static_cast<quint64>(QFileInfo(image).size()));
            }
        }
        QVERIFY(hasLeaf);
    }

private:
    static std::optional<api::FoundPool> scan(const QString& name)
    {
        const auto engine = api::Engine::create({});
        if (!engine) {
            return std::nullopt;
        }
        api::ScanRequest where;
        where.directories = {unpackGoldenPool(name).toStdString()};
        auto found = (*engine)->scan(where);
        if (!found || found->size() != 1) {
            return std::nullopt;
        }
        return found->front();
    }
};

QTEST_GUILESS_MAIN(TestFoundPools)
#include "tst_found_pools.moc"
