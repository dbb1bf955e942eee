// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/model/roles.h"
#include "gui/state/pool.h"

#include <QAbstractItemModel>

#include <vector>

namespace millpond::model {

/// The devices of one pool as the tree that `zpool status` prints: a few hundred rows at most, so a
/// new snapshot resets it.
class VdevModel : public QAbstractItemModel
{
    Q_OBJECT

public:
    enum Column
    {
        Device,
        State,
        Size,
        ReadErrors,
        WriteErrors,
        ChecksumErrors,
        Remark,
        ColumnCount
    };

    explicit VdevModel(QObject* parent = nullptr);

    void setVdevs(const QList<state::Vdev>& vdevs);

    [[nodiscard]] const state::Vdev& vdev(const QModelIndex& index) const;

    [[nodiscard]] QModelIndex
    index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant
    headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Node
    {
        int parent = -1, row = 0;
        std::vector<int> children;
    };

    [[nodiscard]] QString text(const state::Vdev& vdev, int column) const;
    [[nodiscard]] QString exportText(const state::Vdev& vdev, int column) const;
    [[nodiscard]] QVariant icon(const state::Vdev& vdev, int column) const;
    [[nodiscard]] const std::vector<int>& childrenOf(const QModelIndex& parent) const;

    QList<state::Vdev> m_vdevs;
    std::vector<Node> m_nodes;
    std::vector<int> m_top;
};

/// The section headings of `zpool status` ("logs", "spares") in the user's language; of a device's path
/// the last part; other names unchanged.
[[nodiscard]] QString vdevName(const state::Vdev& vdev);
/// Bytes that count as the device's size: of a leaf what it can hold, of others their capacity.
[[nodiscard]] std::optional<quint64> vdevSize(const state::Vdev& vdev);

} // namespace millpond::model
