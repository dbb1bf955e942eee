// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/state/pool.h"

#include <QFrame>

class QAction;
class QLabel;
class QToolButton;

namespace millpond::pools {

/// The top of a pool: name, state in icon and word, space, what that means, and what can be done.
class PoolHeader : public QWidget
{
    Q_OBJECT

public:
    explicit PoolHeader(const QList<QAction*>& actions, QWidget* parent = nullptr);

    void setPool(const state::Pool& pool);

    [[nodiscard]] QString explanation() const;

private:
    QLayout* buildTop(const QList<QAction*>& actions);

    QLabel* m_icon;
    QLabel* m_name;
    QLabel* m_summary;
    QLabel* m_explanation;
};

} // namespace millpond::pools
