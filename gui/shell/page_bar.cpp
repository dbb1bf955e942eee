// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/shell/page_bar.h"

#include <QButtonGroup>
#include <QKeySequence>
#include <QToolButton>
#include <QVBoxLayout>

namespace millpond::shell {

namespace {

constexpr int kIconSide = 28; // logical pixels
constexpr int kNumbered = 9;  // pages that have a digit

QKeySequence keysOf(int index)
{
    return index < kNumbered ? QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_1 + index))
                             : QKeySequence();
}

} // namespace

PageBar::PageBar(QWidget* parent)
    : QFrame(parent)
    , m_buttons(new QButtonGroup(this))
    , m_layout(new QVBoxLayout(this))
{
    setAccessibleName(tr("Pages"));
    m_layout->setContentsMargins(6, 9, 0, 6);
    m_layout->addStretch(1);
    connect(m_buttons, &QButtonGroup::idToggled, this, [this](int index, bool on) {
        if (on) {
            emit chosen(index);
        }
    });
}

void PageBar::addPage(const QIcon& icon, const QString& title)
{
    const int index = count();
    auto* button = new QToolButton(this);
    button->setIcon(icon);
    button->setIconSize(QSize(kIconSide, kIconSide));
    button->setText(title);
    button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    button->setCheckable(true);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::StrongFocus);
    button->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
    button->setAccessibleName(title);
    button->setShortcut(keysOf(index));
    button->setToolTip(
        QStringLiteral("%1 (%2)").arg(title, keysOf(index).toString(QKeySequence::NativeText)));
    m_buttons->addButton(button, index);
    m_layout->insertWidget(index, button);
}

void PageBar::choose(int index)
{
    m_buttons->button(index)->setChecked(true);
}

int PageBar::count() const
{
    return static_cast<int>(m_buttons->buttons().size());
}

} // namespace millpond::shell
