// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/app/options.h"
#include "gui/client/client.h"
#include "gui/pools/pools_page.h"
#include "gui/shell/main_window.h"

#include <QObject>
#include <QTimer>

namespace millpond::app {

/// One run of the program: puts client, pages and window together, and in batch mode (--text,
/// --picture) waits until everything is shown, prints, and ends.
class Session : public QObject
{
    Q_OBJECT

public:
    Session(client::Client& client, Options options, QObject* parent = nullptr);

    /// False when there is no page of the name asked for.
    [[nodiscard]] bool open();

    [[nodiscard]] shell::MainWindow& window() { return m_window; }

signals:
    /// Batch mode is done; `output` is to be printed.
    void finished(int status, const QString& output);

private:
    void helperChanged(const state::Helper& helper);
    void importFirst();
    void watchPage();
    void afterSettled();
    void writeText();
    void writePicture(const QString& text, bool complete);
    void giveUp(const QString& why);

    client::Client& m_client;
    Options m_options;
    pools::Source m_source;
    shell::MainWindow m_window;
    pools::PoolsPage* m_pools;
    QTimer m_quiet;    ///< the page has been settled for a moment
    QTimer m_deadline; ///< of the whole batch
    bool m_begun = false, m_ended = false;
};

} // namespace millpond::app
