// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pools/pool_loader.h"

namespace millpond::pools {

PoolLoader::PoolLoader(client::Client& client, page::Pending& pending, QObject* parent)
    : QObject(parent)
    , m_client(client)
    , m_pending(pending)
{
}

void PoolLoader::load(const Source& source)
{
    m_round = {source, std::nullopt, std::nullopt};
    const int serial = ++m_serial;
    const auto ticket =
        m_pending.begin(source.isMachine() ? tr("Looking for pools on the devices of this machine")
                                           : tr("Looking for pools in %1").arg(source.folder));
    m_client.poolStatus(client::bound(this, [this, serial, ticket](const auto& answer) {
        take(serial, &Round::imported, answer);
    }));
    m_client.scan(source.searchPaths(),
                  client::bound(this, [this, serial, ticket](const auto& answer) {
                      take(serial, &Round::found, answer);
                  }));
}

void PoolLoader::take(int serial,
                      std::optional<QList<state::Pool>> Round::* part,
                      const client::Answer<QList<state::Pool>>& answer)
{
    if (serial != m_serial) {
        return;
    }
    if (!answer) {
        forget();
        emit failed(answer.error());
        return;
    }
    m_round.*part = *answer;
    if (m_round.imported && m_round.found) {
        finish();
    }
}

void PoolLoader::finish()
{
    QList<state::Pool> shown;
    for (const state::Pool& pool : std::as_const(*m_round.imported)) {
        if (showsPool(m_round.source, pool)) {
            shown.append(pool);
        }
    }
    emit loaded(shown, *m_round.found);
}

} // namespace millpond::pools
