// SPDX-License-Identifier: GPL-3.0-or-later
// Property: the programs that people run on top of zpool and zfs get answers that they understand.
// Method: the command lines of their sources, word for word, with the parsing that each does, on a
// pool that OpenZFS made; values from its manifest.
#include "cli/command_lines.h"
#include "support/manifest.h"
#include "support/pools.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>

using namespace millpond::test;

namespace {
const QString kPool = QStringLiteral("a_single");

QStringList cellsOf(const QStringList& lines, qsizetype column)
{
    QStringList cells;
    for (const QString& line : lines) {
        cells << line.split(u'\t').value(column, QStringLiteral("(no such column)"));
    }
    return cells;
}
} // namespace

class TestClients : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void sanoid();
    void findoid();
    void syncoid();
    void syncoidProbes();
    void zfsAutoSnapshot();
    void zrepl();
    void znapzend();
    void ansible();
    void goZfs();
    void proxmox();
    void cockpitAndIncus();
    void exporters();

private:
    /// Names of the datasets of a type, in the manifest's order.
    [[nodiscard]] QStringList names(const QString& type, const QString& ofDataset = {}) const;
    [[nodiscard]] QString value(const QString& dataset, const QString& column) const;
    /// (creation or another number, name) pairs sorted, as names.
    [[nodiscard]] QStringList
    sortedBy(QStringList list, const QString& column, bool descending) const;

    CommandLines m_run;
    QJsonArray m_list;
    QMap<QString, QJsonObject> m_rows;
};

void TestClients::initTestCase()
{
    MP_REQUIRE_POOL("a-single");
    QVERIFY(m_run.start());
    QVERIFY(m_run.importPool(QStringLiteral("a-single")));
    m_list = (*loadManifest(QStringLiteral("a-single")))[QLatin1String("zfs_list")].toArray();
    for (const QJsonValue row : m_list) {
        m_rows[row.toObject()[QLatin1String("name")].toString()] = row.toObject();
    }
    QVERIFY(m_rows.size() > 30);
}

QStringList TestClients::names(const QString& type, const QString& ofDataset) const
{
    QStringList list;
    for (const QJsonValue row : m_list) {
        const QString name = row.toObject()[QLatin1String("name")].toString();
        if (type.split(u',').contains(row.toObject()[QLatin1String("type")].toString()) &&
            (ofDataset.isEmpty() || name.startsWith(ofDataset + u'@') ||
             name.startsWith(ofDataset + u'#'))) {
            list << name;
        }
    }
    return list;
}

QString TestClients::value(const QString& dataset, const QString& column) const
{
    return m_rows[dataset][column].toString();
}

QStringList TestClients::sortedBy(QStringList list, const QString& column, bool descending) const
{
    std::stable_sort(list.begin(), list.end(), [&](const QString& left, const QString& right) {
        const quint64 a = value(left, column).toULongLong(), b = value(right, column).toULongLong();
        return descending ? a > b : a < b;
    });
    return list;
}

void TestClients::sanoid()
{
    const QStringList snapshots = m_run.zfsLines({"get", "-Hrpt", "snapshot", "creation"});
    QCOMPARE(cellsOf(snapshots, 0), names("snapshot"));
    for (const QString& line : snapshots) {
        QCOMPARE(
            line,
            QStringList(
                {line.split(u'\t')[0], "creation", value(line.split(u'\t')[0], "creation"), "-"})
                .join(u'\t'));
    }
    QCOMPARE(cellsOf(m_run.zfsLines({"get", "-Hrpt", "snapshot", "creation", "a_single/data"}), 0),
             names("snapshot", "a_single/data"));
    QCOMPARE(m_run.zfsLines({"list", "-o", "name", "-t", "filesystem,volume", "-Hr", kPool}),
             names("filesystem,volume"));

    const QStringList pools = m_run.zpoolLines({"list", "-o", "name,size,cap,health,free", kPool});
    QCOMPARE(pools.size(), qsizetype{2});
    const QStringList fields =
        pools[1].split(QRegularExpression(QStringLiteral("\\s+")), Qt::SkipEmptyParts);
    QCOMPARE(fields.size(), qsizetype{5});
    QCOMPARE(fields[0], kPool);
    QVERIFY2(QRegularExpression(QStringLiteral("^\\d+%$")).match(fields[2]).hasMatch(),
             qPrintable(pools[1]));
    QCOMPARE(fields[3], QStringLiteral("ONLINE"));
    QVERIFY(QRegularExpression(QStringLiteral("^\\d+%$"))
                .match(m_run.zpoolLines({"list", "-H", "-o", "cap"}).value(0))
                .hasMatch());

    const QString status = m_run.zpoolOutput({"status", kPool});
    QVERIFY2(status.contains(
                 QRegularExpression(QStringLiteral("\\n\\tNAME\\s+STATE\\s+READ WRITE CKSUM\\n"
                                                   "\\ta_single\\s+ONLINE\\s+0\\s+0\\s+0\\n"
                                                   "\\t  \\S+\\s+ONLINE\\s+0\\s+0\\s+0\\n"))),
             qPrintable(status));
}

