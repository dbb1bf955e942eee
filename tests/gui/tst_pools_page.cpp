// SPDX-License-Identifier: GPL-3.0-or-later
// Property: the page says at every moment what it shows, waits for or lacks; a slow, refusing or
// dead helper is a state with a way on; every action shows its command and how it went. Method: a
// scripted helper, real widgets, no display.
#include "gui/fake_client.h"
#include "gui/pools/commands.h"
#include "gui/pools/pools_page.h"
#include "gui/samples.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

#include <memory>

using millpond::pools::PoolsPage;
using millpond::test::FakeClient;
using Call = FakeClient::Call;
using State = millpond::state::Helper::State;
using ErrorKind = millpond::state::CallError::Kind;

class PoolsPageTest : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();

    void waitsForTheHelper();
    void helperThatDoesNotStart();
    void helperThatDies();
    void answersAfterDeathDoNoHarm();
    void saysWhatItLooksFor();
    void emptyFolder();
    void scanThatFails();
    void showsPoolsOnce();
    void importsAndShowsDatasets();
    void importRefusedThenForced();
    void refusedPoolSaysWhy();
    void datasetsThatFail();
    void mountsAndUnmounts();
    void mountThatFails();
    void snapshotsOnDemand();
    void checkRuns();
    void checkCancelled();
    void filterAsYouType();
    void selectionOutlivesReload();
    void copiesRows();
    void outdatedAnswersAreIgnored();
    void commands();

private:
    void open(const QString& folder = QStringLiteral("/images"));
    void choose(const QString& name);
    bool settle();

    [[nodiscard]] QString lastCommand() const
    {
        return m_commands->isEmpty() ? QString() : m_commands->back().front().toString();
    }

    [[nodiscard]] QString paneText() { return m_page->pane().messageText(); }

    std::unique_ptr<FakeClient> m_client;
    std::unique_ptr<PoolsPage> m_page;
    std::unique_ptr<QSignalSpy> m_commands;
};

void PoolsPageTest::init()
{
    m_client = std::make_unique<FakeClient>();
    m_client->imported = {millpond::test::healthyPool()};
    m_client->found = {millpond::test::degradedPool(), millpond::test::refusedPool()};
    m_client->tables = {{QStringLiteral("pond"), millpond::test::smallTable("pond")},
                        {QStringLiteral("tank"), millpond::test::smallTable("tank")}};
}

void PoolsPageTest::cleanup()
{
    m_page.reset();
    m_commands.reset();
    m_client.reset();
}

void PoolsPageTest::open(const QString& folder)
{
    m_page = std::make_unique<PoolsPage>(*m_client, millpond::pools::Source{folder});
    m_commands = std::make_unique<QSignalSpy>(m_page.get(), &PoolsPage::commandIssued);
    m_page->resize(900, 600);
    m_page->show();
    m_client->start();
}

bool PoolsPageTest::settle()
{
    return QTest::qWaitFor([this] { return m_page->isSettled(); });
}

void PoolsPageTest::choose(const QString& name)
{
    const QAbstractItemModel& pools = *m_page->list().model();
    for (int row = 0; row < pools.rowCount(); ++row) {
        if (pools.index(row, 0).data().toString().startsWith(name + QLatin1Char('\n'))) {
            m_page->list().setCurrentIndex(pools.index(row, 0));
        }
    }
    QVERIFY(settle());
}

void PoolsPageTest::waitsForTheHelper()
{
    m_client->delayMs = 50;
    open();
    QVERIFY(m_page->pane().isWaiting());
    QVERIFY(paneText().contains(QStringLiteral("Starting the storage helper")));
    QVERIFY(!m_page->isSettled());
    QVERIFY(settle());
    QVERIFY(m_page->pane().isShowingContent());
}

void PoolsPageTest::helperThatDoesNotStart()
{
    m_client->startsAs = State::Failed;
    m_client->startText = QStringLiteral("millpondd was not found beside this program or in PATH");
    open();
    QVERIFY(settle());
    QVERIFY(paneText().contains(QStringLiteral("could not be started")));
    QVERIFY(paneText().contains(QStringLiteral("millpondd was not found")));
    QVERIFY(!m_page->actions().refresh->isEnabled());
    m_client->startsAs = State::Ready;
    emit m_page->pane().actionRequested(); // "Try again"
    QTRY_VERIFY(m_page->pane().isShowingContent());
}

void PoolsPageTest::helperThatDies()
{
    open();
    QVERIFY(settle());
    m_client->die();
    QVERIFY(paneText().contains(QStringLiteral("has ended")));
    QVERIFY(!m_page->actions().importPool->isEnabled());
    QVERIFY(!m_page->actions().exportPool->isEnabled());
    emit m_page->pane().actionRequested();
    QTRY_VERIFY(m_page->pane().isShowingContent());
}

