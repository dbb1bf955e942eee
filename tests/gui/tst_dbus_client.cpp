// SPDX-License-Identifier: GPL-3.0-or-later
// Property: the window's client starts a helper on demand, asks it everything without making the
// window wait, hears its signals, and notices its death. Method: the whole helper with a fake
// engine (fake_millpondd) as a process of its own, over its private socket.
#include "gui/client/dbus_client.h"
#include "gui/helper_process.h"
#include "support/scratch.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <memory>

using namespace millpond;
using client::Answer;
using State = state::Helper::State;

class DBusClientTest : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();

    void startsAndTellsItsVersion();
    void missingHelperIsTold();
    void findsImportsAndExports();
    void errorsHaveNamesAndTexts();
    void manyDatasets();
    void mountsAndSignals();
    void checkAsJob();
    void cancelledJob();
    void deathIsNoticedAndSurvived();
    void callsWithoutHelper();

private:
    void open();
    void makePool(const QString& name);

    [[nodiscard]] QStringList paths() const { return {m_scratch->path(QStringLiteral("images"))}; }

    /// Waits for the answer of a call; no event is lost meanwhile.
    template <class T, class Ask> Answer<T> answerOf(Ask ask)
    {
        std::optional<Answer<T>> answer;
        ask([&answer](const Answer<T>& value) { answer = value; });
        (void)QTest::qWaitFor([&answer] { return answer.has_value(); }, 20'000);
        return answer.value_or(std::unexpected(state::CallError{
            state::CallError::Kind::TimedOut, {}, QStringLiteral("test: no answer")}));
    }

    std::unique_ptr<test::ScratchFolder> m_scratch;
    std::unique_ptr<client::DBusClient> m_client;
    QString m_socket, m_helper;
};

void DBusClientTest::init()
{
    m_scratch = std::make_unique<test::ScratchFolder>();
    m_socket = m_scratch->path(QStringLiteral("run/helper.sock"));
    m_helper = QStringLiteral(MILLPOND_BINARY_DIR "/tests/fake_millpondd");
    QVERIFY(QDir(m_scratch->path()).mkpath(QStringLiteral("images")));
    qputenv("HOME", m_scratch->path().toUtf8());
    qputenv("XDG_STATE_HOME", m_scratch->path(QStringLiteral("state")).toUtf8());
    qputenv("XDG_RUNTIME_DIR", m_scratch->path().toUtf8());
}

void DBusClientTest::cleanup()
{
    m_client.reset();
    QVERIFY(test::endHelper(m_socket));
    m_scratch.reset();
}

