// SPDX-License-Identifier: GPL-3.0-or-later
// Property: a timer's task runs once, not early, in the order of due times, and never after a
// successful cancel. Method: manual clock for exactness, the real thread for life and death.
#include "runtime/simulation.h"
#include "runtime/thread_pool.h"
#include "runtime/timers.h"

#include <QTest>

#include <latch>

using namespace millpond;
using namespace millpond::runtime;
using namespace std::chrono_literals;

class TestTimers : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void runInOrderOfDueTime()
    {
        ManualClock clock;
        SeededExecutor executor(1);
        ManualTimers timers(clock, executor);
        std::vector<int> ran;
        (void)timers.after(30ms, [&] { ran.push_back(3); });
        (void)timers.after(10ms, [&] { ran.push_back(1); });
        (void)timers.after(20ms, [&] { ran.push_back(2); });
        timers.runDue();
        QCOMPARE(executor.pump(), std::size_t{0}); // none early
        while (timers.advanceToNext()) {
            executor.pump();
        }
        QCOMPARE(ran, (std::vector<int>{1, 2, 3}));
        QCOMPARE(clock.monotonic(), std::chrono::nanoseconds(30ms));
    }

    void cancelledTimersDoNotRun()
    {
        ManualClock clock;
        SeededExecutor executor(1);
        ManualTimers timers(clock, executor);
        int ran = 0;
        const TimerId id = timers.after(1ms, [&] { ++ran; });
        QVERIFY(timers.cancel(id));
        QVERIFY(!timers.cancel(id));
        QVERIFY(!timers.advanceToNext());
        QCOMPARE(ran, 0);
        const TimerId second = timers.after(1ms, [&] { ++ran; });
        QVERIFY(timers.advanceToNext());
        QVERIFY(!timers.cancel(second)); // handed over already
    }

    void threadRunsThem()
    {
        const SystemClock clock;
        auto pool = ThreadPool::create({.threads = 1});
        QVERIFY(pool.has_value());
        auto timers = ThreadTimers::create(clock, **pool);
        QVERIFY(timers.has_value());
        std::latch done(2);
        const auto start = clock.monotonic();
        (void)(*timers)->after(40ms, [&] { done.count_down(); });
        (void)(*timers)->after(5ms, [&] { done.count_down(); });
        const TimerId never = (*timers)->after(1h, [] { qFatal("ran after cancel"); });
        done.wait();
        QVERIFY(clock.monotonic() - start >= 40ms);
        QVERIFY((*timers)->cancel(never));
        (void)(*timers)->after(1h, [] {}); // the destructor does not wait for it
    }
};

QTEST_GUILESS_MAIN(TestTimers)
#include "tst_timers.moc"
