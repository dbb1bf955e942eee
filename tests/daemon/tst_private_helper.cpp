// SPDX-License-Identifier: GPL-3.0-or-later
// Property: a private helper starts on demand, once; serves only its user; keeps jobs, lists and
// mounts in order; ends cleanly, and leaves no dead mount when it is killed. Method: the real
// helper program with a fake engine, driven through the client library and signals.
#include "bus/client.h"
#include "bus/helper_launcher.h"
#include "bus/server.h"
#include "bus/vtables.h"
#include "support/cleanup.h"
#include "support/scratch.h"

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace millpond;
using namespace millpond::bus;
using namespace std::chrono_literals;

namespace {
const QString kHelper = QStringLiteral(MILLPOND_BINARY_DIR "/tests/fake_millpondd");

/// An old or future helper, as far as a client sees it.
class OtherVersion final : public ServerObject
{
public:
    void onCall(const CallRef& call) override { call->fail(Error(ErrorCode::System, "no")); }

    Status onGet(std::string_view property, Message& reply) override
    {
        return property == "InterfaceVersion" ? reply.add(std::uint32_t{99}) : reply.add("9.9");
    }
};

bool isAlive(pid_t process)
{
    return ::kill(process, 0) == 0;
}
} // namespace

class TestPrivateHelper : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();

    void startsOnDemandAndAnswers();
    void missingHelperIsTold();
    void twoClientsStartOneHelper();
    void secondHelperRefuses();
    void otherVersionIsTold();
    void strangersAreRefused();
    void foldersOfOthersAreRefused();
    void wrongArgumentsAreRefused();
    void checkRunsAsJob();
    void jobOutlivesItsClient();
    void signalsReachOtherClients();
    void busyPoolIsNotExported();
    void endsWhenIdle();
    void opensListedPoolsAtStart();
    void endsCleanlyOnSigterm();
    void killedHelperLeavesNoMount();
    void wrongCommandLines();

private:
    [[nodiscard]] ConnectOptions options() const;
    [[nodiscard]] Client connect();
    [[nodiscard]] pid_t helperProcess() const;
    void startHelper(const QStringList& more);
    void makePool(const char* name);

    std::unique_ptr<test::ScratchFolder> m_scratch;
    std::unique_ptr<QProcess> m_process;
    QString m_socket;
    std::string m_images;
};

void TestPrivateHelper::init()
{
    m_scratch = std::make_unique<test::ScratchFolder>();
    m_socket = m_scratch->path("run/helper.sock");
    m_images = m_scratch->path("images").toStdString();
    QVERIFY(QDir(m_scratch->path()).mkpath("images"));
    qputenv("HOME", m_scratch->path().toUtf8());
    qputenv("XDG_STATE_HOME", m_scratch->path("state").toUtf8());
    qputenv("XDG_RUNTIME_DIR", m_scratch->path().toUtf8());
    qunsetenv("MILLPOND_FAKE_MOUNT");
}

