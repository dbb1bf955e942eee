// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/client/client.h"
#include "gui/page/pending.h"
#include "gui/pools/source.h"

#include <QObject>

#include <optional>

namespace millpond::pools {

/// Asks for the pools of a source: those imported and those a scan finds. A newer load() makes the
/// answers to an older one count for nothing.
class PoolLoader : public QObject
{
    Q_OBJECT

public:
    PoolLoader(client::Client& client, page::Pending& pending, QObject* parent = nullptr);

    void load(const Source& source);

    /// Answers still to come are ignored.
    void forget() { ++m_serial; }

signals:
    void loaded(const QList<millpond::state::Pool>& imported,
                const QList<millpond::state::Pool>& found);
    void failed(const millpond::state::CallError& error);

private:
    struct Round
    {
        Source source;
        std::optional<QList<state::Pool>> imported, found;
    };

    void take(int serial,
              std::optional<QList<state::Pool>> Round::* part,
              const client::Answer<QList<state::Pool>>& answer);
    void finish();

    client::Client& m_client;
    page::Pending& m_pending;
    Round m_round;
    int m_serial = 0;
};

} // namespace millpond::pools
