// SPDX-License-Identifier: GPL-3.0-or-later
// Property: devices are known by what is on them. When they have other names or lie elsewhere, the
// next scan, import and start find them there and show nothing of where they were; a device that
// took another's name is not taken for it. Method: images of a raidz1 renamed, swapped and moved
// between scans, after an export, and while the helper was away.
#include "bus/client.h"
#include "cli/command_lines.h"
#include "support/pools.h"

#include <QDir>
#include <QTest>

using namespace millpond::test;

class TestMovedDevices : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void renamedBetweenScans();
    void swappedAfterExport();
    void movedBetweenImports();
    void renamedWhileTheHelperWasAway();

private:
    [[nodiscard]] QString path(const QString& name) const { return m_run.scratch().path(name); }

    [[nodiscard]] bool rename(const QString& from, const QString& to) const
    {
        return QFile::rename(path(from), path(to));
    }

    /// Names of the leaves in `status -P`, in order, below the scratch folder; with the state of
    /// those that are not ONLINE.
    [[nodiscard]] QStringList leaves() const;
    /// guid of each leaf, in order.
    [[nodiscard]] QStringList guids() const;
    [[nodiscard]] bool import(const QStringList& places) const;

    CommandLines m_run;
    QStringList m_guids;
};

QStringList TestMovedDevices::leaves() const
{
    QStringList leaves;
    for (const QString& line : m_run.zpoolLines({"status", "-P", "c_raidz1"})) {
        const QStringList words = line.simplified().split(u' ');
        if (words.size() >= 5 && (words[0].startsWith(u'/') || words[0][0].isDigit())) {
            const QString name = QString(words[0]).remove(m_run.scratch().path() + u'/');
            leaves << (words[1] == QLatin1String("ONLINE") ? name : name + u' ' + words[1]);
        }
    }
    return leaves;
}

QStringList TestMovedDevices::guids() const
{
    QStringList guids;
    for (const QString& line :
         m_run.zpoolLines({"get", "-H", "-o", "value", "guid", "c_raidz1", "all-vdevs"})) {
        guids << line;
    }
    return guids.mid(2);
}

bool TestMovedDevices::import(const QStringList& places) const
{
    QStringList words{"import", "-f", "-N", "-o", "readonly=on"};
    for (const QString& place : places) {
        words << "-d" << path(place);
    }
    const ProcessResult result = m_run.zpool(words << "c_raidz1");
    if (!result.succeeded()) {
        qWarning("%s", qPrintable(result.toText()));
    }
    return result.succeeded();
}

void TestMovedDevices::initTestCase()
{
    MP_REQUIRE_POOL("c-raidz1");
    QVERIFY(m_run.start());
    QVERIFY(copyGoldenPool(QStringLiteral("c-raidz1"), path("a")));
    const QStringList disks = findGoldenPool(QStringLiteral("c-raidz1"))->disks;
    QCOMPARE(disks.size(), qsizetype{3});
    for (int i = 0; i < 3; ++i) {
        QVERIFY(rename("a/" + disks[i], QStringLiteral("a/disk%1").arg(i)));
    }
    QVERIFY(import({"a"}));
    QCOMPARE(leaves(), (QStringList{"a/disk0", "a/disk1", "a/disk2"}));
    m_guids = guids();
    QCOMPARE(m_guids.size(), qsizetype{3});
    QCOMPARE(m_run.zpoolOutput({"export", "c_raidz1"}), QString());
}

void TestMovedDevices::renamedBetweenScans()
{
    QVERIFY(m_run.zpoolOutput({"import", "-d", path("a")}).contains(" disk1 "));
    QVERIFY(rename("a/disk1", "a/other"));
    const QString scan = m_run.zpoolOutput({"import", "-d", path("a")});
    QVERIFY2(scan.contains(" other ") && !scan.contains(" disk1 "), qPrintable(scan));
    QVERIFY2(!scan.contains("UNAVAIL"), qPrintable(scan));
    QVERIFY(import({"a"}));
    QCOMPARE(leaves(), (QStringList{"a/disk0", "a/other", "a/disk2"}));
    QCOMPARE(guids(), m_guids);
    QCOMPARE(m_run.zpoolOutput({"export", "c_raidz1"}), QString());
}

void TestMovedDevices::swappedAfterExport()
{
    QVERIFY(rename("a/disk0", "a/spare"));
    QVERIFY(rename("a/disk2", "a/disk0"));
    QVERIFY(rename("a/spare", "a/disk2"));
    QVERIFY(import({"a/disk0", "a/other", "a/disk2"}));
    QCOMPARE(leaves(), (QStringList{"a/disk2", "a/other", "a/disk0"}));
    QCOMPARE(guids(), m_guids);
    QCOMPARE(m_run.zpoolOutput({"export", "c_raidz1"}), QString());
}

void TestMovedDevices::movedBetweenImports()
{
    QVERIFY(QDir(m_run.scratch().path()).mkpath("b"));
    QVERIFY(rename("a/other", "b/moved"));
    // Only where it was: one device is missing, under its guid.
    QVERIFY(import({"a"}));
    QCOMPARE(leaves(),
             (QStringList{"a/disk2", m_guids[1] + QStringLiteral(" UNAVAIL"), "a/disk0"}));
    QCOMPARE(m_run.zpoolOutput({"export", "c_raidz1"}), QString());
    QVERIFY(import({"a", "b"}));
    QCOMPARE(leaves(), (QStringList{"a/disk2", "b/moved", "a/disk0"}));
    QCOMPARE(m_run.zpoolOutput({"export", "c_raidz1"}), QString());
}

void TestMovedDevices::renamedWhileTheHelperWasAway()
{
    QVERIFY(import({"a/disk0", "b/moved", "a/disk2"}));
    {
        millpond::bus::ConnectOptions options;
        options.mode = millpond::bus::HelperMode::Private;
        options.socketPath = m_run.socket().toStdString();
        auto client = millpond::bus::Client::connect(options);
        QVERIFY(client.has_value());
        const auto changed = client->setOpenAtStart("c_raidz1", true);
        QVERIFY(changed.has_value() && *changed);
    }
    m_run.stop();
    QVERIFY(rename("b/moved", "b/again"));
    QVERIFY(rename("a/disk2", "a/last"));
    QVERIFY(m_run.start());
    QTRY_COMPARE_WITH_TIMEOUT(leaves(), (QStringList{"a/last", "b/again", "a/disk0"}), 20'000);
    QCOMPARE(guids(), m_guids);
}

QTEST_GUILESS_MAIN(TestMovedDevices)
#include "tst_moved_devices.moc"
