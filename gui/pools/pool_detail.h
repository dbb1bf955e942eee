// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/model/vdev_model.h"
#include "gui/pools/check_panel.h"
#include "gui/pools/dataset_panel.h"
#include "gui/pools/pool_actions.h"
#include "gui/pools/pool_header.h"
#include "gui/pools/snapshot_panel.h"

class QSplitter;
class QTabWidget;

namespace millpond::pools {

/// Everything about one pool: header, devices, and tabs for datasets, snapshots and the check.
class PoolDetail : public QWidget
{
    Q_OBJECT

public:
    PoolDetail(client::Client& client,
               page::Pending& pending,
               const PoolActions& actions,
               QWidget* parent = nullptr);

    void setPool(const state::Pool& pool);
    /// No pool is chosen.
    void clear();
    void showCheck();

    /// Where the user put the border between devices and datasets; empty when it is where it was.
    [[nodiscard]] QByteArray splitterState() const;
    void restoreSplitter(const QByteArray& state);

    /// The table that copy and save mean: the one with the focus, else the one in the shown tab.
    [[nodiscard]] widgets::TableView& currentTable() const;

    DatasetPanel* datasets;
    SnapshotPanel* snapshots;
    CheckPanel* check;
    PoolHeader* header;
    widgets::TableView* devices;

signals:
    void commandIssued(const QString& command);

private:
    void build();
    void showDevices(const state::Pool& pool);
    void fitHeight(int rows);

    QSplitter* m_splitter;
    bool m_heightChosen = false; ///< by the user: then it stays
    model::VdevModel m_vdevs;
    QTabWidget* m_tabs;
    quint64 m_guid = 0;
};

} // namespace millpond::pools
