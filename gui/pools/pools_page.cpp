// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pools/pools_page.h"

#include "gui/art/icon.h"
#include "gui/page/error_text.h"
#include "gui/pools/commands.h"
#include "gui/widgets/table_text.h"

#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLabel>
#include <QSettings>
#include <QSplitter>
#include <QTreeView>
#include <QUrl>
#include <QVBoxLayout>

namespace millpond::pools {

namespace {

constexpr int kGatherMs = 250;      // signals closer than this cause one reload
constexpr int kListWidth = 240;     // logical pixels, at first
constexpr int kNarrowestList = 170; // logical pixels

const QString kSplitterKey = QStringLiteral("pools/splitter");
const QString kDetailKey = QStringLiteral("pools/detail");

} // namespace

PoolsPage::PoolsPage(client::Client& client, const Source& source, QWidget* parent)
    : Page(parent)
    , m_client(client)
    , m_loader(client, m_pending)
    , m_operations(client, m_pending)
    , m_actions(this)
    , m_source(source)
    , m_detail(new PoolDetail(client, m_pending, m_actions, this))
    , m_notice(new widgets::Notice(art::icon(QStringLiteral("cancel")), this))
{
    m_pane = new widgets::StatePane(buildContent(), this);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_notice);
    layout->addWidget(m_pane, 1);
    m_reloadSoon.setSingleShot(true);
    m_reloadSoon.setInterval(kGatherMs);
    connectClient();
    connectActions();
    connectOperations();
    restoreSettings();
    updateSourceLabel();
    takeHelper(m_client.helper());
}

QString PoolsPage::title() const
{
    return tr("Pools");
}

QIcon PoolsPage::icon() const
{
    return art::icon(QStringLiteral("pool"));
}

QWidget* PoolsPage::buildContent()
{
    m_splitter = new QSplitter(Qt::Horizontal, this);
    m_splitter->addWidget(buildListSide());
    m_splitter->addWidget(m_detail);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setSizes({kListWidth, 3 * kListWidth});
    return m_splitter;
}

QWidget* PoolsPage::buildListSide()
{
    auto* side = new QWidget(this);
    m_sourceLabel = new QLabel(side);
    m_sourceLabel->setTextFormat(Qt::PlainText);
    m_sourceLabel->setWordWrap(true);
    // A tree view, because a list view does not elide.
    m_list = new QTreeView(side);
    m_list->setModel(&m_pools);
    m_list->setAccessibleName(tr("Pools"));
    m_list->setHeaderHidden(true);
    m_list->setRootIsDecorated(false);
    m_list->setIconSize(QSize(24, 24));
    m_list->setMinimumWidth(kNarrowestList);
    m_sourceLabel->setBuddy(m_list);
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_sourceLabel);
    layout->addWidget(m_list, 1);
    return side;
}

void PoolsPage::connectClient()
{
    using client::Client;
    connect(&m_client, &Client::helperChanged, this, &PoolsPage::takeHelper);
    connect(&m_client, &Client::poolsChanged, &m_reloadSoon, qOverload<>(&QTimer::start));
    connect(&m_client, &Client::datasetsChanged, &m_reloadSoon, qOverload<>(&QTimer::start));
    connect(&m_client, &Client::mountsChanged, m_detail->datasets, &DatasetPanel::loadMounts);
    connect(&m_reloadSoon, &QTimer::timeout, this, [this] { reload(true); });
    connect(&m_loader, &PoolLoader::loaded, this, &PoolsPage::takePools);
    connect(&m_loader, &PoolLoader::failed, this, &PoolsPage::takeFailure);
    connect(&m_pending, &page::Pending::changed, this, &PoolsPage::pendingChanged);
    connect(m_pane, &widgets::StatePane::actionRequested, this, &PoolsPage::runPaneAction);
    connect(m_notice, &widgets::Notice::actionRequested, this, &PoolsPage::runNoticeAction);
    connect(m_list->selectionModel(),
            &QItemSelectionModel::currentChanged,
            this,
            [this](const QModelIndex& now) { showPool(now); });
}