void TestPrivateHelper::cleanup()
{
    if (const pid_t helper = helperProcess(); helper > 0) {
        ::kill(helper, SIGTERM);
        QTRY_VERIFY_WITH_TIMEOUT(!isAlive(helper) || m_process, 15'000);
    }
    if (m_process) {
        QVERIFY(m_process->state() == QProcess::NotRunning || m_process->waitForFinished(15'000));
        m_process.reset();
    }
    m_scratch.reset();
}

ConnectOptions TestPrivateHelper::options() const
{
    ConnectOptions options;
    options.mode = HelperMode::Private;
    options.socketPath = m_socket.toStdString();
    options.helperPath = kHelper.toStdString();
    return options;
}

Client TestPrivateHelper::connect()
{
    auto client = Client::connect(options());
    if (!client) {
        qFatal("%s", client.error().toText().c_str());
    }
    return std::move(*client);
}

pid_t TestPrivateHelper::helperProcess() const
{
    const auto socket = connectToSocket(m_socket.toStdString());
    ucred credentials = {};
    socklen_t size = sizeof(credentials);
    return socket && ::getsockopt(socket->get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0
               ? credentials.pid
               : -1;
}

void TestPrivateHelper::startHelper(const QStringList& more)
{
    m_process = std::make_unique<QProcess>();
    m_process->setProcessChannelMode(QProcess::MergedChannels);
    m_process->start(kHelper, QStringList{"--private", "--socket", m_socket} + more);
    QVERIFY(m_process->waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(helperProcess() > 0, 10'000);
}

void TestPrivateHelper::makePool(const char* name)
{
    QFile file(QString::fromStdString(m_images) + '/' + name + ".fakepool");
    QVERIFY(file.open(QIODevice::WriteOnly));
}

void TestPrivateHelper::startsOnDemandAndAnswers()
{
    makePool("tank");
    Client client = connect();
    QVERIFY(client.helper().mode == "private");
    QCOMPARE(client.helper().interfaceVersion, kInterfaceVersion);
    QVERIFY(QFile::exists(m_scratch->path("state/millpond/helper.log")));

    const auto found = client.scan({.searchPaths = {m_images}});
    QVERIFY2(found.has_value(), found ? "" : found.error().toText().c_str());
    QVERIFY((*Rows<FoundPoolRow>::of(*found))[0].name == "tank");
    QVERIFY(!(*Rows<FoundPoolRow>::of(*found))[0].imported);

    const auto imported = client.importPool({.pool = "tank", .searchPaths = {m_images}});
    QVERIFY2(imported.has_value(), imported ? "" : imported.error().toText().c_str());
    QVERIFY(imported->changed && imported->name == "tank");
    const auto outcomes = Rows<MountResultRow>::of(imported->mounts);
    QCOMPARE(outcomes->size(), std::size_t{2});
    const std::string home = m_scratch->path("Millpond/tank").toStdString();
    QVERIFY((*outcomes)[0].mountpoint == home);
    const auto again = client.importPool({.pool = "tank", .searchPaths = {m_images}});
    QVERIFY(again.has_value() && !again->changed);

    QVERIFY((*Rows<PoolRow>::of(*client.poolStatus({})))[0].state == "ONLINE");
    QVERIFY((*Rows<VdevRow>::of(*client.poolStatus({"tank"})))[1].isLeaf);
    QCOMPARE(Rows<PoolPropertyRow>::of(*client.poolProperties({}, {"all"}))->size(),
             std::size_t{2});
    QVERIFY((*Rows<VdevPropertyRow>::of(*client.vdevProperties("tank", {"all"})))[0].guid == 7);
    QVERIFY((*Rows<HistoryRow>::of(*client.history({})))[0].command == "zpool create tank");
    QVERIFY((*Rows<IostatRow>::of(*client.iostat({})))[0].importedAt > 0);
    QCOMPARE(Rows<EventRow>::of(*client.events(0))->size(), std::size_t{1});
    QCOMPARE(*client.clearEvents(), std::uint64_t{1});
    QCOMPARE(Rows<EventRow>::of(*client.events(0))->size(), std::size_t{0});
    QCOMPARE(Rows<HoldRow>::of(*client.holds({"tank@monday"}, true))->size(), std::size_t{2});
    QCOMPARE(Rows<MountRow>::of(*client.mounts())->size(), std::size_t{2});
    QVERIFY((*Rows<DeviceRow>::of(*client.devices()))[0].model == "Fake Disk");
    const auto datasets =
        client.datasetProperties({.roots = {"tank"}, .properties = {"used", "available"}});
    QCOMPARE((*Rows<DatasetRow>::of(*datasets))[0].propertyCount, std::uint64_t{2});

    const auto unmounted = client.unmount({.targets = {"tank/home"}});
    QVERIFY((*Rows<MountResultRow>::of(*unmounted))[0].changed);
    QVERIFY(client.exportPool("tank", false).has_value());
    const Status gone = client.exportPool("tank", false);
    QVERIFY(!gone && gone.error().is(ErrorCode::NoSuchPool));
}

void TestPrivateHelper::missingHelperIsTold()
{
    ConnectOptions wrong = options();
    wrong.helperPath = "/nonexistent/millpondd";
    const auto client = Client::connect(wrong);
    QVERIFY(!client && client.error().toText().find("/nonexistent/millpondd") != std::string::npos);
    wrong.startHelper = false;
    const auto none = Client::connect(wrong);
    QVERIFY(!none && none.error().is(ErrorCode::ConnectionLost));
}

void TestPrivateHelper::twoClientsStartOneHelper()
{
    makePool("tank");
    std::vector<std::thread> threads;
    std::atomic<int> connected = 0;
    for (int i = 0; i < 6; ++i) {
        threads.emplace_back([this, &connected] {
            auto client = Client::connect(options());
            if (client && client->importPool({.pool = "tank", .searchPaths = {m_images}})) {
                ++connected;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    QCOMPARE(connected.load(), 6);
    // One helper: one pool, whoever asks.
    QFile log(m_scratch->path("state/millpond/helper.log"));
    QVERIFY(log.open(QIODevice::ReadOnly));
    QCOMPARE(log.readAll().count("listens at"), 1);
}

void TestPrivateHelper::secondHelperRefuses()
{
    startHelper({});
    QProcess second;
    second.start(kHelper, {"--private", "--socket", m_socket});
    QVERIFY(second.waitForFinished(10'000));
    QCOMPARE(second.exitCode(), 1);
    QVERIFY(second.readAllStandardError().contains("another helper already serves"));
    QVERIFY(helperProcess() > 0);
}

void TestPrivateHelper::otherVersionIsTold()
{
    QVERIFY(prepareSocketFolder(m_socket.toStdString()).has_value());
    const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    qstrncpy(address.sun_path, m_socket.toLocal8Bit().constData(), sizeof(address.sun_path));
    QCOMPARE(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    QCOMPARE(::listen(listener, 1), 0);
    std::thread server([listener] {
        auto loop = *EventLoop::create();
        OtherVersion object;
        auto connection =
            *Connection::peer(*loop, UniqueFd(::accept(listener, nullptr, nullptr)), ::geteuid());
        (void)connection->addObject(kManagerPath, kManagerInterface, kManagerVtable, object);
        connection->onDisconnected([&loop] { loop->exit(); });
        (void)loop->run();
    });
    const auto client = Client::connect(options());
    server.join();
    ::close(listener);
    QFile::remove(m_socket);
    QVERIFY(!client);
    QCOMPARE(client.error().code(), ErrorCode::UnsupportedVersion);
    const std::string text = client.error().toText();
    QVERIFY2(text.find("version " + std::to_string(kInterfaceVersion) + " ") != std::string::npos &&
                 text.find("version 99") != std::string::npos &&
                 text.find("9.9") != std::string::npos,
             text.c_str());
}

void TestPrivateHelper::strangersAreRefused()
{
    if (::geteuid() != 0) {
        QSKIP("needs root, to be somebody else");
    }
    startHelper({});
    // Even with every file permission in the way removed, the uid decides.
    QCOMPARE(::chmod(m_scratch->path().toLocal8Bit().constData(), 0755), 0);
    QCOMPARE(::chmod(m_scratch->path("run").toLocal8Bit().constData(), 0755), 0);
    QCOMPARE(::chmod(m_socket.toLocal8Bit().constData(), 0666), 0);
    const QByteArray path = m_socket.toLocal8Bit();
    const pid_t child = ::fork();
    if (child == 0) {
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        qstrncpy(address.sun_path, path.constData(), sizeof(address.sun_path));
        if (::setgroups(0, nullptr) != 0 || ::setgid(65534) != 0 || ::setuid(65534) != 0) {
            ::_exit(3);
        }
        const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
        if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
            ::_exit(4);
        }
        char byte = 0;
        ::_exit(::read(fd, &byte, 1) <= 0 ? 0 : 5); // the helper hangs up without a word
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QCOMPARE(WEXITSTATUS(status), 0);
    QVERIFY(connect().devices().has_value());
}

void TestPrivateHelper::foldersOfOthersAreRefused()
{
    const QString folder = m_scratch->path("run");
    QVERIFY(QDir().mkpath(folder));
    QCOMPARE(::chmod(folder.toLocal8Bit().constData(), 0777), 0);
    const auto client = Client::connect(options());
    QVERIFY(!client);
    QCOMPARE(client.error().code(), ErrorCode::NotPermitted);
    QVERIFY(QFile::remove(m_scratch->path("run")) || QDir().rmdir(folder));
    QVERIFY(QDir().mkpath(m_scratch->path("elsewhere")));
    QVERIFY(QFile::link(m_scratch->path("elsewhere"), folder));
    const auto linked = Client::connect(options());
    QVERIFY(!linked && linked.error().is(ErrorCode::NotPermitted));
}

void TestPrivateHelper::wrongArgumentsAreRefused()
{
    makePool("tank");
    Client client = connect();
    const auto code = [](const auto& result) {
        return result ? ErrorCode::System : result.error().code();
    };
    QCOMPARE(code(client.scan({.searchPaths = {"relative"}})), ErrorCode::InvalidArgument);
    QCOMPARE(code(client.scan({.searchPaths = {"/dev/null"}})), ErrorCode::InvalidArgument);
    QCOMPARE(code(client.scan({.searchPaths = {"/nonexistent"}})), ErrorCode::NoSuchEntry);
    QCOMPARE(code(client.importPool({.searchPaths = {m_images}})), ErrorCode::InvalidArgument);
    QCOMPARE(code(client.importPool({.pool = "other", .searchPaths = {m_images}})),
             ErrorCode::NoSuchPool);
    QCOMPARE(code(client.datasetProperties({.types = {"file"}})), ErrorCode::InvalidArgument);
    QCOMPARE(code(client.datasetProperties({.roots = {"tank/x"}})), ErrorCode::NoSuchDataset);
    QCOMPARE(code(client.holds({"tank"}, false)), ErrorCode::InvalidName);
    QCOMPARE(code(client.jobStatus("/org/millpond/Job/9")), ErrorCode::NoSuchJob);
    QCOMPARE(code(client.cancelJob("/org/millpond/Job/9")), ErrorCode::NoSuchJob);
    QCOMPARE(code(client.cancelJob("no path")), ErrorCode::InvalidArgument);
    QVERIFY(client.importPool({.pool = "tank", .searchPaths = {m_images}}).has_value());
    // The helper must not look below its own mounts, by whatever way the path leads there.
    QVERIFY(QDir(m_scratch->path()).mkpath("Millpond"));
    const QString mounted = m_scratch->path("Millpond/tank");
    const QString link = m_scratch->path("link");
    QVERIFY(QFile::link(mounted, link));
    for (const QString& path : {mounted, mounted + "/x/..", link}) {
        QCOMPARE(code(client.scan({.searchPaths = {path.toStdString()}})),
                 ErrorCode::InvalidArgument);
    }
}

void TestPrivateHelper::checkRunsAsJob()
{
    Client client = connect();
    const auto job = client.startCheck({.pool = "tank", .searchPaths = {m_images}});
    QVERIFY2(job.has_value(), job ? "" : job.error().toText().c_str());
    std::uint64_t seen = 0;
    std::uint64_t total = 0;
    const auto end = client.waitForJob(*job, [&](const JobStatus& status) {
        seen = std::max(seen, status.done);
        total = status.total;
        return true;
    });
    QVERIFY(end.has_value());
    QVERIFY2(end->state == "done", end->errorText.c_str());
    QCOMPARE(seen, std::uint64_t{30'000});
    QCOMPARE(total, std::uint64_t{30'000});
    const auto output = client.jobOutput(*job, 0);
    QCOMPARE(Rows<CheckProblemRow>::of(*output)->size(), std::size_t{3});
    QVERIFY((*Rows<CheckSummaryRow>::of(*output))[0].pool == "tank");
    const auto rest = client.jobOutput(*job, 2);
    QVERIFY((*Rows<CheckProblemRow>::of(*rest))[0].text == "problem 20");
}

void TestPrivateHelper::jobOutlivesItsClient()
{
    std::string job;
    {
        Client first = connect();
        job = *first.startCheck({.pool = "slow", .searchPaths = {m_images}});
    }
    QTest::qWait(300);
    Client second = connect();
    const auto status = second.jobStatus(job);
    QVERIFY(status.has_value());
    QVERIFY2(status->state == "running", status->state.c_str());
    QVERIFY(second.cancelJob(job).has_value());
    const auto end = second.waitForJob(job, [](const JobStatus&) { return true; });
    QVERIFY(end->state == "cancelled");
}

void TestPrivateHelper::signalsReachOtherClients()
{
    makePool("tank");
    Client watcher = connect();
    Client actor = connect();
    QVERIFY(actor.importPool({.pool = "tank", .searchPaths = {m_images}}).has_value());
    QSet<int> kinds;
    std::vector<std::string> pools;
    while (true) {
        const auto signal = watcher.nextSignal(1'000ms);
        if (!signal) {
            QCOMPARE(signal.error().code(), ErrorCode::TimedOut);
            break;
        }
        kinds.insert(int(signal->kind));
        if (signal->kind == Signal::Kind::PoolsChanged) {
            pools = signal->ids;
        }
    }
    QVERIFY(kinds.contains(int(Signal::Kind::MountsChanged)));
    QVERIFY(kinds.contains(int(Signal::Kind::DatasetsChanged)));
    QVERIFY(kinds.contains(int(Signal::Kind::EventsAdded)));
    const auto status = watcher.poolStatus({});
    QVERIFY(!pools.empty() && pools[0] == std::to_string((*Rows<PoolRow>::of(*status))[0].guid));
    const auto job = actor.startCheck({.pool = "other", .searchPaths = {m_images}});
    QVERIFY(watcher.nextSignal(2'000ms)->kind == Signal::Kind::JobAdded);
    QVERIFY(watcher.nextSignal(2'000ms)->kind == Signal::Kind::JobChanged);
}

void TestPrivateHelper::busyPoolIsNotExported()
{
    makePool("tank");
    Client client = connect();
    QVERIFY(
        client.importPool({.pool = "tank", .searchPaths = {m_images}, .mount = false}).has_value());
    QVERIFY(client.mount({.datasets = {"tank/busy", "other/x"}}).has_value());
    const Status busy = client.exportPool("tank", false);
    QVERIFY(!busy && busy.error().is(ErrorCode::PoolBusy));
    QVERIFY(client.exportPool("tank", true).has_value());
}

void TestPrivateHelper::endsWhenIdle()
{
    makePool("tank");
    startHelper({"--idle-timeout", "1"});
    {
        Client client = connect();
        QVERIFY(client.importPool({.pool = "tank", .searchPaths = {m_images}}).has_value());
    }
    QTest::qWait(1'600);
    QCOMPARE(m_process->state(), QProcess::Running); // an open pool keeps it
    {
        Client client = connect();
        QVERIFY(client.exportPool("tank", false).has_value());
        QTest::qWait(1'600);
        QCOMPARE(m_process->state(), QProcess::Running); // so does a client
    }
    QVERIFY(m_process->waitForFinished(5'000));
    QCOMPARE(m_process->exitCode(), 0);
}

void TestPrivateHelper::opensListedPoolsAtStart()
{
    makePool("tank");
    makePool("other");
    startHelper({});
    {
        Client client = connect();
        QCOMPARE(Rows<PoolRow>::of(*client.poolStatus({}))->size(), std::size_t{0});
        QVERIFY(client.importPool({.pool = "tank", .searchPaths = {m_images}}).has_value());
        QCOMPARE(client.setOpenAtStart("nothing", true).error().code(), ErrorCode::NoSuchPool);
        QVERIFY(*client.setOpenAtStart("tank", true));
        QVERIFY(!*client.setOpenAtStart("tank", true));
    }
    m_process->terminate();
    QVERIFY(m_process->waitForFinished(15'000));
    startHelper({});
    {
        Client client = connect();
        QTRY_COMPARE(Rows<PoolRow>::of(*client.poolStatus({}))->size(), std::size_t{1});
        QVERIFY((*Rows<StartPoolRow>::of(*client.startPools()))[0].searchPaths == m_images);
        QVERIFY(*client.setOpenAtStart("tank", false));
        QCOMPARE(Rows<StartPoolRow>::of(*client.startPools())->size(), std::size_t{0});
    }
}

void TestPrivateHelper::endsCleanlyOnSigterm()
{
    makePool("tank");
    const QString mount = m_scratch->path("mnt");
    QVERIFY(QDir().mkpath(mount));
    if (::geteuid() == 0) {
        qputenv("MILLPOND_FAKE_MOUNT", mount.toUtf8());
    }
    startHelper({});
    Client client = connect();
    QVERIFY(client.importPool({.pool = "tank", .searchPaths = {m_images}}).has_value());
    QVERIFY(client.startCheck({.pool = "slow", .searchPaths = {m_images}}).has_value());
    QCOMPARE(test::mountsBelow(mount).size(), ::geteuid() == 0 ? 1 : 0);
    QElapsedTimer timer;
    timer.start();
    m_process->terminate();
    QVERIFY(m_process->waitForFinished(15'000));
    QCOMPARE(m_process->exitCode(), 0);
    QCOMPARE(m_process->exitStatus(), QProcess::NormalExit);
    QVERIFY(timer.elapsed() < 10'000);
    QVERIFY(!QFile::exists(m_socket));
    QVERIFY(test::mountsBelow(mount).isEmpty());
    const auto lost = client.devices();
    QVERIFY(!lost && lost.error().is(ErrorCode::ConnectionLost));
}

void TestPrivateHelper::killedHelperLeavesNoMount()
{
    if (::geteuid() != 0 || !QFile::exists("/dev/fuse")) {
        QSKIP("needs root and /dev/fuse");
    }
    makePool("tank");
    const QString mount = m_scratch->path("mnt with blank");
    QVERIFY(QDir().mkpath(mount));
    qputenv("MILLPOND_FAKE_MOUNT", mount.toUtf8());
    startHelper({});
    {
        Client client = connect();
        QVERIFY(client.importPool({.pool = "tank", .searchPaths = {m_images}}).has_value());
    }
    if (test::mountsBelow(mount).size() != 1) {
        QSKIP("this kernel or container does not let root mount FUSE");
    }
    m_process->kill();
    QVERIFY(m_process->waitForFinished(5'000));
    QTRY_VERIFY_WITH_TIMEOUT(test::mountsBelow(mount).isEmpty(), 5'000);
    // Not ENOTCONN: an ordinary empty folder again.
    struct stat facts = {};
    QCOMPARE(::stat(mount.toLocal8Bit().constData(), &facts), 0);
    qunsetenv("MILLPOND_FAKE_MOUNT");
    startHelper({}); // the dead one's socket is no obstacle
    QVERIFY(connect().devices().has_value());
}

void TestPrivateHelper::wrongCommandLines()
{
    for (const QStringList& words : {QStringList{},
                                     QStringList{"--private", "--log-level", "loud"},
                                     QStringList{"--private", "--socket", "relative"},
                                     QStringList{"--private", "--what"},
                                     QStringList{"--private", "--idle-timeout"}}) {
        QProcess process;
        process.start(kHelper, words);
        QVERIFY(process.waitForFinished(10'000));
        QCOMPARE(process.exitCode(), 2);
        QVERIFY(process.readAllStandardError().contains("--help"));
    }
    QProcess version;
    version.start(kHelper, {"--version"});
    QVERIFY(version.waitForFinished(10'000));
    QVERIFY(version.readAllStandardOutput().startsWith("millpondd 0."));
}

QTEST_GUILESS_MAIN(TestPrivateHelper)
#include "tst_private_helper.moc"
