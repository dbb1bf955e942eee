// SPDX-License-Identifier: GPL-3.0-or-later
//
// A txg syncs when nobody holds it any more, in order, once, with what was changed and asked for in
// it; three are under way at once; dirty data is bounded; after a failure nobody waits. Method:
// step by step with a clock of the test's own, and with real threads against a recording target.
#include "txg/transaction_groups.h"

#include "base/mutex.h"
#include "runtime/simulation.h"
#include "support/seed.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

using namespace millpond;
using namespace std::chrono_literals;
using txg::Drive;
using txg::GroupOptions;
using txg::Hold;
using txg::TransactionGroups;

namespace {

/// Keeps what it was told; may be made to wait or fail.
class RecordingTarget final : public txg::SyncTarget
{
public:
    [[nodiscard]] Status sync(Txg txg, FunctionRef<Status()> runTasks) override
    {
        if (duringSync) {
            duringSync(txg);
        }
        MP_TRY(runTasks());
        const MutexLock lock(m_mutex);
        while (m_paused) {
            m_changed.wait(m_mutex);
        }
        if (txg == failAt) {
            return fail(ErrorCode::DeviceIo, "the disk is gone");
        }
        m_synced.push_back(txg.value());
        return {};
    }

    [[nodiscard]] bool wantsSync() const override { return deferredWork; }

    void pause(bool paused)
    {
        const MutexLock lock(m_mutex);
        m_paused = paused;
        m_changed.notifyAll();
    }

    [[nodiscard]] std::vector<std::uint64_t> synced() const
    {
        const MutexLock lock(m_mutex);
        return m_synced;
    }

    Txg failAt{0};
    std::atomic<bool> deferredWork = false;
    std::function<void(Txg)> duringSync;

private:
    mutable Mutex m_mutex;
    CondVar m_changed;
    bool m_paused MP_GUARDED_BY(m_mutex) = false;
    std::vector<std::uint64_t> m_synced MP_GUARDED_BY(m_mutex);
};

using Numbers = std::vector<std::uint64_t>;

constexpr Txg kLast{3};

std::unique_ptr<TransactionGroups>
makeGroups(const Clock& clock, txg::SyncTarget& target, const GroupOptions& options)
{
    return std::move(TransactionGroups::create(clock, target, kLast, options)).value();
}

/// Everything that a stepped test needs.
struct Stepped
{
    explicit Stepped(GroupOptions options = {})
    {
        options.drive = Drive::Stepped;
        groups = makeGroups(clock, target, options);
    }

    Hold hold(ByteCount estimate = ByteCount(0))
    {
        return std::move(groups->hold({.dirtyEstimate = estimate})).value();
    }

    runtime::ManualClock clock;
    RecordingTarget target;
    std::unique_ptr<TransactionGroups> groups;
};

bool eventually(const std::function<bool()>& condition)
{
    for (int i = 0; i < 5000; ++i) {
        if (condition()) {
            return true;
        }
        std::this_thread::sleep_for(1ms);
    }
    return false;
}

} // namespace

