// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: after a power cut at any instant a pool is found, whole and sound, at exactly one txg,
// and not at an older one than was promised. Devices that fail harm nothing else. Method: a
// workload is recorded once as a stream of writes and flushes and a model of each txg; devices are
// put together for cuts anywhere in it, opened, checked and compared.

#include "crash/pool_bench.h"
#include "crash/power_cut.h"
#include "device/file_device.h"
#include "device/memory_device.h"
#include "engine/pool/writing_pool.h"
#include "posix/file_system_writer.h"
#include "support/mp_ok.h"
#include "support/pools.h"
#include "support/scratch.h"
#include "support/seed.h"

#include <QDir>
#include <QTest>

#include <map>

using namespace millpond;
using namespace millpond::test;
using pool::CreateRequest;
using pool::VdevRequest;
using pool::WritablePool;
using Kind = VdevRequest::Kind;

namespace {

constexpr std::uint64_t kDeviceBytes = 64 * MiB;

std::vector<device::DeviceRef> blankDevices(std::size_t count)
{
    std::vector<device::DeviceRef> devices;
    for (std::size_t i = 0; i < count; ++i) {
        devices.push_back(std::make_shared<device::MemoryDevice>(device::MemoryDevice::Options{
            .path = PoolBench::pathOf(i), .size = ByteCount(kDeviceBytes)}));
    }
    return devices;
}

std::vector<device::DeviceRef> recorded(const std::vector<device::DeviceRef>& devices,
                                        RequestStream& stream)
{
    std::vector<device::DeviceRef> wrapped;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        wrapped.push_back(std::make_shared<RecordingDevice>(
            std::make_shared<OverlayDevice>(devices[i]), i, stream));
    }
    return wrapped;
}

CreateRequest requestFor(Kind kind, std::size_t leaves)
{
    CreateRequest request;
    request.name = "tank";
    request.features = pool::defaultFeatures();
    VdevRequest top{.kind = kind, .parity = kind == Kind::Raidz ? 1U : 0U, .path = {}};
    for (std::size_t i = 0; i < leaves; ++i) {
        VdevRequest leaf{.path = PoolBench::pathOf(i), .children = {}};
        if (kind == Kind::Leaf) {
            top = std::move(leaf);
        } else {
            top.children.push_back(std::move(leaf));
        }
    }
    request.layout.tops.push_back(std::move(top));
    return request;
}

/// What a pool held in each txg, and what was promised when.
struct Model
{
    std::map<Txg, Contents> states;
    /// From so many requests on the pool is at this txg at least.
    std::map<std::size_t, Txg> promises;

    [[nodiscard]] Txg promisedAt(std::size_t requests) const
    {
        const auto after = promises.upper_bound(requests);
        return after == promises.begin() ? Txg(0) : std::prev(after)->second;
    }

    [[nodiscard]] const Contents* at(Txg txg) const
    {
        const auto after = states.upper_bound(txg);
        return after == states.begin() ? nullptr : &std::prev(after)->second;
    }
};

/// One file system and random changes of its files, each known to the model.
class Worker
{
public:
    Worker(PoolBench& bench, WritablePool& pool, Model& model, Contents& contents)
        : m_bench(bench)
        , m_pool(pool)
        , m_model(model)
        , m_contents(contents)
        , m_random(testSeed())
    {
    }

    Status open(const std::string& dataset)
    {
        const auto node = MP_TRY(m_pool.state()->datasets().find(dataset));
        const auto head = MP_TRY(m_pool.head(node.dataset->id));
        m_files = MP_TRY(posix::FileSystemWriter::open(
            head->objset, m_pool.groups(), m_bench.clock(), {.recordBytes = 16384}, {}));
        m_dataset = dataset;
        return {};
    }

    void close() { m_files.reset(); }

    Status change()
    {
        const std::string name = "file" + std::to_string(m_random.next() % 12);
        const std::string key = m_dataset + '/' + name;
        const auto known = m_contents.find(key);
        if (known == m_contents.end()) {
            MP_TRY(m_files->create(place(name), {.mode = 0644}));
            m_contents[key] = {};
            note(m_files->group());
            return {};
        }
        switch (m_random.next() % 8) {
        case 0:
            MP_TRY(m_files->unlink(place(name)));
            m_contents.erase(known);
            break;
        case 1: {
            const std::string target = "file" + std::to_string(m_random.next() % 12);
            MP_TRY(m_files->rename(place(name), place(target)));
            if (target != name) {
                m_contents[m_dataset + '/' + target] = std::move(known->second);
                m_contents.erase(known);
            }
            break;
        }
        case 2: {
            const std::uint64_t size = m_random.next() % 100'000;
            MP_TRY(m_files->truncate(MP_TRY(objectOf(name)), size));
            known->second.resize(size);
            break;
        }
        default:
            MP_TRY(write(MP_TRY(objectOf(name)), known->second));
        }
        note(m_files->group());
        return {};
    }

