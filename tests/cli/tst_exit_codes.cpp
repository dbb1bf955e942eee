// SPDX-License-Identifier: GPL-3.0-or-later
// Property: exit codes are those of zpool and zfs: 0 done, 1 failed with a reason on standard
// error, 2 with the usage on standard error when the words make no sense; whatever the words,
// nothing crashes. Method: rows of command lines on a pool that OpenZFS made.
#include "cli/command_lines.h"
#include "support/pools.h"
#include "support/seed.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <random>

using namespace millpond::test;

class TestExitCodes : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void endsWith_data();
    void endsWith();
    void helpIsNoError();
    void scanShowsWhatCanBeImported();
    void importsForReading();
    void history();
    void iostatAndEvents();
    void check();
    void version();
    void goesByItsName();
    void noHelper();
    void survivesAnything();

private:
    CommandLines m_run;
    QString m_images;
};

void TestExitCodes::initTestCase()
{
    MP_REQUIRE_POOL("a-single");
    m_images = unpackGoldenPool(QStringLiteral("a-single"));
    QVERIFY(m_run.start());
    QVERIFY(m_run.importPool(QStringLiteral("a-single")));
}

void TestExitCodes::endsWith_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("errors"); // a part of them; empty: there are none
    const auto row = [](const char* line, int code, const char* errors) {
        QTest::newRow(line) << QString::fromLatin1(line).split(u' ') << code
                            << QString::fromLatin1(errors);
    };
    row("zpool", 2, "usage: ");
    row("zpool nonsense", 2, "unrecognized command 'nonsense'");
    row("zpool list -Z", 2, "invalid option 'Z'");
    row("zpool list -o nonsense", 2, "bad property list: invalid property 'nonsense'");
    row("zpool list -o", 2, "missing argument for 'o' option");
    row("zpool list gone", 1, "cannot open 'gone': no such pool\n");
    row("zpool list", 0, "");
    row("zpool list a_single", 0, "");
    row("zpool list --json-int", 2, "'--json-int' only works with '-j' option");
    row("zpool status gone", 1, "cannot open 'gone': no such pool\n");
    row("zpool status -x", 0, "");
    row("zpool status -T u a_single", 0, "");
    row("zpool status a_single 0.01 2", 0, "");
    row("zpool get", 2, "missing property argument");
    row("zpool get nonsense a_single", 2, "bad property list: invalid property 'nonsense'");
    row("zpool get size gone", 1, "no such pool");
    row("zpool get -o nonsense size a_single", 2, "invalid column name 'nonsense'");
    row("zpool get size", 0, "");
    row("zpool export", 2, "missing pool argument");
    row("zpool export gone", 1, "cannot open 'gone': no such pool\n");
    row("zpool import gone -d /nonexistent", 1, "cannot import 'gone'");
    row("zpool import a b c", 2, "too many arguments");
    row("zpool import -a a_single", 2, "too many arguments");
    row("zpool import -o nonsense a_single", 2, "missing '='");
    row("zpool history gone", 1, "cannot open 'gone'");
    row("zpool iostat gone", 1, "cannot open 'gone'");
    row("zpool iostat a_single gone", 2, "list of vdevs in \"a_single\", but got:\n\tgone\n");
    row("zpool iostat -w -l", 2, "[-r|-w] isn't allowed with [-c|-l|-q]");
    row("zpool iostat -r -w", 2, "Only one of [-r|-w] can be passed at a time");
    row("zpool iostat -c upath", 2, "invalid option 'c'");
    row("zpool status -c upath", 2, "invalid option 'c'");
    row("zpool events -Z", 2, "invalid option 'Z'");
    row("zpool check", 2, "usage");
    row("zpool check gone -d /nonexistent", 2, "cannot check 'gone'");
    row("zpool destroy", 2, "missing pool argument");
    row("zpool destroy a_single", 1, "is imported read-only");
    row("zpool create x", 2, "missing vdev specification");
    row("zfs create a_single/x", 1, "is imported read-only");
    row("zfs set compression=on", 2, "missing dataset name(s)");
    row("zfs", 2, "usage: ");
    row("zfs nonsense", 2, "unrecognized command 'nonsense'");
    row("zfs list -Z", 2, "invalid option 'Z'");
    row("zfs list -o nonsense", 2, "bad property list: invalid property 'nonsense'");
    row("zfs list -s nonsense", 2, "invalid property 'nonsense'");
    row("zfs list -t nonsense", 2, "invalid type 'nonsense'");
    row("zfs list -d x a_single", 2, "x is not an integer");
    row("zfs list gone", 1, "cannot open 'gone': dataset does not exist\n");
    row("zfs list a_single/gone", 1, "cannot open 'a_single/gone': dataset does not exist\n");
    row("zfs list a_single/data@gone",
        1,
        "cannot open 'a_single/data@gone': dataset does not exist\n");
    row("zfs list a_single//x", 1, "cannot open 'a_single//x'");
    row("zfs list a_single a_single/data@snap1", 0, "");
    row("zfs list a_single", 0, "");
    row("zfs list -H -o all a_single", 0, "");
    row("zfs list -o space", 0, "");
    row("zfs list -r -t snapshot a_single", 0, "");
    row("zfs get", 2, "missing property argument");
    row("zfs get nonsense a_single", 2, "bad property list: invalid property 'nonsense'");
    row("zfs get -s nonsense all a_single", 2, "invalid source 'nonsense'");
    row("zfs get -o nonsense all a_single", 2, "invalid column name 'nonsense'");
    row("zfs get used a_single/gone", 1, "cannot open 'a_single/gone': dataset does not exist\n");
    row("zfs get used a_single", 0, "");
    row("zfs get org.example:level,userused@0,written@snap1 a_single/data", 0, "");
    row("zfs holds", 2, "usage");
    row("zfs holds a_single", 1, "'a_single' is not a snapshot");
    row("zfs holds a_single/data@gone",
        1,
        "cannot open 'a_single/data@gone': dataset does not exist\n");
    row("zfs holds -r a_single@rec", 0, "");
    row("zfs holds a_single/data@snap1", 0, "");
    row("zfs mount", 0, "");
    row("zfs mount a b", 2, "too many arguments");
    row("zfs mount a_single/gone", 1, "cannot open 'a_single/gone'");
    row("zfs unmount", 2, "missing filesystem argument");
    row("zfs unmount a_single/data", 1, "cannot unmount 'a_single/data': not currently mounted\n");
    row("zfs unmount a_single/gone", 1, "cannot open 'a_single/gone'");
    row("zfs unmount /nonexistent/x", 1, "/nonexistent/x");
}

