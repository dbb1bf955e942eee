// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QIcon>

class QButtonGroup;
class QVBoxLayout;

namespace millpond::shell {

/// The list of pages at the side: an icon above a word for each; arrow keys move among them, Alt+1
/// and so on choose one from anywhere in the window.
class PageBar : public QFrame
{
    Q_OBJECT

public:
    explicit PageBar(QWidget* parent = nullptr);

    void addPage(const QIcon& icon, const QString& title);
    void choose(int index);

    [[nodiscard]] int count() const;

signals:
    void chosen(int index);

private:
    QButtonGroup* m_buttons;
    QVBoxLayout* m_layout;
};

} // namespace millpond::shell