    void note(Txg txg) { m_model.states[txg] = m_contents; }

private:
    posix::DirectoryPlace place(std::string_view name) const
    {
        return {m_files->files()->root(), name};
    }

    Result<ObjectId> objectOf(std::string_view name) const
    {
        return MP_TRY(m_files->files()->lookup(m_files->files()->root(), name)).object;
    }

    Status write(ObjectId object, std::vector<std::byte>& content)
    {
        std::vector<std::byte> data(1 + m_random.next() % 60'000);
        for (std::byte& byte : data) {
            byte = static_cast<std::byte>(m_random.next());
        }
        const std::size_t offset = m_random.next() % (content.size() + 1);
        MP_TRY(m_files->write(object, {.offset = ByteOffset(offset), .data = data}));
        content.resize(std::max(content.size(), offset + data.size()));
        std::copy(data.begin(), data.end(), content.begin() + static_cast<std::ptrdiff_t>(offset));
        return {};
    }

    PoolBench& m_bench;
    WritablePool& m_pool;
    Model& m_model;
    Contents& m_contents;
    SeededRandom m_random;
    std::unique_ptr<posix::FileSystemWriter> m_files;
    std::string m_dataset;
};

/// Makes a pool and works with it over some dozen txgs; exports it.
Status
runWorkload(PoolBench& bench, const CreateRequest& request, RequestStream& stream, Model& model)
{
    auto pool = MP_TRY(WritablePool::create(bench.services(), bench.writeServices(), request));
    Contents contents{{"tank", {}}};
    const auto synced = [&] { model.promises[stream.size()] = pool->groups().lastSynced(); };
    model.states[Txg(0)] = contents;
    synced();
    const std::vector<WritablePool::NewFileSystem> systems{{.name = "tank/a", .settings = {}},
                                                           {.name = "tank/b", .settings = {}}};
    MP_TRY(pool->createFileSystems(systems));
    contents["tank/a"] = contents["tank/b"] = {};
    model.states[pool->groups().lastSynced()] = contents;
    synced();
    {
        std::vector<Worker> workers;
        for (const auto& system : systems) {
            workers.emplace_back(bench, *pool, model, contents);
            MP_TRY(workers.back().open(system.name));
        }
        for (int i = 0; i < 140; ++i) {
            MP_TRY(workers[static_cast<std::size_t>(i) % 2].change());
            if (i % 12 == 11) {
                MP_TRY(pool->groups().waitSynced());
                synced();
            }
        }
        MP_TRY(pool->groups().waitSynced());
        synced();
    }
    MP_TRY(pool->destroy("tank/b"));
    std::erase_if(contents, [](const auto& entry) { return entry.first.starts_with("tank/b"); });
    model.states[pool->groups().lastSynced()] = contents;
    synced();
    MP_TRY(pool->close(format::PoolState::Exported));
    synced();
    return {};
}

/// What is wrong with a pool; empty when nothing is.
QString judgeCut(PoolBench& bench, const Model& model, std::size_t cut)
{
    const Txg promised = model.promisedAt(cut);
    const auto pool = bench.openPool(false);
    if (!pool) {
        return promised == Txg(0) ? QString() : QString::fromStdString(pool.error().toText());
    }
    const Txg txg = (*pool)->uberblock().txg;
    if (txg < promised) {
        return QStringLiteral("at txg %1, but %2 was promised")
            .arg(txg.value())
            .arg(promised.value());
    }
    const auto contents = contentsOf(**pool);
    if (!contents) {
        return QString::fromStdString(contents.error().toText());
    }
    const Contents* expected = model.at(txg);
    if (expected == nullptr || *contents != *expected) {
        return QStringLiteral("txg %1 does not hold what it should").arg(txg.value());
    }
    return QString::fromStdString(findingsOf(**pool));
}

/// Goes on with a pool as it is after a cut; zdb and check have the last word.
QString judgeGoingOn(PoolBench& bench, const QString& folder, const QString& name)
{
    {
        const auto pool = bench.takeOver();
        if (!pool) {
            return QString::fromStdString(pool.error().toText());
        }
        Contents contents;
        Model model;
        Worker worker(bench, **pool, model, contents);
        const std::string made = name.toStdString() + "/later";
        const std::vector<WritablePool::NewFileSystem> systems{{.name = made, .settings = {}}};
        Status status = (*pool)->createFileSystems(systems);
        if (status) {
            status = worker.open(made);
        }
        for (int i = 0; i < 20 && status; ++i) {
            status = worker.change();
        }
        worker.close();
        if (status) {
            status = (*pool)->close(format::PoolState::Exported);
        }
        if (!status) {
            return QString::fromStdString(status.error().toText());
        }
    }
    return bench.dump(folder) ? judgePool(folder, name) : QStringLiteral("no image files");
}

bool allCuts()
{
    return qEnvironmentVariableIsSet("MILLPOND_CRASH_ALL");
}

/// Every n-th place, about `count` of them; and wherever most is at stake: before flushes.
std::vector<std::size_t> cutsOf(const RequestStream& stream, std::size_t count)
{
    const std::size_t step = allCuts() ? 1 : std::max<std::size_t>(1, stream.size() / count);
    const std::size_t first = testSeed() % step;
    std::vector<std::size_t> cuts;
    std::size_t flushes = 0;
    for (std::size_t i = 0; i <= stream.size(); ++i) {
        const bool beforeFlush =
            i > 0 && i < stream.size() && stream[i].isFlush() && !stream[i - 1].isFlush();
        flushes += beforeFlush ? 1 : 0;
        if (i % step == first || (beforeFlush && flushes % 4 == 0) || i == stream.size()) {
            cuts.push_back(i);
        }
    }
    return cuts;
}

} // namespace

