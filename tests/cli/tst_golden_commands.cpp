// SPDX-License-Identifier: GPL-3.0-or-later
// Property: what the command lines print of a pool that OpenZFS made is what OpenZFS printed.
// Method: every golden pool that is imported is asked with the command lines its manifest was made
// by.
#include "cli/command_lines.h"
#include "support/differences.h"
#include "support/manifest.h"
#include "support/pools.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

#include <functional>

using namespace millpond::test;

namespace {
/// "config" → its lines. A section begins with a word and a colon, all else continues it.
QMap<QString, QString> sectionsOf(const QString& status)
{
    static const QRegularExpression heading(QStringLiteral("^ {0,7}(\\w+):(?: |$)"));
    QMap<QString, QString> sections;
    QString current;
    for (const QString& line : linesOf(status)) {
        if (const auto match = heading.match(line); match.hasMatch()) {
            current = match.captured(1);
        }
        sections[current] += line + u'\n';
    }
    for (QString& text : sections) {
        text = text.trimmed();
    }
    return sections;
}

/// Columns are as wide as the longest name, and names are not the same here and there.
QString withoutPadding(const QString& text)
{
    static const QRegularExpression padding(QStringLiteral("(?<=\\S) +"));
    return QString(text).replace(padding, QStringLiteral(" "));
}

/// Every row's state stands below the heading STATE.
bool linesUp(const QString& config)
{
    static const QRegularExpression state(
        QStringLiteral(" (STATE|ONLINE|DEGRADED|OFFLINE|AVAIL) "));
    QSet<qsizetype> columns;
    for (const QString& line : linesOf(config)) {
        if (const auto match = state.match(line); match.hasMatch()) {
            columns << match.capturedStart(1);
        }
    }
    return columns.size() == 1;
}

/// Rows of tab-separated values.
QJsonArray tableOf(const QStringList& lines)
{
    QJsonArray table;
    for (const QString& line : lines) {
        table.append(QJsonArray::fromStringList(line.split(u'\t')));
    }
    return table;
}

/// OpenZFS loads no space maps under a read-only import and shows nothing allocated; we show what
/// is there. The columns behind the name.
bool dependsOnSpaceMaps(qsizetype column)
{
    return column == 1 || column == 2 || column == 5 || column == 6;
}
} // namespace

class TestGoldenCommands : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void printsWhatOpenZfsPrints_data();
    void printsWhatOpenZfsPrints();

private:
    void compareStatus(const QJsonObject& manifest, Differences& differences) const;
    void compareStatusJson(const QJsonObject& manifest, Differences& differences) const;
    void comparePoolList(const QJsonObject& manifest, Differences& differences) const;
    void comparePoolListJson(const QJsonObject& manifest, Differences& differences) const;
    void comparePoolGet(const QJsonObject& manifest, Differences& differences) const;
    void compareDatasetList(const QJsonObject& manifest, Differences& differences) const;
    void compareDatasetGet(const QJsonObject& manifest, Differences& differences) const;
    void compareHolds(const QJsonObject& manifest, Differences& differences) const;

    /// Output with the names of devices that the manifest has: images take the places of disks, in
    /// the same order.
    [[nodiscard]] QString renamed(QString output) const;

    CommandLines m_run;
    QString m_pool;
    QList<std::pair<QString, QString>> m_names; ///< ours, the manifest's
};

void TestGoldenCommands::initTestCase()
{
    if (goldenPoolNames().isEmpty()) {
        QSKIP("needs the pools of ../shared/pools");
    }
    QVERIFY(m_run.start());
}

void TestGoldenCommands::printsWhatOpenZfsPrints_data()
{
    QTest::addColumn<QString>("name");
    // One of every shape; the engine's own tests compare every pool there is.
    for (const char* name : {"a-single",
                             "d-raidz2",
                             "f-multi",
                             "g-special",
                             "i-dedup",
                             "i-fsprops",
                             "j-quota",
                             "l-checkpoint",
                             "l-degraded-mirror",
                             "l-resilver",
                             "m-nofeat",
                             "m-v28",
                             "s-v3raidz2"}) {
        if (findGoldenPool(QString::fromLatin1(name))) {
            QTest::newRow(name) << QString::fromLatin1(name);
        }
    }
}

