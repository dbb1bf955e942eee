// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/client/client.h"
#include "gui/pools/source.h"

#include <QObject>

namespace millpond::app {

/// Opens every importable pool of a source, one after the other, read-only. Those that cannot be
/// opened are left as they are: the window says why.
class ImportAll : public QObject
{
    Q_OBJECT

public:
    ImportAll(client::Client& client, pools::Source source, QObject* parent = nullptr);

    void start();

signals:
    void finished();

private:
    void next();

    client::Client& m_client;
    pools::Source m_source;
    QList<state::Pool> m_waiting;
};

} // namespace millpond::app
