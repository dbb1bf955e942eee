// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/client/client.h"
#include "gui/client/connection.h"

#include <QDBusError>
#include <QDBusMessage>
#include <QDBusObjectPath>
#include <QHash>

#include <any>

namespace millpond::bus {
class Document;
}

namespace millpond::client {

/// The helper over D-Bus: engine/bus/org.millpond.Manager1.xml says what each call means.
class DBusClient : public Client
{
    Q_OBJECT

public:
    explicit DBusClient(ConnectionSettings settings, QObject* parent = nullptr);

    [[nodiscard]] state::Helper helper() const override { return m_helper; }

    void start() override;
    void scan(const QStringList& searchPaths, Done<QList<state::Pool>> done) override;
    void poolStatus(Done<QList<state::Pool>> done) override;
    void importPool(const ImportOrder& order, Done<Imported> done) override;
    void exportPool(const QString& pool, Done<void> done) override;
    void datasets(const DatasetQuery& query, Done<state::DatasetTable> done) override;
    void mounts(Done<QList<state::Mount>> done) override;
    void mount(const QStringList& datasets, Done<QList<MountResult>> done) override;
    void unmount(const QStringList& datasets, Done<QList<MountResult>> done) override;
    void
    startCheck(const QString& pool, const QStringList& searchPaths, Done<QString> done) override;
    void checkOutput(const QString& job, quint64 firstRow, Done<state::CheckReport> done) override;
    void jobs(Done<QList<state::Job>> done) override;
    void cancelJob(const QString& job, Done<void> done) override;

private slots:
    void onJobAdded(const QDBusObjectPath& job);
    void onJobRemoved(const QDBusObjectPath& job);
    void onJobChanged(const QString& jobState,
                      qulonglong done,
                      qulonglong total,
                      qulonglong rate,
                      qulonglong secondsLeft,
                      const QDBusMessage& message);

private:
    using Reply = std::function<void(const Answer<QDBusMessage>&)>;
    template <class T> using Convert = std::function<Answer<T>(const bus::Document&)>;

    /// How long an answer may take.
    struct Deadline
    {
        int milliseconds;
    };

    struct Target
    {
        QString path, interface;
    };

    [[nodiscard]] QDBusMessage message(const QString& method, const QVariantList& arguments) const;
    [[nodiscard]] QDBusMessage
    message(const Target& target, const QString& method, const QVariantList& arguments) const;
    void call(const QDBusMessage& message, Deadline deadline, Reply reply);
    /// A call that answers with one document, decoded on another thread.
    template <class T>
    void callForDocument(const QDBusMessage& message,
                         Deadline deadline,
                         Convert<T> convert,
                         Done<T> done);
    void decodeElsewhere(int id, int fd, std::function<std::any(int)> work);
    void callForNothing(const QDBusMessage& message, Deadline deadline, Done<void> done);

    void setHelper(state::Helper::State state, const QString& text = {});
    void askVersion();
    void takeVersion(const QVariantMap& properties);
    void subscribe();
    void refreshJobs();

    Connection m_connection;
    state::Helper m_helper;
    QHash<QString, state::Job> m_jobs;
    /// Callbacks of answers being decoded on other threads. They stay here, because what they hold
    /// may only be touched on this thread.
    QHash<int, std::function<void(const std::any&)>> m_deliveries;
    int m_lastDelivery = 0;
};

} // namespace millpond::client
