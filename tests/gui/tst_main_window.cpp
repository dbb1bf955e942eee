// SPDX-License-Identifier: GPL-3.0-or-later
// Property: everything in the window has a name for screen readers and can be reached with the
// keyboard; it fits on 1024 x 700; shortcuts do not collide; jobs can be watched and cancelled.
// Method: the whole window with a scripted helper, walked widget by widget.
#include "gui/fake_client.h"
#include "gui/pools/pools_page.h"
#include "gui/samples.h"
#include "gui/shell/helper_status.h"
#include "gui/shell/jobs_area.h"
#include "gui/shell/main_window.h"
#include "gui/widgets/transcript_bar.h"

#include <QAccessible>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QScrollBar>
#include <QStandardPaths>
#include <QTabBar>
#include <QTest>
#include <QToolBar>
#include <QToolButton>
#include <QTreeView>

#include <memory>

using millpond::shell::MainWindow;
using millpond::state::Job;
using millpond::test::FakeClient;

class MainWindowTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void cleanup();

    void everyControlHasAName();
    void everythingIsReachedByKeyboard();
    void shortcutsAreUnique();
    void everyActionHasTextAndHint();
    void fitsASmallScreen();
    void pagesHangIn();
    void statusTellsHelperAndMode();
    void transcriptKeepsCommands();
    void jobsComeAndGo();

private:
    std::unique_ptr<FakeClient> m_client;
    std::unique_ptr<MainWindow> m_window;
    millpond::pools::PoolsPage* m_page = nullptr;
};

namespace {

bool isControl(const QWidget* widget)
{
    // A label whose text can be selected with the mouse is not a control.
    const bool label = qobject_cast<const QLabel*>(widget) != nullptr;
    return widget->focusPolicy() != Qt::NoFocus && !label && widget->isVisible() &&
           widget->isEnabled();
}

/// Inner parts whose outer widget is the control.
bool isPart(const QWidget* widget)
{
    return widget->focusProxy() != nullptr || qobject_cast<const QHeaderView*>(widget) != nullptr ||
           qobject_cast<const QScrollBar*>(widget) != nullptr ||
           widget->objectName().startsWith(QLatin1String("qt_")) ||
           qobject_cast<const QLineEdit*>(widget->parentWidget()) != nullptr;
}

QList<QWidget*> controlsOf(const QWidget& window)
{
    QList<QWidget*> controls;
    for (QWidget* widget : window.findChildren<QWidget*>()) {
        if (isControl(widget) && !isPart(widget)) {
            controls.append(widget);
        }
    }
    return controls;
}

QString describe(const QWidget* widget)
{
    return QStringLiteral("%1 \"%2\" %3")
        .arg(QString::fromLatin1(widget->metaObject()->className()),
             widget->accessibleName(),
             widget->objectName());
}

} // namespace

void MainWindowTest::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setOrganizationName(QStringLiteral("millpond-test"));
}

void MainWindowTest::init()
{
    m_client = std::make_unique<FakeClient>();
    m_client->imported = {millpond::test::healthyPool()};
    m_client->found = {millpond::test::degradedPool()};
    m_client->tables = {{QStringLiteral("pond"), millpond::test::smallTable("pond")}};
    m_window = std::make_unique<MainWindow>(*m_client);
    m_page = new millpond::pools::PoolsPage(*m_client, {QStringLiteral("/images")});
    m_window->addPage(m_page);
    m_window->resize(1024, 700);
    m_window->show();
    m_client->start();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    QVERIFY(QTest::qWaitFor([this] { return m_page->isSettled(); }));
}

void MainWindowTest::cleanup()
{
    m_window.reset();
    m_client.reset();
}

void MainWindowTest::everyControlHasAName()
{
    m_client->setJob({QStringLiteral("/job"),
                      QStringLiteral("check"),
                      QStringLiteral("check of tank"),
                      Job::State::Running,
                      1,
                      2,
                      3,
                      4,
                      {}});
    const QList<QWidget*> controls = controlsOf(*m_window);
    QVERIFY(controls.size() > 10);
    for (QWidget* control : controls) {
        const QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(control);
        QVERIFY2(accessible != nullptr, qPrintable(describe(control)));
        QVERIFY2(!accessible->text(QAccessible::Name).isEmpty(), qPrintable(describe(control)));
    }
}

void MainWindowTest::everythingIsReachedByKeyboard()
{
    QSet<QWidget*> reached;
    QWidget* first = m_window->focusWidget();
    QVERIFY(first != nullptr);
    constexpr int kMoreThanEnough = 200;
    for (int step = 0; step < kMoreThanEnough; ++step) {
        QTest::keyClick(m_window->focusWidget(), Qt::Key_Tab);
        reached.insert(m_window->focusWidget());
        if (m_window->focusWidget() == first) {
            break;
        }
    }
    for (QWidget* control : controlsOf(*m_window)) {
        QVERIFY2(reached.contains(control), qPrintable(describe(control)));
    }
}

void MainWindowTest::shortcutsAreUnique()
{
    QHash<QKeySequence, QString> seen;
    for (const QAction* action : m_window->findChildren<QAction*>()) {
        for (const QKeySequence& keys : action->shortcuts()) {
            QVERIFY2(!seen.contains(keys) || seen.value(keys) == action->text(),
                     qPrintable(keys.toString() + QStringLiteral(": ") + action->text() +
                                QStringLiteral(" and ") + seen.value(keys)));
            seen.insert(keys, action->text());
        }
    }
    QVERIFY(seen.size() > 10);
}

