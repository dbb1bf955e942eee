// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QStackedWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace millpond::widgets {

/// A part of a page that shows either its content or, in its place, what stands in the way: what it
/// waits for, why it is empty, or what went wrong, always in words and with a way on.
class StatePane : public QStackedWidget
{
    Q_OBJECT

public:
    /// Takes `content` as its child.
    explicit StatePane(QWidget* content, QWidget* parent = nullptr);

    /// A message with an optional button that emits actionRequested().
    struct Message
    {
        QIcon icon;
        QString title, text, button;
    };

    void showContent();
    void showWaiting(const QIcon& icon, const QString& title, const QString& text = {});
    void showMessage(const Message& message);

    [[nodiscard]] bool isShowingContent() const;
    [[nodiscard]] bool isWaiting() const;
    /// Title and text of what is shown in place of the content; empty while the content is.
    [[nodiscard]] QString messageText() const;

signals:
    void actionRequested();

private:
    QWidget* buildMessage();
    void fill(const Message& message, bool waiting);

    QLabel* m_icon = nullptr;
    QLabel* m_title = nullptr;
    QLabel* m_text = nullptr;
    QProgressBar* m_busy = nullptr;
    QPushButton* m_button = nullptr;
};

} // namespace millpond::widgets
