// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pools/pool_detail.h"

#include "gui/art/icon.h"

#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

namespace millpond::pools {

namespace {

constexpr double kDeviceShare = 0.34; // of the width for device names, at most

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
    , splitter(new QSplitter(Qt::Vertical, this))
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
    splitter->addWidget(devices);
    splitter->addWidget(m_tabs);
    splitter->setStretchFactor(0, 2);
    splitter->setStretchFactor(1, 3);
    splitter->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(header);
    layout->addWidget(splitter, 1);
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
