// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: pools made here are pools to OpenZFS and to our own check, whatever their layout,
// right after they were made and after many txgs; what was committed to a txg is there when they
// are opened again. Method: image files, every kind of vdev, zdb and check after each export.

#include "engine/pool/writing_pool.h"
#include "format/history.h"
#include "pool/history.h"
#include "support/mp_ok.h"
#include "support/scratch.h"
#include "support/seed.h"

#include <QTest>

#include <atomic>
#include <sys/stat.h>
#include <thread>

using namespace millpond;
using namespace millpond::test;
using pool::CreateRequest;
using pool::VdevRequest;
using pool::WritablePool;
using Kind = VdevRequest::Kind;

namespace {

constexpr std::uint64_t kImageBytes = 128 * MiB;

struct Layout
{
    const char* name;
    std::vector<std::pair<Kind, int>> tops; ///< leaves of each
    unsigned parity = 0;
    vdev::AllocationClass lastClass = vdev::AllocationClass::Normal;
    int spares = 0, caches = 0;
};

CreateRequest requestFor(const Layout& layout, const QStringList& images)
{
    CreateRequest request;
    request.name = "tank";
    request.features = pool::defaultFeatures();
    request.hostName = "maker";
    int next = 0;
    const auto leaf = [&] {
        return VdevRequest{.path = images[next++].toStdString(), .children = {}};
    };
    for (const auto& [kind, count] : layout.tops) {
        if (kind == Kind::Leaf) {
            request.layout.tops.push_back(leaf());
            continue;
        }
        VdevRequest top{.kind = kind, .parity = layout.parity, .path = {}, .children = {}};
        for (int i = 0; i < count; ++i) {
            top.children.push_back(leaf());
        }
        request.layout.tops.push_back(std::move(top));
    }
    request.layout.tops.back().allocationClass = layout.lastClass;
    for (int i = 0; i < layout.spares; ++i) {
        request.layout.spares.push_back(images[next++].toStdString());
    }
    for (int i = 0; i < layout.caches; ++i) {
        request.layout.caches.push_back(images[next++].toStdString());
    }
    return request;
}

int imagesOf(const Layout& layout)
{
    int count = layout.spares + layout.caches;
    for (const auto& [kind, leaves] : layout.tops) {
        count += leaves;
    }
    return count;
}

const Layout kLayouts[] = {
    {"single", {{Kind::Leaf, 1}}},
    {"stripe", {{Kind::Leaf, 1}, {Kind::Leaf, 1}, {Kind::Leaf, 1}}},
    {"mirror", {{Kind::Mirror, 2}}},
    {"raidz1", {{Kind::Raidz, 3}}, 1},
    {"raidz2", {{Kind::Raidz, 4}}, 2},
    {"raidz3", {{Kind::Raidz, 5}}, 3},
    {"log", {{Kind::Leaf, 1}, {Kind::Mirror, 2}}, 0, vdev::AllocationClass::Log},
    {"special", {{Kind::Mirror, 2}, {Kind::Mirror, 2}}, 0, vdev::AllocationClass::Special},
    {"spare and cache", {{Kind::Mirror, 2}}, 0, vdev::AllocationClass::Normal, 1, 1},
};

} // namespace

class TestWritablePool : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void layouts_data();
    void layouts();
    void fileSystems();
    void historyIsARing();
    void fullPool_data();
    void fullPool();
};

void TestWritablePool::layouts_data()
{
    QTest::addColumn<int>("index");
    for (int i = 0; i < static_cast<int>(std::size(kLayouts)); ++i) {
        QTest::newRow(kLayouts[i].name) << i;
    }
}

void TestWritablePool::layouts()
{
    QFETCH(int, index);
    const Layout& layout = kLayouts[index];
    const ScratchFolder scratch;
    const QStringList images = makeImages(scratch.path(), imagesOf(layout), kImageBytes);
    QVERIFY(!images.isEmpty());
    {
        WritingEngine engine(testSeed());
        auto made = WritablePool::create(
            engine.services(), engine.writeServices(), requestFor(layout, images));
        MP_OK(made);
        MP_OK((*made)->close(format::PoolState::Exported));
    }
    QCOMPARE(judgePool(scratch.path(), QStringLiteral("tank")), QString());
}

