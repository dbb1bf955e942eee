// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/model/roles.h"
#include "gui/state/job.h"

#include <QAbstractTableModel>

namespace millpond::model {

/// What a check found, row by row as it comes.
class ProblemModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column
    {
        Kind,
        Where,
        What,
        ColumnCount
    };

    explicit ProblemModel(QObject* parent = nullptr);

    void clear();
    void append(const QList<state::CheckProblem>& problems);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant
    headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QList<state::CheckProblem> m_problems;
};

} // namespace millpond::model