void TestExitCodes::endsWith()
{
    QFETCH(QStringList, words);
    QFETCH(int, code);
    QFETCH(QString, errors);
    const bool isPool = words.takeFirst() == QLatin1String("zpool");
    const ProcessResult result = isPool ? m_run.zpool(words) : m_run.zfs(words);
    QVERIFY2(result.exitCode == code, qPrintable(result.toText()));
    if (errors.isEmpty()) {
        QVERIFY2(result.errors.isEmpty(), qPrintable(result.toText()));
    } else {
        QVERIFY2(result.errors.contains(errors.toUtf8()), qPrintable(result.toText()));
    }
    if (code == 2 && !words.contains(QStringLiteral("check"))) {
        QVERIFY2(result.errors.toLower().contains("usage") ||
                     result.errors.contains("unrecognized"),
                 qPrintable(result.toText()));
    }
}

void TestExitCodes::helpIsNoError()
{
    for (const char* word : {"-?", "--help", "help"}) {
        const ProcessResult pool = m_run.zpool({QString::fromLatin1(word)});
        const ProcessResult dataset = m_run.zfs({QString::fromLatin1(word)});
        QVERIFY2(pool.exitCode == 0 && pool.output.toLower().contains("usage"),
                 qPrintable(pool.toText()));
        QVERIFY2(dataset.exitCode == 0 && dataset.output.toLower().contains("usage"),
                 qPrintable(dataset.toText()));
    }
}

void TestExitCodes::scanShowsWhatCanBeImported()
{
    MP_REQUIRE_POOL("f-multi");
    const QString output =
        m_run.zpoolOutput({"import", "-d", unpackGoldenPool(QStringLiteral("f-multi"))});
    for (const char* part : {"  pool: f_multi\n",
                             "    id: ",
                             " state: ONLINE\n",
                             "action: ",
                             "config:\n\n\tf_multi ",
                             "\n\t  raidz1-0 ",
                             "\tlogs",
                             "\tcache\n",
                             "\tspares\n"}) {
        QVERIFY2(output.contains(QLatin1String(part)), qPrintable(part + output));
    }
    const ProcessResult none = m_run.zpool({"import", "-d", m_run.scratch().path()});
    QCOMPARE(none.exitCode, 1);
    QCOMPARE(none.errors, QByteArray("no pools available to import\n"));
}

