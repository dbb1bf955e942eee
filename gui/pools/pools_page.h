// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/model/pool_list_model.h"
#include "gui/page/page.h"
#include "gui/page/pending.h"
#include "gui/pools/operations.h"
#include "gui/pools/pool_actions.h"
#include "gui/pools/pool_detail.h"
#include "gui/pools/pool_loader.h"
#include "gui/pools/source.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/state_pane.h"

#include <QTimer>

class QLabel;
class QTreeView;
class QSplitter;

namespace millpond::pools {

/// The pools of this machine or of a folder, and what is in them. What stands in the way (helper,
/// nothing found, an error) is a state of the page, with a way on.
class PoolsPage : public page::Page
{
    Q_OBJECT

public:
    explicit PoolsPage(client::Client& client, const Source& source, QWidget* parent = nullptr);

    [[nodiscard]] QString id() const override { return QStringLiteral("pools"); }

    [[nodiscard]] QString title() const override;

    [[nodiscard]] QIcon icon() const override;

    [[nodiscard]] QList<Menu> menus() const override { return m_actions.menus(); }

    [[nodiscard]] Actions toolBarActions() const override { return m_actions.toolBar(); }

    [[nodiscard]] bool isSettled() const override;
    void saveSettings() const override;

    void setSource(const Source& source);

    [[nodiscard]] const Source& source() const { return m_source; }

    // For tests.
    [[nodiscard]] const PoolActions& actions() const { return m_actions; }

    [[nodiscard]] widgets::StatePane& pane() { return *m_pane; }

    [[nodiscard]] PoolDetail& detail() { return *m_detail; }

    [[nodiscard]] widgets::Notice& notice() { return *m_notice; }

    [[nodiscard]] QTreeView& list() { return *m_list; }

private:
    enum class NoticeAction
    {
        None,
        OpenFolder,
        ForceImport
    };

    enum class PaneAction
    {
        None,
        StartHelper,
        Reload,
        ChooseFolder
    };

    QWidget* buildContent();
    QWidget* buildListSide();
    void connectClient();
    void connectActions();
    void connectOperations();
    void restoreSettings();

    void takeHelper(const state::Helper& helper);
    void reload(bool quiet);
    void takePools(const QList<state::Pool>& imported, const QList<state::Pool>& found);
    void takeFailure(const state::CallError& error);
    void showEmpty();
    void runPaneAction();
    void runNoticeAction();
    void tell(const QString& iconName, const QString& text);
    void showPool(const QModelIndex& index);
    void updateActions();
    void updateSourceLabel();
    void pendingChanged();

    void chooseFolder();
    void activateDataset();
    void openMountedFolder();
    void startCheck();
    void copyRows();
    void saveTable();
    void writeTable(const widgets::TableView& table, const QString& path);

    [[nodiscard]] const state::Pool* currentPool() const;

    client::Client& m_client;
    page::Pending m_pending;
    PoolLoader m_loader;
    Operations m_operations;
    PoolActions m_actions;
    model::PoolListModel m_pools;
    Source m_source;
    QTimer m_reloadSoon; ///< gathers signals that come in bursts
    PoolDetail* m_detail;
    widgets::Notice* m_notice;
    widgets::StatePane* m_pane = nullptr;
    QTreeView* m_list = nullptr;
    QLabel* m_sourceLabel = nullptr;
    QSplitter* m_splitter = nullptr;
    PaneAction m_paneAction = PaneAction::None;
    NoticeAction m_noticeAction = NoticeAction::None;
    QString m_noticeFolder;
    QString m_chosen; ///< key of the pool shown
};

} // namespace millpond::pools
