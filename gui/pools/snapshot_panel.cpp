// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pools/snapshot_panel.h"

#include "gui/art/icon.h"
#include "gui/page/error_text.h"
#include "gui/pools/commands.h"

#include <QLabel>
#include <QVBoxLayout>

namespace millpond::pools {

namespace {

constexpr double kNameShare = 0.5;

} // namespace

SnapshotPanel::SnapshotPanel(client::Client& client, page::Pending& pending, QWidget* parent)
    : QWidget(parent)
    , m_client(client)
    , m_pending(pending)
    , m_model(model::snapshotColumns(), model::DatasetModel::Shape::List)
    , m_title(new QLabel(this))
    , m_view(new widgets::TableView(tr("Snapshots"), this))
    , m_pane(nullptr)
{
    m_title->setTextFormat(Qt::PlainText);
    m_view->setModel(&m_model);
    m_view->setRootIsDecorated(false);
    m_view->sortByColumn(0, Qt::AscendingOrder);
    m_view->setSortingEnabled(true);
    auto* content = new QWidget(this);
    auto* inner = new QVBoxLayout(content);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->addWidget(m_title);
    inner->addWidget(m_view, 1);
    m_pane = new widgets::StatePane(content, this);
    connect(m_pane, &widgets::StatePane::actionRequested, this, &SnapshotPanel::load);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->addWidget(m_pane);
    setDataset({});
}

void SnapshotPanel::setDataset(const QString& dataset)
{
    m_dataset = dataset;
    if (dataset.isEmpty()) {
        ++m_serial;
        m_loaded.clear();
        m_pane->showMessage({art::icon(QStringLiteral("snapshot")),
                             tr("No dataset is selected"),
                             tr("Select a dataset to see its snapshots."),
                             {}});
    } else if (isVisible() && m_loaded != dataset) {
        load();
    }
}

void SnapshotPanel::invalidate()
{
    m_loaded.clear();
    setDataset(m_dataset);
}

void SnapshotPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    setDataset(m_dataset);
}

void SnapshotPanel::load()
{
    const QStringList properties = model::propertiesOf(model::snapshotColumns());
    m_loaded = m_dataset;
    m_pane->showWaiting(art::icon(QStringLiteral("waiting")),
                        tr("Reading the snapshots of %1").arg(m_dataset));
    emit commandIssued(commands::snapshots(m_dataset, properties));
    const auto ticket = m_pending.begin(tr("Reading the snapshots of %1").arg(m_dataset));
    m_client.datasets({m_dataset, properties, true},
                      client::bound(this, [this, serial = ++m_serial, ticket](const auto& answer) {
                          take(serial, answer);
                      }));
}

void SnapshotPanel::take(int serial, const client::Answer<state::DatasetTable>& answer)
{
    if (serial != m_serial) {
        return;
    }
    if (!answer) {
        m_pane->showMessage({art::icon(QStringLiteral("health-error")),
                             tr("The snapshots of %1 could not be read").arg(m_dataset),
                             page::reasonText(answer.error()),
                             tr("Try again")});
        return;
    }
    if (answer->size() == 0) {
        m_pane->showMessage({art::icon(QStringLiteral("snapshot")),
                             tr("%1 has no snapshots").arg(m_dataset),
                             {},
                             {}});
        return;
    }
    m_model.setTable(*answer);
    m_title->setText(tr("%n snapshot(s) of %1", nullptr, m_model.totalCount()).arg(m_dataset));
    m_pane->showContent();
    m_view->fitColumns(kNameShare);
}

} // namespace millpond::pools
