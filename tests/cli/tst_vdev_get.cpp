// SPDX-License-Identifier: GPL-3.0-or-later
// Property: `get` of vdevs names, orders and words properties as OpenZFS 2.3 does, and their values
// are what the pool is known to be. Method: a pool that OpenZFS made of two raidz1, a log, a cache
// and a spare, asked through a private helper.
#include "cli/command_lines.h"
#include "support/pools.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace millpond::test;

class TestVdevGet : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everyVdev();
    void raidz();
    void leaf();
    void root();
    void wordsForAVdev();
    void json();
    void refusals();

private:
    [[nodiscard]] QString value(const QString& property, const QString& vdev) const
    {
        return m_run.zpoolOutput({"get", "-Hp", "-o", "value", property, "f_multi", vdev})
            .trimmed();
    }

    CommandLines m_run;
};

void TestVdevGet::initTestCase()
{
    MP_REQUIRE_POOL("f-multi");
    QVERIFY(m_run.start());
    QVERIFY(m_run.importPool(QStringLiteral("f-multi")));
}

void TestVdevGet::everyVdev()
{
    const QStringList lines = m_run.zpoolLines({"get", "-H", "state", "f_multi", "all-vdevs"});
    QCOMPARE(lines.size(), qsizetype{10}); // spares and cache devices have no properties
    QCOMPARE(lines[0], QStringLiteral("root-0\tstate\tONLINE\t-"));
    QCOMPARE(lines[1], QStringLiteral("raidz1-0\tstate\tONLINE\t-"));
    QVERIFY2(lines[2].endsWith(".img\tstate\tONLINE\t-"), qPrintable(lines[2]));
    QCOMPARE(lines[5], QStringLiteral("raidz1-1\tstate\tONLINE\t-"));
    const QStringList table = m_run.zpoolLines({"get", "parity,comment", "f_multi", "raidz1-0"});
    QCOMPARE(table,
             (QStringList{"NAME      PROPERTY  VALUE  SOURCE",
                          "raidz1-0  parity    1      -",
                          "raidz1-0  comment   -      default"}));
}

void TestVdevGet::raidz()
{
    const QStringList lines = m_run.zpoolLines({"get", "-Hp", "all", "f_multi", "raidz1-1"});
    QStringList names;
    QMap<QString, QString> values;
    for (const QString& line : lines) {
        names << line.section(u'\t', 1, 1);
        values[names.last()] = line.section(u'\t', 2);
    }
    QCOMPARE(names.mid(0, 10).join(u' '),
             QStringLiteral("capacity state guid asize psize ashift size free allocated comment"));
    QVERIFY(!names.contains("name"));
    QCOMPARE(names.last(), QStringLiteral("slow_ios"));
    QCOMPARE(values["state"], QStringLiteral("7\t-"));
    QCOMPARE(values["numchildren"], QStringLiteral("3\t-"));
    QCOMPARE(values["children"].count(u','), qsizetype{2});
    QCOMPARE(values["parent"], QStringLiteral("f_multi\t-"));
    QCOMPARE(values["path"], QStringLiteral("-\tdefault"));
    QCOMPARE(values["raidz_expanding"], QStringLiteral("off\t-"));
    QCOMPARE(values["allocating"], QStringLiteral("on\tdefault"));
    QCOMPARE(values["failfast"], QStringLiteral("on\tdefault"));
    QCOMPARE(values["checksum_n"], QStringLiteral("-\tdefault"));
    QCOMPARE(values["bootsize"], QStringLiteral("0\tdefault"));
    QCOMPARE(values["expandsize"], QStringLiteral("-\t-"));
    QCOMPARE(values["trim_support"], QStringLiteral("-\t-"));
    QCOMPARE(values["psize"], QStringLiteral("0\t-"));
    QVERIFY(values["read_ops"].section(u'\t', 0, 0).toULongLong() > 0);
    // Space without parity: two thirds of what can be allocated, about.
    const double asize = values["asize"].section(u'\t', 0, 0).toDouble();
    const double size = values["size"].section(u'\t', 0, 0).toDouble();
    QVERIFY2(size > 0.5 * asize && size < 0.7 * asize, qPrintable(lines.join(u'\n')));
}

