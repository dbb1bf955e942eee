// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/client/client.h"
#include "gui/page/page.h"

#include <QMainWindow>

class QStackedWidget;
class QToolBar;

namespace millpond::widgets {
class TranscriptBar;
}

namespace millpond::shell {

class HelperStatus;
class JobsArea;
class PageBar;

/// The window: pages listed at the side, the current one beside them, jobs and the last command
/// below. A page hangs in with addPage(); menus and tool bar are those of the current page.
class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    explicit MainWindow(client::Client& client, QWidget* parent = nullptr);

    /// Takes the page as its child.
    void addPage(page::Page* page);
    /// False when there is no such page.
    bool showPage(const QString& id);

    [[nodiscard]] page::Page* currentPage() const;
    [[nodiscard]] QStringList pageIds() const;

    /// Size and place as they were left last time.
    void restorePlace();

    // For tests.
    [[nodiscard]] widgets::TranscriptBar& transcript() { return *m_transcript; }

    [[nodiscard]] JobsArea& jobs() { return *m_jobs; }

    [[nodiscard]] HelperStatus& helperStatus() { return *m_helper; }

    [[nodiscard]] QToolBar& toolBar() { return *m_toolBar; }

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    QWidget* buildCentre();
    void buildStandardActions();
    void pageChosen(int row);
    void fillMenus();
    void fillToolBar();
    void addActions(QWidget* target, const page::Page::Actions& actions);
    void showActivity(const QString& text);
    void showAbout();
    void tellHelper(const state::Helper& helper);

    client::Client& m_client;
    PageBar* m_pages;
    QStackedWidget* m_stack;
    JobsArea* m_jobs;
    widgets::TranscriptBar* m_transcript;
    HelperStatus* m_helper;
    QToolBar* m_toolBar;
    QAction* m_quit = nullptr;
    QAction* m_about = nullptr;
};

} // namespace millpond::shell
