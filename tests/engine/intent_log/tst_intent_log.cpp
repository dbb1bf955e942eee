// SPDX-License-Identifier: GPL-3.0-or-later
//
// After commit() returned, what was noted is in a synced txg or in the chain that the header on
// disk leads to, in order; blocks are freed when no longer needed, and only then. Method: a log
// over a memory device; after each commit the chain is read from the header of the last synced txg,
// as after a crash, and compared with what was noted.
#include "intent_log/intent_log.h"

#include "engine/vdev/pool_of_memory.h"
#include "format/dnode.h"
#include "intent_log/log_chain.h"
#include "runtime/simulation.h"
#include "space/allocator.h"
#include "support/seed.h"

#include <QTest>

#include <map>
#include <set>
#include <thread>

using namespace millpond;
using namespace millpond::test;
using namespace std::chrono_literals;
using format::BlockPointer;
using format::ZilRecord;
using format::ZilRecordType;
using intent_log::IntentLog;
using intent_log::Record;

namespace {

constexpr ObjsetId kObjset{54};

class NoMaps final : public space::MetaslabLoader
{
public:
    [[nodiscard]] Result<space::RangeSet> allocated(const space::MetaslabId&, ObjectId) override
    {
        return space::RangeSet();
    }
};

/// A record as found in the chain.
struct Found
{
    ZilRecordType type = ZilRecordType::Commit;
    std::uint64_t object = 0;
    std::uint64_t offset = 0;
    Txg txg;
    std::uint64_t sequence = 0;
    std::vector<std::byte> data;
};

/// A pool with one object set, whose header is on "disk" when its txg is synced.
class Fixture final : public txg::SyncTarget, public intent_log::LogHost
{
public:
    explicit Fixture(txg::Drive drive = txg::Drive::Stepped)
        : m_cache(ByteCount(8 * MiB))
        , m_random(1)
    {
        format::NvList leaf = memory.addLeaf();
        MemoryPool::finishTop(leaf, 9, MemoryPool::kDeviceBytes - 4608 * KiB);
        m_tree = memory.tree(std::move(leaf));
        m_map = std::make_unique<block::TreeVdevMap>(*m_tree);
        allocator =
            std::move(space::Allocator::create(
                          {{.top = m_tree->top(VdevId(0)), .metaslabShift = 24, .metaslabs = {}}},
                          m_maps,
                          {}))
                .value();
        m_reader =
            std::make_unique<block::BlockReader>(*m_map, m_cache, block::BlockReaderOptions{});
        m_writer = std::make_unique<block::BlockWriter>(
            *m_tree, *allocator, *m_reader, block::BlockWriterOptions{});
        const Clock& clock = drive == txg::Drive::Stepped ? static_cast<const Clock&>(m_clock)
                                                          : static_cast<const Clock&>(m_system);
        groups = std::move(txg::TransactionGroups::create(
                               clock, *this, Txg(9), {.timeout = 50ms, .drive = drive}))
                     .value();
        log = std::make_unique<IntentLog>(*m_writer, *groups, *this, m_random, kObjset);
    }

    ~Fixture() override
    {
        groups.reset();
        log.reset();
    }

    [[nodiscard]] Status sync(Txg txg, FunctionRef<Status()> runTasks) override
    {
        MP_TRY(runTasks());
        format::ZilHeader header = headerOnDisk();
        MP_TRY(log->sync(txg, header));
        {
            const MutexLock lock(m_mutex);
            m_header = header;
            m_synced = txg;
        }
        log->synced(txg);
        return {};
    }

    void touch(Txg txg) override
    {
        MP_CHECK(txg >= groups->quiescing() && txg > groups->lastSynced());
    }

    [[nodiscard]] Status flush() override
    {
        if (slowFlush) {
            std::this_thread::sleep_for(2ms);
        }
        return failFlush ? fail(ErrorCode::DeviceIo, "flush failed") : Status();
    }

    [[nodiscard]] Status read(ObjectId object, ByteOffset offset, MutableBytes out) override
    {
        const MutexLock lock(m_mutex);
        const auto found = m_files.find(object.value());
        if (found == m_files.end()) {
            return fail(ErrorCode::NoSuchObject, "gone");
        }
        std::ranges::copy(Bytes(found->second).subspan(offset.value(), out.size()), out.begin());
        return {};
    }

    void setFile(std::uint64_t object, std::vector<std::byte> content)
    {
        const MutexLock lock(m_mutex);
        m_files[object] = std::move(content);
    }