void TestExitCodes::importsForReading()
{
    QCOMPARE(m_run.zpoolOutput({"export", "a_single"}), QString());
    const ProcessResult imported =
        m_run.zpool({"import", "-N", "-o", "readonly=on", "-d", m_images, "a_single", "renamed"});
    QVERIFY2(imported.exitCode == 0, qPrintable(imported.toText()));
    QVERIFY2(imported.errors.isEmpty(), qPrintable(imported.toText()));
    QCOMPARE(m_run.zpoolOutput({"list", "-H", "-o", "name,readonly"}),
             QStringLiteral("renamed\ton\n"));
    const ProcessResult again = m_run.zpool({"import", "-N", "-d", m_images, "a_single"});
    QCOMPARE(again.exitCode, 1);
    QVERIFY2(again.errors.startsWith("cannot import 'a_single': "), qPrintable(again.toText()));
    QCOMPARE(m_run.zpoolOutput({"export", "-a"}), QString());
    QVERIFY(m_run.importPool(QStringLiteral("a-single")));
}

void TestExitCodes::history()
{
    const QStringList lines = m_run.zpoolLines({"history", "a_single"});
    QCOMPARE(lines.value(0), QStringLiteral("History for 'a_single':"));
    QVERIFY2(QRegularExpression(
                 QStringLiteral("^\\d{4}-\\d\\d-\\d\\d\\.\\d\\d:\\d\\d:\\d\\d zpool create "))
                 .match(lines.value(1))
                 .hasMatch(),
             qPrintable(lines.value(1)));
    QCOMPARE(lines.last(), QString());
    const QString more = m_run.zpoolOutput({"history", "-il", "a_single"});
    QVERIFY(more.count(u'\n') > lines.size());
    QVERIFY2(more.contains("[txg:") && more.contains("] create ") &&
                 more.contains("[user 0 (root) on "),
             qPrintable(more.left(2000)));
}

void TestExitCodes::iostatAndEvents()
{
    const QStringList iostat = m_run.zpoolLines({"iostat", "a_single"});
    QCOMPARE(iostat.size(), qsizetype{4});
    QVERIFY(iostat[1].startsWith("pool ") && iostat[2].startsWith("----------  -----"));
    QCOMPARE(m_run.zpoolLines({"iostat", "-Hp", "a_single"}).value(0).split(u'\t').size(),
             qsizetype{7});
    QVERIFY(m_run.zpoolLines({"iostat", "-v", "a_single"}).size() > 4);
    QCOMPARE(m_run.zpoolLines({"iostat", "-Hy", "a_single", "0.05", "2"}).size(), qsizetype{2});
    // A pool that was imported has read something, and has nothing under way.
    const QStringList histogram = m_run.zpoolLines({"iostat", "-Hpw", "a_single"});
    QCOMPARE(histogram.size(), qsizetype{2 + 37});
    QCOMPARE(histogram.value(1), QStringLiteral("a_single"));
    const auto total = [](const QStringList& lines, int column) {
        qulonglong sum = 0;
        for (const QString& line : lines) {
            sum += line.section(u'\t', column, column).toULongLong();
        }
        return sum;
    };
    const QStringList sizes = m_run.zpoolLines({"iostat", "-Hpr", "a_single"});
    QCOMPARE(sizes.size(), qsizetype{2 + 16});
    QVERIFY(total(histogram, 1) > 0);
    QCOMPARE(total(histogram, 1), total(sizes, 1) + total(sizes, 2));
    QCOMPARE(m_run.zpoolLines({"iostat", "-Hpq", "a_single"}).value(0).section(u'\t', 7),
             QStringList(14, QStringLiteral("0")).join(u'\t'));
    const QString leaf = m_run.zpoolLines({"iostat", "-HPv", "a_single"}).value(1);
    const QStringList alone =
        m_run.zpoolLines({"iostat", "-HP", "a_single", leaf.section(u'\t', 0, 0)});
    QCOMPARE(alone.size(), qsizetype{1});
    QCOMPARE(alone.value(0).section(u'\t', 0, 2), leaf.section(u'\t', 0, 2));
    const QStringList events = m_run.zpoolLines({"events", "-H"});
    QVERIFY2(events.join(u'\n').contains("sysevent.fs.zfs.pool_import"),
             qPrintable(events.join(u'\n')));
    QVERIFY(m_run.zpoolOutput({"events", "-v", "a_single"}).contains("pool = \"a_single\""));
}

