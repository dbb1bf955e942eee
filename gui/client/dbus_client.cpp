// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/client/dbus_client.h"

#include "bus/client.h"
#include "gui/client/convert.h"

#include <QCoreApplication>
#include <QDBusArgument>
#include <QDBusMetaType>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusUnixFileDescriptor>
#include <QThreadPool>

#include <unistd.h>

namespace millpond::client {

namespace {

/// One (name, value) of Import's properties: signature (ss).
struct NamedValue
{
    QString name, value;
};

QDBusArgument& operator<<(QDBusArgument& argument, const NamedValue& value)
{
    argument.beginStructure();
    argument << value.name << value.value;
    argument.endStructure();
    return argument;
}

const QDBusArgument& operator>>(const QDBusArgument& argument, NamedValue& value)
{
    argument.beginStructure();
    argument >> value.name >> value.value;
    argument.endStructure();
    return argument;
}

} // namespace

} // namespace millpond::client

Q_DECLARE_METATYPE(millpond::client::NamedValue)

namespace millpond::client {

namespace {

// Deadlines in milliseconds. What only reads the helper's memory is quick; what reads disks may
// wait for one to spin up, and a scan for many.
constexpr int kQuick = 15'000;
constexpr int kReading = 60'000;
constexpr int kScanning = 120'000;

const QString kManagerPath = QString::fromLatin1(bus::kManagerPath);
const QString kManager = QString::fromLatin1(bus::kManagerInterface);
const QString kJob = QString::fromLatin1(bus::kJobInterface);

state::CallError errorOf(const QDBusError& error)
{
    using Kind = state::CallError::Kind;
    const QString prefix = QString::fromLatin1(bus::kErrorPrefix);
    if (error.name().startsWith(prefix)) {
        const QString name = error.name().mid(prefix.size());
        const bool denied = name == QLatin1String("NotAuthorized");
        return {denied ? Kind::Denied : Kind::Refused, name, error.message()};
    }
    switch (error.type()) {
    case QDBusError::NoReply:
    case QDBusError::Timeout:
    case QDBusError::TimedOut:
        return {Kind::TimedOut, {}, error.message()};
    case QDBusError::AccessDenied:
        return {Kind::Denied, {}, error.message()};
    case QDBusError::Disconnected:
    case QDBusError::ServiceUnknown:
    case QDBusError::NoServer:
        return {Kind::NoHelper, {}, error.message()};
    default:
        return {Kind::Refused, error.name(), error.message()};
    }
}

/// The one descriptor of an answer, as a copy the caller must close; -1 when there is none.
int takeDescriptor(const QDBusMessage& message, qsizetype argument)
{
    const QVariant value = message.arguments().value(argument);
    const auto descriptor = value.value<QDBusUnixFileDescriptor>();
    return descriptor.isValid() ? ::dup(descriptor.fileDescriptor()) : -1;
}

/// Opens, converts and closes; on any thread.
template <class T> Answer<T> decode(int fd, const auto& convert)
{
    const Answer<bus::Document> document = openDocument(fd);
    ::close(fd);
    if (!document) {
        return std::unexpected(document.error());
    }
    return convert(*document);
}

} // namespace

DBusClient::DBusClient(ConnectionSettings settings, QObject* parent)
    : Client(parent)
    , m_connection(settings)
{
    qDBusRegisterMetaType<NamedValue>();
    qDBusRegisterMetaType<QList<NamedValue>>();
    m_helper.mode = settings.mode;
    connect(&m_connection, &Connection::opened, this, &DBusClient::askVersion);
    connect(&m_connection, &Connection::failed, this, [this](const QString& text) {
        setHelper(state::Helper::State::Failed, text);
    });
    connect(&m_connection, &Connection::lost, this, [this] {
        m_jobs.clear();
        setHelper(state::Helper::State::Lost, tr("The helper has ended."));
    });
}

void DBusClient::start()
{
    setHelper(state::Helper::State::Starting);
    m_connection.open();
}

void DBusClient::setHelper(state::Helper::State state, const QString& text)
{
    m_helper.state = state;
    m_helper.text = text;
    emit helperChanged(m_helper);
}

void DBusClient::askVersion()
{
    const Target properties{kManagerPath, QStringLiteral("org.freedesktop.DBus.Properties")};
    call(message(properties, QStringLiteral("GetAll"), {kManager}),
         {kQuick},
         [this](const Answer<QDBusMessage>& answer) {
             if (!answer) {
                 setHelper(state::Helper::State::Failed, answer.error().text);
                 return;
             }
             takeVersion(qdbus_cast<QVariantMap>(answer->arguments().value(0)));
         });
}

void DBusClient::takeVersion(const QVariantMap& properties)
{
    const uint spoken = properties.value(QStringLiteral("InterfaceVersion")).toUInt();
    m_helper.version = properties.value(QStringLiteral("Version")).toString();
    if (spoken != bus::kInterfaceVersion) {
        setHelper(
            state::Helper::State::WrongVersion,
            tr("The helper that is running (%1) speaks version %2 of the interface, this window "
               "version %3. Close all windows, end the helper, and start again.")
                .arg(m_helper.version)
                .arg(spoken)
                .arg(bus::kInterfaceVersion));
        return;
    }
    subscribe();
    setHelper(state::Helper::State::Ready);
    refreshJobs();
}

void DBusClient::subscribe()
{
    QDBusConnection bus = m_connection.bus();
    const QString service = m_connection.service();
    const auto listen = [&](const char* name, const char* slot) {
        bus.connect(service, kManagerPath, kManager, QString::fromLatin1(name), this, slot);
    };
    listen("PoolsChanged", SIGNAL(poolsChanged()));
    listen("DatasetsChanged", SIGNAL(datasetsChanged()));
    listen("MountsChanged", SIGNAL(mountsChanged()));
    listen("JobAdded", SLOT(onJobAdded(QDBusObjectPath)));
    listen("JobRemoved", SLOT(onJobRemoved(QDBusObjectPath)));
    bus.connect(
        service,
        QString(),
        kJob,
        QStringLiteral("Changed"),
        this,
        SLOT(onJobChanged(QString, qulonglong, qulonglong, qulonglong, qulonglong, QDBusMessage)));
}

QDBusMessage DBusClient::message(const QString& method, const QVariantList& arguments) const
{
    return message({kManagerPath, kManager}, method, arguments);
}

QDBusMessage DBusClient::message(const Target& target,
                                 const QString& method,
                                 const QVariantList& arguments) const
{
    QDBusMessage message = QDBusMessage::createMethodCall(
        m_connection.service(), target.path, target.interface, method);
    message.setArguments(arguments);
    message.setInteractiveAuthorizationAllowed(true);
    return message;
}

void DBusClient::call(const QDBusMessage& message, Deadline deadline, Reply reply)
{
    if (!m_connection.bus().isConnected()) {
        const state::CallError error{
            state::CallError::Kind::NoHelper, {}, tr("The helper is not running.")};
        QMetaObject::invokeMethod(
            this, [reply, error] { reply(std::unexpected(error)); }, Qt::QueuedConnection);
        return;
    }
    auto* watcher = new QDBusPendingCallWatcher(
        m_connection.bus().asyncCall(message, deadline.milliseconds), this);
    connect(
        watcher, &QDBusPendingCallWatcher::finished, this, [reply](QDBusPendingCallWatcher* call) {
            call->deleteLater();
            if (call->isError()) {
                reply(std::unexpected(errorOf(call->error())));
            } else {
                reply(call->reply());
            }
        });
}

template <class T>
void DBusClient::callForDocument(const QDBusMessage& message,
                                 Deadline deadline,
                                 Convert<T> convert,
                                 Done<T> done)
{
    call(message, deadline, [this, convert, done](const Answer<QDBusMessage>& answer) {
        if (!answer) {
            done(std::unexpected(answer.error()));
            return;
        }
        const int id = ++m_lastDelivery;
        m_deliveries.insert(
            id, [done](const std::any& value) { done(std::any_cast<const Answer<T>&>(value)); });
        decodeElsewhere(id, takeDescriptor(*answer, 0), [convert](int fd) {
            return std::any(decode<T>(fd, convert));
        });
    });
}

void DBusClient::decodeElsewhere(int id, int fd, std::function<std::any(int)> work)
{
    QThreadPool::globalInstance()->start([guard = QPointer<DBusClient>(this), id, fd, work] {
        const auto value = std::make_shared<const std::any>(work(fd));
        QMetaObject::invokeMethod(QCoreApplication::instance(), [guard, id, value] {
            if (guard) {
                guard->m_deliveries.take(id)(*value);
            }
        });
    });
}

void DBusClient::callForNothing(const QDBusMessage& message, Deadline deadline, Done<void> done)
{
    call(message, deadline, [done](const Answer<QDBusMessage>& answer) {
        if (answer) {
            done({});
        } else {
            done(std::unexpected(answer.error()));
        }
    });
}

void DBusClient::scan(const QStringList& searchPaths, Done<QList<state::Pool>> done)
{
    callForDocument<QList<state::Pool>>(message(QStringLiteral("Scan"), {searchPaths, false}),
                                        {kScanning},
                                        foundPools,
                                        std::move(done));
}

void DBusClient::poolStatus(Done<QList<state::Pool>> done)
{
    callForDocument<QList<state::Pool>>(message(QStringLiteral("PoolStatus"), {QStringList()}),
                                        {kReading},
                                        importedPools,
                                        std::move(done));
}

void DBusClient::importPool(const ImportOrder& order, Done<Imported> done)
{
    const QVariantList arguments{order.pool,
                                 QString(),
                                 order.searchPaths,
                                 QString(),
                                 QVariant::fromValue(QList<NamedValue>()),
                                 true,
                                 order.force,
                                 true,
                                 false};
    const auto take = [done](const Answer<QDBusMessage>& answer) {
        if (!answer) {
            done(std::unexpected(answer.error()));
            return;
        }
        Imported imported{answer->arguments().value(0).toString(),
                          answer->arguments().value(1).toULongLong(),
                          {}};
        const auto mounts = decode<QList<MountResult>>(takeDescriptor(*answer, 3), mountResults);
        imported.mounts = mounts.value_or(QList<MountResult>());
        done(imported);
    };
    call(message(QStringLiteral("Import"), arguments), {kScanning}, take);
}

void DBusClient::exportPool(const QString& pool, Done<void> done)
{
    callForNothing(message(QStringLiteral("Export"), {pool, false}), {kReading}, std::move(done));
}

void DBusClient::datasets(const DatasetQuery& query, Done<state::DatasetTable> done)
{
    const qulonglong depth = query.snapshots ? 1 : bus::kUnknown;
    const QStringList types =
        query.snapshots ? QStringList{QStringLiteral("snapshot")}
                        : QStringList{QStringLiteral("filesystem"), QStringLiteral("volume")};
    const auto convert = [properties = query.properties](const bus::Document& document) {
        return datasetTable(document, properties);
    };
    callForDocument<state::DatasetTable>(
        message(QStringLiteral("DatasetProperties"),
                {QStringList{query.root}, true, depth, types, query.properties}),
        {kScanning},
        convert,
        std::move(done));
}

void DBusClient::mounts(Done<QList<state::Mount>> done)
{
    callForDocument<QList<state::Mount>>(
        message(QStringLiteral("Mounts"), {}), {kQuick}, mountList, std::move(done));
}

void DBusClient::mount(const QStringList& datasets, Done<QList<MountResult>> done)
{
    callForDocument<QList<MountResult>>(
        message(QStringLiteral("Mount"), {datasets, QString(), false, false}),
        {kReading},
        mountResults,
        std::move(done));
}

void DBusClient::unmount(const QStringList& datasets, Done<QList<MountResult>> done)
{
    callForDocument<QList<MountResult>>(message(QStringLiteral("Unmount"), {datasets, false}),
                                        {kReading},
                                        mountResults,
                                        std::move(done));
}

void DBusClient::startCheck(const QString& pool, const QStringList& searchPaths, Done<QString> done)
{
    call(message(QStringLiteral("StartCheck"), {pool, searchPaths}),
         {kScanning},
         [done](const Answer<QDBusMessage>& answer) {
             if (answer) {
                 done(answer->arguments().value(0).value<QDBusObjectPath>().path());
             } else {
                 done(std::unexpected(answer.error()));
             }
         });
}

void DBusClient::checkOutput(const QString& job, quint64 firstRow, Done<state::CheckReport> done)
{
    callForDocument<state::CheckReport>(
        message({job, kJob}, QStringLiteral("Output"), {qulonglong(firstRow)}),
        {kQuick},
        checkReport,
        std::move(done));
}

void DBusClient::jobs(Done<QList<state::Job>> done)
{
    callForDocument<QList<state::Job>>(
        message(QStringLiteral("Jobs"), {}), {kQuick}, jobList, std::move(done));
}

void DBusClient::cancelJob(const QString& job, Done<void> done)
{
    callForNothing(message({job, kJob}, QStringLiteral("Cancel"), {}), {kQuick}, std::move(done));
}

void DBusClient::refreshJobs()
{
    jobs(bound(this, [this](const Answer<QList<state::Job>>& answer) {
        if (!answer) {
            return; // the next signal asks again
        }
        for (const state::Job& job : *answer) {
            m_jobs.insert(job.path, job);
            emit jobChanged(job);
        }
    }));
}

void DBusClient::onJobAdded(const QDBusObjectPath&)
{
    refreshJobs();
}

void DBusClient::onJobRemoved(const QDBusObjectPath& job)
{
    m_jobs.remove(job.path());
    emit jobRemoved(job.path());
}

void DBusClient::onJobChanged(const QString& jobState,
                              qulonglong done,
                              qulonglong total,
                              qulonglong rate,
                              qulonglong secondsLeft,
                              const QDBusMessage& message)
{
    const auto known = m_jobs.find(message.path());
    if (known == m_jobs.end() ||
        jobStateFromWord(jobState.toStdString()) == state::Job::State::Failed) {
        refreshJobs(); // title, or why it failed, is in the list
        return;
    }
    known->state = jobStateFromWord(jobState.toStdString());
    known->done = done;
    known->total = total;
    known->ratePerSecond = rate;
    known->secondsLeft =
        secondsLeft == bus::kUnknown ? std::nullopt : std::optional<quint64>(secondsLeft);
    emit jobChanged(*known);
}

} // namespace millpond::client
