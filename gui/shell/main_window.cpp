// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/shell/main_window.h"

#include "gui/art/icon.h"
#include "gui/shell/helper_status.h"
#include "gui/shell/jobs_area.h"
#include "gui/shell/page_bar.h"
#include "gui/widgets/transcript_bar.h"

#include <QCloseEvent>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QStyle>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace millpond::shell {

namespace {

constexpr QSize kFirstSize{1180, 760}; // fits a small laptop; restored ones come from the settings
constexpr QSize kSmallestSize{800, 560}; // logical pixels

const QString kGeometryKey = QStringLiteral("window/geometry");
const QString kStateKey = QStringLiteral("window/state");

} // namespace

MainWindow::MainWindow(client::Client& client, QWidget* parent)
    : QMainWindow(parent)
    , m_client(client)
    , m_pages(new PageBar(this))
    , m_stack(new QStackedWidget(this))
    , m_jobs(new JobsArea(client, this))
    , m_transcript(new widgets::TranscriptBar(
          art::themeIcon(QStringLiteral("edit-copy"), QStringLiteral("copy")), this))
    , m_helper(new HelperStatus(this))
    , m_toolBar(addToolBar(tr("Tools")))
{
    setWindowTitle(QStringLiteral("Millpond"));
    setWindowIcon(art::icon(QStringLiteral("millpond")));
    setMinimumSize(kSmallestSize);
    resize(kFirstSize);
    m_toolBar->setObjectName(QStringLiteral("tools"));
    m_toolBar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_toolBar->setMovable(false);
    setCentralWidget(buildCentre());
    statusBar()->addPermanentWidget(m_helper);
    buildStandardActions();
    connect(m_pages, &PageBar::chosen, this, &MainWindow::pageChosen);
    connect(&client, &client::Client::helperChanged, this, &MainWindow::tellHelper);
    tellHelper(client.helper());
}

QWidget* MainWindow::buildCentre()
{
    auto* centre = new QWidget(this);
    auto* right = new QVBoxLayout;
    right->setContentsMargins(0, 0, 0, 0);
    right->addWidget(m_stack, 1);
    for (QWidget* strip : std::initializer_list<QWidget*>{m_jobs, m_transcript}) {
        auto* margin = new QVBoxLayout;
        const int side = style()->pixelMetric(QStyle::PM_LayoutLeftMargin);
        margin->setContentsMargins(side, 0, side, 4);
        margin->addWidget(strip);
        right->addLayout(margin);
    }
    auto* layout = new QHBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_pages);
    layout->addLayout(right, 1);
    return centre;
}

void MainWindow::buildStandardActions()
{
    m_quit =
        new QAction(art::themeIcon(QStringLiteral("application-exit"), QStringLiteral("cancel")),
                    tr("&Quit"),
                    this);
    m_quit->setShortcuts({QKeySequence(QKeySequence::Quit), QKeySequence(Qt::CTRL | Qt::Key_Q)});
    connect(m_quit, &QAction::triggered, this, &QWidget::close);
    m_about = new QAction(windowIcon(), tr("&About Millpond"), this);
    connect(m_about, &QAction::triggered, this, &MainWindow::showAbout);
    addAction(m_quit);
}

void MainWindow::addPage(page::Page* page)
{
    m_stack->addWidget(page);
    m_pages->addPage(page->icon(), page->title());
    connect(page, &page::Page::commandIssued, m_transcript, &widgets::TranscriptBar::add);
    connect(page, &page::Page::activityChanged, this, &MainWindow::showActivity);
    if (m_pages->count() == 1) {
        m_pages->choose(0);
    }
}

bool MainWindow::showPage(const QString& id)
{
    const qsizetype row = pageIds().indexOf(id);
    if (row >= 0) {
        m_pages->choose(static_cast<int>(row));
    }
    return row >= 0;
}

QStringList MainWindow::pageIds() const
{
    QStringList ids;
    for (int row = 0; row < m_stack->count(); ++row) {
        ids.append(static_cast<const page::Page*>(m_stack->widget(row))->id());
    }
    return ids;
}

page::Page* MainWindow::currentPage() const
{
    return static_cast<page::Page*>(m_stack->currentWidget());
}

void MainWindow::pageChosen(int row)
{
    m_stack->setCurrentIndex(row);
    setWindowTitle(tr("%1 – Millpond").arg(currentPage()->title()));
    fillMenus();
    fillToolBar();
}

void MainWindow::fillMenus()
{
    menuBar()->clear();
    const QList<page::Page::Menu> menus = currentPage()->menus();
    for (qsizetype i = 0; i < menus.size(); ++i) {
        QMenu* menu = menuBar()->addMenu(menus[i].title);
        addActions(menu, menus[i].actions);
        if (i == 0) {
            menu->addSeparator();
            menu->addAction(m_quit);
        }
    }
    menuBar()->addMenu(tr("&Help"))->addAction(m_about);
}

void MainWindow::fillToolBar()
{
    m_toolBar->clear();
    addActions(m_toolBar, currentPage()->toolBarActions());
    for (QToolButton* button : m_toolBar->findChildren<QToolButton*>()) {
        button->setFocusPolicy(Qt::TabFocus);
        if (const QAction* action = button->defaultAction()) {
            button->setAccessibleName(action->iconText());
        }
    }
}

void MainWindow::addActions(QWidget* target, const page::Page::Actions& actions)
{
    for (QAction* action : actions) {
        if (action != nullptr) {
            target->addAction(action);
            continue;
        }
        auto* separator = new QAction(target);
        separator->setSeparator(true);
        target->addAction(separator);
    }
}

void MainWindow::showActivity(const QString& text)
{
    statusBar()->showMessage(text.isEmpty() ? QString() : text + QStringLiteral("…"));
}

void MainWindow::tellHelper(const state::Helper& helper)
{
    m_helper->setHelper(helper);
}

void MainWindow::showAbout()
{
    auto* about = new QMessageBox(this);
    about->setAttribute(Qt::WA_DeleteOnClose);
    about->setWindowTitle(tr("About Millpond"));
    about->setIconPixmap(windowIcon().pixmap(64, 64));
    about->setText(
        tr("<b>Millpond %1</b><p>Storage pools in the OpenZFS format, without a kernel module."
           "<p>Free software under the GNU General Public License, version 3 or later.")
            .arg(QCoreApplication::applicationVersion()));
    about->open();
}

void MainWindow::restorePlace()
{
    const QSettings settings;
    restoreGeometry(settings.value(kGeometryKey).toByteArray());
    restoreState(settings.value(kStateKey).toByteArray());
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    QSettings settings;
    settings.setValue(kGeometryKey, saveGeometry());
    settings.setValue(kStateKey, saveState());
    for (int row = 0; row < m_stack->count(); ++row) {
        static_cast<const page::Page*>(m_stack->widget(row))->saveSettings();
    }
    QMainWindow::closeEvent(event);
}

} // namespace millpond::shell
