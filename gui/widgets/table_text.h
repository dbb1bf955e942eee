// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <QModelIndexList>
#include <QString>

class QHeaderView;
class QTreeView;

namespace millpond::widgets {

/// Which columns of a table go out, in the order they are shown.
[[nodiscard]] QList<int> visibleColumns(const QTreeView& view);

/// Tables as text. `role` gives the text of a cell (Qt::DisplayRole, or one with raw values). All
/// rows of a tree come parents first, also those whose parent is folded.
class TableText
{
public:
    TableText(const QAbstractItemModel& model, QList<int> columns, int role);

    /// RFC 4180 with LF line ends, headings first. A cell that a spreadsheet would take for a
    /// formula gets an apostrophe in front: names in a pool come from strangers.
    [[nodiscard]] QString csv() const;
    /// For a terminal: columns side by side, the first one indented as the tree is, with headings.
    [[nodiscard]] QString aligned(const QString& margin) const;
    /// Tab-separated, of the given rows (any column of them; each row once), without headings.
    [[nodiscard]] QString rows(const QModelIndexList& indexes) const;

private:
    [[nodiscard]] QString cell(const QModelIndex& row, int column) const;
    void appendCsv(QString& out, const QModelIndex& parent) const;
    void appendLine(QString& out, const QModelIndex& row) const;
    void collect(QList<QStringList>& lines, const QModelIndex& parent, int depth) const;
    [[nodiscard]] QString padded(const QStringList& cells, const QList<qsizetype>& widths) const;

    const QAbstractItemModel& m_model;
    QList<int> m_columns;
    int m_role;
};

/// Empty when it was written, else why not.
[[nodiscard]] QString saveText(const QString& path, const QString& text);

} // namespace millpond::widgets
