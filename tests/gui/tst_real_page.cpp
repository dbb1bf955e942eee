// SPDX-License-Identifier: GPL-3.0-or-later
// Property: the page of pools does its work through the real helper: it finds a pool, checks it,
// imports it read-only, shows datasets and snapshots, mounts and unmounts, and exports it. Method:
// a pool made by OpenZFS, the page's own actions, and a look into the mounted folder.
#include "gui/client/dbus_client.h"
#include "gui/helper_process.h"
#include "gui/pools/pools_page.h"
#include "support/pools.h"
#include "support/scratch.h"

#include <QDir>
#include <QFile>
#include <QTabWidget>
#include <QTest>
#include <QTreeView>

#include <memory>

using namespace millpond;

namespace {

const QString kHelper = QStringLiteral(MILLPOND_BINARY_DIR "/bin/millpondd");
constexpr int kPatienceMs = 60'000;

} // namespace

class RealPageTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanupTestCase();

    // One story; each step needs the one before.
    void findsThePool();
    void checksIt();
    void importsIt();
    void showsSnapshots();
    void mountsAndUnmounts();
    void exportsIt();

private:
    bool settle();

    std::unique_ptr<test::ScratchFolder> m_scratch;
    std::unique_ptr<client::DBusClient> m_client;
    std::unique_ptr<pools::PoolsPage> m_page;
};

void RealPageTest::initTestCase()
{
    if (!QFile::exists(kHelper)) {
        QSKIP("needs millpondd beside the program");
    }
    MP_REQUIRE_POOL(QStringLiteral("c-raidz1"));
    m_scratch = std::make_unique<test::ScratchFolder>();
    for (const char* variable : {"HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"}) {
        qputenv(variable, m_scratch->path().toUtf8());
    }
    m_client = std::make_unique<client::DBusClient>(
        client::ConnectionSettings{state::HelperMode::Private, {}, kHelper});
    const QString images = test::unpackGoldenPool(QStringLiteral("c-raidz1"));
    m_page = std::make_unique<pools::PoolsPage>(*m_client, pools::Source{images});
    m_page->resize(900, 600);
    m_page->show();
    m_client->start();
}

void RealPageTest::cleanupTestCase()
{
    m_page.reset();
    m_client.reset();
    if (m_scratch) {
        QVERIFY(test::endHelper(m_scratch->path(QStringLiteral("millpond/helper.sock"))));
    }
    m_scratch.reset();
}

bool RealPageTest::settle()
{
    // Signals of the helper may ask for one more reload, so a moment of quiet is waited for.
    constexpr int kQuietMs = 500;
    return QTest::qWaitFor([this] { return m_page->isSettled(); }, kPatienceMs) &&
           (QTest::qWait(kQuietMs),
            QTest::qWaitFor([this] { return m_page->isSettled(); }, kPatienceMs));
}

void RealPageTest::findsThePool()
{
    QVERIFY(settle());
    QVERIFY2(m_page->pane().isShowingContent(), qPrintable(m_page->pane().messageText()));
    QCOMPARE(m_page->list().model()->rowCount(), 1);
    QVERIFY(m_page->actions().importPool->isEnabled());
    QCOMPARE(m_page->detail().devices->model()->rowCount(), 1);
}

void RealPageTest::checksIt()
{
    m_page->actions().checkPool->trigger();
    const pools::CheckPanel& check = *m_page->detail().check;
    QTRY_VERIFY2_WITH_TIMEOUT(
        check.summary().contains(QStringLiteral("No problem found in c_raidz1")),
        qPrintable(check.summary()),
        kPatienceMs);
}

void RealPageTest::importsIt()
{
    m_page->actions().importPool->trigger();
    QVERIFY(settle());
    QVERIFY2(m_page->notice().text().contains(QStringLiteral("open read-only")),
             qPrintable(m_page->notice().text()));
    QCOMPARE(m_page->detail().datasets->model().totalCount(), 4);
    QVERIFY(m_page->actions().exportPool->isEnabled());
}

void RealPageTest::showsSnapshots()
{
    pools::DatasetPanel& datasets = *m_page->detail().datasets;
    datasets.view().setCurrentIndex(datasets.model().indexOf(QStringLiteral("c_raidz1/fs")));
    pools::SnapshotPanel& snapshots = *m_page->detail().snapshots;
    m_page->findChild<QTabWidget*>()->setCurrentWidget(&snapshots);
    QVERIFY(settle());
    QVERIFY2(snapshots.pane().isShowingContent(), qPrintable(snapshots.pane().messageText()));
    QVERIFY(snapshots.view().model()->rowCount() > 0);
}

void RealPageTest::mountsAndUnmounts()
{
    pools::DatasetPanel& datasets = *m_page->detail().datasets;
    m_page->findChild<QTabWidget*>()->setCurrentWidget(&datasets);
    if (datasets.currentMountPath().isEmpty() && !QFile::exists(QStringLiteral("/dev/fuse"))) {
        QSKIP("needs /dev/fuse");
    }
    const QString path = datasets.currentMountPath();
    QVERIFY2(!QDir(path).isEmpty(), qPrintable(path));
    // The kernel tells the server late that a folder was closed: it may be busy for a moment.
    const auto unmounted = [&] {
        m_page->actions().unmount->trigger();
        return settle() && datasets.currentMountPath().isEmpty();
    };
    QTRY_VERIFY2_WITH_TIMEOUT(unmounted(), qPrintable(m_page->notice().text()), kPatienceMs);
    emit datasets.activated(); // Enter
    QVERIFY(settle());
    QVERIFY2(!datasets.currentMountPath().isEmpty(), qPrintable(m_page->notice().text()));
    QVERIFY(!QDir(datasets.currentMountPath()).isEmpty());
}

void RealPageTest::exportsIt()
{
    m_page->actions().exportPool->trigger();
    QVERIFY(settle());
    QVERIFY2(m_page->notice().text().contains(QStringLiteral("is exported")),
             qPrintable(m_page->notice().text()));
    QVERIFY(m_page->actions().importPool->isEnabled());
}

QTEST_MAIN(RealPageTest)

#include "tst_real_page.moc"
