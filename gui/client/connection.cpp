// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/client/connection.h"

#include "bus/client.h"
#include "gui/state/dataset_table.h"

#include <QCoreApplication>
#include <QDBusError>
#include <QDBusServiceWatcher>
#include <QDir>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>

namespace millpond::client {

Connection::Connection(ConnectionSettings settings, QObject* parent)
    : QObject(parent)
    , m_settings(std::move(settings))
{
}

Connection::~Connection()
{
    close();
}

QString Connection::service() const
{
    return m_settings.mode == state::HelperMode::System ? QString::fromLatin1(bus::kBusName)
                                                        : QString();
}

void Connection::open()
{
    if (m_opening) {
        return;
    }
    close();
    m_opening = true;
    const QString name = QStringLiteral("millpond-%1-%2").arg(quintptr(this), 0, 16).arg(++m_count);
    QThreadPool::globalInstance()->start(
        [guard = QPointer<Connection>(this), settings = m_settings, name] {
            const Outcome outcome = openBlocking(settings, name);
            QMetaObject::invokeMethod(QCoreApplication::instance(), [guard, outcome] {
                if (guard) {
                    guard->adopt(outcome);
                }
            });
        });
}

Connection::Outcome Connection::openBlocking(const ConnectionSettings& settings,
                                             const QString& name)
{
    if (settings.mode == state::HelperMode::System) {
        const QDBusConnection bus = QDBusConnection::connectToBus(QDBusConnection::SystemBus, name);
        return {name, bus.isConnected() ? QString() : bus.lastError().message()};
    }
    bus::ConnectOptions options;
    options.mode = bus::HelperMode::Private;
    options.socketPath = settings.socketPath.toStdString();
    options.helperPath = settings.helperPath.toStdString();
    const Result<std::string> socket = bus::ensurePrivateHelper(options);
    if (!socket) {
        return {name, state::toQString(socket.error().toText())};
    }
    const QString address = QStringLiteral("unix:path=") + state::toQString(*socket);
    const QDBusConnection peer = QDBusConnection::connectToPeer(address, name);
    return {name, peer.isConnected() ? QString() : peer.lastError().message()};
}

void Connection::adopt(const Outcome& outcome)
{
    m_opening = false;
    if (!outcome.error.isEmpty()) {
        emit failed(outcome.error);
        return;
    }
    m_name = outcome.name;
    watch();
    emit opened();
}

void Connection::watch()
{
    QDBusConnection connection = bus();
    connection.connect(QString(),
                       QStringLiteral("/org/freedesktop/DBus/Local"),
                       QStringLiteral("org.freedesktop.DBus.Local"),
                       QStringLiteral("Disconnected"),
                       this,
                       SLOT(peerGone()));
    if (!service().isEmpty()) {
        auto* watcher = new QDBusServiceWatcher(
            service(), connection, QDBusServiceWatcher::WatchForUnregistration, this);
        connect(watcher, &QDBusServiceWatcher::serviceUnregistered, this, &Connection::peerGone);
    }
}

void Connection::peerGone()
{
    if (!m_name.isEmpty()) {
        close();
        emit lost();
    }
}

void Connection::close()
{
    if (m_name.isEmpty()) {
        return;
    }
    if (m_settings.mode == state::HelperMode::System) {
        QDBusConnection::disconnectFromBus(m_name);
    } else {
        QDBusConnection::disconnectFromPeer(m_name);
    }
    m_name.clear();
}

} // namespace millpond::client