    [[nodiscard]] format::ZilHeader headerOnDisk() const
    {
        const MutexLock lock(m_mutex);
        return m_header;
    }

    [[nodiscard]] Txg syncedOnDisk() const
    {
        const MutexLock lock(m_mutex);
        return m_synced;
    }

    [[nodiscard]] std::uint64_t allocated() const
    {
        return allocator->figures(VdevId(0)).allocated;
    }

    /// A removal: its directory stands for the object.
    std::uint64_t note(std::uint64_t object, bool lazy = false, bool afterContent = false)
    {
        const txg::Hold hold = std::move(groups->hold({})).value();
        Record record{.type = ZilRecordType::Remove,
                      .object = ObjectId(object),
                      .lazy = lazy,
                      .afterContent = afterContent,
                      .body = std::vector<std::byte>(8 + 3)};
        store(MutableBytes(record.body), 0, object, ByteOrder::Little);
        record.body[8] = std::byte('a');
        record.body[9] = std::byte('b');
        log->add(hold, std::move(record));
        return hold.txg().value();
    }

    void noteWrite(std::uint64_t object, std::uint64_t offset, std::uint64_t size, bool lazy)
    {
        const txg::Hold hold = std::move(groups->hold({})).value();
        log->addWrite(hold, ObjectId(object), ByteOffset(offset), ByteCount(size), lazy);
    }

    /// What a crash now would find, with what is in no synced txg.
    [[nodiscard]] std::vector<Found> afterCrash() const
    {
        std::vector<Found> records;
        Txg synced;
        BlockPointer pointer;
        {
            const MutexLock lock(m_mutex);
            synced = m_synced;
            pointer = m_header.log;
        }
        block::BlockCache cache(ByteCount(1 * MiB));
        block::BlockReader reader(*m_map, cache, {});
        while (!pointer.isHole()) {
            const auto block = reader.read(pointer, {}, {.keep = false});
            if (!block) {
                break;
            }
            const auto decoded = format::ZilBlock::decode(
                (*block)->bytes(), pointer.checksumType(), ByteOrder::Little);
            MP_CHECK(decoded);
            Cursor cursor(decoded->records, ByteOrder::Little);
            while (cursor.remaining() > 0) {
                const auto record = ZilRecord::take(cursor);
                MP_CHECK(record);
                if (record->txg > synced) {
                    records.push_back(found(*record));
                }
            }
            pointer = decoded->chain.next;
        }
        return records;
    }

    [[nodiscard]] const block::VdevMap& vdevs() const { return *m_map; }

    /// Another allocator over the same devices, as after an import.
    [[nodiscard]] std::unique_ptr<space::Allocator> freshAllocator()
    {
        return std::move(
                   space::Allocator::create(
                       {{.top = m_tree->top(VdevId(0)), .metaslabShift = 24, .metaslabs = {}}},
                       m_maps,
                       {}))
            .value();
    }

    [[nodiscard]] vdev::VdevTree& tree() { return *m_tree; }

    MemoryPool memory;
    std::unique_ptr<space::Allocator> allocator;
    std::unique_ptr<txg::TransactionGroups> groups;
    std::unique_ptr<IntentLog> log;
    std::atomic<bool> failFlush = false;
    std::atomic<bool> slowFlush = false;

private:
    static Found found(const ZilRecord& record)
    {
        const bool write = record.type == ZilRecordType::Write;
        return {.type = record.type,
                .object = write ? record.object.object : record.directory,
                .offset = record.offset,
                .txg = record.txg,
                .sequence = record.sequence,
                .data = {record.data.begin(), record.data.end()}};
    }

    runtime::ManualClock m_clock;
    SystemClock m_system;
    NoMaps m_maps;
    std::unique_ptr<vdev::VdevTree> m_tree;
    std::unique_ptr<block::TreeVdevMap> m_map;
    block::BlockCache m_cache;
    std::unique_ptr<block::BlockReader> m_reader;
    std::unique_ptr<block::BlockWriter> m_writer;
    SeededRandom m_random;
    mutable Mutex m_mutex;
    format::ZilHeader m_header MP_GUARDED_BY(m_mutex);
    Txg m_synced MP_GUARDED_BY(m_mutex){9};
    std::map<std::uint64_t, std::vector<std::byte>> m_files MP_GUARDED_BY(m_mutex);
};

std::vector<std::uint64_t> objectsOf(const std::vector<Found>& records)
{
    std::vector<std::uint64_t> objects;
    for (const Found& record : records) {
        objects.push_back(record.object);
    }
    return objects;
}

using Objects = std::vector<std::uint64_t>;

} // namespace

