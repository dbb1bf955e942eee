// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/widgets/table_view.h"

#include <QHeaderView>
#include <QMenu>

namespace millpond::widgets {

namespace {

constexpr int kRowsMeasured = 100;   // for column widths: enough to look right, never all 100,000
constexpr int kNarrowestFirst = 160; // logical pixels
constexpr int kAir = 14;             // logical pixels between columns

} // namespace

TableView::TableView(const QString& accessibleName, QWidget* parent)
    : QTreeView(parent)
{
    setAccessibleName(accessibleName);
    setUniformRowHeights(true);
    setAlternatingRowColors(true);
    setAllColumnsShowFocus(true);
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setTextElideMode(Qt::ElideMiddle);
    setTabKeyNavigation(false);
    header()->setResizeContentsPrecision(kRowsMeasured);
    header()->setContextMenuPolicy(Qt::CustomContextMenu);
    header()->setSectionsMovable(true);
    connect(header(), &QWidget::customContextMenuRequested, this, &TableView::chooseColumns);
}

void TableView::fitColumns(double firstShare)
{
    for (int column = 0; column < header()->count(); ++column) {
        resizeColumnToContents(column);
        header()->resizeSection(column, columnWidth(column) + kAir);
    }
    const int widest = qMax(kNarrowestFirst, static_cast<int>(viewport()->width() * firstShare));
    header()->resizeSection(0, qBound(kNarrowestFirst, columnWidth(0), widest));
}

int TableView::heightOfRows(int rows) const
{
    const int row = rows > 0 ? rowHeight(model()->index(0, 0)) : 0;
    return header()->sizeHint().height() + rows * row + 2 * frameWidth();
}

void TableView::chooseColumns(const QPoint& place)
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (int column = 1; column < header()->count(); ++column) {
        QAction* action = menu->addAction(model()->headerData(column, Qt::Horizontal).toString());
        action->setCheckable(true);
        action->setChecked(!header()->isSectionHidden(column));
        connect(action, &QAction::toggled, this, [this, column](bool shown) {
            header()->setSectionHidden(column, !shown);
        });
    }
    menu->popup(header()->mapToGlobal(place));
}

} // namespace millpond::widgets