QString TestGoldenCommands::renamed(QString output) const
{
    for (const auto& [ours, theirs] : m_names) {
        output.replace(ours, theirs);
    }
    return output;
}

void TestGoldenCommands::compareStatus(const QJsonObject& manifest, Differences& differences) const
{
    const auto expected = sectionsOf(manifest[QLatin1String("zpool_status")].toString());
    const QString output = m_run.zpoolOutput({"status", "-P", "-D", m_pool});
    const auto got = sectionsOf(renamed(output));
    differences.compare(
        QStringLiteral("zpool status"), QStringLiteral("lines up"), true, linesUp(output));
    for (const char* name :
         {"pool", "state", "scan", "checkpoint", "remove", "config", "errors", "dedup"}) {
        const QString section = QString::fromLatin1(name);
        differences.compare(QStringLiteral("zpool status"),
                            section,
                            withoutPadding(expected[section]),
                            withoutPadding(got[section]));
    }
    for (const char* name : {"status", "action"}) { // The words are our own.
        const QString section = QString::fromLatin1(name);
        differences.compare(QStringLiteral("zpool status"),
                            QStringLiteral("has ") + section,
                            expected.contains(section),
                            got.contains(section));
    }
}

void TestGoldenCommands::compareStatusJson(const QJsonObject& manifest,
                                           Differences& differences) const
{
    QJsonParseError error;
    const QJsonDocument got = QJsonDocument::fromJson(
        renamed(m_run.zpoolOutput({"status", "-P", "-j", "--json-int", m_pool})).toUtf8(), &error);
    differences.compare(QStringLiteral("zpool status -j"),
                        QStringLiteral("parses"),
                        int(QJsonParseError::NoError),
                        int(error.error));
    const QJsonObject wanted = manifest[QLatin1String("zpool_status_json")].toObject();
    // Space as above; our own words; what a read-only import of OpenZFS leaves out; and the
    // device's size without labels, that is, what a replacement must have, which it rounds in a way
    // of its own.
    const QSet<QString> ignored{"alloc_space",
                                "def_space",
                                "rep_dev_size",
                                "status",
                                "action",
                                "txg",
                                "msgid",
                                "moreinfo",
                                "bytes_per_scan",
                                "issued_bytes_per_scan",
                                "pass_start",
                                "scrub_pause",
                                "scrub_spent_paused"};
    const std::function<void(const QString&, const QJsonObject&, const QJsonObject&)> compare =
        [&](const QString& where, const QJsonObject& expected, const QJsonObject& found) {
            QStringList keys = expected.keys() + found.keys();
            keys.removeDuplicates();
            for (const QString& key : keys) {
                if (ignored.contains(key)) {
                    continue;
                }
                if (expected[key].isObject() && found[key].isObject()) {
                    compare(where + u'/' + key, expected[key].toObject(), found[key].toObject());
                } else {
                    differences.compare(where, key, expected[key], found[key]);
                }
            }
        };
    compare(QStringLiteral("zpool status -j"), wanted, got.object());
}

void TestGoldenCommands::comparePoolList(const QJsonObject& manifest,
                                         Differences& differences) const
{
    const QJsonArray expected = manifest[QLatin1String("zpool_list_v")].toArray();
    const QJsonArray got = tableOf(linesOf(renamed(m_run.zpoolOutput({"list", "-HpvP", m_pool}))));
    differences.compare(
        QStringLiteral("zpool list -v"), QStringLiteral("lines"), expected.size(), got.size());
    for (qsizetype row = 0; row < expected.size() && row < got.size(); ++row) {
        const QJsonArray wanted = expected[row].toArray(), found = got[row].toArray();
        const QString where = QStringLiteral("zpool list -v line %1").arg(row);
        differences.compare(where, QStringLiteral("columns"), wanted.size(), found.size());
        const qsizetype name = wanted[0].toString().isEmpty() ? 1 : 0;
        if (wanted.size() == 1) { // the heading of a class, filled up with spaces
            differences.compare(where,
                                QStringLiteral("heading"),
                                withoutPadding(wanted[0].toString()),
                                withoutPadding(found[0].toString()));
            continue;
        }
        for (qsizetype column = 0; column < wanted.size(); ++column) {
            const bool device = wanted[column].toString() == QLatin1String("-");
            if (device || !dependsOnSpaceMaps(column - name - 1)) {
                differences.compare(where, QString::number(column), wanted[column], found[column]);
            }
        }
    }
}