void PoolsPageTest::answersAfterDeathDoNoHarm()
{
    m_client->hold(Call::Scan);
    open();
    QTRY_COMPARE(m_client->count(Call::Scan), 1);
    m_client->die();
    QVERIFY(settle());
    QVERIFY(paneText().contains(QStringLiteral("has ended")));
}

void PoolsPageTest::saysWhatItLooksFor()
{
    m_client->hold(Call::Scan);
    open();
    QTRY_COMPARE(m_client->count(Call::Scan), 1);
    QVERIFY(m_page->pane().isWaiting());
    QVERIFY(paneText().contains(QStringLiteral("Looking for pools in /images")));
    QVERIFY(!m_page->isSettled());
    QCOMPARE(lastCommand(), QStringLiteral("mpzpool import -d /images"));
    m_client->release(Call::Scan);
    QVERIFY(settle());
    QVERIFY(m_page->pane().isShowingContent());
}

void PoolsPageTest::emptyFolder()
{
    m_client->imported.clear();
    m_client->found.clear();
    open();
    QVERIFY(settle());
    QVERIFY(paneText().contains(QStringLiteral("No pools in /images")));
    QVERIFY(!m_page->actions().importPool->isEnabled());
    m_page->setSource({});
    QVERIFY(settle());
    QVERIFY(paneText().contains(QStringLiteral("No pools on the devices of this machine")));
}

void PoolsPageTest::scanThatFails()
{
    m_client->failNext(Call::Scan, {ErrorKind::TimedOut, {}, {}});
    open();
    QVERIFY(settle());
    QVERIFY(paneText().contains(QStringLiteral("/images could not be searched")));
    QVERIFY(paneText().contains(QStringLiteral("did not answer in time")));
    emit m_page->pane().actionRequested();
    QTRY_VERIFY(m_page->pane().isShowingContent());
}

void PoolsPageTest::showsPoolsOnce()
{
    m_client->found.append(millpond::test::healthyPool()); // a scan finds imported pools, too
    open();
    QVERIFY(settle());
    QCOMPARE(m_page->list().model()->rowCount(), 3);
    QVERIFY(m_page->list().model()->index(0, 0).data().toString().contains(
        QStringLiteral("Online, open read-only")));
    // The pool of another folder is not this page's.
    m_page->setSource({QStringLiteral("/elsewhere")});
    QVERIFY(settle());
    QCOMPARE(m_page->list().model()->rowCount(), 3); // found there, as the script says
}

void PoolsPageTest::importsAndShowsDatasets()
{
    open();
    QVERIFY(settle());
    choose(QStringLiteral("tank"));
    millpond::pools::DatasetPanel& datasets = *m_page->detail().datasets;
    QVERIFY(datasets.pane().messageText().contains(QStringLiteral("tank is not imported")));
    QVERIFY(m_page->actions().importPool->isEnabled());
    QVERIFY(!m_page->actions().exportPool->isEnabled());
    QVERIFY(
        m_page->detail().header->explanation().contains(QStringLiteral("missing from the system")));
    m_page->actions().importPool->trigger();
    QCOMPARE(lastCommand(), QStringLiteral("mpzpool import -o readonly=on -d /images tank"));
    QVERIFY(settle());
    QTRY_VERIFY(datasets.pane().isShowingContent());
    QVERIFY(m_page->notice().text().contains(QStringLiteral("tank is open read-only")));
    QCOMPARE(datasets.model().totalCount(), 6);
    QVERIFY(m_page->actions().exportPool->isEnabled());
    m_page->actions().exportPool->trigger();
    QVERIFY(settle());
    QCOMPARE(m_client->imported.size(), 1);
    QVERIFY(datasets.pane().messageText().contains(QStringLiteral("tank is not imported")));
}

void PoolsPageTest::importRefusedThenForced()
{
    open();
    QVERIFY(settle());
    choose(QStringLiteral("tank"));
    m_client->failNext(Call::Import,
                       {ErrorKind::Refused,
                        QStringLiteral("PoolActive"),
                        QStringLiteral("it was last used by host nas")});
    m_page->actions().importPool->trigger();
    QVERIFY(settle());
    QVERIFY(m_page->notice().text().contains(QStringLiteral("it was last used by host nas")));
    emit m_page->notice().actionRequested(); // "Import read-only anyway"
    QCOMPARE(lastCommand(), QStringLiteral("mpzpool import -f -o readonly=on -d /images tank"));
    QVERIFY(settle());
    QVERIFY(m_client->log().contains(QStringLiteral("import 815 force")));
}