class TestCrashPool : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void powerCuts_data();
    void powerCuts();
    void takeover();
};

void TestCrashPool::powerCuts_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("leaves");
    QTest::newRow("single") << static_cast<int>(Kind::Leaf) << 1;
    QTest::newRow("mirror") << static_cast<int>(Kind::Mirror) << 2;
    QTest::newRow("raidz1") << static_cast<int>(Kind::Raidz) << 3;
}

void TestCrashPool::powerCuts()
{
    QFETCH(int, kind);
    QFETCH(int, leaves);
    const auto blank = blankDevices(static_cast<std::size_t>(leaves));
    RequestStream stream;
    Model model;
    {
        PoolBench bench(recorded(blank, stream), testSeed());
        MP_OK(runWorkload(bench,
                          requestFor(static_cast<Kind>(kind), static_cast<std::size_t>(leaves)),
                          stream,
                          model));
    }
    CutReplay replay(blank, stream);
    SeededRandom random(testSeed());
    const ScratchFolder scratch;
    const std::vector<std::size_t> cuts = cutsOf(stream, 25);
    qInfo("%zu requests, %zu cuts", stream.size(), cuts.size());
    const std::size_t rare = cuts.size() / 3;
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        replay.advance(cuts[i]);
        for (const Unflushed unflushed : kAllUnflushed) {
            PoolBench bench(replay.devices(unflushed, random), testSeed());
            const QString wrong = judgeCut(bench, model, cuts[i]);
            QVERIFY2(wrong.isEmpty(),
                     qPrintable(QStringLiteral("cut after %1 requests, way %2: %3")
                                    .arg(cuts[i])
                                    .arg(static_cast<int>(unflushed))
                                    .arg(wrong)));
            if (i % rare == rare - 1 && unflushed == Unflushed::Torn) {
                QCOMPARE(judgeGoingOn(bench, scratch.path(), QStringLiteral("tank")), QString());
            }
        }
    }
}

/// The first txg of a pool that OpenZFS made, with space map logs that come to an end in it.
void TestCrashPool::takeover()
{
    MP_REQUIRE_POOL(QStringLiteral("a-single"));
    const QString folder = unpackGoldenPool(QStringLiteral("a-single"));
    QVERIFY(!folder.isEmpty());
    std::vector<device::DeviceRef> images;
    for (const QFileInfo& file : QDir(folder).entryInfoList(QDir::Files, QDir::Name)) {
        auto device = device::openFileDevice(file.filePath().toStdString(),
                                             {.access = device::Access::Probe});
        MP_OK(device);
        images.push_back(std::move(*device));
    }
    RequestStream stream;
    Model model;
    QString name;
    {
        PoolBench bench(recorded(images, stream), testSeed());
        {
            const auto before = bench.openPool(false);
            MP_OK(before);
            name = QString::fromStdString((*before)->name());
            const auto contents = contentsOf(**before);
            MP_OK(contents);
            QVERIFY(!contents->empty());
            model.states[Txg(0)] = *contents;
            model.promises[0] = (*before)->uberblock().txg;
        }
        const auto pool = bench.takeOver();
        MP_OK(pool);
        model.promises[stream.size()] = (*pool)->groups().lastSynced();
        MP_OK((*pool)->close(format::PoolState::Exported));
    }
    CutReplay replay(images, stream);
    SeededRandom random(testSeed());
    const ScratchFolder scratch;
    const std::vector<std::size_t> cuts = cutsOf(stream, 1);
    qInfo("%zu requests, %zu cuts", stream.size(), cuts.size());
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        replay.advance(cuts[i]);
        for (const Unflushed unflushed : kAllUnflushed) {
            PoolBench bench(replay.devices(unflushed, random), testSeed());
            const QString wrong = judgeCut(bench, model, cuts[i]);
            QVERIFY2(wrong.isEmpty(),
                     qPrintable(QStringLiteral("cut after %1 requests, way %2: %3")
                                    .arg(cuts[i])
                                    .arg(static_cast<int>(unflushed))
                                    .arg(wrong)));
            if (i == cuts.size() / 2 && unflushed == Unflushed::Torn) {
                QCOMPARE(judgeGoingOn(bench, scratch.path(), name), QString());
            }
        }
    }
}

QTEST_GUILESS_MAIN(TestCrashPool)
#include "tst_crash_pool.moc"