class TestTransactionGroups : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void refusesSenselessOptions()
    {
        runtime::ManualClock clock;
        RecordingTarget target;
        for (const GroupOptions& options : {GroupOptions{.dirtyMax = ByteCount(1000)},
                                            GroupOptions{.delayFromPercent = 101},
                                            GroupOptions{.syncFromPercent = 101}}) {
            const auto groups = TransactionGroups::create(clock, target, kLast, options);
            QVERIFY(!groups);
            QVERIFY(groups.error().is(ErrorCode::InvalidArgument));
        }
    }

    void syncsWhenTheTimeoutIsOver()
    {
        Stepped s;
        QCOMPARE(s.groups->open(), Txg(4));
        {
            const Hold hold = s.hold();
            QCOMPARE(hold.txg(), Txg(4));
        }
        QVERIFY(!s.groups->step());
        s.clock.advance(5s - 1ns);
        QVERIFY(!s.groups->step());
        s.clock.advance(1ns);
        while (s.groups->step()) {
        }
        QCOMPARE(s.target.synced(), (Numbers{4}));
        QCOMPARE(s.groups->lastSynced(), Txg(4));
        QCOMPARE(s.groups->open(), Txg(5));
    }

    void restsWhenNothingWasHeld()
    {
        Stepped s;
        s.clock.advance(60s);
        QVERIFY(!s.groups->step());
        s.target.deferredWork = true;
        QVERIFY(!s.groups->step()); // asked again only a timeout later
        s.clock.advance(5s);
        while (s.groups->step()) {
        }
        QCOMPARE(s.target.synced(), (Numbers{4}));
    }

    void waitSyncedTakesWhatWasChanged()
    {
        Stepped s;
        QVERIFY(s.groups->waitSynced());
        QCOMPARE(s.target.synced(), Numbers{});
        (void)s.hold();
        QVERIFY(s.groups->waitSynced());
        QVERIFY(s.groups->waitSynced());
        QCOMPARE(s.target.synced(), (Numbers{4}));
        QVERIFY(s.groups->waitSynced(Txg(7)));
        QCOMPARE(s.target.synced(), (Numbers{4, 5, 6, 7}));
        QVERIFY(s.groups->waitSynced(Txg(2)));
    }

    void aHoldKeepsItsTxg()
    {
        Stepped s;
        auto first = std::make_unique<Hold>(s.hold());
        s.groups->kick();
        QCOMPARE(s.groups->quiescing(), Txg(4));
        QCOMPARE(s.groups->open(), Txg(5));
        QVERIFY(!s.groups->step());
        // Changes are made in the order of their groups.
        QVERIFY(s.groups->tryHold({.urgent = true}).error().is(ErrorCode::WouldBlock));
        s.groups->kick(); // 5 stays open: 4 has not gone on
        QCOMPARE(s.groups->open(), Txg(5));
        first.reset();
        const Hold second = s.hold();
        QCOMPARE(second.txg(), Txg(5));
        QVERIFY(s.groups->step());
        QCOMPARE(s.target.synced(), (Numbers{4}));
        QVERIFY(!s.groups->step());
    }

    void holdsMove()
    {
        Stepped s;
        Hold a = s.hold(ByteCount(100));
        Hold b = s.hold(ByteCount(50));
        QCOMPARE(s.groups->figures().dirty, ByteCount(150));
        a = std::move(b); // gives back the first
        QCOMPARE(s.groups->figures().dirty, ByteCount(50));
        s.groups->kick();
        QVERIFY(!s.groups->step()); // the second is still held
    }

    void threeTxgsAtOnce()
    {
        const SystemClock clock;
        RecordingTarget target;
        target.pause(true);
        const auto groups = makeGroups(clock, target, {});
        {
            const Hold hold = std::move(groups->hold({})).value();
        }
        groups->kick();
        QVERIFY(eventually([&] { return groups->syncing() == Txg(4); }));
        auto quiescing = std::make_unique<Hold>(std::move(groups->hold({})).value());
        QCOMPARE(quiescing->txg(), Txg(5));
        groups->kick();
        QCOMPARE(groups->quiescing(), Txg(5));
        QCOMPARE(groups->open(), Txg(6));
        std::atomic<std::uint64_t> next = 0;
        std::thread waiter([&] {
            const Hold open = std::move(groups->hold({})).value();
            next = open.txg().value();
        });
        std::this_thread::sleep_for(20ms);
        QCOMPARE(next.load(), std::uint64_t{0});
        groups->kick(); // no fourth
        QCOMPARE(groups->open(), Txg(6));
        quiescing.reset();
        waiter.join();
        QCOMPARE(next.load(), std::uint64_t{6});
        QCOMPARE(groups->quiescing(), Txg(5)); // quiesced, waits for its turn
        QCOMPARE(groups->open(), Txg(6));
        target.pause(false);
        QVERIFY(groups->waitSynced(Txg(5)));
        Numbers synced = target.synced();
        synced.resize(2); // the next one was asked for, too, and may have followed
        QCOMPARE(synced, (Numbers{4, 5}));
    }

    void waitQuiescedWaitsForHolders()
    {
        const SystemClock clock;
        RecordingTarget target;
        target.pause(true);
        const auto groups = makeGroups(clock, target, {});
        auto hold = std::make_unique<Hold>(std::move(groups->hold({})).value());
        std::atomic<bool> quiesced = false;
        std::thread waiter([&] { quiesced = groups->waitQuiesced().has_value(); });
        QVERIFY(eventually([&] { return groups->quiescing() == Txg(4); }));
        std::this_thread::sleep_for(20ms);
        QVERIFY(!quiesced);
        hold.reset();
        waiter.join(); // although the sync stands still
        QVERIFY(quiesced);
        target.pause(false);
    }

    void dirtyDataOpensTheNextTxg()
    {
        Stepped s({.dirtyMax = ByteCount(10 * MiB)});
        const Hold hold = s.hold();
        s.groups->addDirty(hold.txg(), ByteCount(2 * MiB - 1));
        QCOMPARE(s.groups->open(), Txg(4));
        s.groups->addDirty(hold.txg(), ByteCount(1));
        QCOMPARE(s.groups->open(), Txg(5));
        QCOMPARE(s.groups->figures().dirty, ByteCount(2 * MiB));
    }

    void dirtyDataEndsWithItsTxg()
    {
        Stepped s;
        s.target.duringSync = [&](Txg txg) {
            s.groups->addDirty(txg, ByteCount(5));
            s.groups->dirtyDone(txg, ByteCount(25));
        };
        {
            const Hold hold = s.hold(ByteCount(1000));
            QCOMPARE(s.groups->figures().dirty, ByteCount(1000));
            s.groups->addDirty(hold.txg(), ByteCount(100));
        }
        QCOMPARE(s.groups->figures().dirty, ByteCount(100));
        QVERIFY(s.groups->waitSynced());
        QCOMPARE(s.groups->figures().dirty, ByteCount(0));
    }

    void fullMeansWaitingForASync()
    {
        Stepped s({.dirtyMax = ByteCount(10 * MiB), .syncFromPercent = 100});
        {
            const Hold hold = s.hold();
            s.groups->addDirty(hold.txg(), ByteCount(10 * MiB - 1));
        }
        (void)s.hold();
        QCOMPARE(s.groups->figures().stopped, std::uint64_t{0});
        QCOMPARE(s.groups->figures().delayed, std::uint64_t{1});
        s.groups->addDirty(s.hold().txg(), ByteCount(1));
        QCOMPARE(s.groups->lastSynced(), Txg(3));
        QVERIFY(s.groups->tryHold({}).error().is(ErrorCode::WouldBlock));
        QCOMPARE(std::move(s.groups->hold({.urgent = true})).value().txg(), Txg(5));
        QCOMPARE(s.groups->lastSynced(), Txg(3));
        (void)s.hold();
        QCOMPARE(s.groups->figures().stopped, std::uint64_t{1});
        QCOMPARE(s.groups->lastSynced(), Txg(4));
        QVERIFY(s.groups->tryHold({}));
    }

    void delaysGrowWithTheDirtyData_data()
    {
        QTest::addColumn<int>("percent");
        QTest::addColumn<int>("microseconds");
        QTest::newRow("none below the beginning") << 60 << 0;
        QTest::newRow("a little") << 62 << 26; // 500 us * 2 / 38
        QTest::newRow("middle") << 80 << 500;  // 500 us * 20 / 20
        QTest::newRow("steep") << 99 << 19500; // 500 us * 39 / 1
    }

    void delaysGrowWithTheDirtyData()
    {
        QFETCH(int, percent);
        QFETCH(int, microseconds);
        Stepped s({.dirtyMax = ByteCount(100 * MiB), .syncFromPercent = 100});
        s.groups->addDirty(s.groups->open(), ByteCount(static_cast<unsigned>(percent) * MiB));
        (void)s.hold();
        const auto time = s.groups->figures().delayTime;
        QVERIFY(std::chrono::abs(time - std::chrono::microseconds(microseconds)) < 1us);
    }

    void noDelayIsLongerThanTheLimit()
    {
        Stepped s({.dirtyMax = ByteCount(100 * MiB), .syncFromPercent = 100});
        s.groups->addDirty(s.groups->open(), ByteCount(100 * MiB - 1));
        (void)s.hold();
        QCOMPARE(s.groups->figures().delayTime, std::chrono::nanoseconds(100ms));
    }

    void delayedHoldsFollowOneAnother()
    {
        Stepped s({.dirtyMax = ByteCount(100 * MiB), .syncFromPercent = 100});
        s.groups->addDirty(s.groups->open(), ByteCount(80 * MiB));
        for (int i = 0; i < 4; ++i) {
            (void)s.hold(); // at the same time: 500, 1000, 1500, 2000 us
        }
        const auto time = s.groups->figures().delayTime;
        QVERIFY(std::chrono::abs(time - 5000us) < 1us);
        s.clock.advance(1s); // nothing is owed for a time of rest
        (void)s.hold();
        QVERIFY(std::chrono::abs(s.groups->figures().delayTime - 5500us) < 1us);
    }

    void tasksRunOnceInOrderInOneTxg()
    {
        Stepped s;
        std::vector<int> ran;
        Numbers txgs;
        {
            const Hold hold = s.hold();
            for (int i = 0; i < 3; ++i) {
                s.groups->enqueue(hold, {.check = {}, .apply = [&ran, &txgs, i](Txg txg) -> Status {
                                             ran.push_back(i);
                                             txgs.push_back(txg.value());
                                             return {};
                                         }});
            }
        }
        QVERIFY(s.groups->run({.check = {}, .apply = [&](Txg) -> Status {
                                   ran.push_back(3);
                                   return {};
                               }}));
        QCOMPARE(ran, (std::vector<int>{0, 1, 2, 3}));
        QCOMPARE(txgs, (Numbers{4, 4, 4}));
        QCOMPARE(s.target.synced(), (Numbers{4}));
        QVERIFY(s.groups->waitSynced());
        QCOMPARE(s.target.synced(), (Numbers{4}));
    }

    void tasksAreCheckedBeforeAndInSync()
    {
        Stepped s;
        bool applied = false;
        const auto apply = [&](Txg) -> Status {
            applied = true;
            return {};
        };
        const Status early = s.groups->run(
            {.check = [](Txg) -> Status { return fail(ErrorCode::AlreadyExists, "there already"); },
             .apply = apply});
        QVERIFY(early.error().is(ErrorCode::AlreadyExists));
        QCOMPARE(s.target.synced(), Numbers{}); // costs no txg

        int checks = 0;
        const Status late = s.groups->run(
            {.check = [&](Txg) -> Status {
                 return ++checks == 2 ? fail(ErrorCode::DatasetBusy, "meanwhile") : Status();
             },
             .apply = apply});
        QVERIFY(late.error().is(ErrorCode::DatasetBusy));
        QVERIFY(!applied);
        QCOMPARE(s.target.synced(), (Numbers{4})); // and does the txg no harm
        QVERIFY(s.groups->failed());
    }

    void aFailedTaskFailsTheTxg()
    {
        Stepped s;
        const Status status = s.groups->run({.check = {}, .apply = [](Txg) -> Status {
                                                 return fail(ErrorCode::BadZap, "half a change");
                                             }});
        QVERIFY(status.error().is(ErrorCode::BadZap));
        QVERIFY(!s.groups->failed());
        QCOMPARE(s.groups->lastSynced(), kLast);
    }

    void manyTasksShareATxg()
    {
        const SystemClock clock;
        RecordingTarget target;
        target.duringSync = [](Txg) { std::this_thread::sleep_for(5ms); };
        const auto groups = makeGroups(clock, target, {});
        std::atomic<int> ran = 0;
        std::vector<std::thread> threads;
        for (int i = 0; i < 32; ++i) {
            threads.emplace_back([&] {
                const Status status = groups->run({.check = {}, .apply = [&](Txg) -> Status {
                                                       ++ran;
                                                       return {};
                                                   }});
                if (!status) {
                    ran = -1000;
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        QCOMPARE(ran.load(), 32);
        QVERIFY(target.synced().size() <= 16);
    }

    void aFailedSyncWakesEverybody()
    {
        const SystemClock clock;
        RecordingTarget target;
        target.failAt = Txg(4);
        target.pause(true);
        const auto groups = makeGroups(clock,
                                       target,
                                       {.dirtyMax = ByteCount(1 * MiB),
                                        .delayScale = 60s,
                                        .delayMax = 60s,
                                        .syncFromPercent = 100});
        {
            const Hold hold = std::move(groups->hold({})).value();
            groups->addDirty(hold.txg(), ByteCount(MiB * 9 / 10));
        }
        std::atomic<int> errors = 0;
        const auto expect = [&](const Error& error) { errors += error.is(ErrorCode::DeviceIo); };
        std::vector<std::thread> threads;
        threads.emplace_back([&] { expect(groups->hold({}).error()); }); // delayed
        QVERIFY(eventually([&] { return groups->figures().delayed == 1; }));
        groups->addDirty(groups->open(), ByteCount(MiB));
        threads.emplace_back([&] { expect(groups->hold({}).error()); }); // stopped
        threads.emplace_back([&] { expect(groups->waitSynced().error()); });
        threads.emplace_back([&] { expect(groups->waitQuiesced(Txg(6)).error()); });
        threads.emplace_back([&] {
            expect(groups->run({.check = {}, .apply = [](Txg) { return Status(); }}).error());
        });
        QVERIFY(eventually([&] { return groups->figures().stopped == 1; }));
        std::this_thread::sleep_for(20ms);
        target.pause(false);
        for (std::thread& thread : threads) {
            thread.join();
        }
        QCOMPARE(errors.load(), 5);
        expect(groups->tryHold({}).error());
        expect(groups->waitSynced(Txg(9)).error());
        expect(groups->failed().error());
        QCOMPARE(errors.load(), 8);
        QVERIFY(groups->waitSynced(kLast));
        QCOMPARE(*groups->failed().error().where().txg, Txg(4));
        QCOMPARE(target.synced(), Numbers{});
    }

    void theThreadKeepsTheTimeout()
    {
        const SystemClock clock;
        RecordingTarget target;
        const auto groups = makeGroups(clock, target, {.timeout = 20ms});
        {
            const Hold hold = std::move(groups->hold({})).value();
        }
        QVERIFY(eventually([&] { return !target.synced().empty(); }));
        target.deferredWork = true;
        QVERIFY(eventually([&] { return target.synced().size() > 1; }));
    }

    /// Many threads modify; the target sees every change in the txg it was made in, and none while
    /// it syncs.
    void threadsAgreeOnTxgs()
    {
        constexpr int kThreads = 6;
        constexpr int kRounds = 4000;
        const SystemClock clock;
        RecordingTarget target;
        std::array<std::atomic<std::uint64_t>, 4> changes{};
        std::atomic<std::uint64_t> seen = 0;
        std::atomic<std::uint64_t> dirtyPeak = 0;
        target.duringSync = [&](Txg txg) {
            auto& mine = changes[txg.value() % 4];
            const std::uint64_t before = mine;
            std::this_thread::sleep_for(200us);
            if (mine != before) {
                qFatal("changed while it syncs");
            }
            seen += mine.exchange(0);
        };
        const auto groups = makeGroups(
            clock,
            target,
            {.dirtyMax = ByteCount(1 * MiB), .delayScale = 1us, .delayMax = 1ms, .timeout = 1ms});
        std::vector<std::thread> threads;
        for (int i = 0; i < kThreads; ++i) {
            threads.emplace_back([&, i] {
                SeededRandom random(test::testSeed() + static_cast<unsigned>(i));
                for (int round = 0; round < kRounds; ++round) {
                    const ByteCount size(random.next() % 4096);
                    {
                        const Hold hold = std::move(groups->hold({.dirtyEstimate = size})).value();
                        ++changes[hold.txg().value() % 4];
                        groups->addDirty(hold.txg(), size);
                        if (hold.txg() <= groups->lastSynced() || hold.txg() == groups->syncing()) {
                            qFatal("a held txg syncs");
                        }
                    }
                    const std::uint64_t dirty = groups->figures().dirty.value();
                    dirtyPeak = std::max(dirtyPeak.load(), dirty);
                    if (random.next() % 500 == 0 && !groups->waitSynced()) {
                        qFatal("not synced");
                    }
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        QVERIFY(groups->waitSynced());
        QCOMPARE(seen.load(), std::uint64_t{kThreads * kRounds});
        QCOMPARE(groups->figures().dirty, ByteCount(0));
        QVERIFY(dirtyPeak <= MiB + kThreads * 2 * 4096);
        const Numbers synced = target.synced();
        for (std::size_t i = 0; i < synced.size(); ++i) {
            QCOMPARE(synced[i], kLast.value() + 1 + i);
        }
    }
};

QTEST_GUILESS_MAIN(TestTransactionGroups)
#include "tst_transaction_groups.moc"
