// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/client/client.h"
#include "gui/model/dataset_model.h"
#include "gui/page/pending.h"
#include "gui/widgets/state_pane.h"
#include "gui/widgets/table_view.h"

#include <QSet>
#include <QWidget>

class QAction;
class QLabel;
class QLineEdit;

namespace millpond::pools {

/// The datasets of one pool: tree or list, filter, and what is selected.
class DatasetPanel : public QWidget
{
    Q_OBJECT

public:
    DatasetPanel(client::Client& client,
                 page::Pending& pending,
                 const QList<QAction*>& actions,
                 QWidget* parent = nullptr);

    /// Asks the helper for the datasets of an imported pool. `quiet`: what is shown stays
    /// meanwhile.
    void load(const QString& pool, bool quiet);
    void loadMounts();
    /// Shows why there are no datasets, with a button that emits importRequested().
    void showNotImported(const state::Pool& pool);
    void showList(bool list);
    void focusFilter();

    [[nodiscard]] QString currentDataset() const;
    [[nodiscard]] bool currentIsFilesystem() const;
    /// Empty when the current dataset is not mounted.
    [[nodiscard]] QString currentMountPath() const;

    [[nodiscard]] widgets::TableView& view() { return *m_view; }

    [[nodiscard]] model::DatasetModel& model() { return m_model; }

    [[nodiscard]] widgets::StatePane& pane() { return *m_pane; }

signals:
    void currentChanged();
    void activated();
    void importRequested();
    void commandIssued(const QString& command);

private:
    QLayout* buildBar(const QList<QAction*>& actions);
    void connectView();
    void take(int serial, const client::Answer<state::DatasetTable>& answer);
    void showTable(const state::DatasetTable& table);
    void showFailure(const state::CallError& error);
    void applyFilter();
    void rememberUnfolding(const QModelIndex& index, bool unfolded);
    void restoreView();
    void updateCount();

    client::Client& m_client;
    page::Pending& m_pending;
    model::DatasetModel m_model;
    QLineEdit* m_filter;
    QLabel* m_count;
    widgets::TableView* m_view;
    widgets::StatePane* m_pane;
    QString m_pool;
    QString m_current;        ///< name of the current row, kept while a filter hides it
    QSet<QString> m_unfolded; ///< names, kept while a list is shown
    bool m_canImport = false; ///< what the button of the pane does
    bool m_restoring = false;
    int m_serial = 0;
};

} // namespace millpond::pools
