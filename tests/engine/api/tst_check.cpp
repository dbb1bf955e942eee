// SPDX-License-Identifier: GPL-3.0-or-later
// Property: the offline check finds one flipped bit wherever it is, says what it hit and on which
// device, and finds nothing in an unharmed pool. Method: copies of golden pools; the place of a
// block is taken from the pool itself, and one bit of its image is flipped there.
#include "api/engine.h"
#include "format/label.h"
#include "pool/metaslabs.h"
#include "pool/scanner.h"
#include "runtime/thread_pool.h"
#include "support/pools.h"
#include "support/scratch.h"

#include <QFile>
#include <QTest>

#include <algorithm>

using namespace millpond;
using namespace millpond::test;

namespace {
/// A pool opened below the facade, to find out where things are.
struct Opened
{
    std::unique_ptr<runtime::ThreadPool> threads;
    std::unique_ptr<block::BlockCache> cache;
    NullLog log;
    std::unique_ptr<pool::Pool> pool;
};

std::unique_ptr<Opened> openPool(const QString& folder)
{
    auto opened = std::make_unique<Opened>();
    opened->threads = std::move(runtime::ThreadPool::create({.threads = 2}).value());
    opened->cache = std::make_unique<block::BlockCache>(ByteCount(32 * MiB));
    auto found = pool::scanForPools({{folder.toStdString()}, {}}, *opened->threads);
    if (!found || found->pools.size() != 1) {
        return nullptr;
    }
    pool::Services services{*opened->threads, nullptr, *opened->cache, opened->log};
    auto pool = pool::Pool::open(services, found->pools.front(), {.force = true, .hold = false});
    if (!pool) {
        return nullptr;
    }
    opened->pool = std::move(*pool);
    return opened;
}

/// The first block at a level of the first file of a dataset that has indirect blocks.
std::optional<format::BlockPointer>
fileBlock(const pool::Pool& pool, const std::string& dataset, Level level)
{
    const auto node = pool.datasets().find(dataset);
    if (!node) {
        return std::nullopt;
    }
    const auto objset = pool.datasets().openObjset(*node->dataset);
    ObjectId last;
    while (objset) {
        const auto next = (*objset)->nextObject(last);
        if (!next || !*next) {
            return std::nullopt;
        }
        last = **next;
        const auto dnode = (*objset)->dnode(last);
        if (!dnode || (*dnode)->levels < 2 ||
            (*dnode)->type != static_cast<std::uint8_t>(format::ObjectType::PlainFile)) {
            continue;
        }
        const auto pointer = (*objset)->blockPointer(**dnode, level, BlockIndex(0));
        if (pointer && pointer->dvaCount() != 0) {
            return *pointer;
        }
    }
    return std::nullopt;
}

std::optional<format::BlockPointer> spaceMapBlock(const pool::Pool& pool)
{
    const auto layouts = pool::metaslabLayouts(pool);
    if (!layouts) {
        return std::nullopt;
    }
    for (const ObjectId map : layouts->front().maps) {
        const auto dnode = map == ObjectId()
                               ? Result<object::DnodeRef>(fail(ErrorCode::NoSuchObject, ""))
                               : pool.mos().objset().dnode(map);
        if (!dnode) {
            continue;
        }
        const auto pointer = pool.mos().objset().blockPointer(**dnode, Level(0), BlockIndex(0));
        if (pointer && pointer->dvaCount() != 0) {
            return *pointer;
        }
    }
    return std::nullopt;
}

bool flipBit(const QString& image, std::uint64_t offset)
{
    QFile file(image);
    char byte = 0;
    if (!file.open(QIODevice::ReadWrite) || !file.seek(static_cast<qint64>(offset)) ||
        file.read(&byte, 1) != 1) {
        return false;
    }
    byte = static_cast<char>(byte ^ 1);
    return file.seek(static_cast<qint64>(offset)) && file.write(&byte, 1) == 1;
}

Result<api::CheckReport> check(const QString& folder, const QString& pool)
{
    auto engine = MP_TRY(api::Engine::create({}));
    api::Progress progress;
    return engine->check({pool.toStdString(), {{folder.toStdString()}, {}, false}}, progress, {});
}

bool hasKind(const api::CheckReport& report, api::CheckProblem::Kind kind)
{
    return std::any_of(
        report.problems.begin(), report.problems.end(), [kind](const api::CheckProblem& problem) {
            return problem.kind == kind && !problem.device.empty() && !problem.text.empty();
        });
}
} // namespace

