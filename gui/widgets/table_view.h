// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTreeView>

namespace millpond::widgets {

/// A tree or list with columns, set up alike everywhere: whole rows, one height for all (so that
/// 100,000 rows scroll), sorting by heading where the model sorts, columns chosen on the heading.
class TableView : public QTreeView
{
    Q_OBJECT

public:
    explicit TableView(const QString& accessibleName, QWidget* parent = nullptr);

    /// Makes columns as wide as their content needs, the first at most `firstShare` of the view.
    /// Does nothing once somebody has set a width.
    void fitColumns(double firstShare);

    /// What it takes to show that many rows without scrolling.
    [[nodiscard]] int heightOfRows(int rows) const;

private:
    void chooseColumns(const QPoint& place);

    bool m_widthChosen = false;
};

} // namespace millpond::widgets