void PoolsPage::connectActions()
{
    const auto onClick = [this](QAction* action, auto&& slot) {
        connect(action, &QAction::triggered, this, slot);
    };
    onClick(m_actions.chooseFolder, [this] { chooseFolder(); });
    onClick(m_actions.showMachine, [this] { setSource({}); });
    onClick(m_actions.refresh, [this] { reload(false); });
    onClick(m_actions.importPool,
            [this] { m_operations.importPool(*currentPool(), m_source, false); });
    onClick(m_actions.exportPool, [this] { m_operations.exportPool(*currentPool()); });
    onClick(m_actions.checkPool, [this] { startCheck(); });
    onClick(m_actions.mount, [this] { m_operations.mount(m_detail->datasets->currentDataset()); });
    onClick(m_actions.unmount,
            [this] { m_operations.unmount(m_detail->datasets->currentDataset()); });
    onClick(m_actions.openFolder, [this] { openMountedFolder(); });
    onClick(m_actions.copy, [this] { copyRows(); });
    onClick(m_actions.saveTable, [this] { saveTable(); });
    onClick(m_actions.find, [this] { m_detail->datasets->focusFilter(); });
    connect(m_actions.asList, &QAction::toggled, m_detail->datasets, &DatasetPanel::showList);
}

void PoolsPage::connectOperations()
{
    connect(&m_operations, &Operations::commandIssued, this, &PoolsPage::commandIssued);
    connect(m_detail, &PoolDetail::commandIssued, this, &PoolsPage::commandIssued);
    connect(&m_operations,
            &Operations::succeeded,
            this,
            [this](const QString& text, const QString& folder) {
                m_noticeAction = folder.isEmpty() ? NoticeAction::None : NoticeAction::OpenFolder;
                m_noticeFolder = folder;
                tell(QStringLiteral("health-ok"), text);
            });
    connect(&m_operations, &Operations::failed, this, [this](const QString& text) {
        m_noticeAction = NoticeAction::None;
        tell(QStringLiteral("health-error"), text);
    });
    connect(&m_operations, &Operations::forceOffered, this, [this](const QString& text) {
        m_noticeAction = NoticeAction::ForceImport;
        tell(QStringLiteral("health-warning"), text);
    });
    connect(&m_operations, &Operations::poolsChanged, this, [this] { reload(true); });
    connect(
        &m_operations, &Operations::mountsChanged, m_detail->datasets, &DatasetPanel::loadMounts);
    connect(m_detail->datasets, &DatasetPanel::currentChanged, this, &PoolsPage::updateActions);
    connect(m_detail->datasets, &DatasetPanel::activated, this, &PoolsPage::activateDataset);
    connect(m_detail->datasets,
            &DatasetPanel::importRequested,
            m_actions.importPool,
            &QAction::trigger);
    connect(m_detail->check, &CheckPanel::checkRequested, m_actions.checkPool, &QAction::trigger);
}

void PoolsPage::restoreSettings()
{
    const QSettings settings;
    m_splitter->restoreState(settings.value(kSplitterKey).toByteArray());
    m_detail->restoreSplitter(settings.value(kDetailKey).toByteArray());
}

void PoolsPage::saveSettings() const
{
    QSettings settings;
    settings.setValue(kSplitterKey, m_splitter->saveState());
    settings.setValue(kDetailKey, m_detail->splitterState());
}

bool PoolsPage::isSettled() const
{
    const state::Helper::State helper = m_client.helper().state;
    return m_pending.isEmpty() && !m_reloadSoon.isActive() &&
           helper != state::Helper::State::Absent && helper != state::Helper::State::Starting;
}

void PoolsPage::pendingChanged()
{
    emit activityChanged(m_pending.text());
    if (isSettled()) {
        emit settled();
    }
}

void PoolsPage::setSource(const Source& source)
{
    m_source = source;
    m_chosen.clear();
    updateSourceLabel();
    reload(false);
}

