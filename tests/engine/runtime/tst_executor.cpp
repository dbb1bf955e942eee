// SPDX-License-Identifier: GPL-3.0-or-later
// Property: every accepted task runs exactly once, queues keep their bound, groups nest without
// deadlock and report the first error; the seeded executor repeats its order. Method: counters,
// tiny queues and single threads, where a mistake would hang (the test's time limit sees it).
#include "runtime/simulation.h"
#include "runtime/task_group.h"
#include "runtime/thread_pool.h"

#include <QTest>

#include <atomic>
#include <latch>
#include <set>

using namespace millpond;
using namespace millpond::runtime;

class TestExecutor : public QObject
{
    Q_OBJECT

private:
    static std::unique_ptr<ThreadPool> pool(unsigned threads, std::size_t limit = 4096)
    {
        auto made =
            ThreadPool::create({.name = "mp-test", .threads = threads, .queueLimit = limit});
        return made ? *std::move(made) : nullptr;
    }

private Q_SLOTS:

    void destructorRunsWhatIsQueued()
    {
        std::atomic<int> ran = 0;
        {
            const auto executor = pool(2);
            for (int i = 0; i < 1000; ++i) {
                executor->post([&ran] { ++ran; });
            }
        }
        QCOMPARE(ran.load(), 1000);
    }

    void fullQueueRefusesAndKeepsTheTask()
    {
        std::latch release(1);
        std::latch started(1);
        std::atomic<int> ran = 0;
        {
            const auto executor = pool(1, 1);
            executor->post([&] {
                started.count_down();
                release.wait();
            });
            started.wait();
            executor->post([&ran] { ++ran; }); // fills the queue
            Task task = [&ran] { ran += 10; };
            QVERIFY(!executor->tryPost(task));
            QVERIFY(static_cast<bool>(task));
            task();
            release.count_down();
        }
        QCOMPARE(ran.load(), 11);
    }

    void ownThreadsNeverWaitForRoom()
    {
        std::atomic<int> ran = 0;
        {
            const auto executor = pool(1, 1);
            executor->post([&] {
                for (int i = 0; i < 100; ++i) {
                    executor->post([&ran] { ++ran; });
                }
            });
        }
        QCOMPARE(ran.load(), 100);
    }

    void threadsAreNamed()
    {
        std::array<char, 16> name{};
        {
            const auto executor = pool(1);
            executor->post(
                [&name] { pthread_getname_np(pthread_self(), name.data(), name.size()); });
        }
        QCOMPARE(QByteArray(name.data()), QByteArray("mp-test0"));
    }

    void groupsNestOnOneThread()
    {
        std::atomic<int> leaves = 0;
        const auto executor = pool(1, 2);
        TaskGroup outer(*executor);
        for (int i = 0; i < 20; ++i) {
            outer.run([&]() -> Status {
                TaskGroup middle(*executor);
                for (int j = 0; j < 10; ++j) {
                    middle.run([&]() -> Status {
                        return parallelFor(*executor, 5, [&](std::size_t) -> Status {
                            ++leaves;
                            return {};
                        });
                    });
                }
                return middle.wait();
            });
        }
        QVERIFY(outer.wait().has_value());
        QCOMPARE(leaves.load(), 1000);
    }

    void groupKeepsFirstErrorAndDropsTheRest()
    {
        SeededExecutor executor(1);
        int ran = 0;
        TaskGroup group(executor);
        for (int i = 0; i < 10; ++i) {
            group.run([&ran, i]() -> Status {
                ++ran;
                if (i >= 3) {
                    return fail(ErrorCode::Cancelled, std::to_string(i));
                }
                return {};
            });
        }
        const Status status = group.wait();
        QVERIFY(!status);
        QCOMPARE(status.error().what(), std::string("3"));
        QCOMPARE(ran, 4);
        group.run([]() -> Status { return {}; });
        QVERIFY(group.wait().has_value()); // usable again
    }

    void parallelForVisitsEachIndexOnce()
    {
        const auto executor = pool(3);
        std::vector<std::atomic<int>> seen(10'000);
        const Status status = parallelFor(*executor, seen.size(), [&](std::size_t i) -> Status {
            ++seen[i];
            return {};
        });
        QVERIFY(status.has_value());
        QVERIFY(std::all_of(seen.begin(), seen.end(), [](const auto& n) { return n == 1; }));
        QVERIFY(parallelFor(*executor, 0, [](std::size_t) -> Status {
                    return fail(ErrorCode::System, "");
                }).has_value());
    }

    void parallelForStopsAfterAnError()
    {
        const auto executor = pool(2);
        std::atomic<std::size_t> ran = 0;
        const Status status = parallelFor(*executor, 1'000'000, [&](std::size_t i) -> Status {
            ++ran;
            if (i == 10) {
                return fail(ErrorCode::Cancelled, "stop");
            }
            return {};
        });
        QVERIFY(!status);
        QVERIFY(ran < 1'000'000);
    }

    void lateTicketsDoNoHarm()
    {
        // The loop ends while its tickets still wait behind a blocked thread.
        std::latch release(1);
        {
            const auto executor = pool(1);
            executor->post([&release] { release.wait(); });
            for (int round = 0; round < 100; ++round) {
                int sum = 0;
                const Status status = parallelFor(*executor, 4, [&sum](std::size_t i) -> Status {
                    sum += static_cast<int>(i);
                    return {};
                });
                QVERIFY(status.has_value());
                QCOMPARE(sum, 6);
            }
            release.count_down();
        }
    }

    void seededOrderRepeats()
    {
        const auto order = [](std::uint64_t seed) {
            SeededExecutor executor(seed);
            std::vector<int> ran;
            for (int i = 0; i < 50; ++i) {
                executor.post([&ran, i] { ran.push_back(i); });
            }
            executor.pump();
            return ran;
        };
        QCOMPARE(order(7), order(7));
        QVERIFY(order(7) != order(8));
        QCOMPARE(order(7).size(), std::size_t{50});
    }

    void seededExecutorKeepsItsBound()
    {
        SeededExecutor executor(3, 4);
        int ran = 0;
        for (int i = 0; i < 100; ++i) {
            executor.post([&ran] { ++ran; });
        }
        QCOMPARE(ran, 96);
        Task task = [] {};
        QVERIFY(!executor.tryPost(task));
        QCOMPARE(executor.pump(), std::size_t{4});
        QVERIFY(executor.tryPost(task));
    }
};

QTEST_GUILESS_MAIN(TestExecutor)
#include "tst_executor.moc"
