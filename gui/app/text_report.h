// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/client/client.h"
#include "gui/page/pending.h"
#include "gui/pools/pool_loader.h"
#include "gui/pools/source.h"

#include <QObject>

namespace millpond::app {

/// What the pools page shows, as text: every pool with its devices and, when it is open, its
/// datasets.
class TextReport : public QObject
{
    Q_OBJECT

public:
    TextReport(client::Client& client, pools::Source source, QObject* parent = nullptr);

    void start();

signals:
    /// `complete` is false when something could not be asked; the text says what.
    void finished(const QString& text, bool complete);

private:
    void takePools(const QList<state::Pool>& imported, const QList<state::Pool>& found);
    void next();
    void addPool(const state::Pool& pool);
    void addDatasets(const QString& pool, const client::Answer<state::DatasetTable>& answer);

    client::Client& m_client;
    pools::Source m_source;
    page::Pending m_pending;
    pools::PoolLoader m_loader;
    QList<state::Pool> m_waiting;
    QList<state::Mount> m_mounts;
    QString m_text;
    bool m_complete = true;
};

} // namespace millpond::app
