// SPDX-License-Identifier: GPL-3.0-or-later
// Property: what `cmake --install` puts in place makes a working system mode; polkit decides for
// everybody but root; a table larger than the bus lets through arrives. Method: install into a
// scratch root, start a dbus-daemon with the installed policy and activation, stand in for polkit,
// call as root and as nobody.
#include "support/process.h"
#include "support/scratch.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTest>

#include <csignal>
#include <sys/stat.h>
#include <unistd.h>

using namespace millpond::test;

namespace {
constexpr uint kNobody = 65534;
const QString kTests = QStringLiteral(MILLPOND_BINARY_DIR "/tests/");
} // namespace

class TestSystemHelper : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();

    void installedFiles();
    void installedHelperIsActivated();
    void rootNeedsNoPolkit();
    void withoutPolkitOthersMayNothing();
    void polkitSaysYesAndNo();
    void shutdownWaitsForOpenPools();
    void largeTableCrossesTheBus();
    void secondHelperRefuses();
    void killedHelperIsActivatedAgain();
    void endsWithTheBus();

private:
    void install(const QString& destdir, const QString& prefix);
    void startBus();
    void startPolkit(const QStringList& allowed);
    [[nodiscard]] QString probe(const QStringList& words, uint user = 0);
    [[nodiscard]] qint64 helperProcess();

    std::unique_ptr<ScratchFolder> m_scratch;
    std::unique_ptr<QProcess> m_bus, m_polkit;
    QString m_root, m_images, m_address;
};

void TestSystemHelper::initTestCase()
{
    if (::geteuid() != 0) {
        QSKIP("needs root, to be root and somebody else");
    }
    if (QStandardPaths::findExecutable("dbus-daemon").isEmpty()) {
        QSKIP("needs dbus-daemon (package dbus-daemon)");
    }
}

void TestSystemHelper::init()
{
    m_scratch = std::make_unique<ScratchFolder>();
    // Somebody else must reach the bus' socket and the test's programs.
    QCOMPARE(::chmod(m_scratch->path().toLocal8Bit().constData(), 0755), 0);
    m_root = m_scratch->path("root");
    m_images = m_scratch->path("images");
    QVERIFY(QDir().mkpath(m_images));
    for (const char* name : {"tank", "big"}) {
        QFile file(m_images + '/' + name + ".fakepool");
        QVERIFY(file.open(QIODevice::WriteOnly));
    }
    qputenv("STATE_DIRECTORY", m_scratch->path("state").toUtf8());
    qputenv("RUNTIME_DIRECTORY", m_scratch->path("runtime").toUtf8());
    install({}, m_root + "/usr");
}

