// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pools/pool_detail.h"

#include "gui/art/icon.h"

#include <QScrollBar>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

namespace millpond::pools {

namespace {

constexpr double kDeviceShare = 0.4;  // of the width for device names, at most
constexpr double kHighestShare = 0.4; // of the height for devices, at most, until somebody moves it

} // namespace

PoolDetail::PoolDetail(client::Client& client,
                       page::Pending& pending,
                       const PoolActions& actions,
                       QWidget* parent)
    : QWidget(parent)
    , datasets(new DatasetPanel(
          client, pending, {actions.mount, actions.unmount, actions.openFolder}, this))
    , snapshots(new SnapshotPanel(client, pending, this))
    , check(new CheckPanel(client, pending, this))
    , header(new PoolHeader({actions.importPool, actions.exportPool, actions.checkPool}, this))
    , devices(new widgets::TableView(tr("Devices of the pool"), this))
    , m_splitter(new QSplitter(Qt::Vertical, this))
    , m_tabs(new QTabWidget(this))
{
    build();
    connect(datasets, &DatasetPanel::commandIssued, this, &PoolDetail::commandIssued);
    connect(snapshots, &SnapshotPanel::commandIssued, this, &PoolDetail::commandIssued);
    connect(check, &CheckPanel::commandIssued, this, &PoolDetail::commandIssued);
    connect(datasets, &DatasetPanel::currentChanged, this, [this] {
        snapshots->setDataset(datasets->currentDataset());
    });
}

void PoolDetail::build()
{
    devices->setModel(&m_vdevs);
    m_tabs->setDocumentMode(true);
    m_tabs->setAccessibleName(tr("Datasets, snapshots and check"));
    m_tabs->addTab(datasets, art::icon(QStringLiteral("filesystem")), tr("D&atasets"));
    m_tabs->addTab(snapshots, art::icon(QStringLiteral("snapshot")), tr("S&napshots"));
    m_tabs->addTab(check, art::icon(QStringLiteral("check")), tr("Chec&k"));
    m_splitter->addWidget(devices);
    m_splitter->addWidget(m_tabs);
    m_splitter->setStretchFactor(0, 2);
    m_splitter->setStretchFactor(1, 3);
    m_splitter->setChildrenCollapsible(false);
    connect(m_splitter, &QSplitter::splitterMoved, this, [this] { m_heightChosen = true; });
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(header);
    layout->addWidget(m_splitter, 1);
}

void PoolDetail::setPool(const state::Pool& pool)
{
    const bool same = pool.guid == m_guid;
    m_guid = pool.guid;
    header->setPool(pool);
    showDevices(pool);
    check->setPool(&pool);
    if (pool.imported) {
        datasets->load(pool.name, same);
    } else {
        datasets->showNotImported(pool);
    }
    snapshots->invalidate();
}

void PoolDetail::clear()
{
    m_guid = 0;
    m_vdevs.setVdevs({});
    check->setPool(nullptr);
    snapshots->setDataset({});
}

void PoolDetail::showDevices(const state::Pool& pool)
{
    m_vdevs.setVdevs(pool.vdevs);
    devices->expandAll();
    devices->fitColumns(kDeviceShare);
    fitHeight(static_cast<int>(pool.vdevs.size()));
}

void PoolDetail::fitHeight(int rows)
{
    if (m_heightChosen) {
        return;
    }
    const int whole = m_splitter->height();
    const int wanted =
        devices->heightOfRows(rows) + devices->horizontalScrollBar()->sizeHint().height();
    const int height = qMin(wanted, static_cast<int>(whole * kHighestShare));
    m_splitter->setSizes({height, whole - height});
}

QByteArray PoolDetail::splitterState() const
{
    return m_heightChosen ? m_splitter->saveState() : QByteArray();
}

void PoolDetail::restoreSplitter(const QByteArray& state)
{
    m_heightChosen = m_splitter->restoreState(state);
}

void PoolDetail::showCheck()
{
    m_tabs->setCurrentWidget(check);
}

widgets::TableView& PoolDetail::currentTable() const
{
    if (devices->hasFocus()) {
        return *devices;
    }
    if (m_tabs->currentWidget() == snapshots) {
        return snapshots->view();
    }
    return m_tabs->currentWidget() == check ? check->view() : datasets->view();
}

} // namespace millpond::pools