void TestGoldenCommands::comparePoolListJson(const QJsonObject& manifest,
                                             Differences& differences) const
{
    const QString output = renamed(
        m_run.zpoolOutput({"list", "-v", "-P", "-j", "-p", "--json-pool-key-guid", m_pool}));
    const QJsonObject pools =
        QJsonDocument::fromJson(output.toUtf8()).object()[QLatin1String("pools")].toObject();
    const QString guid = QString::number(manifest[QLatin1String("guid")].toVariant().toULongLong());
    differences.compare(QStringLiteral("zpool list -j"),
                        QStringLiteral("keys"),
                        QJsonArray{guid},
                        QJsonArray::fromStringList(pools.keys()));
    QMap<QString, QJsonObject> vdevs;
    const std::function<void(const QJsonObject&)> collect = [&](const QJsonObject& object) {
        for (const QString& key : object.keys()) {
            const QJsonObject vdev = object[key].toObject();
            if (vdev.contains(QLatin1String("properties"))) {
                vdevs[key] = vdev[QLatin1String("properties")].toObject();
                collect(vdev[QLatin1String("vdevs")].toObject());
            } else {
                collect(vdev); // a class
            }
        }
    };
    collect(pools[guid].toObject()[QLatin1String("vdevs")].toObject());
    qsizetype expected = 0;
    for (const QJsonValue line : manifest[QLatin1String("zpool_list_v")].toArray()) {
        const QJsonArray row = line.toArray();
        if (row.size() == 1 || !row[0].toString().isEmpty()) {
            continue; // a heading, or the pool itself
        }
        ++expected;
        const QString name = row[1].toString();
        const auto value = [&](const char* property) {
            return vdevs[name][QLatin1String(property)].toObject()[QLatin1String("value")];
        };
        differences.compare(name, QStringLiteral("size"), row[2], value("size"));
        differences.compare(name, QStringLiteral("checkpoint"), row[5], value("checkpoint"));
        differences.compare(name, QStringLiteral("health"), row[10], value("health"));
    }
    differences.compare(QStringLiteral("zpool list -j"),
                        QStringLiteral("vdevs"),
                        expected,
                        qsizetype(vdevs.size()));
}

void TestGoldenCommands::comparePoolGet(const QJsonObject& manifest, Differences& differences) const
{
    const QSet<QString> ignored{"load_guid", "allocated", "free", "capacity", "fragmentation"};
    QJsonArray expected, got;
    for (const QJsonValue item : manifest[QLatin1String("zpool_get")].toArray()) {
        const QJsonObject row = item.toObject();
        if (!ignored.contains(row[QLatin1String("prop")].toString())) {
            expected.append(QJsonArray{m_pool,
                                       row[QLatin1String("prop")],
                                       row[QLatin1String("value")],
                                       row[QLatin1String("source")]});
        }
    }
    for (const QJsonValue row : tableOf(m_run.zpoolLines({"get", "-Hp", "all", m_pool}))) {
        if (!ignored.contains(row.toArray()[1].toString())) {
            got.append(row);
        }
    }
    differences.compare(
        QStringLiteral("zpool get"), QStringLiteral("count"), expected.size(), got.size());
    for (qsizetype i = 0; i < expected.size() && i < got.size(); ++i) { // in this order
        differences.compare(QStringLiteral("zpool get"), QString::number(i), expected[i], got[i]);
    }
}

void TestGoldenCommands::compareDatasetList(const QJsonObject& manifest,
                                            Differences& differences) const
{
    const QJsonArray expected = manifest[QLatin1String("zfs_list")].toArray();
    QStringList columns = expected[0].toObject().keys();
    const QJsonArray got = tableOf(
        m_run.zfsLines({"list", "-Hp", "-o", columns.join(u','), "-t", "all", "-r", m_pool}));
    differences.compare(
        QStringLiteral("zfs list"), QStringLiteral("lines"), expected.size(), got.size());
    for (qsizetype row = 0; row < expected.size() && row < got.size(); ++row) {
        const QJsonObject wanted = expected[row].toObject();
        for (qsizetype column = 0; column < columns.size(); ++column) {
            differences.compare(wanted[QLatin1String("name")].toString(),
                                columns[column],
                                wanted[columns[column]],
                                got[row].toArray()[column]);
        }
    }
}

