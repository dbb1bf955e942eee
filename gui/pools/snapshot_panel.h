// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/client/client.h"
#include "gui/model/dataset_model.h"
#include "gui/page/pending.h"
#include "gui/widgets/state_pane.h"
#include "gui/widgets/table_view.h"

#include <QWidget>

class QLabel;

namespace millpond::pools {

/// The snapshots of one dataset, asked for only while somebody looks at them.
class SnapshotPanel : public QWidget
{
    Q_OBJECT

public:
    SnapshotPanel(client::Client& client, page::Pending& pending, QWidget* parent = nullptr);

    /// Empty: no dataset is chosen.
    void setDataset(const QString& dataset);
    /// They may have changed; asks again when visible.
    void invalidate();

    [[nodiscard]] widgets::TableView& view() { return *m_view; }

    [[nodiscard]] widgets::StatePane& pane() { return *m_pane; }

signals:
    void commandIssued(const QString& command);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void load();
    void take(int serial, const client::Answer<state::DatasetTable>& answer);

    client::Client& m_client;
    page::Pending& m_pending;
    model::DatasetModel m_model;
    QLabel* m_title;
    widgets::TableView* m_view;
    widgets::StatePane* m_pane;
    QString m_dataset, m_loaded;
    int m_serial = 0;
};

} // namespace millpond::pools