void TestSystemHelper::cleanup()
{
    const qint64 helper = m_bus ? helperProcess() : 0;
    for (std::unique_ptr<QProcess>* process : {&m_polkit, &m_bus}) {
        if (*process) {
            (*process)->terminate();
            QVERIFY((*process)->waitForFinished(10'000));
            process->reset();
        }
    }
    if (helper > 0) {
        QTRY_VERIFY_WITH_TIMEOUT(::kill(pid_t(helper), 0) != 0, 15'000);
    }
    m_scratch.reset();
}

void TestSystemHelper::install(const QString& destdir, const QString& prefix)
{
    ProcessOptions options;
    options.environment = QProcessEnvironment::systemEnvironment();
    if (!destdir.isEmpty()) {
        options.environment->insert("DESTDIR", destdir);
    }
    const ProcessResult result =
        runProcess("cmake",
                   {"--install", MILLPOND_BINARY_DIR, "--component", "helper", "--prefix", prefix},
                   options);
    QVERIFY2(result.succeeded(), qPrintable(result.toText()));
}

void TestSystemHelper::startBus()
{
    const QString config = m_scratch->path("bus.conf");
    QFile file(config);
    QVERIFY(file.open(QIODevice::WriteOnly));
    // The rules of the distribution's system.conf, without its setuid launcher; limits are the
    // defaults.
    file.write(
        QString(R"(<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>unix:path=%1/bus</listen>
  <auth>EXTERNAL</auth>
  <servicedir>%2/usr/share/dbus-1/system-services</servicedir>
  <policy context="default">
    <allow user="*"/>
    <deny own="*"/>
    <deny send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus"/>
  </policy>
  <policy user="root">
    <allow own="org.freedesktop.PolicyKit1"/>
    <allow own="org.freedesktop.login1"/>
    <allow send_destination="org.freedesktop.PolicyKit1"/>
    <allow send_destination="org.freedesktop.login1"/>
  </policy>
  <includedir>%2/usr/share/dbus-1/system.d</includedir>
</busconfig>
)")
            .arg(m_scratch->path(), m_root)
            .toUtf8());
    file.close();
    m_address = "unix:path=" + m_scratch->path("bus");
    qputenv("DBUS_SYSTEM_BUS_ADDRESS", m_address.toUtf8());
    m_bus = std::make_unique<QProcess>();
    m_bus->setProcessChannelMode(QProcess::ForwardedErrorChannel);
    m_bus->start("dbus-daemon", {"--config-file=" + config, "--nofork", "--nopidfile"});
    QVERIFY(m_bus->waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(m_scratch->path("bus")), 10'000);
}

void TestSystemHelper::startPolkit(const QStringList& allowed)
{
    m_polkit = std::make_unique<QProcess>();
    m_polkit->start(kTests + "fake_polkit", QStringList{m_scratch->path("polkit.log")} + allowed);
    QVERIFY(m_polkit->waitForReadyRead(10'000));
}

QString TestSystemHelper::probe(const QStringList& words, uint user)
{
    ProcessOptions options;
    options.environment = QProcessEnvironment::systemEnvironment();
    options.environment->insert("MILLPOND_MODE", "system");
    if (user != 0) {
        options.userId = user;
    }
    const ProcessResult result = runProcess(kTests + "helper_probe", words, options);
    return result.output.isEmpty() ? result.toText() : QString::fromUtf8(result.output).trimmed();
}

qint64 TestSystemHelper::helperProcess()
{
    const ProcessResult result = runProcess("busctl",
                                            {"--address=" + m_address,
                                             "call",
                                             "org.freedesktop.DBus",
                                             "/org/freedesktop/DBus",
                                             "org.freedesktop.DBus",
                                             "GetConnectionUnixProcessID",
                                             "s",
                                             "org.millpond.Manager1"});
    return QString::fromUtf8(result.output).section(' ', 1).trimmed().toLongLong();
}

void TestSystemHelper::installedFiles()
{
    const QString destdir = m_scratch->path("dest");
    install(destdir, "/usr");
    for (const char* name : {"share/dbus-1/system.d/org.millpond.Manager1.conf",
                             "share/dbus-1/system-services/org.millpond.Manager1.service",
                             "share/dbus-1/interfaces/org.millpond.Manager1.xml",
                             "share/polkit-1/actions/org.millpond.policy",
                             "lib/systemd/system/millpondd.service",
                             "share/man/man8/millpondd.8"}) {
        QVERIFY2(QFile::exists(destdir + "/usr/" + name), name);
    }
    // What names a program names it where it will be, not where it was put.
    for (const char* name : {"share/dbus-1/system-services/org.millpond.Manager1.service",
                             "lib/systemd/system/millpondd.service"}) {
        QFile file(destdir + "/usr/" + name);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        QVERIFY2(text.contains("=/usr/sbin/millpondd --system\n"), text.constData());
        QVERIFY(!text.contains(destdir.toUtf8()));
    }
    QFile policy(destdir + "/usr/share/polkit-1/actions/org.millpond.policy");
    QVERIFY(policy.open(QIODevice::ReadOnly));
    QCOMPARE(policy.readAll().count("<action id=\"org.millpond."), 5);
}

void TestSystemHelper::installedHelperIsActivated()
{
    QVERIFY2(QFile::exists(m_root + "/usr/sbin/millpondd"), "millpondd was not installed");
    startBus();
    const QString facts = probe({"facts"});
    QVERIFY2(QRegularExpression("^ok 0\\.[0-9.]+ system$").match(facts).hasMatch(),
             qPrintable(facts));
    QCOMPARE(probe({"status"}), "ok 0 rows");
    const QString devices = probe({"devices"});
    QVERIFY2(devices.startsWith("ok "), qPrintable(devices));
    QCOMPARE(QFile::symLinkTarget(QString("/proc/%1/exe").arg(helperProcess())),
             m_root + "/usr/sbin/millpondd");
}

/// The rest needs pools: the same helper with the fake engine takes the installed one's place.
static bool useFakeEngine(const QString& root)
{
    const QString program = root + "/usr/sbin/millpondd";
    (void)QDir().mkpath(root + "/usr/sbin");
    (void)QFile::remove(program);
    return QFile::copy(kTests + "fake_millpondd", program);
}

void TestSystemHelper::rootNeedsNoPolkit()
{
    QVERIFY(useFakeEngine(m_root));
    startBus();
    QCOMPARE(probe({"scan", m_images}), "ok 2 rows");
    QCOMPARE(probe({"import", "tank", m_images}), "ok tank changed");
    QCOMPARE(probe({"import", "tank", m_images}), "ok tank unchanged");
    QCOMPARE(probe({"export", "tank"}), "ok");
}

void TestSystemHelper::withoutPolkitOthersMayNothing()
{
    QVERIFY(useFakeEngine(m_root));
    startBus();
    const QString facts = probe({"facts"}, kNobody);
    QVERIFY2(facts.startsWith("ok "), qPrintable(facts)); // which version it is, anybody may know
    for (const QStringList& words :
         {QStringList{"status"}, QStringList{"devices"}, QStringList{"import", "tank", m_images}}) {
        const QString answer = probe(words, kNobody);
        QVERIFY2(answer.startsWith("error NotAuthorized") && answer.contains("polkit does not run"),
                 qPrintable(answer));
    }
}

void TestSystemHelper::polkitSaysYesAndNo()
{
    QVERIFY(useFakeEngine(m_root));
    startBus();
    startPolkit({"org.millpond.read-status"});
    QCOMPARE(probe({"status"}, kNobody), "ok 0 rows");
    QCOMPARE(probe({"devices"}, kNobody), "ok 1 rows");
    // Where to look is the caller's choice: that is more than seeing what is there.
    const QString scan = probe({"scan", m_images}, kNobody);
    QVERIFY2(scan.startsWith("error NotAuthorized"), qPrintable(scan));
    const QString import = probe({"import", "tank", m_images}, kNobody);
    QVERIFY2(import.startsWith("error NotAuthorized") && import.contains("polkit says no"),
             qPrintable(import));
    QCOMPARE(probe({"status"}), "ok 0 rows"); // nothing was imported

    m_polkit->terminate();
    QVERIFY(m_polkit->waitForFinished(10'000));
    startPolkit({"org.millpond.read-status", "org.millpond.import-export"});
    QCOMPARE(probe({"import", "tank", m_images}, kNobody), "ok tank changed");
    QCOMPARE(probe({"status"}, kNobody), "ok 1 rows");
    QCOMPARE(probe({"export", "tank"}, kNobody), "ok");

    QFile log(m_scratch->path("polkit.log"));
    QVERIFY(log.open(QIODevice::ReadOnly));
    const QByteArray text = log.readAll();
    // 1: the caller is ready to be asked for a password.
    QVERIFY2(text.contains("system-bus-name name org.millpond.import-export 1 no"),
             text.constData());
    QVERIFY2(text.contains("system-bus-name name org.millpond.import-export 1 yes"),
             text.constData());
    QVERIFY2(text.contains("system-bus-name name org.millpond.read-status 1 yes"),
             text.constData());
}

void TestSystemHelper::shutdownWaitsForOpenPools()
{
    QVERIFY(useFakeEngine(m_root));
    startBus();
    startPolkit({});
    const auto log = [this] {
        QFile file(m_scratch->path("polkit.log"));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    QCOMPARE(probe({"status"}), "ok 0 rows");
    QVERIFY(!log().contains("inhibit"));
    QCOMPARE(probe({"import", "tank", m_images}), "ok tank changed");
    QTRY_VERIFY(log().contains("inhibit shutdown Millpond delay"));
    QVERIFY(!log().contains("lock released"));
    QCOMPARE(probe({"export", "tank"}), "ok");
    QTRY_VERIFY(log().contains("lock released"));
}

void TestSystemHelper::largeTableCrossesTheBus()
{
    QVERIFY(useFakeEngine(m_root));
    startBus();
    QCOMPARE(probe({"import", "big", m_images}), "ok big changed");
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(probe({"properties"}), "ok 700000 rows");
    qInfo("700,000 properties of 10,000 datasets in %lld ms",
          static_cast<long long>(timer.elapsed()));
}

void TestSystemHelper::secondHelperRefuses()
{
    QVERIFY(useFakeEngine(m_root));
    startBus();
    QCOMPARE(probe({"status"}), "ok 0 rows");
    const ProcessResult second = runProcess(kTests + "fake_millpondd", {"--system"});
    QCOMPARE(second.exitCode, 1);
    QVERIFY2(second.errors.contains("another helper owns org.millpond.Manager1"),
             qPrintable(second.toText()));
    QCOMPARE(probe({"status"}), "ok 0 rows");
}

void TestSystemHelper::killedHelperIsActivatedAgain()
{
    QVERIFY(useFakeEngine(m_root));
    startBus();
    QCOMPARE(probe({"import", "tank", m_images}), "ok tank changed");
    const qint64 first = helperProcess();
    QVERIFY(first > 0);
    QCOMPARE(::kill(pid_t(first), SIGKILL), 0);
    QTRY_VERIFY_WITH_TIMEOUT(helperProcess() == 0, 10'000);
    QCOMPARE(probe({"status"}), "ok 0 rows"); // never imported by surprise
    QVERIFY(helperProcess() != first);
}

void TestSystemHelper::endsWithTheBus()
{
    QVERIFY(useFakeEngine(m_root));
    startBus();
    QCOMPARE(probe({"import", "tank", m_images}), "ok tank changed");
    const qint64 helper = helperProcess();
    QVERIFY(helper > 0);
    m_bus->terminate();
    QVERIFY(m_bus->waitForFinished(10'000));
    m_bus.reset();
    QTRY_VERIFY_WITH_TIMEOUT(::kill(pid_t(helper), 0) != 0, 15'000);
}

QTEST_GUILESS_MAIN(TestSystemHelper)
#include "tst_system_helper.moc"
