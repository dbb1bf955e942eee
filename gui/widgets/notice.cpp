// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/widgets/notice.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>

namespace millpond::widgets {

Notice::Notice(const QIcon& closeIcon, QWidget* parent)
    : QFrame(parent)
    , m_icon(new QLabel(this))
    , m_text(new QLabel(this))
    , m_button(new QPushButton(this))
    , m_close(new QToolButton(this))
{
    setFrameShape(QFrame::StyledPanel);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_close->setIcon(closeIcon);
    m_close->setAutoRaise(true);
    m_close->setText(tr("Close message"));
    m_close->setToolTip(m_close->text());
    m_close->setAccessibleName(m_close->text());
    m_close->setFocusPolicy(Qt::TabFocus);
    connect(m_close, &QToolButton::clicked, this, &QWidget::hide);
    connect(m_button, &QPushButton::clicked, this, [this] {
        hide();
        emit actionRequested();
    });

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 4, 4);
    layout->addWidget(m_icon);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_button);
    layout->addWidget(m_close);
    hide();
}

void Notice::tell(const QIcon& icon, const QString& text, const QString& button)
{
    const int side = style()->pixelMetric(QStyle::PM_SmallIconSize, nullptr, this);
    m_icon->setPixmap(icon.pixmap(QSize(side, side), devicePixelRatioF()));
    m_text->setText(text);
    setAccessibleName(text);
    m_button->setText(button);
    m_button->setVisible(!button.isEmpty());
    show();
}

QString Notice::text() const
{
    return isHidden() ? QString() : m_text->text();
}

} // namespace millpond::widgets