class TestIntentLog : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void theFirstCommitBeginsAChain()
    {
        Fixture f;
        QVERIFY(f.log->commit(ObjectId(0))); // nothing noted
        QCOMPARE(f.groups->lastSynced(), Txg(9));
        f.note(1);
        QVERIFY(f.log->commit(ObjectId(0)));
        QCOMPARE(f.groups->lastSynced(), Txg(10)); // by its txg
        const BlockPointer first = f.headerOnDisk().log;
        QVERIFY(!first.isHole());
        QCOMPARE(first.type(), format::number(format::ObjectType::IntentLog));
        QCOMPARE(first.checksum()[format::ZilChecksumWord::kObjset], kObjset.value());
        QCOMPARE(first.checksum()[format::ZilChecksumWord::kSequence], std::uint64_t{1});
        QCOMPARE(f.afterCrash().size(), std::size_t{0});

        f.note(2);
        f.note(3);
        QVERIFY(f.log->commit(ObjectId(0)));
        QCOMPARE(f.groups->lastSynced(), Txg(10)); // by the chain
        const auto records = f.afterCrash();
        QCOMPARE(objectsOf(records), (Objects{2, 3}));
        QCOMPARE(records[0].txg, Txg(11));
        QVERIFY(records[0].sequence < records[1].sequence);
        f.note(4);
        QVERIFY(f.log->commit(ObjectId(0)));
        QCOMPARE(objectsOf(f.afterCrash()), (Objects{2, 3, 4}));
    }

    void lazyRecordsWaitForTheirObject()
    {
        Fixture f;
        f.note(1);
        QVERIFY(f.log->commit(ObjectId(0)));
        f.note(5, true);
        f.note(6, true);
        f.note(7);
        f.note(5, true);
        QVERIFY(f.log->commit(ObjectId(8)));
        QCOMPARE(objectsOf(f.afterCrash()), (Objects{7}));
        QVERIFY(f.log->commit(ObjectId(5)));
        QCOMPARE(objectsOf(f.afterCrash()), (Objects{7, 5, 5}));
        f.note(9, true);
        f.log->forget(ObjectId(9));
        f.note(10, false, true); // takes 6 along
        QVERIFY(f.log->commit(ObjectId(8)));
        QCOMPARE(objectsOf(f.afterCrash()), (Objects{7, 5, 5, 6, 10}));
    }

    void contentIsReadAtCommitAndSplit()
    {
        Fixture f;
        f.note(1);
        QVERIFY(f.log->commit(ObjectId(0)));
        for (const std::size_t size : {1U, 3000U, 5000U, 131072U, 700001U}) {
            const auto content = randomBytes(size, size + 100);
            f.setFile(20, randomBytes(0, size + 100));
            f.noteWrite(20, 100, size, true);
            f.noteWrite(21, 0, 10, true); // no such file any more
            f.setFile(20, content);
            QVERIFY(f.log->commit(ObjectId(0)));
            std::vector<std::byte> logged;
            for (const Found& record : f.afterCrash()) {
                QCOMPARE(record.type, ZilRecordType::Write);
                QCOMPARE(record.object, std::uint64_t{20});
                QCOMPARE(record.offset, 100 + logged.size());
                logged.insert(logged.end(), record.data.begin(), record.data.end());
            }
            QVERIFY(std::ranges::equal(logged, Bytes(content).subspan(100)));
            QVERIFY(f.groups->waitSynced());
        }
        QVERIFY(f.log->counters().blocks > 8);
    }

    void syncsFreeWhatIsNeedless()
    {
        Fixture f;
        f.note(1);
        QVERIFY(f.log->commit(ObjectId(0)));
        for (std::uint64_t i = 0; i < 50; ++i) {
            f.note(i);
            QVERIFY(f.log->commit(ObjectId(0)));
        }
        QCOMPARE(f.afterCrash().size(), std::size_t{50});
        QVERIFY(f.allocated() >= 51 * 4096);
        QVERIFY(f.groups->waitSynced());
        QCOMPARE(f.allocated(), std::uint64_t{4096}); // the next one
        QCOMPARE(f.afterCrash().size(), std::size_t{0});
        f.note(7);
        QVERIFY(f.log->commit(ObjectId(0)));
        QCOMPARE(objectsOf(f.afterCrash()), (Objects{7}));
        QVERIFY(f.log->close());
        QCOMPARE(f.allocated(), std::uint64_t{0});
        QVERIFY(f.headerOnDisk().log.isHole());
    }

    void aChainGoesOnOverSyncs()
    {
        Fixture f;
        SeededRandom random(testSeed());
        std::uint64_t next = 1;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> committed; // object, txg
        std::vector<std::pair<std::uint64_t, std::uint64_t>> noted;
        for (int round = 0; round < 600; ++round) {
            switch (random.next() % 8) {
            case 0:
                f.groups->kick();
                break;
            case 1:
                (void)f.groups->step();
                break;
            case 2:
            case 3:
                QVERIFY(f.log->commit(ObjectId(random.next() % 3)));
                committed.insert(committed.end(), noted.begin(), noted.end());
                noted.clear();
                break;
            default:
                noted.emplace_back(next, f.note(next));
                ++next;
            }
            Objects expected;
            for (const auto& [object, txg] : committed) {
                if (Txg(txg) > f.syncedOnDisk()) {
                    expected.push_back(object);
                }
            }
            QCOMPARE(objectsOf(f.afterCrash()), expected);
        }
        QVERIFY(f.log->close());
        QCOMPARE(f.allocated(), std::uint64_t{0});
    }

    void failuresFallBackToTxgs_data()
    {
        QTest::addColumn<QString>("what");
        QTest::newRow("flush") << "flush";
        QTest::newRow("write") << "write";
        QTest::newRow("space") << "space";
    }

    void failuresFallBackToTxgs()
    {
        QFETCH(QString, what);
        Fixture f;
        f.note(1);
        QVERIFY(f.log->commit(ObjectId(0)));
        f.note(2);
        QVERIFY(f.log->commit(ObjectId(0)));
        if (what == "flush") {
            f.failFlush = true;
        } else if (what == "write") {
            f.memory.faulty(0).setPlan(
                {.badWrites = {{.offset = ByteOffset(0), .size = ByteCount(64 * MiB)}}});
        }
        std::vector<space::Extent> all;
        for (std::uint64_t size = 16 * MiB; what == "space" && size >= 512; size /= 2) {
            while (const auto extent = f.allocator->allocate({.physicalSize = ByteCount(size)})) {
                all.push_back(*extent);
            }
        }
        f.note(3);
        QVERIFY(f.log->commit(ObjectId(0)));
        QVERIFY(f.syncedOnDisk() >= Txg(11)); // 3 is safe
        QCOMPARE(f.log->counters().fallbacks, std::uint64_t{2});

        f.failFlush = false;
        f.memory.faulty(0).setPlan({});
        for (const space::Extent& extent : all) {
            QVERIFY(f.allocator->free(extent, Txg(12)));
        }
        f.note(4);
        QVERIFY(f.log->commit(ObjectId(0))); // perhaps a new chain
        f.note(5);
        QVERIFY(f.log->commit(ObjectId(0)));
        const std::uint64_t blocks = f.log->counters().blocks;
        f.note(6);
        QVERIFY(f.log->commit(ObjectId(0)));
        QVERIFY(f.log->counters().blocks > blocks); // logged again
        QCOMPARE(objectsOf(f.afterCrash()).back(), std::uint64_t{6});
        QVERIFY(f.log->close());
        QCOMPARE(f.allocated(), std::uint64_t{0});
    }

    /// Claimed after a crash, replayed, freed: what was committed, and no space lost or taken
    /// twice.
    void crashedLogsAreReplayed()
    {
        Fixture f;
        f.note(1);
        QVERIFY(f.log->commit(ObjectId(0)));
        f.setFile(20, randomBytes(3, 300'000));
        f.note(2);
        f.noteWrite(20, 1000, 290'000, true);
        f.note(3, false, true);
        QVERIFY(f.log->commit(ObjectId(0)));
        f.note(4);
        QVERIFY(f.log->commit(ObjectId(0)));
        f.note(5); // not committed

        const Txg first(f.syncedOnDisk().value() + 1);
        format::ZilHeader header = f.headerOnDisk();
        const auto allocator = f.freshAllocator();
        block::BlockCache cache(ByteCount(8 * MiB));
        block::BlockReader reader(f.vdevs(), cache, {});
        block::BlockWriter writer(f.tree(), *allocator, reader, {});
        const intent_log::ChainSource source{
            .reader = reader, .vdevs = f.vdevs(), .objset = kObjset};
        const auto noClones = [](const BlockPointer&) -> Status {
            return fail(ErrorCode::BadLog, "no clones here");
        };
        // Allocated on disk, since older.
        const format::Dva old = header.log.dva(0);
        QVERIFY(header.log.birth() < first);
        QVERIFY(allocator->claim({old.vdev, old.offset, old.allocated}, first));

        const auto changed = intent_log::claimLog(source, *allocator, first, header, noClones);
        QVERIFY(changed && *changed);
        QCOMPARE(header.claimTxg, first.value());
        QVERIFY(intent_log::needsReplay(header));
        QCOMPARE(allocator->figures(VdevId(0)).allocated, f.allocated());
        QCOMPARE(*intent_log::claimLog(source, *allocator, first, header, noClones), false);

        Objects objects;
        std::size_t written = 0;
        const auto replay = [&](const intent_log::ReplayRecord& replayed) -> Status {
            if (replayed.record.type == ZilRecordType::Write) {
                if (written == 0) { // in pieces
                    objects.push_back(replayed.record.object.object);
                }
                written += replayed.data.size();
            } else {
                objects.push_back(replayed.record.directory);
            }
            return {};
        };
        QVERIFY(intent_log::replayLog(source, header, replay));
        QCOMPARE(objects, (Objects{2, 20, 3, 4}));
        QCOMPARE(written, std::size_t{290'000});
        // Up to there it was replayed already.
        objects.clear();
        header.replaySequence = f.afterCrash().back().sequence - 1;
        QVERIFY(intent_log::replayLog(source, header, replay));
        QCOMPARE(objects, (Objects{4}));

        QVERIFY(intent_log::freeLog(source, writer, first, header));
        QVERIFY(header.log.isHole());
        QCOMPARE(allocator->figures(VdevId(0)).allocated, std::uint64_t{0});
        QCOMPARE(header.flags, std::uint64_t{0});
    }

    void emptyChainsNeedNoReplay()
    {
        Fixture f;
        f.note(1);
        QVERIFY(f.log->commit(ObjectId(0)));
        format::ZilHeader header = f.headerOnDisk();
        block::BlockCache cache(ByteCount(8 * MiB));
        block::BlockReader reader(f.vdevs(), cache, {});
        block::BlockWriter writer(f.tree(), *f.allocator, reader, {});
        const intent_log::ChainSource source{
            .reader = reader, .vdevs = f.vdevs(), .objset = kObjset};
        const auto noClones = [](const BlockPointer&) { return Status(); };
        QVERIFY(*intent_log::claimLog(source, *f.allocator, Txg(11), header, noClones));
        QVERIFY(!intent_log::needsReplay(header));
        QVERIFY(intent_log::freeLog(source, writer, Txg(11), header));
        QCOMPARE(f.allocated(), std::uint64_t{0});
    }

    void callersShareFlushes()
    {
        constexpr unsigned kThreads = 8;
        constexpr unsigned kRounds = 25;
        Fixture f(txg::Drive::Threads);
        f.slowFlush = true;
        std::vector<std::thread> threads;
        std::atomic<int> lost = 0;
        for (unsigned t = 0; t < kThreads; ++t) {
            threads.emplace_back([&, t] {
                for (unsigned round = 0; round < kRounds; ++round) {
                    const std::uint64_t object = (t + 1) * 1000 + round;
                    const std::uint64_t txg = f.note(object, round % 2 != 0);
                    if (!f.log->commit(ObjectId(object))) {
                        lost = 1000;
                    }
                    if (round % 5 == 0 && Txg(txg) > f.syncedOnDisk()) {
                        const auto records = f.afterCrash();
                        const bool found = std::ranges::any_of(
                            records, [&](const Found& r) { return r.object == object; });
                        lost += !found && Txg(txg) > f.syncedOnDisk();
                    }
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        QCOMPARE(lost.load(), 0);
        const auto counters = f.log->counters();
        QCOMPARE(counters.commits, std::uint64_t{kThreads * kRounds});
        QVERIFY(counters.batches < kThreads * kRounds / 2);
        QVERIFY(f.log->close());
        QCOMPARE(f.allocated(), std::uint64_t{0});
    }
};

QTEST_GUILESS_MAIN(TestIntentLog)
#include "tst_intent_log.moc"