void PoolsPageTest::refusedPoolSaysWhy()
{
    open();
    QVERIFY(settle());
    choose(QStringLiteral("vault"));
    QVERIFY(!m_page->actions().importPool->isEnabled());
    QVERIFY(m_page->detail().datasets->pane().messageText().contains(
        QStringLiteral("org.example:crypt_v9")));
}

void PoolsPageTest::datasetsThatFail()
{
    m_client->failNext(Call::Datasets,
                       {ErrorKind::Refused,
                        QStringLiteral("ChecksumMismatch"),
                        QStringLiteral("pond: checksum mismatch")});
    open();
    QVERIFY(settle());
    millpond::pools::DatasetPanel& datasets = *m_page->detail().datasets;
    QVERIFY(datasets.pane().messageText().contains(QStringLiteral("pond: checksum mismatch")));
    QVERIFY(m_page->pane().isShowingContent()); // the devices stay visible
    emit datasets.pane().actionRequested();
    QVERIFY(settle());
    QVERIFY(datasets.pane().isShowingContent());
}

void PoolsPageTest::mountsAndUnmounts()
{
    open();
    QVERIFY(settle());
    millpond::pools::DatasetPanel& datasets = *m_page->detail().datasets;
    datasets.view().setCurrentIndex(datasets.model().indexOf(QStringLiteral("pond/home/ada")));
    QVERIFY(m_page->actions().mount->isEnabled());
    QVERIFY(!m_page->actions().openFolder->isEnabled());
    emit datasets.activated(); // Enter or double click
    QCOMPARE(lastCommand(), QStringLiteral("mpzfs mount pond/home/ada"));
    QVERIFY(settle());
    QVERIFY(m_page->notice().text().contains(QStringLiteral("/home/ada/Millpond/pond/home/ada")));
    QVERIFY(m_page->actions().openFolder->isEnabled());
    QVERIFY(!m_page->actions().mount->isEnabled());
    m_page->actions().unmount->trigger();
    QVERIFY(settle());
    QVERIFY(m_page->actions().mount->isEnabled());
    datasets.view().setCurrentIndex(datasets.model().indexOf(QStringLiteral("pond/vm-disk")));
    QVERIFY(!m_page->actions().mount->isEnabled()); // a volume
}

void PoolsPageTest::mountThatFails()
{
    open();
    QVERIFY(settle());
    m_client->failNext(Call::Mount, {ErrorKind::Denied, QStringLiteral("NotAuthorized"), {}});
    m_page->actions().mount->trigger();
    QVERIFY(settle());
    QVERIFY(m_page->notice().text().contains(
        QStringLiteral("pond was not mounted: You are not allowed")));
}

void PoolsPageTest::snapshotsOnDemand()
{
    m_client->snapshots.insert(QStringLiteral("pond"), millpond::test::snapshotTable("pond", 3));
    open();
    QVERIFY(settle());
    QVERIFY(!m_client->log().contains(QStringLiteral("snapshots pond")));
    millpond::pools::SnapshotPanel& panel = *m_page->detail().snapshots;
    auto* tabs = qobject_cast<QTabWidget*>(panel.parentWidget()->parentWidget());
    tabs->setCurrentWidget(&panel);
    QVERIFY(settle());
    QVERIFY(m_client->log().contains(QStringLiteral("snapshots pond")));
    QCOMPARE(panel.view().model()->rowCount(), 3);
    QCOMPARE(panel.view().model()->index(0, 0).data().toString(), QStringLiteral("@daily-0"));
    millpond::pools::DatasetPanel& datasets = *m_page->detail().datasets;
    datasets.view().setCurrentIndex(datasets.model().indexOf(QStringLiteral("pond/photos")));
    QVERIFY(settle());
    QVERIFY(panel.pane().messageText().contains(QStringLiteral("pond/photos has no snapshots")));
}

void PoolsPageTest::checkRuns()
{
    open();
    QVERIFY(settle());
    choose(QStringLiteral("tank"));
    millpond::pools::CheckPanel& check = *m_page->detail().check;
    QVERIFY(check.summary().contains(QStringLiteral("has not been checked")));
    m_page->actions().checkPool->trigger();
    QCOMPARE(lastCommand(), QStringLiteral("mpzpool check -d /images tank"));
    QVERIFY(settle());
    QVERIFY(check.pane().isWaiting());
    m_client->report.problems = {{QStringLiteral("checksum"),
                                  QStringLiteral("tank/home"),
                                  QStringLiteral("/a"),
                                  {},
                                  QStringLiteral("block 7 is bad")}};
    millpond::state::Job job{QStringLiteral("/org/millpond/Job/1"),
                             QStringLiteral("check"),
                             QStringLiteral("check of tank"),
                             millpond::state::Job::State::Running,
                             10,
                             100,
                             5,
                             20,
                             {}};
    m_client->setJob(job);
    QTRY_VERIFY(check.pane().isShowingContent());
    QVERIFY(check.summary().contains(QStringLiteral("1 problem")));
    m_client->report.problems.append({QStringLiteral("leak"),
                                      {},
                                      {},
                                      QStringLiteral("disk1.img"),
                                      QStringLiteral("4096 bytes are lost")});
    m_client->report.problemCount = 2;
    m_client->report.finished = true;
    job.state = millpond::state::Job::State::Done;
    m_client->setJob(job);
    QTRY_VERIFY(check.summary().contains(QStringLiteral("2 problem")));
    QCOMPARE(check.view().model()->rowCount(), 2);
    QCOMPARE(check.view().model()->index(0, 1).data().toString(), QStringLiteral("tank/home:/a"));
}

