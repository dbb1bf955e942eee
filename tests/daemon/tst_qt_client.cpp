// SPDX-License-Identifier: GPL-3.0-or-later
// Property: QtDBus, which the window uses, can talk to a private helper: calls, properties,
// descriptors and signals. Method: the helper with a fake engine at the other end of
// QDBusConnection::connectToPeer().
#include "bus/client.h"
#include "support/scratch.h"

#include <QDBusConnection>
#include <QDBusInterface>
#include <QDBusPendingReply>
#include <QDBusUnixFileDescriptor>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QSignalSpy>
#include <QTest>

using namespace millpond;
using namespace millpond::bus;

class TestQtClient : public QObject
{
    Q_OBJECT

public Q_SLOTS:

    void onPoolsChanged() { ++m_changes; }

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void readsProperties();
    void receivesDocuments();
    void receivesSignals();
    void receivesErrors();

private:
    [[nodiscard]] QDBusMessage call(const char* member, const QVariantList& arguments) const;

    test::ScratchFolder m_scratch;
    QProcess m_helper;
    QDBusConnection m_bus{QStringLiteral("none")};
    int m_changes = 0;
};

void TestQtClient::initTestCase()
{
    qputenv("HOME", m_scratch.path().toUtf8());
    qputenv("XDG_STATE_HOME", m_scratch.path("state").toUtf8());
    const QString socket = m_scratch.path("run/helper.sock");
    QFile pool(m_scratch.path("tank.fakepool"));
    QVERIFY(pool.open(QIODevice::WriteOnly));
    m_helper.start(QStringLiteral(MILLPOND_BINARY_DIR "/tests/fake_millpondd"),
                   {"--private", "--socket", socket});
    QVERIFY(m_helper.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(socket), 10'000);
    m_bus = QDBusConnection::connectToPeer("unix:path=" + socket, "helper");
    QVERIFY2(m_bus.isConnected(), qPrintable(m_bus.lastError().message()));
}

void TestQtClient::cleanupTestCase()
{
    QDBusConnection::disconnectFromPeer("helper");
    m_helper.terminate();
    QVERIFY(m_helper.waitForFinished(15'000));
    QCOMPARE(m_helper.exitCode(), 0);
}

QDBusMessage TestQtClient::call(const char* member, const QVariantList& arguments) const
{
    QDBusMessage message =
        QDBusMessage::createMethodCall(QString(), kManagerPath, kManagerInterface, member);
    message.setArguments(arguments);
    return m_bus.call(message);
}

void TestQtClient::readsProperties()
{
    QDBusMessage message = QDBusMessage::createMethodCall(
        QString(), kManagerPath, "org.freedesktop.DBus.Properties", "Get");
    message << kManagerInterface << "InterfaceVersion";
    const QDBusMessage reply = m_bus.call(message);
    QVERIFY2(reply.type() == QDBusMessage::ReplyMessage, qPrintable(reply.errorMessage()));
    QCOMPARE(reply.arguments().at(0).value<QDBusVariant>().variant().toUInt(), kInterfaceVersion);
}

void TestQtClient::receivesDocuments()
{
    const QDBusMessage reply = call("Devices", {});
    QVERIFY2(reply.type() == QDBusMessage::ReplyMessage, qPrintable(reply.errorMessage()));
    const auto fd = reply.arguments().at(0).value<QDBusUnixFileDescriptor>();
    QVERIFY(fd.isValid());
    const auto document = Document::open(fd.fileDescriptor());
    QVERIFY(document.has_value());
    QVERIFY((*Rows<DeviceRow>::of(*document))[0].path == "/dev/fake");
}

void TestQtClient::receivesSignals()
{
    QVERIFY(m_bus.connect(
        QString(), kManagerPath, kManagerInterface, "PoolsChanged", this, SLOT(onPoolsChanged())));
    auto client = Client::connect({.mode = HelperMode::Private,
                                   .socketPath = m_scratch.path("run/helper.sock").toStdString(),
                                   .startHelper = false});
    QVERIFY(client.has_value());
    QVERIFY(client->importPool({.pool = "tank", .searchPaths = {m_scratch.path().toStdString()}})
                .has_value());
    QTRY_COMPARE(m_changes, 1);
}

void TestQtClient::receivesErrors()
{
    const QDBusMessage reply = call("Export", {QString("nothing"), false});
    QCOMPARE(reply.type(), QDBusMessage::ErrorMessage);
    QCOMPARE(reply.errorName(), QString("org.millpond.Error.NoSuchPool"));
    QCOMPARE(call("Export", {QString("nothing")}).errorName(),
             QString("org.freedesktop.DBus.Error.InvalidArgs"));
}

QTEST_GUILESS_MAIN(TestQtClient)
#include "tst_qt_client.moc"