/// File systems made and filled over several txgs, two of which overlap with writers.
void TestWritablePool::fileSystems()
{
    const ScratchFolder scratch;
    const QStringList images = makeImages(scratch.path(), 1, kImageBytes);
    QVERIFY(!images.isEmpty());
    {
        WritingEngine engine(testSeed());
        auto made = WritablePool::create(
            engine.services(), engine.writeServices(), requestFor(kLayouts[0], images));
        MP_OK(made);
        WritablePool& pool = **made;
        std::vector<WritablePool::NewFileSystem> requests;
        for (int i = 0; i < 20; ++i) {
            requests.push_back({.name = "tank/fs" + std::to_string(i), .settings = {}});
        }
        requests.push_back({.name = "tank/fs3/below", .settings = {}});
        MP_OK(pool.createFileSystems(requests));
        const Status again = pool.createFileSystems(requests);
        QVERIFY(!again && again.error().is(ErrorCode::AlreadyExists));
        const auto node = pool.state()->datasets().find("tank/fs3/below");
        MP_OK(node);
        const auto head = pool.head(node->dataset->id);
        MP_OK(head);
        auto files =
            posix::FileSystemWriter::open((*head)->objset, pool.groups(), engine.clock(), {}, {});
        MP_OK(files);
        SeededRandom random(testSeed());
        for (int i = 0; i < 300; ++i) {
            const std::string name = "file" + std::to_string(i);
            const auto file = (*files)->create({(*files)->files()->root(), name}, {.mode = 0644});
            MP_OK(file);
            std::vector<std::byte> content(random.next() % 300'000);
            for (std::byte& byte : content) {
                byte = static_cast<std::byte>(random.next());
            }
            MP_OK((*files)->write((*file)->object, {.offset = ByteOffset(0), .data = content}));
            if (i % 3 == 2) {
                MP_OK(
                    (*files)->unlink({(*files)->files()->root(), "file" + std::to_string(i - 1)}));
            }
            if (i % 50 == 49) {
                MP_OK(pool.groups().waitSynced());
            }
        }
        files->reset();
        MP_OK(pool.close(format::PoolState::Exported));
    }
    QCOMPARE(judgePool(scratch.path(), QStringLiteral("tank")), QString());
}

/// More than it holds: the first command stays, of the rest the newest.
void TestWritablePool::historyIsARing()
{
    const ScratchFolder scratch;
    const QStringList images = makeImages(scratch.path(), 1, kImageBytes);
    WritingEngine engine(testSeed());
    CreateRequest request = requestFor(kLayouts[0], images);
    request.command = "zpool create tank";
    auto made = WritablePool::create(engine.services(), engine.writeServices(), request);
    MP_OK(made);
    constexpr int kCommands = 2000;
    for (int i = 0; i < kCommands; ++i) {
        (*made)->note("command " + std::to_string(i), 0);
    }
    MP_OK((*made)->groups().waitSynced());
    const auto history = pool::readHistory((*made)->state()->mos());
    MP_OK(history);
    QVERIFY2(history->damage.empty(), history->damage.c_str());
    const auto commandOf = [&](std::size_t i) {
        return std::string(history->records[i].text(format::kHistoryCommand).value_or(""));
    };
    QCOMPARE(commandOf(0), request.command);
    QVERIFY(history->lost > 0);
    const std::size_t count = history->records.size();
    QVERIFY(count > 100 && count < kCommands);
    for (std::size_t i = 1; i < count; ++i) {
        QCOMPARE(commandOf(i), "command " + std::to_string(kCommands - count + i));
    }
    MP_OK((*made)->close(format::PoolState::Exported));
    made->reset();
    QCOMPARE(judgePool(scratch.path(), QStringLiteral("tank")), QString());
}

void TestWritablePool::fullPool_data()
{
    QTest::addColumn<int>("index");
    for (const int i : {0, 3}) {
        QTest::newRow(kLayouts[i].name) << i;
    }
}

/// Filled by several writers until each is told so; then everything can be deleted, and the space
/// is there again.
void TestWritablePool::fullPool()
{
    QFETCH(int, index);
    const Layout& layout = kLayouts[index];
    const ScratchFolder scratch;
    const QStringList images = makeImages(scratch.path(), imagesOf(layout), 2 * kImageBytes);
    {
        WritingEngine engine(testSeed());
        auto made = WritablePool::create(
            engine.services(), engine.writeServices(), requestFor(layout, images));
        MP_OK(made);
        WritablePool& pool = **made;
        const auto root = pool.state()->datasets().find("tank");
        MP_OK(root);
        const auto head = pool.head(root->dataset->id);
        MP_OK(head);
        dataset::LiveTree& tree = pool.tree();
        const posix::WriteOptions options{
            .admit = [&](Txg txg, ByteCount bytes, bool freeing) -> Status {
                auto admission = MP_TRY(tree.admit(*(*head)->dataset, bytes.value(), freeing, txg));
                admission.keep(bytes.value());
                return {};
            }};
        auto files = posix::FileSystemWriter::open(
            (*head)->objset, pool.groups(), engine.clock(), options, {});
        MP_OK(files);
        const ObjectId top = (*files)->files()->root();
        std::uint64_t firstFill = 0;
        for (int round = 0; round < 2; ++round) {
            std::atomic<std::uint64_t> written = 0;
            std::atomic<int> unexpected = 0;
            std::vector<std::thread> writers;
            for (int w = 0; w < 3; ++w) {
                writers.emplace_back([&, w] {
                    SeededRandom random(testSeed() + static_cast<std::uint64_t>(w));
                    std::vector<std::byte> piece(400'000);
                    for (std::byte& byte : piece) {
                        byte = static_cast<std::byte>(random.next());
                    }
                    for (int i = 0;; ++i) {
                        const std::string name = std::to_string(w) + "-" + std::to_string(i);
                        const auto file = (*files)->create({top, name}, {.mode = 0644});
                        const Status status = file ? [&]() -> Status {
                            MP_TRY((*files)->write((*file)->object,
                                                   {.offset = ByteOffset(0), .data = piece}));
                            return {};
                        }()
                            : Status(fail(file.error()));
                        if (!status) {
                            unexpected += status.error().is(ErrorCode::NoSpace) ? 0 : 1;
                            return;
                        }
                        written += piece.size();
                    }
                });
            }
            for (std::thread& writer : writers) {
                writer.join();
            }
            QCOMPARE(unexpected.load(), 0);
            MP_OK(pool.groups().waitSynced());
            if (round == 0) {
                firstFill = written.load();
                QVERIFY(firstFill > kImageBytes / 2);
            } else {
                QVERIFY2(written.load() > firstFill / 10 * 9,
                         std::to_string(written.load()).c_str());
                break;
            }
            for (int w = 0; w < 3; ++w) {
                for (int i = 0;; ++i) {
                    const std::string name = std::to_string(w) + "-" + std::to_string(i);
                    const auto gone = (*files)->unlink({top, name});
                    if (!gone) {
                        QVERIFY2(gone.error().is(ErrorCode::NoSuchEntry),
                                 gone.error().toText().c_str());
                        break;
                    }
                }
            }
            for (bool more = true; more;) {
                const auto drained = (*files)->drainUnlinked();
                MP_OK(drained);
                more = *drained;
            }
            for (int i = 0; i < 4; ++i) { // freed space is kept back for some txgs
                MP_OK((*files)->setAttributes(top, {.mode = 0755}));
                MP_OK(pool.groups().waitSynced());
            }
        }
        // What was deleted last is given back to the host file system.
        for (int i = 0;; ++i) {
            if (!(*files)->unlink({top, "0-" + std::to_string(i)})) {
                break;
            }
        }
        for (bool more = true; more;) {
            const auto drained = (*files)->drainUnlinked();
            MP_OK(drained);
            more = *drained;
        }
        for (int i = 0; i < 4; ++i) {
            MP_OK((*files)->setAttributes(top, {.mode = 0755}));
            MP_OK(pool.groups().waitSynced());
        }
        const auto onHost = [&] {
            std::uint64_t bytes = 0;
            for (const QString& image : images) {
                struct stat status = {};
                stat(image.toUtf8().constData(), &status);
                bytes += static_cast<std::uint64_t>(status.st_blocks) * 512;
            }
            return bytes;
        };
        const std::uint64_t before = onHost();
        MP_OK(pool.trim([](std::uint64_t, std::uint64_t) { return true; }));
        QVERIFY2(onHost() < before - before / 5, std::to_string(onHost()).c_str());
        files->reset();
        MP_OK(pool.close(format::PoolState::Exported));
    }
    QCOMPARE(judgePool(scratch.path(), QStringLiteral("tank")), QString());
}

QTEST_GUILESS_MAIN(TestWritablePool)
#include "tst_writable_pool.moc"