void TestClients::findoid()
{
    const QStringList mounts =
        m_run.zfsLines({"list", "-H", "-t", "filesystem", "-o", "mountpoint,mounted"});
    QCOMPARE(mounts.size(), names("filesystem").size());
    QCOMPARE(mounts[0], QStringLiteral("/a\tno"));
}

void TestClients::syncoid()
{
    for (const QString& line :
         m_run.zfsLines({"list", "-o", "name,origin", "-t", "filesystem,volume", "-Hr", kPool})) {
        QCOMPARE(line.split(u'\t').size(), qsizetype{2});
        QCOMPARE(line.split(u'\t')[1], value(line.split(u'\t')[0], "origin"));
    }
    const QStringList facts = m_run.zfsLines(
        {"get", "-Hpd", "1", "-t", "snapshot", "guid,creation,createtxg", "a_single/data"});
    QCOMPARE(facts.size(), qsizetype{9});
    QCOMPARE(facts[0],
             QStringLiteral("a_single/data@snap1\tguid\t%1\t-")
                 .arg(value("a_single/data@snap1", "guid")));
    const QStringList marks = m_run.zfsLines(
        {"get", "-Hpd", "1", "-t", "bookmark", "guid,creation,createtxg", "a_single/data"});
    QCOMPARE(cellsOf(marks, 0).value(0), QStringLiteral("a_single/data#bm-gone"));
    QCOMPARE(marks.size(), qsizetype{9});
    QCOMPARE(m_run.zfsOutput({"get", "-H", "name", "a_single/data"}),
             QStringLiteral("a_single/data\tname\ta_single/data\t-\n"));
    for (const QString& line : m_run.zfsLines({"get", "-s", "local", "-H", "all", kPool})) {
        QCOMPARE(line.split(u'\t').value(3), QStringLiteral("local"));
    }
    QVERIFY(m_run.zfsLines({"get", "-s", "local", "-H", "all", kPool})
                .contains("a_single\torg.example:level\troot\tlocal"));
    QCOMPARE(m_run.zpoolOutput({"get", "-o", "value", "-H", "feature@extensible_dataset", kPool}),
             QStringLiteral("active\n"));
}

void TestClients::syncoidProbes()
{
    const ProcessResult types = m_run.zfs({"get", "-H", "-t", "snapshot", "", ""});
    QVERIFY2(!types.errors.contains("invalid option") && !types.errors.contains("invalid type"),
             types.errors.constData());
    const ProcessResult createtxg = m_run.zfs({"get", "-H", "createtxg", ""});
    QVERIFY2(!createtxg.errors.contains("bad property list: invalid property"),
             createtxg.errors.constData());
    // The probes would mean nothing if these words never came.
    QVERIFY(m_run.zfs({"get", "-H", "nonsense", kPool})
                .errors.contains("bad property list: invalid property 'nonsense'"));
    QVERIFY(m_run.zfs({"get", "-H", "-t", "nonsense", "all", kPool})
                .errors.contains("invalid type 'nonsense'"));
    const ProcessResult wrong =
        m_run.zfs({"list", "-t", "filesystem", "-o", "name", "a_single/data@snap1"});
    QVERIFY2(wrong.errors.contains("cannot open 'a_single/data@snap1': operation not applicable to "
                                   "datasets of this type\n"),
             wrong.errors.constData());
    QCOMPARE(wrong.exitCode, 1);
}

