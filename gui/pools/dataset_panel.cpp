// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pools/dataset_panel.h"

#include "gui/art/icon.h"
#include "gui/page/error_text.h"
#include "gui/pools/commands.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QToolButton>
#include <QVBoxLayout>

namespace millpond::pools {

namespace {

constexpr int kUnfoldAllUpTo = 100; // datasets: what fits on a screen or two
constexpr double kNameShare = 0.4;  // of the width, at most

} // namespace

DatasetPanel::DatasetPanel(client::Client& client,
                           page::Pending& pending,
                           const QList<QAction*>& actions,
                           QWidget* parent)
    : QWidget(parent)
    , m_client(client)
    , m_pending(pending)
    , m_model(model::datasetColumns(), model::DatasetModel::Shape::Tree)
    , m_filter(new QLineEdit(this))
    , m_count(new QLabel(this))
    , m_view(new widgets::TableView(tr("Datasets"), this))
    , m_pane(nullptr)
{
    m_view->setModel(&m_model);
    m_view->setExpandsOnDoubleClick(false);
    auto* content = new QWidget(this);
    auto* inner = new QVBoxLayout(content);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->addLayout(buildBar(actions));
    inner->addWidget(m_view, 1);
    m_pane = new widgets::StatePane(content, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->addWidget(m_pane);
    connectView();
}

QLayout* DatasetPanel::buildBar(const QList<QAction*>& actions)
{
    m_filter->setPlaceholderText(tr("Filter datasets by name"));
    m_filter->setAccessibleName(tr("Filter datasets by name"));
    m_filter->setClearButtonEnabled(true);
    m_filter->addAction(art::icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_filter->setMaximumWidth(320);
    auto* bar = new QHBoxLayout;
    bar->addWidget(m_filter, 1);
    bar->addWidget(m_count);
    bar->addStretch(1);
    for (QAction* action : actions) {
        auto* button = new QToolButton(this);
        button->setDefaultAction(action);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setFocusPolicy(Qt::StrongFocus);
        button->setAccessibleName(action->iconText());
        bar->addWidget(button);
    }
    return bar;
}

void DatasetPanel::connectView()
{
    m_view->sortByColumn(0, Qt::AscendingOrder);
    m_view->setSortingEnabled(true);
    connect(m_filter, &QLineEdit::textChanged, this, &DatasetPanel::applyFilter);
    connect(m_view, &QTreeView::expanded, this, [this](const QModelIndex& index) {
        rememberUnfolding(index, true);
    });
    connect(m_view, &QTreeView::collapsed, this, [this](const QModelIndex& index) {
        rememberUnfolding(index, false);
    });
    connect(m_view, &QTreeView::activated, this, &DatasetPanel::activated);
    connect(m_view->selectionModel(),
            &QItemSelectionModel::currentChanged,
            this,
            [this](const QModelIndex& now) {
                if (!m_restoring && now.isValid()) {
                    m_current = m_model.nameOf(now);
                    emit currentChanged();
                }
            });
    connect(&m_model, &QAbstractItemModel::modelReset, this, &DatasetPanel::restoreView);
    connect(m_pane, &widgets::StatePane::actionRequested, this, [this] {
        if (m_canImport) {
            emit importRequested();
        } else {
            load(m_pool, false);
        }
    });
}

void DatasetPanel::load(const QString& pool, bool quiet)
{
    const QStringList properties = model::propertiesOf(model::datasetColumns());
    if (pool != m_pool) {
        m_unfolded.clear();
        m_current.clear();
    }
    m_pool = pool;
    if (!quiet || !m_pane->isShowingContent()) {
        m_pane->showWaiting(art::icon(QStringLiteral("waiting")),
                            tr("Reading the datasets of %1").arg(pool));
        emit commandIssued(commands::datasets(pool, properties));
    }
    const auto ticket = m_pending.begin(tr("Reading the datasets of %1").arg(pool));
    m_client.datasets({pool, properties, false},
                      client::bound(this, [this, serial = ++m_serial, ticket](const auto& answer) {
                          take(serial, answer);
                      }));
    loadMounts();
}

void DatasetPanel::loadMounts()
{
    const auto ticket = m_pending.begin(tr("Asking what is mounted"));
    m_client.mounts(client::bound(this, [this, ticket](const auto& answer) {
        if (answer) {
            m_model.setMounts(*answer);
            emit currentChanged();
        }
    }));
}

void DatasetPanel::take(int serial, const client::Answer<state::DatasetTable>& answer)
{
    if (serial != m_serial) {
        return;
    }
    if (answer) {
        showTable(*answer);
    } else {
        showFailure(answer.error());
    }
}

void DatasetPanel::showTable(const state::DatasetTable& table)
{
    m_canImport = false;
    const bool first = !m_pane->isShowingContent();
    m_model.setTable(table);
    m_pane->showContent();
    if (first) {
        m_view->fitColumns(kNameShare);
    }
    updateCount();
    emit currentChanged();
}

void DatasetPanel::showFailure(const state::CallError& error)
{
    m_canImport = false;
    m_pane->showMessage({art::icon(QStringLiteral("health-error")),
                         tr("The datasets of %1 could not be read").arg(m_pool),
                         page::reasonText(error),
                         tr("Try again")});
}

void DatasetPanel::showNotImported(const state::Pool& pool)
{
    ++m_serial;
    m_pool.clear();
    m_current.clear();
    m_model.setTable({});
    m_canImport = pool.importable;
    if (pool.importable) {
        m_pane->showMessage(
            {art::icon(QStringLiteral("pool")),
             tr("%1 is not imported").arg(pool.name),
             tr("Import it read-only to see and mount its datasets. Nothing is written "
                "to its disks."),
             tr("Import read-only")});
    } else {
        m_pane->showMessage({art::icon(QStringLiteral("pool")),
                             tr("%1 cannot be imported").arg(pool.name),
                             pool.reason,
                             {}});
    }
    emit currentChanged();
}

void DatasetPanel::showList(bool list)
{
    m_model.setShape(list ? model::DatasetModel::Shape::List : model::DatasetModel::Shape::Tree);
    updateCount();
}

void DatasetPanel::focusFilter()
{
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

void DatasetPanel::applyFilter()
{
    m_model.setFilter(m_filter->text());
    updateCount();
}

void DatasetPanel::updateCount()
{
    const QLocale locale;
    const int total = m_model.totalCount();
    m_count->setText(
        m_model.matchCount() == total
            ? tr("%n dataset(s)", nullptr, total)
            : tr("%1 of %2").arg(locale.toString(m_model.matchCount()), locale.toString(total)));
}

void DatasetPanel::rememberUnfolding(const QModelIndex& index, bool unfolded)
{
    if (m_restoring || m_model.isList()) {
        return;
    }
    if (unfolded) {
        m_unfolded.insert(m_model.nameOf(index));
    } else {
        m_unfolded.remove(m_model.nameOf(index));
    }
}

void DatasetPanel::restoreView()
{
    m_restoring = true;
    m_view->setRootIsDecorated(!m_model.isList());
    if (m_unfolded.isEmpty() && m_model.totalCount() <= kUnfoldAllUpTo) {
        m_view->expandAll();
    } else if (m_unfolded.isEmpty()) {
        m_view->expandToDepth(0);
    }
    for (const QString& name : std::as_const(m_unfolded)) {
        m_view->expand(m_model.indexOf(name));
    }
    if (m_pane->isShowingContent()) {
        m_view->fitColumns(kNameShare); // full names need more room than parts
    }
    const QModelIndex current = m_model.indexOf(m_current);
    m_view->setCurrentIndex(current.isValid() ? current : m_model.index(0, 0));
    m_restoring = false;
    emit currentChanged();
}

QString DatasetPanel::currentDataset() const
{
    return m_pane->isShowingContent() ? m_model.nameOf(m_view->currentIndex()) : QString();
}

bool DatasetPanel::currentIsFilesystem() const
{
    const QModelIndex current = m_view->currentIndex();
    return m_pane->isShowingContent() && current.isValid() &&
           m_model.kindOf(current) == state::DatasetKind::Filesystem;
}

QString DatasetPanel::currentMountPath() const
{
    return m_pane->isShowingContent() ? m_model.mountPathOf(m_view->currentIndex()) : QString();
}

} // namespace millpond::pools
