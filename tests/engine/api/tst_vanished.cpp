// SPDX-License-Identifier: GPL-3.0-or-later
// Property: a leaf whose device vanishes under an open pool becomes UNAVAIL or REMOVED, its parents
// DEGRADED, an event tells of it once, and the pool goes on; when too many go, status still
// answers. A deleted image that can still be read stays. Method: images of golden pools cut off
// while the engine has them open; a loop device that loses its bytes (as root).
#include "api/engine.h"
#include "support/pools.h"
#include "support/process.h"
#include "support/scratch.h"

#include <QFile>
#include <QTest>

#include <unistd.h>

using namespace millpond;
using namespace millpond::test;

namespace {
const api::VdevRow* rowOf(const api::PoolStatus& status, const QString& path)
{
    for (const api::VdevRow& row : status.vdevs) {
        if (row.openedAs == path.toStdString()) {
            return &row;
        }
    }
    return nullptr;
}

std::size_t stateChanges(const api::Engine& engine, const QString& path)
{
    std::size_t count = 0;
    for (const api::Event& event : engine.events(0)) {
        const std::pair<std::string, std::string> field("vdev_path", path.toStdString());
        const auto& fields = event.fields;
        count += event.eventClass == "resource.fs.zfs.statechange" &&
                         std::find(fields.begin(), fields.end(), field) != fields.end()
                     ? 1U
                     : 0U;
    }
    return count;
}
} // namespace

class TestVanished : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cutOffImages();
    void deletedImageStays();
    void loopDevice();

private:
    [[nodiscard]] QString disk(int number) const
    {
        return m_scratch->path("images/" + findGoldenPool("c-raidz1")->disks[number]);
    }

    [[nodiscard]] api::PoolRef import(const std::vector<std::string>& devices)
    {
        api::ImportRequest request;
        request.pool = "c_raidz1";
        request.force = true;
        request.where.devices = devices;
        auto pool = m_engine->importPool(request);
        if (!pool) {
            qWarning("%s", pool.error().toText().c_str());
            return nullptr;
        }
        return *pool;
    }

    [[nodiscard]] std::vector<std::string> disks() const
    {
        return {disk(0).toStdString(), disk(1).toStdString(), disk(2).toStdString()};
    }

    std::unique_ptr<ScratchFolder> m_scratch;
    std::unique_ptr<api::Engine> m_engine;
};

void TestVanished::init()
{
    MP_REQUIRE_POOL("c-raidz1");
    m_engine.reset();
    m_scratch = std::make_unique<ScratchFolder>();
    QVERIFY(copyGoldenPool("c-raidz1", m_scratch->path("images")));
    auto engine = api::Engine::create({});
    QVERIFY(engine.has_value());
    m_engine = std::move(*engine);
}

void TestVanished::cutOffImages()
{
    const api::PoolRef pool = import(disks());
    QVERIFY(pool != nullptr);
    QCOMPARE(pool->status()->state, api::VdevState::Online);
    QVERIFY(QFile::resize(disk(1), 0));

    const auto degraded = pool->status();
    QVERIFY(degraded.has_value());
    QCOMPARE(degraded->state, api::VdevState::Degraded);
    QCOMPARE(degraded->vdevs[1].state, api::VdevState::Degraded); // the raidz
    const api::VdevRow* row = rowOf(*degraded, disk(1));
    QVERIFY(row != nullptr);
    // The label calls the image a disk: it was one where the pool was made.
    QCOMPARE(row->state, api::VdevState::Removed);
    QVERIFY(!degraded->status.empty());
    QCOMPARE(stateChanges(*m_engine, disk(1)), std::size_t{1});
    QVERIFY(pool->status().has_value());
    QCOMPARE(stateChanges(*m_engine, disk(1)), std::size_t{1});
    QVERIFY(pool->history().has_value());

    QVERIFY(QFile::resize(disk(2), 0));
    const auto lost = pool->status();
    QVERIFY2(lost.has_value(), lost ? "" : lost.error().toText().c_str());
    QCOMPARE(lost->state, api::VdevState::Unavailable);
    QCOMPARE(lost->vdevs[1].state, api::VdevState::Unavailable);
    QCOMPARE(stateChanges(*m_engine, disk(2)), std::size_t{1});
}

void TestVanished::deletedImageStays()
{
    const api::PoolRef pool = import(disks());
    QVERIFY(pool != nullptr);
    QVERIFY(QFile::remove(disk(0)));
    const auto status = pool->status();
    QVERIFY(status.has_value());
    QCOMPARE(status->state, api::VdevState::Online);
    QCOMPARE(stateChanges(*m_engine, disk(0)), std::size_t{0});
}

void TestVanished::loopDevice()
{
    if (geteuid() != 0) {
        QSKIP("needs root");
    }
    const ProcessResult attached = runProcess("losetup", {"--find", "--show", disk(2)});
    if (!attached.succeeded()) {
        QSKIP("needs root with loop devices");
    }
    const QString device = QString::fromUtf8(attached.output).trimmed();
    Result<api::PoolStatus> status = fail(ErrorCode::NoSuchPool, "not imported");
    if (const api::PoolRef pool =
            import({disk(0).toStdString(), disk(1).toStdString(), device.toStdString()})) {
        const bool cut = QFile::resize(disk(2), 0) &&
                         runProcess("losetup", {"--set-capacity", device}).succeeded();
        status = cut ? pool->status() : std::move(status);
    }
    m_engine.reset();
    QVERIFY(runProcess("losetup", {"--detach", device}).succeeded());
    QVERIFY(status.has_value());
    QCOMPARE(status->state, api::VdevState::Degraded);
    const api::VdevRow* row = rowOf(*status, device);
    QVERIFY(row != nullptr);
    QCOMPARE(row->state, api::VdevState::Removed);
}

QTEST_GUILESS_MAIN(TestVanished)
#include "tst_vanished.moc"
