// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/client/client.h"

#include <QHash>
#include <QWidget>

class QLabel;
class QProgressBar;
class QToolButton;
class QVBoxLayout;

namespace millpond::shell {

/// One job as a line: what, how far, how long still, and a button that cancels it or, when it is
/// over, takes the line away.
class JobRow : public QWidget
{
    Q_OBJECT

public:
    explicit JobRow(QWidget* parent = nullptr);

    void setJob(const state::Job& job);

    [[nodiscard]] bool isOver() const { return m_over; }

    [[nodiscard]] QString text() const;

signals:
    void cancelRequested();
    void dismissed();

private:
    QLabel* m_icon;
    QLabel* m_title;
    QProgressBar* m_progress;
    QLabel* m_detail;
    QToolButton* m_button;
    bool m_over = false;
};

/// All jobs of the helper, also those that another window started; not there while there are none.
class JobsArea : public QWidget
{
    Q_OBJECT

public:
    explicit JobsArea(client::Client& client, QWidget* parent = nullptr);

    [[nodiscard]] QList<JobRow*> rows() const { return m_rows.values(); }

private:
    void setJob(const state::Job& job);
    void addRow(const QString& path);
    void removeRow(const QString& path);
    void clear();

    client::Client& m_client;
    QVBoxLayout* m_layout;
    QHash<QString, JobRow*> m_rows;
};

/// "40 %, 120M/s, 3 min left": how far a running job is; what came of one that is over.
[[nodiscard]] QString jobDetailText(const state::Job& job);

} // namespace millpond::shell