class TestCheck : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cleanPools_data();
    void cleanPools();
    void flippedBit_data();
    void flippedBit();
    void flippedParity();
};

void TestCheck::cleanPools_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"c-raidz1", "l-degraded-mirror", "i-dedup", "j-quota"}) {
        QTest::newRow(name) << QString::fromLatin1(name);
    }
}

void TestCheck::cleanPools()
{
    QFETCH(QString, name);
    const auto golden = findGoldenPool(name);
    if (!golden) {
        QSKIP("the golden pool is in ../shared, which is not here");
    }
    const auto report = check(unpackGoldenPool(name), golden->pool);
    QVERIFY2(report, report ? "" : report.error().toText().c_str());
    QVERIFY2(report->problemCount == 0,
             report->problemCount == 0 ? "" : report->problems.front().text.c_str());
    QVERIFY(report->blocks != 0 && report->objects != 0);
}

void TestCheck::flippedBit_data()
{
    QTest::addColumn<int>("what");
    QTest::newRow("data") << 0;
    QTest::newRow("indirect block") << 1;
    QTest::newRow("space map") << 2;
}

void TestCheck::flippedBit()
{
    QFETCH(int, what);
    const QString name = QStringLiteral("i-dedup");
    const auto golden = findGoldenPool(name);
    const ScratchFolder scratch;
    QVERIFY(copyGoldenPool(name, scratch.path(QStringLiteral("images"))));
    const QString folder = scratch.path(QStringLiteral("images"));
    std::optional<format::BlockPointer> pointer;
    {
        const auto opened = openPool(folder);
        QVERIFY(opened);
        pointer =
            what == 2
                ? spaceMapBlock(*opened->pool)
                : fileBlock(*opened->pool, "i_dedup/dd-4k", Level(static_cast<std::uint8_t>(what)));
    }
    QVERIFY(pointer);
    const format::Dva dva = pointer->dva(0);
    QVERIFY(flipBit(folder + u'/' + golden->disks.front(),
                    dva.offset.value() + format::kLabelStartBytes + 17));
    const auto report = check(folder, golden->pool);
    QVERIFY2(report, report ? "" : report.error().toText().c_str());
    QVERIFY(hasKind(*report, api::CheckProblem::Kind::Checksum) ||
            hasKind(*report, api::CheckProblem::Kind::Unreadable));
}

void TestCheck::flippedParity()
{
    const QString name = QStringLiteral("c-raidz1");
    const auto golden = findGoldenPool(name);
    const ScratchFolder scratch;
    QVERIFY(copyGoldenPool(name, scratch.path(QStringLiteral("images"))));
    const QString folder = scratch.path(QStringLiteral("images"));
    std::optional<format::BlockPointer> pointer;
    {
        const auto opened = openPool(folder);
        QVERIFY(opened);
        pointer = fileBlock(*opened->pool, "c_raidz1/fs", Level(0));
    }
    QVERIFY(pointer);
    // The first sector of an allocation is parity; on raidz1 it changes places with the first data
    // column in every other MiB. (OpenZFS module/zfs/vdev_raidz.c.)
    constexpr std::uint64_t kSector = 4096;
    const std::uint64_t offset = pointer->dva(0).offset.value();
    const std::uint64_t sector = offset / kSector + ((offset & MiB) != 0 ? 1 : 0);
    const auto disks = static_cast<std::uint64_t>(golden->disks.size());
    const QString image = folder + u'/' + golden->disks[static_cast<qsizetype>(sector % disks)];
    QVERIFY(flipBit(image, sector / disks * kSector + format::kLabelStartBytes + 3));
    const auto report = check(folder, golden->pool);
    QVERIFY2(report, report ? "" : report.error().toText().c_str());
    QVERIFY(hasKind(*report, api::CheckProblem::Kind::Parity));
}

QTEST_GUILESS_MAIN(TestCheck)
#include "tst_check.moc"
