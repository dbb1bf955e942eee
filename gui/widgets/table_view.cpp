// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/widgets/table_view.h"

#include <QGuiApplication>
#include <QHeaderView>
#include <QMenu>
#include <QStyledItemDelegate>

namespace millpond::widgets {

namespace {

constexpr int kRowsMeasured = 100;   // for column widths: enough to look right, never all 100,000
constexpr int kNarrowestFirst = 160; // logical pixels
constexpr int kAir = 14;             // logical pixels between columns

/// Puts a little space after what is aligned right, so that it does not touch the next column.
void spaceOut(QString& text, Qt::Alignment alignment)
{
    if ((alignment & Qt::AlignRight) != 0) {
        text += QChar(0x2002); // en space
    }
}

class CellDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        spaceOut(option->text, option->displayAlignment);
    }
};

class Header : public QHeaderView
{
public:
    explicit Header(QWidget* parent)
        : QHeaderView(Qt::Horizontal, parent)
    {
        setSectionsClickable(true);
        setSectionsMovable(true);
        setStretchLastSection(true);
        setResizeContentsPrecision(kRowsMeasured);
        setContextMenuPolicy(Qt::CustomContextMenu);
    }

protected:
    void initStyleOptionForIndex(QStyleOptionHeader* option, int logicalIndex) const override
    {
        QHeaderView::initStyleOptionForIndex(option, logicalIndex);
        spaceOut(option->text, option->textAlignment);
    }
};

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
    setItemDelegate(new CellDelegate(this));
    setHeader(new Header(this));
    connect(header(), &QWidget::customContextMenuRequested, this, &TableView::chooseColumns);
    connect(header(), &QHeaderView::sectionResized, this, [this] {
        m_widthChosen |= (QGuiApplication::mouseButtons() & Qt::LeftButton) != 0 &&
                         header()->viewport()->underMouse();
    });
}

void TableView::fitColumns(double firstShare)
{
    if (m_widthChosen) {
        return;
    }
    // The last column takes what is left.
    for (int column = 0; column < header()->count() - 1; ++column) {
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
