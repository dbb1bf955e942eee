// SPDX-License-Identifier: GPL-3.0-or-later
// Property: the installed program as it is, with the engine and no fake, imports a pool that
// OpenZFS made and tells of it what OpenZFS tells; a second helper may read it at the same time; a
// check finds nothing. Method: millpondd in private mode against a golden pool and its manifest.
#include "bus/client.h"
#include "support/cleanup.h"
#include "support/manifest.h"
#include "support/pools.h"
#include "support/scratch.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QProcess>
#include <QTest>

#include <unistd.h>

using namespace millpond;
using namespace millpond::bus;

class TestGoldenThroughHelper : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void showsWhatOpenZfsShows();
    void secondHelperMayReadToo();
    void checkFindsNothing();
    void killedHelperLeavesNoMount();

private:
    [[nodiscard]] Result<Client> connect(const QString& name);

    test::ScratchFolder m_scratch;
    std::vector<std::unique_ptr<QProcess>> m_helpers;
    std::string m_images;
    std::string m_pool;
};

void TestGoldenThroughHelper::initTestCase()
{
    MP_REQUIRE_POOL("a-single");
    m_images = test::unpackGoldenPool("a-single").toStdString();
    m_pool = test::findGoldenPool("a-single")->pool.toStdString();
    QVERIFY(!m_images.empty());
    qputenv("HOME", m_scratch.path().toUtf8());
    qputenv("XDG_STATE_HOME", m_scratch.path("state").toUtf8());
    qputenv("XDG_RUNTIME_DIR", m_scratch.path().toUtf8());
}