void PoolsPageTest::checkCancelled()
{
    open();
    QVERIFY(settle());
    choose(QStringLiteral("tank"));
    m_page->actions().checkPool->trigger();
    QVERIFY(settle());
    millpond::state::Job job;
    job.path = QStringLiteral("/org/millpond/Job/1");
    job.state = millpond::state::Job::State::Cancelled;
    m_client->setJob(job);
    QVERIFY(m_page->detail().check->summary().contains(QStringLiteral("cancelled")));
}

void PoolsPageTest::filterAsYouType()
{
    open();
    QVERIFY(settle());
    m_page->actions().find->trigger();
    auto* filter = m_page->detail().datasets->findChild<QLineEdit*>();
    QTRY_VERIFY(filter->hasFocus());
    QTest::keyClicks(filter, QStringLiteral("home/"));
    millpond::pools::DatasetPanel& datasets = *m_page->detail().datasets;
    QCOMPARE(datasets.model().rowCount(), 2);
    QTest::keyClick(filter, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClick(filter, Qt::Key_Delete);
    QCOMPARE(datasets.model().rowCount(), 1);
    QVERIFY(datasets.view().isExpanded(datasets.model().indexOf(QStringLiteral("pond/home"))));
}

void PoolsPageTest::selectionOutlivesReload()
{
    open();
    QVERIFY(settle());
    millpond::pools::DatasetPanel& datasets = *m_page->detail().datasets;
    datasets.view().setCurrentIndex(datasets.model().indexOf(QStringLiteral("pond/home/ada")));
    emit m_client->datasetsChanged();
    emit m_client->poolsChanged();
    QVERIFY(!m_page->isSettled());
    QVERIFY(settle());
    QCOMPARE(m_client->count(Call::Scan), 2); // two signals, one more scan
    QCOMPARE(datasets.currentDataset(), QStringLiteral("pond/home/ada"));
    datasets.findChild<QLineEdit*>()->setText(QStringLiteral("photos"));
    datasets.findChild<QLineEdit*>()->clear();
    QCOMPARE(datasets.model().rowCount(), 1);
}

void PoolsPageTest::copiesRows()
{
    open();
    QVERIFY(settle());
    millpond::pools::DatasetPanel& datasets = *m_page->detail().datasets;
    datasets.view().setCurrentIndex(datasets.model().indexOf(QStringLiteral("pond/home/ada")));
    m_page->actions().copy->trigger();
    QCOMPARE(QGuiApplication::clipboard()->text(),
             QStringLiteral(
                 "pond/home/ada\t2147483648\t6012954214\t2040109465\t1.41\t/pond/home/ada\tNo\n"));
}

void PoolsPageTest::outdatedAnswersAreIgnored()
{
    open();
    QVERIFY(settle());
    m_client->hold(Call::Scan);
    m_page->setSource({QStringLiteral("/slow")});
    QVERIFY(m_page->pane().isWaiting());
    m_client->found.clear();
    m_client->imported.clear();
    m_page->setSource({QStringLiteral("/other")});
    m_client->release(Call::Scan);
    QVERIFY(settle());
    QVERIFY(paneText().contains(QStringLiteral("No pools in /other")));
}

void PoolsPageTest::commands()
{
    using namespace millpond::pools;
    QCOMPARE(commands::shellWord(QStringLiteral("a b'c")), QStringLiteral("'a b'\\''c'"));
    QCOMPARE(commands::scan({}), QStringLiteral("mpzpool import"));
    QCOMPARE(commands::check(QStringLiteral("tank"), {QStringLiteral("/my images")}),
             QStringLiteral("mpzpool check -d '/my images' tank"));
    QCOMPARE(commands::datasets(QStringLiteral("tank"), {QStringLiteral("used")}),
             QStringLiteral("mpzfs list -r -o name,used tank"));
}

QTEST_MAIN(PoolsPageTest)

#include "tst_pools_page.moc"
