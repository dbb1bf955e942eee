// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/import_all.h"

namespace millpond::app {

ImportAll::ImportAll(client::Client& client, pools::Source source, QObject* parent)
    : QObject(parent)
    , m_client(client)
    , m_source(std::move(source))
{
}

void ImportAll::start()
{
    m_client.scan(m_source.searchPaths(), client::bound(this, [this](const auto& answer) {
                      if (answer) {
                          m_waiting = *answer;
                      }
                      next();
                  }));
}

void ImportAll::next()
{
    while (!m_waiting.isEmpty() && !m_waiting.front().importable) {
        m_waiting.removeFirst();
    }
    if (m_waiting.isEmpty()) {
        emit finished();
        return;
    }
    const state::Pool pool = m_waiting.takeFirst();
    m_client.importPool({poolKey(pool), m_source.searchPaths(), false},
                        client::bound(this, [this](const auto&) { next(); }));
}

} // namespace millpond::app
