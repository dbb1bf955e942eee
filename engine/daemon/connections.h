// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bus/server.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace millpond::daemon {

/// Everybody a signal goes to: the system bus, or every peer. Loop thread only.
class Connections
{
public:
    void add(std::shared_ptr<bus::Connection> connection)
    {
        m_connections.push_back(std::move(connection));
    }

    void remove(const bus::Connection* connection)
    {
        std::erase_if(m_connections,
                      [connection](const auto& each) { return each.get() == connection; });
    }

    void clear() { m_connections.clear(); }

    [[nodiscard]] std::size_t count() const { return m_connections.size(); }

    [[nodiscard]] std::shared_ptr<bus::Connection> first() const
    {
        return m_connections.empty() ? nullptr : m_connections.front();
    }

    template <class... Values>
    void emit(const std::string& path,
              const char* interface,
              const char* member,
              const Values&... values)
    {
        for (const auto& connection : m_connections) {
            // Whoever is just going away misses a signal; nobody else does.
            (void)connection->emit(path, interface, member, values...);
        }
    }

private:
    std::vector<std::shared_ptr<bus::Connection>> m_connections;
};

} // namespace millpond::daemon
