// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/model/problem_model.h"

#include "gui/art/icon.h"
#include "gui/model/text.h"

namespace millpond::model {

namespace {

QString place(const state::CheckProblem& problem)
{
    if (problem.dataset.isEmpty()) {
        return problem.device;
    }
    return problem.path.isEmpty() ? problem.dataset
                                  : problem.dataset + QLatin1Char(':') + problem.path;
}

QString cellText(const state::CheckProblem& problem, int column)
{
    switch (column) {
    case ProblemModel::Kind:
        return problem.kind;
    case ProblemModel::Where:
        return place(problem);
    default:
        return problem.text;
    }
}

} // namespace

ProblemModel::ProblemModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void ProblemModel::clear()
{
    beginResetModel();
    m_problems.clear();
    endResetModel();
}

void ProblemModel::append(const QList<state::CheckProblem>& problems)
{
    if (problems.isEmpty()) {
        return;
    }
    const int first = static_cast<int>(m_problems.size());
    beginInsertRows({}, first, first + static_cast<int>(problems.size()) - 1);
    m_problems.append(problems);
    endInsertRows();
}

int ProblemModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_problems.size());
}

int ProblemModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ProblemModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) {
        return {};
    }
    const state::CheckProblem& problem = m_problems[index.row()];
    if (role == Qt::DecorationRole && index.column() == Kind) {
        return art::icon(QStringLiteral("health-error"));
    }
    if (role == Qt::ToolTipRole) {
        return plainToolTip(cellText(problem, index.column()));
    }
    return role == Qt::DisplayRole || role == ExportRole
               ? QVariant(cellText(problem, index.column()))
               : QVariant();
}

QVariant ProblemModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case Kind:
        return tr("Kind");
    case Where:
        return tr("Where");
    default:
        return tr("Problem");
    }
}

} // namespace millpond::model