void TestGoldenThroughHelper::cleanupTestCase()
{
    for (const std::unique_ptr<QProcess>& helper : m_helpers) {
        helper->terminate(); // pools are still open
        QVERIFY(helper->waitForFinished(30'000));
        QCOMPARE(helper->exitCode(), 0);
    }
}

Result<Client> TestGoldenThroughHelper::connect(const QString& name)
{
    const QString socket = m_scratch.path(name + "/helper.sock");
    if (!QFile::exists(socket)) {
        m_helpers.push_back(std::make_unique<QProcess>());
        m_helpers.back()->setProcessChannelMode(QProcess::ForwardedChannels);
        m_helpers.back()->start(QStringLiteral(MILLPOND_BINARY_DIR "/bin/millpondd"),
                                {"--private", "--socket", socket, "--log-level", "warning"});
        (void)QTest::qWaitFor([&socket] { return QFile::exists(socket); }, 10'000);
    }
    return Client::connect(
        {.mode = HelperMode::Private, .socketPath = socket.toStdString(), .startHelper = false});
}

void TestGoldenThroughHelper::showsWhatOpenZfsShows()
{
    auto client = connect("one");
    QVERIFY2(client.has_value(), client ? "" : client.error().toText().c_str());
    const auto found = client->scan({.searchPaths = {m_images}});
    QVERIFY2(found.has_value(), found ? "" : found.error().toText().c_str());
    QVERIFY((*Rows<FoundPoolRow>::of(*found))[0].importable);
    const auto imported =
        client->importPool({.pool = m_pool, .searchPaths = {m_images}, .mount = false});
    QVERIFY2(imported.has_value(), imported ? "" : imported.error().toText().c_str());

    const auto manifest = test::loadManifest("a-single");
    QVERIFY(manifest.has_value());
    QCOMPARE(QString::number(imported->guid), (*manifest)["guid"].toVariant().toString());
    const auto document =
        client->datasetProperties({.recurse = true,
                                   .types = {"filesystem", "volume", "snapshot"},
                                   .properties = {"used", "referenced", "type", "createtxg"}});
    QVERIFY2(document.has_value(), document ? "" : document.error().toText().c_str());
    const QJsonObject wanted = (*manifest)["zfs_get"].toObject();
    QStringList datasets;
    int compared = 0;
    const auto rows = Rows<DatasetPropertyRow>::of(*document);
    QVERIFY(rows.has_value());
    for (const DatasetPropertyRow row : *rows) {
        const QString dataset =
            QString::fromUtf8(row.dataset.data(), qsizetype(row.dataset.size()));
        const QString property =
            QString::fromUtf8(row.property.data(), qsizetype(row.property.size()));
        const QString value = QString::fromUtf8(row.value.data(), qsizetype(row.value.size()));
        const QJsonValue expected = wanted[dataset].toObject()[property];
        QVERIFY2(expected.isArray(), qPrintable(dataset + ' ' + property));
        QCOMPARE(dataset + ' ' + property + ' ' + value,
                 dataset + ' ' + property + ' ' + expected.toArray().at(0).toVariant().toString());
        ++compared;
    }
    QVERIFY(compared > 20);
}

void TestGoldenThroughHelper::secondHelperMayReadToo()
{
    auto second = connect("two");
    QVERIFY(second.has_value());
    const auto imported =
        second->importPool({.pool = m_pool, .searchPaths = {m_images}, .mount = false});
    QVERIFY2(imported.has_value(), imported ? "" : imported.error().toText().c_str());
    QVERIFY(second->exportPool(m_pool, false).has_value());
}

void TestGoldenThroughHelper::checkFindsNothing()
{
    auto client = connect("two");
    QVERIFY(client.has_value());
    const auto job = client->startCheck({.pool = m_pool, .searchPaths = {m_images}});
    QVERIFY2(job.has_value(), job ? "" : job.error().toText().c_str());
    const auto end = client->waitForJob(*job, [](const JobStatus&) { return true; });
    QVERIFY(end.has_value());
    QVERIFY2(end->state == "done", end->errorText.c_str());
    const auto output = client->jobOutput(*job, 0);
    const auto problems = Rows<CheckProblemRow>::of(*output);
    QVERIFY(problems.has_value());
    for (const CheckProblemRow problem : *problems) {
        qWarning("%s", std::string(problem.text).c_str());
    }
    QCOMPARE((*Rows<CheckSummaryRow>::of(*output))[0].problemCount, std::uint64_t{0});
    QVERIFY((*Rows<CheckSummaryRow>::of(*output))[0].bytesRead > 0);
}

void TestGoldenThroughHelper::killedHelperLeavesNoMount()
{
    if (::access("/dev/fuse", R_OK | W_OK) != 0) {
        QSKIP("needs /dev/fuse, readable and writable");
    }
    auto client = connect("killed");
    QVERIFY(client.has_value());
    const auto imported = client->importPool({.pool = m_pool, .searchPaths = {m_images}});
    QVERIFY2(imported.has_value(), imported ? "" : imported.error().toText().c_str());
    const auto outcomes = Rows<MountResultRow>::of(imported->mounts);
    QVERIFY(outcomes.has_value() && !outcomes->empty());
    for (const MountResultRow outcome : *outcomes) {
        QVERIFY2(outcome.errorName.empty(), std::string(outcome.errorText).c_str());
    }
    const QString root = m_scratch.path("Millpond/" + QString::fromStdString(m_pool));
    QVERIFY(!test::mountsBelow(m_scratch.path("Millpond")).isEmpty());
    QVERIFY(!QDir(root).entryList(QDir::AllEntries | QDir::NoDotAndDotDot).isEmpty());
    // Looking for pools below an own mount would be waiting for ourselves.
    const auto inside = client->scan({.searchPaths = {root.toStdString()}});
    QVERIFY(!inside && inside.error().is(ErrorCode::InvalidArgument));

    m_helpers.back()->kill();
    QVERIFY(m_helpers.back()->waitForFinished(5'000));
    m_helpers.pop_back();
    QTRY_VERIFY_WITH_TIMEOUT(test::mountsBelow(m_scratch.path("Millpond")).isEmpty(), 10'000);
    QVERIFY(QDir(root).exists()); // no ENOTCONN
}

QTEST_GUILESS_MAIN(TestGoldenThroughHelper)
#include "tst_golden_through_helper.moc"