void TestGoldenCommands::compareDatasetGet(const QJsonObject& manifest,
                                           Differences& differences) const
{
    const QJsonObject expected = manifest[QLatin1String("zfs_get")].toObject();
    QJsonObject got;
    for (const QString& line : m_run.zfsLines({"get", "-Hp", "-r", "-t", "all", "all", m_pool})) {
        const QStringList cells = line.split(u'\t');
        if (cells.size() != 4) {
            differences.add(QStringLiteral("zfs get: not four columns: ") + line);
            continue;
        }
        QJsonObject properties = got[cells[0]].toObject();
        properties[cells[1]] = QJsonArray{cells[2], cells[3]};
        got[cells[0]] = properties;
    }
    differences.compare(QStringLiteral("zfs get"),
                        QStringLiteral("datasets"),
                        QJsonArray::fromStringList(expected.keys()),
                        QJsonArray::fromStringList(got.keys()));
    for (const QString& dataset : expected.keys()) {
        const QJsonObject wanted = expected[dataset].toObject(), found = got[dataset].toObject();
        QStringList properties = wanted.keys() + found.keys();
        properties.removeDuplicates();
        for (const QString& property : properties) {
            differences.compare(dataset, property, wanted[property], found[property]);
        }
    }
    // Of one dataset in the order that people know.
    const QStringList order =
        m_run.zfsLines({"get", "-H", "-o", "property", "all", m_pool}).mid(0, 8);
    differences.compare(
        m_pool,
        QStringLiteral("first properties"),
        QStringLiteral("type creation used available referenced compressratio mounted"),
        order.mid(0, 7).join(u' '));
}

void TestGoldenCommands::compareHolds(const QJsonObject& manifest, Differences& differences) const
{
    QStringList snapshots, expected, got;
    for (const QJsonValue item : manifest[QLatin1String("zfs_list")].toArray()) {
        const QJsonObject row = item.toObject();
        if (row[QLatin1String("type")].toString() == QLatin1String("snapshot")) {
            snapshots << row[QLatin1String("name")].toString();
        }
    }
    if (snapshots.isEmpty()) {
        return;
    }
    for (const QJsonValue item : manifest[QLatin1String("holds")].toArray()) {
        const QJsonObject row = item.toObject();
        expected << QStringList{row[QLatin1String("snapshot")].toString(),
                                row[QLatin1String("tag")].toString(),
                                row[QLatin1String("time")].toString()}
                        .join(u'\t');
    }
    got = m_run.zfsLines(QStringList{"holds", "-Hp"} + snapshots);
    expected.sort();
    got.sort();
    differences.compare(QStringLiteral("zfs holds"),
                        QStringLiteral("lines"),
                        expected.join(u'\n'),
                        got.join(u'\n'));
}

void TestGoldenCommands::printsWhatOpenZfsPrints()
{
    QFETCH(QString, name);
    const auto manifest = loadManifest(name);
    QVERIFY(manifest.has_value());
    m_pool = findGoldenPool(name)->pool;
    QVERIFY(m_run.importPool(name));

    static const QRegularExpression device(QStringLiteral("^\\t +(/\\S+)"),
                                           QRegularExpression::MultilineOption);
    auto theirs = device.globalMatch((*manifest)[QLatin1String("zpool_status")].toString());
    auto ours = device.globalMatch(m_run.zpoolOutput({"status", "-P", m_pool}));
    m_names.clear();
    while (ours.hasNext() && theirs.hasNext()) {
        m_names.append({ours.next().captured(1), theirs.next().captured(1)});
    }

    Differences differences;
    compareStatus(*manifest, differences);
    compareStatusJson(*manifest, differences);
    comparePoolList(*manifest, differences);
    comparePoolListJson(*manifest, differences);
    comparePoolGet(*manifest, differences);
    compareDatasetList(*manifest, differences);
    compareDatasetGet(*manifest, differences);
    compareHolds(*manifest, differences);
    differences.print(name);

    QCOMPARE(m_run.zpoolOutput({"export", m_pool}), QString());
    const ProcessResult gone = m_run.zpool({"list", m_pool});
    QCOMPARE(gone.exitCode, 1);
    QVERIFY2(differences.none(), differences.summary().constData());
}

QTEST_GUILESS_MAIN(TestGoldenCommands)
#include "tst_golden_commands.moc"