void PoolsPage::updateSourceLabel()
{
    m_sourceLabel->setText(m_source.isMachine() ? tr("Pools on this machine")
                                                : tr("Pools in %1").arg(m_source.folder));
}

void PoolsPage::takeHelper(const state::Helper& helper)
{
    using State = state::Helper::State;
    switch (helper.state) {
    case State::Ready:
        reload(false);
        return;
    case State::Absent:
    case State::Starting:
        m_paneAction = PaneAction::None;
        m_pane->showWaiting(art::icon(QStringLiteral("waiting")),
                            page::helperTitle(helper),
                            page::helperText(helper));
        break;
    case State::Lost:
    case State::Failed:
    case State::WrongVersion:
        m_loader.forget();
        m_paneAction = PaneAction::StartHelper;
        m_pane->showMessage({art::icon(QStringLiteral("plug")),
                             page::helperTitle(helper),
                             page::helperText(helper),
                             tr("Try again")});
        break;
    }
    updateActions();
    pendingChanged();
}

void PoolsPage::reload(bool quiet)
{
    if (m_client.helper().state != state::Helper::State::Ready) {
        return;
    }
    if (!quiet || !m_pane->isShowingContent()) {
        m_pane->showWaiting(art::icon(QStringLiteral("waiting")),
                            m_source.isMachine()
                                ? tr("Looking for pools on the devices of this machine")
                                : tr("Looking for pools in %1").arg(m_source.folder));
        emit commandIssued(commands::scan(m_source));
    }
    m_loader.load(m_source);
    updateActions();
}

void PoolsPage::takePools(const QList<state::Pool>& imported, const QList<state::Pool>& found)
{
    const QString chosen = m_chosen;
    m_pools.setPools(imported, found);
    if (m_pools.rowCount() == 0) {
        showEmpty();
        return;
    }
    const bool appearing = !m_pane->isShowingContent();
    m_pane->showContent();
    if (appearing) {
        m_list->setFocus(Qt::OtherFocusReason);
    }
    const QModelIndex before = m_pools.indexOf(chosen);
    m_list->setCurrentIndex(before.isValid() ? before : m_pools.index(0));
}

void PoolsPage::showEmpty()
{
    m_detail->clear();
    m_paneAction = PaneAction::ChooseFolder;
    m_pane->showMessage({art::icon(QStringLiteral("pool")),
                         m_source.isMachine() ? tr("No pools on the devices of this machine")
                                              : tr("No pools in %1").arg(m_source.folder),
                         m_source.isMachine() ? tr("Plug in the disks of a pool and refresh, or "
                                                   "open a folder that holds its disks as "
                                                   "image files.")
                                              : tr("A pool shows up when the folder holds the "
                                                   "image files of its disks. Folders inside "
                                                   "it are not searched."),
                         tr("Open Folder…")});
    updateActions();
}

void PoolsPage::takeFailure(const state::CallError& error)
{
    m_paneAction = PaneAction::Reload;
    m_pane->showMessage({art::icon(QStringLiteral("health-error")),
                         m_source.isMachine()
                             ? tr("The devices of this machine could not be searched for pools")
                             : tr("%1 could not be searched for pools").arg(m_source.folder),
                         page::reasonText(error),
                         tr("Try again")});
    updateActions();
}

void PoolsPage::runPaneAction()
{
    switch (m_paneAction) {
    case PaneAction::StartHelper:
        m_client.start();
        break;
    case PaneAction::Reload:
        reload(false);
        break;
    case PaneAction::ChooseFolder:
        chooseFolder();
        break;
    case PaneAction::None:
        break;
    }
}

void PoolsPage::tell(const QString& iconName, const QString& text)
{
    QString button;
    if (m_noticeAction == NoticeAction::OpenFolder) {
        button = tr("Open Folder");
    } else if (m_noticeAction == NoticeAction::ForceImport) {
        button = tr("Import read-only anyway");
    }
    m_notice->tell(art::icon(iconName), text, button);
}

