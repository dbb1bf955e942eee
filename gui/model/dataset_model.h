// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/model/dataset_column.h"
#include "gui/model/roles.h"
#include "gui/state/dataset_table.h"
#include "gui/state/pool.h"

#include <QAbstractItemModel>
#include <QHash>

#include <vector>

// Theory: a table of datasets as a tree.
//
// Purpose. 100,000 datasets must open, filter and sort at once, so the model is built of integers
// over one DatasetTable: a node per dataset (its parent, its visible children, its row among them).
// Texts are made when a cell is painted, never before.
//
// Shapes. As a tree, children hang below their parents and each row shows the last part of its
// name. As a list all rows are at the top with full names. A filter always gives a list: what
// matches is seen without unfolding anything.
//
// Invariants
//   INV-1  A node's index is the row of the table; it is the internalId of its model indexes.
//   INV-2  m_nodes[n].row is n's place in its parent's children (or in m_top), -1 when hidden.
//   INV-3  Sorting, filtering a list and a newer table of the same datasets change the layout
//          (one signal, whatever the number of rows); another shape or another pool resets.
// Cost: setTable O(n), sort O(n log n), filter O(n), data O(1).

namespace millpond::model {

class DatasetModel : public QAbstractItemModel
{
    Q_OBJECT

public:
    enum class Shape
    {
        Tree,
        List
    };

    explicit DatasetModel(QList<DatasetColumn> columns, Shape shape, QObject* parent = nullptr);

    /// Shows another table. Rows that were there before keep selection and unfolding.
    void setTable(state::DatasetTable table);
    void setMounts(const QList<state::Mount>& mounts);
    void setShape(Shape shape);
    /// Part of a name, upper and lower case alike; empty shows all.
    void setFilter(const QString& text);

    /// Rows of the table that pass the filter.
    [[nodiscard]] int matchCount() const { return m_matchCount; }

    [[nodiscard]] int totalCount() const { return static_cast<int>(m_table.size()); }

    [[nodiscard]] bool isList() const;
    /// Invalid when it is not shown.
    [[nodiscard]] QModelIndex indexOf(const QString& name) const;
    [[nodiscard]] QString nameOf(const QModelIndex& index) const;
    [[nodiscard]] state::DatasetKind kindOf(const QModelIndex& index) const;
    /// Where it is mounted; empty when it is not.
    [[nodiscard]] QString mountPathOf(const QModelIndex& index) const;

    [[nodiscard]] QModelIndex
    index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant
    headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    using Rows = std::vector<int>;

    struct Node
    {
        int parent = -1, row = -1;
        Rows children; ///< visible ones, sorted
    };

    void buildNodes();
    void arrange();
    void arrangeTree();
    void arrangeList();
    [[nodiscard]] std::vector<double> sortKeys() const;
    void sortRows(Rows& rows, const std::vector<double>& keys);
    void number(const Rows& rows);
    void changeLayout(auto&& change);
    void resetLayout(auto&& change);
    void replaceSameShape(state::DatasetTable table);
    [[nodiscard]] bool sharesRoot(const state::DatasetTable& table) const;
    [[nodiscard]] bool matches(std::size_t row) const;
    [[nodiscard]] const Rows& childrenOf(const QModelIndex& parent) const;
    [[nodiscard]] std::string_view raw(std::size_t row, int column) const;
    [[nodiscard]] QString nameText(std::size_t row, bool full) const;
    [[nodiscard]] QString displayText(std::size_t row, int column) const;
    [[nodiscard]] QString mountedText(std::size_t row) const;
    [[nodiscard]] QString exportText(std::size_t row, int column) const;
    [[nodiscard]] QString toolTip(std::size_t row, int column) const;
    [[nodiscard]] QVariant decoration(std::size_t row) const;

    QList<DatasetColumn> m_columns;
    std::vector<int> m_tableColumns; ///< column of m_table per shown column, -1 for the name
    Shape m_shape;
    state::DatasetTable m_table;
    std::vector<Node> m_nodes;
    Rows m_top;
    QHash<QByteArrayView, int> m_rowOfName; ///< keys point into m_table
    QHash<QString, state::Mount> m_mounts;
    QString m_filter;
    QByteArray m_filterUtf8; ///< lower case
    int m_matchCount = 0;
    int m_sortColumn = 0;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace millpond::model
