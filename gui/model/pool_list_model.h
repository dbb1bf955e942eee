// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/model/roles.h"
#include "gui/state/pool.h"

#include <QAbstractListModel>

namespace millpond::model {

/// The pools of a machine or folder: each once, by name; imported or found.
class PoolListModel : public QAbstractListModel
{
    Q_OBJECT

public:
    explicit PoolListModel(QObject* parent = nullptr);

    /// `found` may hold pools that are also in `imported`; the imported one is shown.
    void setPools(const QList<state::Pool>& imported, const QList<state::Pool>& found);

    [[nodiscard]] const QList<state::Pool>& pools() const { return m_pools; }

    [[nodiscard]] const state::Pool* pool(const QModelIndex& index) const;
    /// By poolKey(); invalid when there is none.
    [[nodiscard]] QModelIndex indexOf(const QString& key) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    QList<state::Pool> m_pools;
};

/// One line under a pool's name: its state, and whether it is imported.
[[nodiscard]] QString poolSummary(const state::Pool& pool);

/// Name of the icon that goes with that line: of a pool that cannot be opened never the green one.
[[nodiscard]] QString poolIconName(const state::Pool& pool);

/// "1.2G of 4.8G used (25 %)"; empty when the size is not known.
[[nodiscard]] QString capacityText(const state::Pool& pool);

/// Everything a person should know about the pool's condition, as paragraphs: state and advice, the
/// last scrub, known errors, why it cannot be imported.
[[nodiscard]] QStringList poolExplanation(const state::Pool& pool);

} // namespace millpond::model