void MainWindowTest::everyActionHasTextAndHint()
{
    for (const millpond::page::Page::Menu& menu : m_page->menus()) {
        QSet<QString> letters;
        for (const QAction* action : menu.actions) {
            if (action == nullptr) {
                continue;
            }
            QVERIFY(!action->statusTip().isEmpty());
            QVERIFY(!action->icon().isNull());
            QVERIFY(!action->shortcut().isEmpty());
            const QString letter =
                action->text().mid(action->text().indexOf(QLatin1Char('&')) + 1, 1).toLower();
            QVERIFY2(!letters.contains(letter), qPrintable(action->text()));
            letters.insert(letter);
        }
    }
}

void MainWindowTest::fitsASmallScreen()
{
    m_client->setJob({QStringLiteral("/job"),
                      QStringLiteral("check"),
                      QStringLiteral("check of tank"),
                      Job::State::Running,
                      1,
                      2,
                      3,
                      4,
                      {}});
    QCoreApplication::processEvents();
    const QSize least = m_window->minimumSizeHint();
    QVERIFY2(least.width() <= 1024 && least.height() <= 700,
             qPrintable(QStringLiteral("%1 x %2").arg(least.width()).arg(least.height())));
    QCOMPARE(m_window->size(), QSize(1024, 700));
}

void MainWindowTest::pagesHangIn()
{
    struct OtherPage : millpond::page::Page
    {
        QString id() const override { return QStringLiteral("other"); }

        QString title() const override { return QStringLiteral("Other"); }

        QIcon icon() const override { return {}; }

        QList<Menu> menus() const override { return {{QStringLiteral("Thing"), {action}}}; }

        Actions toolBarActions() const override { return {action}; }

        bool isSettled() const override { return true; }

        QAction* action = new QAction(QStringLiteral("Do it"), this);
    };

    auto* other = new OtherPage;
    m_window->addPage(other);
    QCOMPARE(m_window->pageIds(), (QStringList{QStringLiteral("pools"), QStringLiteral("other")}));
    QVERIFY(!m_window->showPage(QStringLiteral("nothing")));
    QCOMPARE(m_window->currentPage(), m_page);
    QVERIFY(m_window->showPage(QStringLiteral("other")));
    QCOMPARE(m_window->currentPage(), other);
    QCOMPARE(m_window->menuBar()->actions().front()->text(), QStringLiteral("Thing"));
    QCOMPARE(m_window->toolBar().actions().front()->text(), QStringLiteral("Do it"));
    QTest::keyClick(m_window.get(), Qt::Key_1, Qt::AltModifier);
    QTRY_COMPARE(m_window->currentPage(), m_page);
}

void MainWindowTest::statusTellsHelperAndMode()
{
    QCOMPARE(m_window->helperStatus().text(),
             QStringLiteral("Private mode: helper 0.1.0 is running"));
    m_client->die();
    QCOMPARE(m_window->helperStatus().text(), QStringLiteral("Private mode: helper has ended"));
    m_client->mode = millpond::state::HelperMode::System;
    m_client->start();
    QCOMPARE(m_window->helperStatus().text(), QStringLiteral("System mode: helper is starting"));
}

void MainWindowTest::transcriptKeepsCommands()
{
    millpond::widgets::TranscriptBar& transcript = m_window->transcript();
    QVERIFY(transcript.commands().contains(QStringLiteral("mpzpool import -d /images")));
    for (int i = 0; i < 2 * millpond::widgets::TranscriptBar::kKept; ++i) {
        transcript.add(QStringLiteral("mpzfs mount pond/%1").arg(i));
    }
    QCOMPARE(transcript.commands().size(), millpond::widgets::TranscriptBar::kKept);
    transcript.copyShown();
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("mpzfs mount pond/59"));
}

void MainWindowTest::jobsComeAndGo()
{
    QVERIFY(!m_window->jobs().isVisible());
    Job job{QStringLiteral("/job"),
            QStringLiteral("check"),
            QStringLiteral("check of tank"),
            Job::State::Running,
            1 << 20,
            4 << 20,
            1 << 19,
            90,
            {}};
    m_client->setJob(job);
    QVERIFY(m_window->jobs().isVisible());
    millpond::shell::JobRow* row = m_window->jobs().rows().front();
    QCOMPARE(row->text(), QStringLiteral("check of tank: 1M of 4M, 512K/s, 2 minute(s) left"));
    row->findChild<QToolButton*>()->click();
    QTRY_COMPARE(m_client->count(FakeClient::Call::CancelJob), 1);
    job.state = Job::State::Cancelled;
    m_client->setJob(job);
    QCOMPARE(row->text(), QStringLiteral("check of tank: cancelled"));
    row->findChild<QToolButton*>()->click(); // "Close"
    QVERIFY(!m_window->jobs().isVisible());
    m_client->setJob(job); // told again: stays closed
    QVERIFY(!m_window->jobs().isVisible());
    job.path = QStringLiteral("/job2");
    job.state = Job::State::Running;
    m_client->setJob(job);
    m_client->die();
    QVERIFY(!m_window->jobs().isVisible());
}

QTEST_MAIN(MainWindowTest)

#include "tst_main_window.moc"
