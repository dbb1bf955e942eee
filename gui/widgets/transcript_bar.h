// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

class QLineEdit;
class QMenu;
class QToolButton;

namespace millpond::widgets {

/// One line that shows the command equivalent to the last action, to be copied; earlier ones are in
/// a menu.
class TranscriptBar : public QWidget
{
    Q_OBJECT

public:
    explicit TranscriptBar(const QIcon& copyIcon, QWidget* parent = nullptr);

    void add(const QString& command);

    /// Newest first, at most kKept.
    [[nodiscard]] const QStringList& commands() const { return m_commands; }

    static constexpr qsizetype kKept = 30;

    void copyShown();

private:
    void fillMenu();

    QStringList m_commands;
    QLineEdit* m_line;
    QToolButton* m_copy;
    QMenu* m_menu;
};

} // namespace millpond::widgets