void DBusClientTest::open()
{
    m_client = std::make_unique<client::DBusClient>(
        client::ConnectionSettings{state::HelperMode::Private, m_socket, m_helper});
    m_client->start();
    QTRY_VERIFY_WITH_TIMEOUT(m_client->helper().state != State::Starting, 20'000);
}

void DBusClientTest::makePool(const QString& name)
{
    QFile file(paths().front() + QLatin1Char('/') + name + QStringLiteral(".fakepool"));
    QVERIFY(file.open(QIODevice::WriteOnly));
}

void DBusClientTest::startsAndTellsItsVersion()
{
    open();
    QVERIFY2(m_client->helper().state == State::Ready, qPrintable(m_client->helper().text));
    QVERIFY2(m_client->helper().version.startsWith(QStringLiteral("0.")),
             qPrintable(m_client->helper().version));
    // More windows find the same helper. Some of their first calls arrive together with the end of
    // the handshake, which must not swallow them.
    constexpr int kWindows = 20;
    for (int window = 0; window < kWindows; ++window) {
        client::DBusClient other({state::HelperMode::Private, m_socket, m_helper});
        other.start();
        QTRY_VERIFY_WITH_TIMEOUT(other.helper().state != State::Starting, 20'000);
        QVERIFY2(other.helper().state == State::Ready, qPrintable(other.helper().text));
    }
}

void DBusClientTest::missingHelperIsTold()
{
    m_helper = m_scratch->path(QStringLiteral("no-such-helper"));
    QElapsedTimer timer;
    timer.start();
    m_client = std::make_unique<client::DBusClient>(
        client::ConnectionSettings{state::HelperMode::Private, m_socket, m_helper});
    m_client->start();
    QVERIFY(timer.elapsed() < 500); // start() itself never waits
    QTRY_COMPARE_WITH_TIMEOUT(m_client->helper().state, State::Failed, 20'000);
    QVERIFY(!m_client->helper().text.isEmpty());
}

void DBusClientTest::findsImportsAndExports()
{
    makePool(QStringLiteral("tank"));
    open();
    using Pools = QList<state::Pool>;
    const auto found = answerOf<Pools>([this](auto done) { m_client->scan(paths(), done); });
    QVERIFY2(found.has_value(), qPrintable(found.has_value() ? QString() : found.error().text));
    QCOMPARE(found->size(), 1);
    QVERIFY(found->front().importable);
    QVERIFY(!found->front().vdevs.isEmpty());

    QSignalSpy changes(m_client.get(), &client::Client::poolsChanged);
    const auto imported = answerOf<client::Imported>(
        [&](auto done) { m_client->importPool({poolKey(found->front()), paths(), false}, done); });
    QVERIFY2(imported.has_value(),
             qPrintable(imported.has_value() ? QString() : imported.error().text));
    QCOMPARE(imported->name, QStringLiteral("tank"));
    QTRY_VERIFY(changes.count() > 0);
    const auto status = answerOf<Pools>([this](auto done) { m_client->poolStatus(done); });
    QCOMPARE(status->size(), 1);
    QVERIFY(status->front().imported);
    QCOMPARE(status->front().errors.front().path, QStringLiteral("/x"));

    const auto exported =
        answerOf<void>([this](auto done) { m_client->exportPool(QStringLiteral("tank"), done); });
    QVERIFY(exported.has_value());
}

void DBusClientTest::errorsHaveNamesAndTexts()
{
    open();
    const auto imported = answerOf<client::Imported>([this](auto done) {
        m_client->importPool({QStringLiteral("nothing"), paths(), false}, done);
    });
    QVERIFY(!imported.has_value());
    QCOMPARE(imported.error().kind, state::CallError::Kind::Refused);
    QCOMPARE(imported.error().name, QStringLiteral("NoSuchPool"));
    QVERIFY(!imported.error().text.isEmpty());
}

void DBusClientTest::manyDatasets()
{
    makePool(QStringLiteral("big"));
    open();
    (void)answerOf<client::Imported>(
        [this](auto done) { m_client->importPool({QStringLiteral("big"), paths(), false}, done); });
    const QStringList properties{QStringLiteral("property0"), QStringLiteral("property1")};
    const auto table = answerOf<state::DatasetTable>(
        [&](auto done) { m_client->datasets({QStringLiteral("big"), properties, false}, done); });
    QVERIFY2(table.has_value(), qPrintable(table.has_value() ? QString() : table.error().text));
    QCOMPARE(table->size(), std::size_t{10'001});
    QVERIFY(!table->cell(10'000, 1).empty());
}

void DBusClientTest::mountsAndSignals()
{
    makePool(QStringLiteral("tank"));
    open();
    (void)answerOf<client::Imported>([this](auto done) {
        m_client->importPool({QStringLiteral("tank"), paths(), false}, done);
    });
    using Results = QList<client::MountResult>;
    QSignalSpy changes(m_client.get(), &client::Client::mountsChanged);
    const auto gone =
        answerOf<Results>([this](auto done) { m_client->unmount({QStringLiteral("tank")}, done); });
    QVERIFY(gone.has_value());
    const auto mounted =
        answerOf<Results>([this](auto done) { m_client->mount({QStringLiteral("tank")}, done); });
    QVERIFY(mounted.has_value());
    QVERIFY2(mounted->front().errorText.isEmpty(), qPrintable(mounted->front().errorText));
    QTRY_VERIFY(changes.count() > 0);
    const auto mounts =
        answerOf<QList<state::Mount>>([this](auto done) { m_client->mounts(done); });
    const auto isTank = [](const state::Mount& mount) {
        return mount.dataset == QStringLiteral("tank");
    };
    QVERIFY(std::ranges::any_of(*mounts, isTank));
}

void DBusClientTest::checkAsJob()
{
    open();
    QList<state::Job> seen;
    connect(m_client.get(), &client::Client::jobChanged, this, [&seen](const state::Job& job) {
        seen.append(job);
    });
    const auto job = answerOf<QString>(
        [this](auto done) { m_client->startCheck(QStringLiteral("tank"), paths(), done); });
    QVERIFY2(job.has_value(), qPrintable(job.has_value() ? QString() : job.error().text));
    QTRY_VERIFY_WITH_TIMEOUT(!seen.isEmpty() && seen.back().state == state::Job::State::Done,
                             20'000);
    QVERIFY(seen.size() > 1); // progress came, too
    QVERIFY(!seen.back().title.isEmpty());
    const auto report =
        answerOf<state::CheckReport>([&](auto done) { m_client->checkOutput(*job, 1, done); });
    QVERIFY(report->finished);
    QCOMPARE(report->problemCount, quint64{3});
    QCOMPARE(report->problems.size(), 2); // from row 1 on
}

void DBusClientTest::cancelledJob()
{
    open();
    state::Job last;
    connect(m_client.get(), &client::Client::jobChanged, this, [&last](const state::Job& job) {
        last = job;
    });
    const auto job = answerOf<QString>(
        [this](auto done) { m_client->startCheck(QStringLiteral("slow"), paths(), done); });
    QVERIFY(answerOf<void>([&](auto done) { m_client->cancelJob(*job, done); }).has_value());
    QTRY_COMPARE_WITH_TIMEOUT(last.state, state::Job::State::Cancelled, 20'000);
}

void DBusClientTest::deathIsNoticedAndSurvived()
{
    open();
    const pid_t helper = test::processBehind(m_socket);
    QVERIFY(helper > 0);
    std::optional<Answer<QString>> slow;
    m_client->startCheck(
        QStringLiteral("slow"), paths(), [&slow](const auto& answer) { slow = answer; });
    ::kill(helper, SIGKILL);
    QTRY_COMPARE_WITH_TIMEOUT(m_client->helper().state, State::Lost, 20'000);
    QTRY_VERIFY(slow.has_value()); // answered or refused, but not forgotten
    m_client->start();
    QTRY_COMPARE_WITH_TIMEOUT(m_client->helper().state, State::Ready, 20'000);
}

void DBusClientTest::callsWithoutHelper()
{
    m_client = std::make_unique<client::DBusClient>(
        client::ConnectionSettings{state::HelperMode::Private, m_socket, m_helper});
    const auto status =
        answerOf<QList<state::Pool>>([this](auto done) { m_client->poolStatus(done); });
    QVERIFY(!status.has_value());
    QCOMPARE(status.error().kind, state::CallError::Kind::NoHelper);
}

QTEST_GUILESS_MAIN(DBusClientTest)

#include "tst_dbus_client.moc"
