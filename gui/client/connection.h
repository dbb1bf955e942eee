// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/state/helper.h"

#include <QDBusConnection>
#include <QObject>
#include <QString>

namespace millpond::client {

/// Which helper to talk to, and how.
struct ConnectionSettings
{
    state::HelperMode mode = state::HelperMode::Private;
    QString socketPath; ///< private; empty: the usual one
    QString helperPath; ///< private; empty: millpondd beside this program, else in PATH
};

/// Starts or reaches the helper without ever making the caller wait: the waiting is done on a
/// thread of its own.
class Connection : public QObject
{
    Q_OBJECT

public:
    explicit Connection(ConnectionSettings settings, QObject* parent = nullptr);
    ~Connection() override;

    /// opened() or failed() follows.
    void open();
    void close();

    [[nodiscard]] const ConnectionSettings& settings() const { return m_settings; }

    /// Valid after opened() until close() or lost().
    [[nodiscard]] QDBusConnection bus() const { return QDBusConnection(m_name); }

    /// The helper's name on the bus; empty in private mode.
    [[nodiscard]] QString service() const;

signals:
    void opened();
    void failed(const QString& text);
    void lost();

private slots:
    void peerGone();

private:
    struct Outcome
    {
        QString name, error;
    };

    [[nodiscard]] static Outcome openBlocking(const ConnectionSettings& settings,
                                              const QString& name);
    void adopt(const Outcome& outcome);
    void watch();

    ConnectionSettings m_settings;
    QString m_name;
    bool m_opening = false;
    int m_count = 0; ///< of connections so far: each has a name of its own
};

} // namespace millpond::client
