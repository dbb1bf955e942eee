// SPDX-License-Identifier: GPL-3.0-or-later
// Property: what the helper's tables of methods say is exactly what org.millpond.Manager1.xml says,
// names of arguments and annotations included. Method: serve both over a socket pair, introspect,
// compare.
#include "bus/client.h"
#include "bus/server.h"
#include "bus/vtables.h"

#include <QFile>
#include <QMap>
#include <QTest>
#include <QXmlStreamReader>

#include <sys/socket.h>
#include <systemd/sd-bus.h>
#include <thread>
#include <unistd.h>

using namespace millpond;
using namespace millpond::bus;

namespace {
class Silent final : public ServerObject
{
public:
    void onCall(const CallRef& call) override
    {
        call->fail(Error(ErrorCode::UnsupportedMethod, "not in this test"));
    }

    Status onGet(std::string_view, Message&) override
    {
        return millpond::fail(ErrorCode::NoSuchProperty, "");
    }
};

/// "interface/member" -> a line that says all about it.
using Members = QMap<QString, QString>;

Members membersOf(const QByteArray& xml)
{
    Members members;
    QXmlStreamReader reader(xml);
    QString interface;
    QString member;
    while (!reader.atEnd()) {
        reader.readNext();
        if (!reader.isStartElement()) {
            continue;
        }
        const auto attribute = [&reader](const char* name) {
            return reader.attributes().value(QLatin1String(name)).toString();
        };
        const QString element = reader.name().toString();
        if (element == "interface") {
            interface = attribute("name");
        } else if (element == "method" || element == "signal" || element == "property") {
            member = interface + '/' + attribute("name");
            members[member] = element + ' ' + attribute("type") + ' ' + attribute("access");
        } else if (element == "arg") {
            const bool out = attribute("direction") == "out";
            members[member] += QString(" [%1 %2 %3]")
                                   .arg(out ? "out" : "in", attribute("type"), attribute("name"));
        } else if (element == "annotation" &&
                   attribute("name") != "org.freedesktop.systemd1.Privileged") {
            members[member] += " {" + attribute("name") + '=' + attribute("value") + '}';
        }
    }
    return members;
}

/// The server's end in a thread of its own, the client's end here.
class Pair
{
public:
    Pair()
    {
        int ends[2] = {-1, -1};
        (void)!::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
        m_thread = std::thread([this, end = ends[0]] { serve(end); });
        sd_bus_new(&m_bus);
        sd_bus_set_fd(m_bus, ends[1], ends[1]);
        sd_bus_negotiate_fds(m_bus, 1);
        sd_bus_start(m_bus);
    }

    ~Pair()
    {
        sd_bus_flush_close_unref(m_bus);
        m_thread.join();
    }

    QByteArray introspect(const char* path)
    {
        sd_bus_error error = {};
        sd_bus_message* reply = nullptr;
        const int called = sd_bus_call_method(m_bus,
                                              nullptr,
                                              path,
                                              "org.freedesktop.DBus.Introspectable",
                                              "Introspect",
                                              &error,
                                              &reply,
                                              nullptr);
        const char* text = "";
        if (called >= 0) {
            sd_bus_message_read_basic(reply, 's', &text);
        } else {
            qWarning("introspection: %s", error.message);
        }
        const QByteArray xml(text);
        sd_bus_message_unref(reply);
        sd_bus_error_free(&error);
        return xml;
    }

    sd_bus* bus() { return m_bus; }

private:
    static void serve(int end)
    {
        auto loop = *EventLoop::create();
        Silent object;
        auto connection = *Connection::peer(*loop, UniqueFd(end), ::geteuid());
        (void)connection->addObject(kManagerPath, kManagerInterface, kManagerVtable, object);
        (void)connection->addObjectsBelow(
            "/org/millpond/Job",
            kJobInterface,
            kJobVtable,
            [&object](std::string_view path) {
                return path == "/org/millpond/Job/1" ? &object : nullptr;
            },
            [] { return std::vector<std::string>{"/org/millpond/Job/1"}; });
        connection->onDisconnected([&loop] { loop->exit(); });
        (void)loop->run();
    }

    std::thread m_thread;
    sd_bus* m_bus = nullptr;
};
} // namespace

class TestInterface : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tablesAreTheXml();
    void wrongShapeIsRefused();
    void unknownJobIsRefused();
};

void TestInterface::tablesAreTheXml()
{
    QFile file(QStringLiteral(MILLPOND_SOURCE_DIR "/engine/bus/org.millpond.Manager1.xml"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const Members wanted = membersOf(file.readAll());
    QVERIFY(wanted.size() > 30);
    Pair pair;
    Members served = membersOf(pair.introspect(kManagerPath));
    served.insert(membersOf(pair.introspect("/org/millpond/Job/1")));
    for (auto it = wanted.begin(); it != wanted.end(); ++it) {
        QCOMPARE(it.key() + ": " + served.value(it.key()), it.key() + ": " + it.value());
    }
    for (auto it = served.begin(); it != served.end(); ++it) {
        QVERIFY2(!it.key().startsWith("org.millpond.") || wanted.contains(it.key()),
                 qPrintable(it.key() + " is not in the XML"));
    }
}

void TestInterface::wrongShapeIsRefused()
{
    Pair pair;
    sd_bus_error error = {};
    const int called = sd_bus_call_method(
        pair.bus(), nullptr, kManagerPath, kManagerInterface, "Export", &error, nullptr, "s", "x");
    QVERIFY(called < 0);
    QCOMPARE(errorFromBus(error.name, error.message).code(), ErrorCode::InvalidArgument);
    sd_bus_error_free(&error);
}

void TestInterface::unknownJobIsRefused()
{
    Pair pair;
    sd_bus_error error = {};
    const int called = sd_bus_call_method(
        pair.bus(), nullptr, "/org/millpond/Job/77", kJobInterface, "Cancel", &error, nullptr, "");
    QVERIFY(called < 0);
    QCOMPARE(errorFromBus(error.name, error.message).code(), ErrorCode::NoSuchJob);
    sd_bus_error_free(&error);
}

QTEST_GUILESS_MAIN(TestInterface)
#include "tst_interface.moc"
