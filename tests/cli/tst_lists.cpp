// SPDX-License-Identifier: GPL-3.0-or-later
// Property: what decides about lists and values from outside the command's own options: the pool's
// listsnapshots, the machine's users, the clock behind latencies, usage texts that programs look
// into. Method: pools that OpenZFS made, and a private helper.
#include "cli/command_lines.h"
#include "support/pools.h"

#include <QTest>

#include <algorithm>

using namespace millpond::test;

class TestLists : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void poolListsSnapshots();
    void usersByName();
    void latencies();
    void usageTexts_data();
    void usageTexts();
    void statusOptions();

private:
    CommandLines m_run;
};

void TestLists::initTestCase()
{
    MP_REQUIRE_POOL("a-single");
    QVERIFY(m_run.start());
    const QString images = unpackGoldenPool(QStringLiteral("a-single"));
    const ProcessResult wrong =
        m_run.zpool({"import", "-f", "-N", "-o", "listsnapshots=maybe", "-d", images, "a_single"});
    QCOMPARE(wrong.exitCode, 1);
    QVERIFY2(wrong.errors.contains("listsnapshots"), wrong.errors.constData());
    const ProcessResult imported = m_run.zpool({"import",
                                                "-f",
                                                "-N",
                                                "-o",
                                                "readonly=on",
                                                "-o",
                                                "listsnapshots=on",
                                                "-d",
                                                images,
                                                "a_single"});
    QVERIFY2(imported.succeeded(), qPrintable(imported.toText()));
    QVERIFY(m_run.importPool(QStringLiteral("j-quota")));
}

void TestLists::poolListsSnapshots()
{
    QCOMPARE(m_run.zpoolOutput({"get", "-H", "-o", "value,source", "listsnapshots", "a_single"}),
             QStringLiteral("on\tlocal\n"));
    const QStringList all = m_run.zfsLines({"list", "-H", "-o", "name"});
    QVERIFY(all.contains("a_single/data@snap1"));
    const auto isSnapshot = [](const QString& name) { return name.contains(u'@'); };
    QVERIFY(std::none_of(all.begin(), all.end(), [&](const QString& name) {
        return isSnapshot(name) && name.startsWith(QLatin1String("j_quota"));
    }));
    QVERIFY(m_run.zfsLines({"list", "-H", "-o", "name", "-r", "a_single/data"})
                .contains("a_single/data@snap1"));
    QCOMPARE(m_run.zfsLines({"list", "-H", "-o", "name", "a_single/data"}),
             QStringList({"a_single/data"}));
    for (const QStringList& options :
         {QStringList{"-t", "filesystem,volume", "-o", "name"}, QStringList{"-o", "space"}}) {
        const QStringList lines = m_run.zfsLines(QStringList{"list", "-H"} + options);
        QVERIFY(!lines.isEmpty());
        QVERIFY(std::none_of(lines.begin(), lines.end(), isSnapshot));
    }
}

void TestLists::usersByName()
{
    for (const char* property : {"userused", "userobjused", "groupused", "groupobjused"}) {
        const QString name = QString::fromLatin1(property);
        const QStringList values =
            m_run.zfsLines({"get", "-Hp", "-o", "value", name + "@root," + name + "@0", "j_quota"});
        QCOMPARE(values.size(), qsizetype{2});
        QCOMPARE(values[0], values[1]);
        bool isNumber = false;
        (void)values[0].toULongLong(&isNumber);
        QVERIFY2(isNumber, qPrintable(values[0]));
    }
    QCOMPARE(m_run.zfsOutput(
                 {"get", "-Hp", "-o", "value", "userused@nobody-of-that-name-here", "j_quota"}),
             QStringLiteral("-\n"));
}

void TestLists::latencies()
{
    // Importing has read the pool; a read that takes no time at all is none.
    const QStringList cells =
        m_run.zpoolOutput({"iostat", "-H", "-p", "-l", "a_single"}).trimmed().split(u'\t');
    QCOMPARE(cells.size(), qsizetype{18});
    QVERIFY2(cells[7].toULongLong() > 0, qPrintable(cells.join(u' ')));
}

void TestLists::usageTexts_data()
{
    QTest::addColumn<QString>("command");
    QTest::addColumn<QByteArray>("words");
    // What zrepl looks for.
    QTest::newRow("send") << QStringLiteral("send") << QByteArray("receive_resume_token");
    QTest::newRow("receive") << QStringLiteral("receive") << QByteArray("-A <filesystem|volume>");
    QTest::newRow("destroy") << QStringLiteral("destroy")
                             << QByteArray("<filesystem|volume>@<snap>[%<snap>][,...]");
    QTest::newRow("load-key") << QStringLiteral("load-key") << QByteArray("keylocation");
}

void TestLists::usageTexts()
{
    QFETCH(QString, command);
    QFETCH(QByteArray, words);
    const ProcessResult result = m_run.zfs({command});
    QCOMPARE(result.exitCode, 2);
    QVERIFY2(result.errors.contains(words) && result.errors.contains("usage:\n\t"),
             result.errors.constData());
    QVERIFY(result.output.isEmpty());
}

void TestLists::statusOptions()
{
    const QString text = m_run.zpoolOutput({"status", "-s", "-d", "-i", "-t", "-p", "a_single"});
    QVERIFY2(text.contains(" CKSUM  SLOW   DIO\n"), qPrintable(text));
    QVERIFY2(text.contains("(uninitialized)  (untrimmed)\n"), qPrintable(text));
    QCOMPARE(m_run.zpoolOutput({"status", "-x", "a_single"}),
             QStringLiteral("pool 'a_single' is healthy\n"));
    QCOMPARE(m_run.zpoolOutput({"status", "-x"}), QStringLiteral("all pools are healthy\n"));
    const QString json = m_run.zpoolOutput({"status", "-j", "-T", "u", "--json-int", "a_single"});
    QVERIFY2(json.contains("\"time\":1"), qPrintable(json));
}

QTEST_GUILESS_MAIN(TestLists)
#include "tst_lists.moc"