void TestExitCodes::check()
{
    const ProcessResult imported = m_run.zpool({"check", "-d", m_images, "a_single"});
    QVERIFY2(imported.exitCode == 2 && imported.errors.startsWith("cannot check 'a_single'"),
             qPrintable(imported.toText()));
    QCOMPARE(m_run.zpoolOutput({"export", "a_single"}), QString());
    const ProcessResult clean = m_run.zpool({"check", "-d", m_images, "a_single"});
    QVERIFY2(clean.exitCode == 0 && clean.errors.isEmpty(), qPrintable(clean.toText()));
    const ProcessResult json = m_run.zpool({"check", "-j", "-d", m_images, "a_single"});
    QCOMPARE(json.exitCode, 0);
    QVERIFY(
        QJsonDocument::fromJson(json.output).object().contains(QStringLiteral("problem_count")));

    // One device of a mirror, overwritten between its labels.
    MP_REQUIRE_POOL("g-special");
    const QString folder = m_run.scratch().path(QStringLiteral("damaged"));
    QVERIFY(copyGoldenPool(QStringLiteral("g-special"), folder));
    QFile image(folder + u'/' + findGoldenPool(QStringLiteral("g-special"))->disks[0]);
    QVERIFY(image.open(QIODevice::ReadWrite));
    const QByteArray rubbish(1 << 20, '\xa5');
    for (qint64 at = 4 << 20; at < image.size() - (2 << 20); at += rubbish.size()) {
        QVERIFY(image.seek(at));
        QCOMPARE(image.write(rubbish), qint64{rubbish.size()});
    }
    image.close();
    const ProcessResult damaged = m_run.zpool({"check", "-d", folder, "g_special"});
    QVERIFY2(damaged.exitCode == 1, qPrintable(damaged.toText()));
    QVERIFY(m_run.importPool(QStringLiteral("a-single")));
}

void TestExitCodes::version()
{
    for (const ProcessResult& result : {m_run.zpool({"version"}),
                                        m_run.zfs({"version"}),
                                        m_run.zpool({"--version"}),
                                        m_run.zfs({"-V"})}) {
        QVERIFY2(result.exitCode == 0 && result.output.startsWith("millpond-"),
                 qPrintable(result.toText()));
    }
    const QJsonDocument json = QJsonDocument::fromJson(m_run.zfsOutput({"version", "-j"}).toUtf8());
    QVERIFY(json["zfs_version"].isObject());
}

void TestExitCodes::goesByItsName()
{
    const QString link = m_run.scratch().path(QStringLiteral("zfs"));
    QVERIFY(QFile::link(QStringLiteral(MILLPOND_BINARY_DIR "/bin/mpzfs"), link));
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("MILLPOND_SOCKET"), m_run.socket());
    const ProcessResult list = runProcess(
        link, {"list", "-H", "-o", "name", "-d", "0", "a_single"}, {.environment = environment});
    QVERIFY2(list.exitCode == 0 && list.output == "a_single\n", qPrintable(list.toText()));
}

void TestExitCodes::noHelper()
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("MILLPOND_HELPER"), QStringLiteral("/nonexistent/millpondd"));
    environment.insert(QStringLiteral("MILLPOND_SOCKET"),
                       m_run.scratch().path(QStringLiteral("run/other.sock")));
    const ProcessResult result = runProcess(
        QStringLiteral(MILLPOND_BINARY_DIR "/bin/mpzpool"), {"list"}, {.environment = environment});
    QVERIFY2(result.exitCode == 1 && !result.errors.isEmpty(), qPrintable(result.toText()));
}

void TestExitCodes::survivesAnything()
{
    std::mt19937_64 random(testSeed());
    const QStringList vocabulary{"list",
                                 "get",
                                 "status",
                                 "holds",
                                 "history",
                                 "mount",
                                 "-H",
                                 "-p",
                                 "-o",
                                 "-d",
                                 "-t",
                                 "-s",
                                 "-S",
                                 "-r",
                                 "-j",
                                 "--json-int",
                                 "all",
                                 "name",
                                 "used,avail",
                                 "a_single",
                                 "a_single/data@snap1",
                                 "a_single@",
                                 "@",
                                 "#",
                                 "//",
                                 "",
                                 "--",
                                 "-",
                                 "%s%n{}{0}",
                                 "\xc3\xa4",
                                 "a:b",
                                 "userused@",
                                 "written@",
                                 "feature@",
                                 "18446744073709551616",
                                 "-1",
                                 "0",
                                 QString(5000, u'x'),
                                 "../..",
                                 "snapshot,",
                                 ",,,"};
    for (int round = 0; round < 40; ++round) {
        QStringList words{vocabulary[qsizetype(random() % 6)]};
        for (std::size_t count = random() % 6; count > 0; --count) {
            words << vocabulary[qsizetype(random() % std::size_t(vocabulary.size()))];
        }
        for (const ProcessResult& result : {m_run.zpool(words), m_run.zfs(words)}) {
            QVERIFY2(result.signal == 0 && !result.timedOut && result.exitCode >= 0 &&
                         result.exitCode <= 2,
                     qPrintable(words.join(u' ') + result.toText()));
            QVERIFY2(result.exitCode == 0 || !result.errors.isEmpty(),
                     qPrintable(words.join(u' ') + result.toText()));
        }
    }
}

QTEST_GUILESS_MAIN(TestExitCodes)
#include "tst_exit_codes.moc"