void TestClients::zfsAutoSnapshot()
{
    QMap<QString, QString> fields; // awk -F': '
    for (const QString& line : m_run.zpoolLines({"status"})) {
        const QStringList parts = line.split(QStringLiteral(": "));
        if (parts.size() > 1) {
            fields[parts[0].trimmed()] = parts[1];
        }
    }
    QCOMPARE(fields[QStringLiteral("pool")], kPool);
    QCOMPARE(fields[QStringLiteral("state")], QStringLiteral("ONLINE"));
    const QStringList datasets =
        m_run.zfsLines({"list",
                        "-H",
                        "-t",
                        "filesystem,volume",
                        "-s",
                        "name",
                        "-o",
                        "name,com.sun:auto-snapshot,com.sun:auto-snapshot:daily"});
    QStringList expected = names("filesystem,volume");
    expected.sort(); // by bytes: all of these names are ASCII
    QCOMPARE(cellsOf(datasets, 0), expected);
    QCOMPARE(datasets[0], QStringLiteral("a_single\t-\t-"));
    QCOMPARE(m_run.zfsLines({"list", "-H", "-t", "snapshot", "-S", "creation", "-o", "name"}),
             sortedBy(names("snapshot"), "creation", true));
    expected = names("snapshot");
    expected.sort();
    QCOMPARE(m_run.zfsLines({"list", "-H", "-t", "snapshot", "-o", "name", "-s", "name"}),
             expected);
    QCOMPARE(m_run.zfsOutput({"get", "-Hp", "-o", "value", "written", "a_single/data"}),
             value("a_single/data", "written") + u'\n');
}

void TestClients::zrepl()
{
    const QStringList versions = m_run.zfsLines({"list",
                                                 "-H",
                                                 "-p",
                                                 "-o",
                                                 "name,guid,createtxg,creation,userrefs",
                                                 "-r",
                                                 "-d",
                                                 "1",
                                                 "-t",
                                                 "snapshot,bookmark",
                                                 "-s",
                                                 "createtxg",
                                                 "a_single/data"});
    QCOMPARE(versions.size(), qsizetype{6});
    quint64 last = 0;
    for (const QString& line : versions) {
        const QStringList cells = line.split(u'\t');
        QCOMPARE(cells.size(), qsizetype{5});
        QCOMPARE(cells[1], value(cells[0], "guid"));
        QCOMPARE(cells[4], value(cells[0], "userrefs"));
        QVERIFY(cells[2].toULongLong() >= last);
        last = cells[2].toULongLong();
    }
    const QStringList properties = m_run.zfsLines({"get",
                                                   "-Hp",
                                                   "-o",
                                                   "name,property,value,source",
                                                   "-r",
                                                   "-d",
                                                   "1",
                                                   "-t",
                                                   "filesystem",
                                                   "zrepl:placeholder,createtxg",
                                                   "a_single/nest"});
    QVERIFY2(properties.contains("a_single/nest\tzrepl:placeholder\t-\t-"),
             qPrintable(properties.join(u'\n')));
    QVERIFY(!properties.join(u'\n').contains("n2/n3") &&
            properties.join(u'\n').contains("a_single/nest/n2\tcreatetxg"));
    const QStringList holds = m_run.zfsLines({"holds", "-H", "a_single/data@snap2"});
    QCOMPARE(cellsOf(holds, 0), QStringList({"a_single/data@snap2", "a_single/data@snap2"}));
    QCOMPARE(cellsOf(holds, 1), QStringList({"keepme", "second"}));
    QVERIFY(
        QRegularExpression(QStringLiteral("^\\w{3} \\w{3} [ \\d]\\d {1,2}\\d{1,2}:\\d\\d \\d{4}$"))
            .match(cellsOf(holds, 2)[0])
            .hasMatch());
    QCOMPARE(
        m_run.zpoolOutput({"get", "-H", "-p", "-o", "value", "feature@extensible_dataset", kPool}),
        QStringLiteral("active\n"));
    const ProcessResult gone =
        m_run.zfs({"get", "-Hp", "-o", "name,property,value,source", "createtxg", "a_single/gone"});
    QCOMPARE(gone.exitCode, 1);
    QCOMPARE(gone.errors, QByteArray("cannot open 'a_single/gone': dataset does not exist\n"));
}

