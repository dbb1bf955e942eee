// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QIcon>
#include <QList>
#include <QString>
#include <QWidget>

namespace millpond::page {

/// A page of the window. The shell shows it in its list, and its actions in menus and tool bar
/// while it is the current page. Pages know the shell only through their signals.
class Page : public QWidget
{
    Q_OBJECT

public:
    using QWidget::QWidget;

    /// Null entries are separators.
    using Actions = QList<QAction*>;

    struct Menu
    {
        QString title;
        Actions actions;
    };

    /// Name on the command line (--page) and in the settings.
    [[nodiscard]] virtual QString id() const = 0;
    [[nodiscard]] virtual QString title() const = 0;
    [[nodiscard]] virtual QIcon icon() const = 0;
    [[nodiscard]] virtual QList<Menu> menus() const = 0;
    [[nodiscard]] virtual Actions toolBarActions() const = 0;

    /// Nothing is being waited for: what is shown is all there is for now.
    [[nodiscard]] virtual bool isSettled() const = 0;

    virtual void saveSettings() const {}

signals:
    /// isSettled() became true.
    void settled();
    /// An action was taken that this command does, too.
    void commandIssued(const QString& command);
    /// What the page is doing, in a few words; empty: nothing.
    void activityChanged(const QString& text);
};

} // namespace millpond::page