void PoolsPage::runNoticeAction()
{
    if (m_noticeAction == NoticeAction::OpenFolder) {
        QDesktopServices::openUrl(QUrl::fromLocalFile(m_noticeFolder));
    } else if (m_noticeAction == NoticeAction::ForceImport && currentPool() != nullptr) {
        m_operations.importPool(*currentPool(), m_source, true);
    }
}

const state::Pool* PoolsPage::currentPool() const
{
    return m_pane->isShowingContent() ? m_pools.pool(m_list->currentIndex()) : nullptr;
}

void PoolsPage::showPool(const QModelIndex& index)
{
    const state::Pool* pool = m_pools.pool(index);
    if (pool == nullptr) {
        return;
    }
    m_chosen = poolKey(*pool);
    m_detail->setPool(*pool);
    updateActions();
}

void PoolsPage::updateActions()
{
    const state::Pool* pool = currentPool();
    const bool ready = m_client.helper().state == state::Helper::State::Ready;
    const QString mountPath = m_detail->datasets->currentMountPath();
    const bool filesystem = pool != nullptr && m_detail->datasets->currentIsFilesystem();
    m_actions.refresh->setEnabled(ready);
    m_actions.showMachine->setEnabled(ready && !m_source.isMachine());
    m_actions.chooseFolder->setEnabled(ready);
    m_actions.importPool->setEnabled(pool != nullptr && !pool->imported && pool->importable);
    m_actions.exportPool->setEnabled(pool != nullptr && pool->imported);
    m_actions.checkPool->setEnabled(pool != nullptr && !pool->imported);
    m_actions.mount->setEnabled(filesystem && mountPath.isEmpty());
    m_actions.unmount->setEnabled(filesystem && !mountPath.isEmpty());
    m_actions.openFolder->setEnabled(filesystem && !mountPath.isEmpty());
    for (QAction* action :
         {m_actions.copy, m_actions.saveTable, m_actions.find, m_actions.asList}) {
        action->setEnabled(pool != nullptr);
    }
}

void PoolsPage::chooseFolder()
{
    auto* dialog = new QFileDialog(this, tr("Folder with image files"), m_source.folder);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) {
        setSource({QDir(folder).absolutePath()});
    });
    dialog->open();
}

void PoolsPage::activateDataset()
{
    if (m_actions.openFolder->isEnabled()) {
        m_actions.openFolder->trigger();
    } else {
        m_actions.mount->trigger();
    }
}

void PoolsPage::openMountedFolder()
{
    QDesktopServices::openUrl(QUrl::fromLocalFile(m_detail->datasets->currentMountPath()));
}

void PoolsPage::startCheck()
{
    m_detail->showCheck();
    m_detail->check->start(*currentPool(), m_source);
}

void PoolsPage::copyRows()
{
    const widgets::TableView& table = m_detail->currentTable();
    const widgets::TableText text(
        *table.model(), widgets::visibleColumns(table), model::ExportRole);
    QGuiApplication::clipboard()->setText(text.rows(table.selectionModel()->selectedRows()));
}

void PoolsPage::saveTable()
{
    auto* dialog = new QFileDialog(this, tr("Save table"), QString(), tr("CSV files (*.csv)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    connect(dialog,
            &QFileDialog::fileSelected,
            this,
            [this, &table = m_detail->currentTable()](const QString& path) {
                writeTable(table, path);
            });
    dialog->open();
}

void PoolsPage::writeTable(const widgets::TableView& table, const QString& path)
{
    const widgets::TableText text(
        *table.model(), widgets::visibleColumns(table), model::ExportRole);
    const QString problem = widgets::saveText(path, text.csv());
    m_noticeAction = NoticeAction::None;
    if (problem.isEmpty()) {
        tell(QStringLiteral("health-ok"), tr("The table was saved as %1.").arg(path));
    } else {
        tell(QStringLiteral("health-error"), tr("%1 was not written: %2").arg(path, problem));
    }
}

} // namespace millpond::pools
