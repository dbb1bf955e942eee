// SPDX-License-Identifier: GPL-3.0-or-later
// Property: the list of pools to open at start survives whatever names and paths hold, and a
// damaged file is refused and left alone. Method: write, read back, damage.
#include "daemon/start_list.h"
#include "support/scratch.h"

#include <QFile>
#include <QTest>

using namespace millpond;
using namespace millpond::daemon;

class TestStartList : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void emptyWithoutFile();
    void givesBackWhatWasPutIn();
    void damagedFileIsLeftAlone_data();
    void damagedFileIsLeftAlone();
};

void TestStartList::emptyWithoutFile()
{
    const test::ScratchFolder scratch;
    StartList list(scratch.path("list").toStdString());
    QVERIFY(list.load().has_value());
    QVERIFY(list.pools().empty());
    QVERIFY(!*list.remove(PoolGuid(1)));
}

void TestStartList::givesBackWhatWasPutIn()
{
    const test::ScratchFolder scratch;
    const std::string path = scratch.path("list").toStdString();
    {
        StartList list(path);
        QVERIFY(list.load().has_value());
        QVERIFY(*list.add({PoolGuid(18446744073709551615U), "tank", {"/a\tb\nc%", "/d e"}}));
        QVERIFY(*list.add({PoolGuid(7), "#pool", {}}));
        QVERIFY(!*list.add({PoolGuid(7), "#pool", {}}));
        QVERIFY(*list.add({PoolGuid(7), "renamed", {}}));
    }
    StartList list(path);
    QVERIFY(list.load().has_value());
    const std::vector<StartPool> pools = list.pools();
    QCOMPARE(pools.size(), std::size_t{2});
    QVERIFY(pools[0].guid == PoolGuid(18446744073709551615U) && pools[0].name == "tank");
    QVERIFY((pools[0].searchPaths == std::vector<std::string>{"/a\tb\nc%", "/d e"}));
    QVERIFY(pools[1].name == "renamed" && list.contains(PoolGuid(7)));
    QVERIFY(*list.remove(PoolGuid(7)));
    QCOMPARE(StartList::readFile(path)->size(), std::size_t{1});
}

void TestStartList::damagedFileIsLeftAlone_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("no name") << QByteArray("12\n");
    QTest::newRow("no guid") << QByteArray("x\ttank\n");
    QTest::newRow("guid too big") << QByteArray("99999999999999999999\ttank\n");
    QTest::newRow("zero") << QByteArray("0\ttank\n");
    QTest::newRow("bad escape") << QByteArray("1\tta%zk\n");
    QTest::newRow("cut escape") << QByteArray("1\ttank%2\n");
}

void TestStartList::damagedFileIsLeftAlone()
{
    QFETCH(QByteArray, text);
    const test::ScratchFolder scratch;
    QFile file(scratch.path("list"));
    QVERIFY(file.open(QIODevice::ReadWrite) && file.write(text) == text.size() && file.flush());
    StartList list(file.fileName().toStdString());
    const Status loaded = list.load();
    QVERIFY(!loaded && loaded.error().is(ErrorCode::BadConfig));
    QVERIFY(!list.add({PoolGuid(1), "tank", {}}));
    QVERIFY(file.seek(0));
    QCOMPARE(file.readAll(), text);
}

QTEST_GUILESS_MAIN(TestStartList)
#include "tst_start_list.moc"
