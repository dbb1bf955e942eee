// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/widgets/state_pane.h"

#include <QApplication>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

namespace millpond::widgets {

namespace {

constexpr int kIconSide = 48;   // logical pixels
constexpr int kTextWidth = 420; // logical pixels: about 65 letters, a comfortable line

QLabel* wrappedLabel(QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setAlignment(Qt::AlignCenter);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setFocusPolicy(Qt::NoFocus);
    return label;
}

} // namespace

StatePane::StatePane(QWidget* content, QWidget* parent)
    : QStackedWidget(parent)
{
    addWidget(content);
    addWidget(buildMessage());
}

QWidget* StatePane::buildMessage()
{
    auto* message = new QWidget(this);
    m_icon = new QLabel(message);
    m_icon->setAlignment(Qt::AlignCenter);
    m_title = wrappedLabel(message);
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_text = wrappedLabel(message);
    m_busy = new QProgressBar(message);
    m_busy->setRange(0, 0);
    m_busy->setTextVisible(false);
    m_busy->setMaximumSize(180, 6);
    m_button = new QPushButton(message);
    connect(m_button, &QPushButton::clicked, this, &StatePane::actionRequested);

    // A column of fixed width, so that the height of wrapped text is known.
    auto* column = new QWidget(message);
    column->setFixedWidth(kTextWidth);
    auto* parts = new QVBoxLayout(column);
    parts->setContentsMargins(0, 0, 0, 0);
    parts->addWidget(m_icon);
    parts->addWidget(m_title);
    parts->addWidget(m_text);
    parts->addWidget(m_busy, 0, Qt::AlignHCenter);
    parts->addWidget(m_button, 0, Qt::AlignHCenter);
    auto* layout = new QVBoxLayout(message);
    layout->addStretch(2);
    layout->addWidget(column, 0, Qt::AlignHCenter);
    layout->addStretch(3);
    return message;
}

void StatePane::showContent()
{
    setCurrentIndex(0);
}

void StatePane::showWaiting(const QIcon& icon, const QString& title, const QString& text)
{
    fill({icon, title, text, {}}, true);
}

void StatePane::showMessage(const Message& message)
{
    fill(message, false);
}

void StatePane::fill(const Message& message, bool waiting)
{
    const QWidget* focus = QApplication::focusWidget();
    const bool hadFocus = focus != nullptr && isAncestorOf(focus);
    m_icon->setPixmap(message.icon.pixmap(QSize(kIconSide, kIconSide), devicePixelRatioF()));
    m_icon->setVisible(!message.icon.isNull());
    m_title->setText(message.title);
    m_text->setText(message.text);
    m_text->setVisible(!message.text.isEmpty());
    for (QLabel* label : {m_title, m_text}) {
        label->setFixedHeight(qMax(0, label->heightForWidth(kTextWidth)));
    }
    m_busy->setVisible(waiting);
    m_busy->setAccessibleName(message.title);
    m_button->setText(message.button);
    m_button->setVisible(!message.button.isEmpty());
    setCurrentIndex(1);
    if (hadFocus && !message.button.isEmpty()) {
        m_button->setFocus(Qt::OtherFocusReason);
    }
    setAccessibleDescription(messageText());
}

bool StatePane::isShowingContent() const
{
    return currentIndex() == 0;
}

bool StatePane::isWaiting() const
{
    return !isShowingContent() && !m_busy->isHidden();
}

QString StatePane::messageText() const
{
    if (isShowingContent()) {
        return {};
    }
    return m_text->text().isEmpty() ? m_title->text()
                                    : m_title->text() + QLatin1Char('\n') + m_text->text();
}

} // namespace millpond::widgets