void TestClients::znapzend()
{
    QCOMPARE(
        m_run.zfsOutput({"list", "-H", "-o", "name", "-t", "filesystem,volume", "a_single/data"}),
        QStringLiteral("a_single/data\n"));
    QCOMPARE(m_run.zfsLines({"list",
                             "-H",
                             "-o",
                             "name",
                             "-t",
                             "snapshot",
                             "-s",
                             "creation",
                             "-d",
                             "1",
                             "a_single/data"}),
             QStringList({"a_single/data@snap1", "a_single/data@snap2", "a_single/data@snap3"}));
    const QStringList local = m_run.zfsLines({"get",
                                              "-H",
                                              "-r",
                                              "-s",
                                              "local,inherited",
                                              "-t",
                                              "filesystem,volume",
                                              "-o",
                                              "name,property,value,source",
                                              "all",
                                              "a_single/nest"});
    QVERIFY(local.join(u'\n').contains("\tinherited from a_single"));
    for (const QString& line : local) {
        const QString source = line.split(u'\t').value(3);
        QVERIFY2(source == "local" || source.startsWith("inherited from "), qPrintable(line));
    }
    QCOMPARE(
        m_run.zfsLines({"get", "-H", "-o", "value", "usedbysnapshots", "a_single/data"}).size(),
        qsizetype{1});
    QCOMPARE(m_run.zpoolOutput({"list", "-H", "-o", "name"}), kPool + u'\n');
    QVERIFY(m_run.zpoolOutput({"status", "-v"}).contains("errors: No known data errors\n"));
}

void TestClients::ansible()
{
    const QStringList version = m_run.zpoolLines({"get", "version", kPool});
    QCOMPARE(version.last().split(QRegularExpression(QStringLiteral("\\s+"))).value(2),
             QStringLiteral("-"));
    QCOMPARE(m_run.zfs({"list", "-t", "all", "a_single/data@snap1"}).exitCode, 0);
    QCOMPARE(m_run.zfs({"list", "-t", "all", "a_single/data#bm1"}).exitCode, 0);
    QCOMPARE(m_run.zfs({"list", "-t", "all", "a_single/gone"}).exitCode, 1);
    QMap<QString, QString> sources;
    for (const QString& line :
         m_run.zfsLines({"get", "-H", "-p", "-o", "property,source", "all", "a_single/nest"})) {
        QCOMPARE(line.split(u'\t').size(), qsizetype{2});
        sources[line.split(u'\t')[0]] = line.split(u'\t')[1];
    }
    QCOMPARE(sources[QStringLiteral("mountpoint")], QStringLiteral("inherited from a_single"));
    QCOMPARE(m_run.zfsOutput({"get", "-H", "-o", "value", "compression", kPool}),
             QStringLiteral("off\n"));
    QVERIFY(m_run.zpoolOutput({"list"}).startsWith("NAME "));
    QVERIFY(m_run.zpoolLines({"get", "-H", "-o", "property,value", "all", kPool})
                .contains("health\tONLINE"));
    const QString status = m_run.zpoolOutput({"status", "-P", "-L", kPool});
    QVERIFY2(status.contains("config:\n\n\tNAME"), qPrintable(status));
}

void TestClients::goZfs()
{
    const QString columns = QStringLiteral(
        "name,origin,used,available,mountpoint,compression,type,volsize,quota,referenced,written,"
        "logicalused,usedbydataset");
    const QStringList datasets =
        m_run.zfsLines({"list", "-rHp", "-t", "filesystem", "-o", columns, kPool});
    QCOMPARE(cellsOf(datasets, 0), names("filesystem"));
    for (const QString& line : datasets) {
        const QStringList cells = line.split(u'\t');
        QCOMPARE(cells.size(), qsizetype{13});
        for (qsizetype i = 0; i < cells.size(); ++i) {
            QCOMPARE(cells[i], value(cells[0], columns.split(u',')[i]));
        }
    }
    const QString volume = m_run.zfsOutput({"get", "-Hp", "volsize", "a_single/vol"});
    QCOMPARE(volume, QStringLiteral("a_single/vol\tvolsize\t16777216\tlocal\n"));
    const QStringList pool = m_run.zpoolLines(
        {"get",
         "-Hp",
         "name,health,allocated,size,free,readonly,dedupratio,fragmentation,freeing,leaked",
         kPool});
    QCOMPARE(cellsOf(pool, 1),
             QStringList({"name",
                          "health",
                          "allocated",
                          "size",
                          "free",
                          "readonly",
                          "dedupratio",
                          "fragmentation",
                          "freeing",
                          "leaked"}));
    QCOMPARE(pool[0], QStringLiteral("a_single\tname\ta_single\t-"));
    QCOMPARE(pool[5], QStringLiteral("a_single\treadonly\ton\t-"));
    for (const qsizetype number : {2, 3, 4, 7, 8, 9}) {
        bool isNumber = false;
        (void)cellsOf(pool, 2)[number].toULongLong(&isNumber);
        QVERIFY2(isNumber, qPrintable(pool[number]));
    }
    QCOMPARE(m_run.zpoolOutput({"list", "-Ho", "name"}), kPool + u'\n');
}

