// SPDX-License-Identifier: GPL-3.0-or-later
// Property: a caller's path is followed exactly as the kernel would, except that no way leads onto
// a place that is covered. Method: links, dots and loops in a scratch folder; the covered folder
// must not be looked at, so it does not even exist.
#include "daemon/safe_path.h"
#include "support/scratch.h"

#include <QDir>
#include <QFile>
#include <QTest>

using namespace millpond;

class TestSafePath : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void followsLinks();
    void refusesCovered_data();
    void refusesCovered();
    void loopsEnd();

private:
    [[nodiscard]] Result<std::string> resolve(const QString& path) const;

    std::unique_ptr<test::ScratchFolder> m_scratch;
    std::string m_covered;
};

void TestSafePath::init()
{
    m_scratch = std::make_unique<test::ScratchFolder>();
    m_covered = QDir(m_scratch->path()).canonicalPath().toStdString() + "/mount";
    QVERIFY(QDir().mkpath(m_scratch->path("a/b")));
    QVERIFY(QFile::link("a/b", m_scratch->path("relative")));
    QVERIFY(QFile::link(m_scratch->path("relative"), m_scratch->path("absolute")));
    QVERIFY(QFile::link("../mount/x", m_scratch->path("a/trap")));
    QVERIFY(QFile::link("loop2", m_scratch->path("loop1")));
    QVERIFY(QFile::link("loop1", m_scratch->path("loop2")));
}

Result<std::string> TestSafePath::resolve(const QString& path) const
{
    return daemon::resolveOutside(path.toStdString(), [this](const std::string& each) {
        return each == m_covered || each.starts_with(m_covered + "/");
    });
}

void TestSafePath::followsLinks()
{
    const QString wanted = QDir(m_scratch->path("a/b")).canonicalPath();
    for (const char* name : {"a/b", "relative", "absolute", "a/../a/./b//", "absolute/../b"}) {
        const auto path = resolve(m_scratch->path(name));
        QVERIFY2(path.has_value(), name);
        QCOMPARE(QString::fromStdString(*path), wanted);
    }
    QCOMPARE(QString::fromStdString(*resolve("/")), QString("/"));
    QCOMPARE(QString::fromStdString(*resolve("/../..")), QString("/"));
    QVERIFY(resolve("a/b").error().is(ErrorCode::InvalidArgument));
    QVERIFY(resolve("").error().is(ErrorCode::InvalidArgument));
    QVERIFY(resolve(m_scratch->path("none")).error().is(ErrorCode::NoSuchEntry));
}

void TestSafePath::refusesCovered_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name :
         {"mount", "mount/x", "a/trap", "a/../mount", "mount/..", "relative/../../mount/y"}) {
        QTest::newRow(name) << QString(name);
    }
}

void TestSafePath::refusesCovered()
{
    QFETCH(QString, name);
    const auto path = resolve(m_scratch->path() + '/' + name);
    QVERIFY(!path);
    QCOMPARE(path.error().code(), ErrorCode::InvalidArgument);
}

void TestSafePath::loopsEnd()
{
    QCOMPARE(resolve(m_scratch->path("loop1")).error().code(), ErrorCode::TooMany);
}

QTEST_GUILESS_MAIN(TestSafePath)
#include "tst_safe_path.moc"