void TestVdevGet::leaf()
{
    const QString path = m_run.zpoolLines({"get", "-Hp", "all", "f_multi", "all-vdevs"})
                             .filter(QStringLiteral("\tpath\t/"))
                             .value(0)
                             .section(u'\t', 2, 2);
    QCOMPARE(value("path", path), path);
    QCOMPARE(value("parent", path), QStringLiteral("raidz-0"));
    const qulonglong psize = value("psize", path).toULongLong();
    QVERIFY(psize > 0 && psize % (256 * 1024) == 0);
    QCOMPARE(value("asize", path).toULongLong(), psize - (4096 + 512) * 1024);
    QCOMPARE(value("ashift", path), value("ashift", "raidz1-0"));
    QCOMPARE(value("allocating", path), QStringLiteral("-"));
    QCOMPARE(value("trim_support", path), QStringLiteral("on"));
    QCOMPARE(value("raidz_expanding", path), QString());
    QCOMPARE(value("numchildren", path), QStringLiteral("0"));
    QCOMPARE(value("org.example:owner", path), QStringLiteral("-"));
}

void TestVdevGet::root()
{
    QCOMPARE(m_run.zpoolLines({"get", "-H", "name,parity,numchildren", "f_multi", "root"}),
             (QStringList{
                 "root-0\tname\tf_multi\t-", "root-0\tparity\t0\t-", "root-0\tnumchildren\t3\t-"}));
    // The root has what its data vdevs have.
    QCOMPARE(value("size", "root").toULongLong(),
             value("size", "raidz1-0").toULongLong() + value("size", "raidz1-1").toULongLong());
}

void TestVdevGet::wordsForAVdev()
{
    const QString guid = value("guid", "raidz1-1");
    QVERIFY(guid.toULongLong() > 0);
    QCOMPARE(m_run.zpoolLines({"get", "-H", "parity", "f_multi", guid, "raidz1-1"}),
             (QStringList{guid + "\tparity\t1\t-", "raidz1-1\tparity\t1\t-"}));
}

void TestVdevGet::json()
{
    const QString output =
        m_run.zpoolOutput({"get", "-j", "--json-int", "asize,state", "f_multi", "raidz1-0"});
    const QJsonObject document = QJsonDocument::fromJson(output.toUtf8()).object();
    QCOMPARE(document["pool"].toObject()["name"].toString(), QStringLiteral("f_multi"));
    const QJsonObject vdev = document["vdevs"].toObject()["raidz1-0"].toObject();
    QCOMPARE(vdev["type"].toString(), QStringLiteral("VDEV"));
    QCOMPARE(vdev["vdev_type"].toString(), QStringLiteral("raidz"));
    const QJsonObject properties = vdev["properties"].toObject();
    QCOMPARE(properties["state"].toObject()["value"].toInt(), 7);
    QVERIFY(properties["asize"].toObject()["value"].toDouble() > 0);
    QCOMPARE(properties["asize"].toObject()["source"].toObject()["type"].toString(),
             QStringLiteral("NONE"));
}

void TestVdevGet::refusals()
{
    const ProcessResult property = m_run.zpool({"get", "nonsense", "f_multi", "root"});
    QCOMPARE(property.exitCode, 2);
    QVERIFY2(property.errors.startsWith("bad property list: invalid property 'nonsense'"),
             property.errors.constData());
    const ProcessResult vdev = m_run.zpool({"get", "size", "f_multi", "raidz1-7"});
    QCOMPARE(vdev.exitCode, 2);
    QVERIFY2(
        vdev.errors.startsWith("Expected a list of vdevs in \"f_multi\", but got:\n\traidz1-7\n"),
        vdev.errors.constData());
}

QTEST_GUILESS_MAIN(TestVdevGet)
#include "tst_vdev_get.moc"
