// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/client/client.h"
#include "gui/model/problem_model.h"
#include "gui/page/pending.h"
#include "gui/pools/source.h"
#include "gui/widgets/state_pane.h"
#include "gui/widgets/table_view.h"

#include <QWidget>

class QLabel;

namespace millpond::pools {

/// The check of one pool: what it does, how far it is, what it found. The work is a job of the
/// helper; each pool keeps its last check while the window lives.
class CheckPanel : public QWidget
{
    Q_OBJECT

public:
    CheckPanel(client::Client& client, page::Pending& pending, QWidget* parent = nullptr);

    /// Null: no pool is chosen.
    void setPool(const state::Pool* pool);
    void start(const state::Pool& pool, const Source& source);

    [[nodiscard]] widgets::TableView& view() { return *m_view; }

    [[nodiscard]] widgets::StatePane& pane() { return *m_pane; }

    [[nodiscard]] QString summary() const;

signals:
    void commandIssued(const QString& command);
    void checkRequested();

private:
    /// One check, from the click to the summary.
    struct Check
    {
        QString job;
        state::Job progress;
        state::CheckReport report;
        QString failure; ///< why it could not be started or did not end
        bool fetching = false;
    };

    [[nodiscard]] Check* checkOfJob(const QString& job);
    void takeJob(const state::Job& job);
    void fetch(const QString& job);
    void takeReport(const QString& job, const client::Answer<state::CheckReport>& answer);
    void refresh();
    void showInvitation();
    void showReport(const Check& check);
    [[nodiscard]] QString reportText(const Check& check) const;

    client::Client& m_client;
    page::Pending& m_pending;
    model::ProblemModel m_model;
    QLabel* m_summary;
    widgets::TableView* m_view;
    widgets::StatePane* m_pane;
    QHash<quint64, Check> m_checks; ///< by the pool's guid
    state::Pool m_pool;             ///< the one shown; guid 0: none
    QString m_shownJob;             ///< whose problems the model holds
};

} // namespace millpond::pools