void TestClients::proxmox()
{
    const QStringList pool =
        m_run.zpoolLines({"list", "-HpPLo", "name,size,alloc,free,frag,dedup,health"})
            .value(0)
            .split(u'\t');
    QCOMPARE(pool.size(), qsizetype{7});
    QCOMPARE(pool[5], QStringLiteral("1.00"));
    const QStringList tree = m_run.zpoolLines({"list", "-HPLv"});
    QCOMPARE(tree.size(), qsizetype{2});
    QVERIFY2(tree[1].startsWith("\t/"), qPrintable(tree[1]));
    QCOMPARE(m_run.zfsOutput({"get", "-o", "value", "-Hp", "available,used", kPool}),
             value(kPool, "available") + u'\n' + value(kPool, "used") + u'\n');
    const QStringList volumes = m_run.zfsLines({"list",
                                                "-o",
                                                "name,volsize,origin,type,refquota",
                                                "-t",
                                                "volume,filesystem",
                                                "-d1",
                                                "-Hp",
                                                kPool});
    QVERIFY(volumes.contains("a_single/vol\t16777216\t-\tvolume\t-"));
    QVERIFY(!volumes.join(u'\n').contains("nest/n2"));
    QCOMPARE(cellsOf(m_run.zfsLines({"list",
                                     "-Hp",
                                     "-r",
                                     "-t",
                                     "snapshot",
                                     "-o",
                                     "name,guid,creation",
                                     "a_single/data"}),
                     2),
             QStringList({value("a_single/data@snap1", "creation"),
                          value("a_single/data@snap2", "creation"),
                          value("a_single/data@snap3", "creation")}));
}

void TestClients::cockpitAndIncus()
{
    const QStringList pool =
        m_run.zpoolLines({"list", "-Hpo", "name,size,allocated,capacity,free,health,guid"})
            .value(0)
            .split(u'\t');
    QCOMPARE(pool.size(), qsizetype{7});
    QCOMPARE(m_run.zfsOutput({"get", "-H", "-o", "name", "name", "a_single/data"}),
             QStringLiteral("a_single/data\n"));
    QVERIFY(m_run
                .zfsLines({"get",
                           "-H",
                           "-p",
                           "-r",
                           "-o",
                           "name,value",
                           "-t",
                           "snapshot",
                           "guid",
                           "a_single/data"})
                .contains(QStringLiteral("a_single/data@snap1\t") +
                          value("a_single/data@snap1", "guid")));
    QVERIFY(m_run.zfsLines({"get", "-H", "-p", "-r", "-o", "value", "clones", "a_single/data"})
                .contains("a_single/clone"));
    QVERIFY(m_run
                .zfsLines({"list",
                           "-H",
                           "-o",
                           "name,type,incus:content_type",
                           "-r",
                           "-t",
                           "filesystem,volume"})
                .contains("a_single/vol\tvolume\t-"));
}

void TestClients::exporters()
{
    const QJsonObject status =
        QJsonDocument::fromJson(
            m_run.zpoolOutput({"status", "--json", "--json-flat-vdevs", "--json-int"}).toUtf8())
            .object();
    const QJsonObject pool = status[QLatin1String("pools")].toObject()[kPool].toObject();
    QCOMPARE(pool[QLatin1String("state")].toString(), QStringLiteral("ONLINE"));
    QVERIFY(pool[QLatin1String("error_count")].isDouble());
    const QJsonObject vdevs = pool[QLatin1String("vdevs")].toObject();
    QCOMPARE(vdevs.size(), qsizetype{2});
    for (const QJsonValue vdev : vdevs) {
        QVERIFY(vdev.toObject()[QLatin1String("read_errors")].isDouble());
    }
    const QJsonObject list =
        QJsonDocument::fromJson(m_run.zfsOutput({"list", "-j", "--json-int", "-r", kPool}).toUtf8())
            .object();
    const QJsonObject used = list[QLatin1String("datasets")]
                                 .toObject()[kPool]
                                 .toObject()[QLatin1String("properties")]
                                 .toObject()[QLatin1String("used")]
                                 .toObject();
    QCOMPARE(QString::number(used[QLatin1String("value")].toInteger()), value(kPool, "used"));
}

QTEST_GUILESS_MAIN(TestClients)
#include "tst_clients.moc"
