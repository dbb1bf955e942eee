// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QIcon>

class QLabel;
class QPushButton;
class QToolButton;

namespace millpond::widgets {

/// A message in the page, not over it: what an action did, or why it could not, with at most one
/// way on. Stays until it is closed or replaced.
class Notice : public QFrame
{
    Q_OBJECT

public:
    explicit Notice(const QIcon& closeIcon, QWidget* parent = nullptr);

    /// `button` empty: none. Its click emits actionRequested() and closes the notice.
    void tell(const QIcon& icon, const QString& text, const QString& button = {});

    [[nodiscard]] QString text() const;

signals:
    void actionRequested();

private:
    QLabel* m_icon;
    QLabel* m_text;
    QPushButton* m_button;
    QToolButton* m_close;
};

} // namespace millpond::widgets
