// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: who wants to write is admitted while there is room in all quotas and the pool, waits
// while it depends on what is on its way, is refused when what is used meets a limit; what frees is
// let in longer; admissions are given back, and end with their txg. Method: cases by hand against
// limits; random admissions by several threads, after which nothing may be left.

#include "dataset/freeing_queue.h"
#include "engine/dataset/live_pool.h"
#include "support/mp_ok.h"

#include <QTest>

#include <numeric>
#include <thread>

using namespace millpond;
using namespace millpond::dataset;
using namespace millpond::test;

namespace {

constexpr Txg kTxg{5};

std::uint64_t waiting(const LiveDirectory& directory)
{
    return std::accumulate(directory.toWrite.begin(), directory.toWrite.end(), std::uint64_t{0});
}

struct Pool : LivePool
{
    LiveDirectory* a = nullptr;
    LiveDirectory* b = nullptr; ///< below a

    [[nodiscard]] Status make()
    {
        MP_TRY(LivePool::make());
        a = MP_TRY(add(tree->root(), "a", kTxg));
        b = MP_TRY(add(*a, "b", kTxg));
        return {};
    }

    [[nodiscard]] Status limit(LiveDirectory& directory, const char* name, std::uint64_t bytes)
    {
        return tree->set(directory, std::vector<Setting>{{name, bytes}}, kTxg);
    }

    /// System: admitted, for good.
    ErrorCode ask(std::uint64_t bytes, bool freeing = false, Txg txg = kTxg)
    {
        auto admission = tree->admit(*tree->head(*b).value(), bytes, freeing, txg);
        if (!admission) {
            return admission.error().code();
        }
        admission->keep(bytes);
        return ErrorCode::System;
    }
};

constexpr ErrorCode kAdmitted = ErrorCode::System;

} // namespace

class TestAdmission : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void quotas();
    void refQuotas();
    void thePoolsRoom();
    void reservationsCover();
    void refReservationsCover();
    void givenBack();
    void endsWithItsTxg();
    void outlivesTheDataset();
    void manyThreads();
};

void TestAdmission::quotas()
{
    Pool pool;
    MP_OK(pool.make());
    MP_OK(pool.grow(*pool.b, 600, kTxg));
    MP_OK(pool.limit(*pool.a, "quota", 3200)); // and a 32nd: 100
    // One may go beyond it, and the next waits.
    QCOMPARE(pool.ask(2699), kAdmitted);
    QCOMPARE(pool.ask(5000), kAdmitted);
    QCOMPARE(pool.ask(1), ErrorCode::WouldBlock);
    QCOMPARE(pool.ask(1, true), kAdmitted);
    pool.tree->synced(kTxg);
    QCOMPARE(pool.ask(1), kAdmitted);
    // What is used is at the limit. What is on its way may free some; once it has not, there is no
    // use in waiting.
    MP_OK(pool.grow(*pool.b, 2600, kTxg));
    QCOMPARE(pool.ask(1), ErrorCode::WouldBlock);
    pool.tree->synced(kTxg);
    QCOMPARE(pool.ask(1), ErrorCode::QuotaExceeded);
    QCOMPARE(pool.ask(1, true), kAdmitted);
    QCOMPARE(pool.ask(0), kAdmitted);
    // Others do not care.
    const auto root = pool.tree->head(pool.tree->root());
    MP_OK(root);
    MP_OK(pool.tree->admit(**root, 1, false, kTxg));
}

void TestAdmission::refQuotas()
{
    Pool pool;
    MP_OK(pool.make());
    MP_OK(pool.grow(*pool.b, 600, kTxg));
    MP_OK(pool.limit(*pool.b, "refquota", 1000));
    QCOMPARE(pool.ask(400), kAdmitted);
    QCOMPARE(pool.ask(1), ErrorCode::WouldBlock);
    QCOMPARE(pool.ask(1, true), kAdmitted);
    pool.tree->synced(kTxg);
    MP_OK(pool.grow(*pool.b, 400, kTxg));
    QCOMPARE(pool.ask(1), ErrorCode::QuotaExceeded);
    QCOMPARE(pool.ask(1, true), kAdmitted);
}

void TestAdmission::thePoolsRoom()
{
    Pool pool;
    MP_OK(pool.make());
    MP_OK(pool.grow(*pool.b, 3200, kTxg));
    pool.tree->setRoom({.usable = 3200, .whileFreeing = 3300, .deferred = 0});
    QCOMPARE(pool.ask(1), ErrorCode::NoSpace);
    QCOMPARE(pool.ask(1, true), kAdmitted);
    MP_OK(pool.grow(*pool.b, 100, kTxg));
    QCOMPARE(pool.ask(1, true), ErrorCode::WouldBlock);
    pool.tree->synced(kTxg);
    QCOMPARE(pool.ask(1, true), ErrorCode::NoSpace);
    // Some of it becomes free by itself.
    pool.tree->setRoom({.usable = 3200, .whileFreeing = 3300, .deferred = 101});
    QCOMPARE(pool.ask(1), ErrorCode::WouldBlock);
    pool.tree->setRoom({.usable = 6400, .whileFreeing = 6500, .deferred = 0});
    QCOMPARE(pool.ask(3300), kAdmitted);
    QCOMPARE(pool.ask(1), ErrorCode::WouldBlock);
}

void TestAdmission::reservationsCover()
{
    Pool pool;
    MP_OK(pool.make());
    pool.tree->setUsable(100'000);
    MP_OK(pool.limit(*pool.b, "reservation", 5000));
    MP_OK(pool.grow(*pool.b, 1000, kTxg));
    QCOMPARE(pool.ask(3000), kAdmitted);
    QCOMPARE(waiting(*pool.b), 3000U);
    QCOMPARE(waiting(*pool.a), 0U);
    QCOMPARE(pool.ask(3000), kAdmitted);
    QCOMPARE(waiting(*pool.b), 6000U);
    QCOMPARE(waiting(*pool.a), 2000U); // what goes beyond it
    QCOMPARE(waiting(pool.tree->root()), 2000U);
    // The pool is full: what is reserved is there all the same.
    pool.tree->synced(kTxg);
    pool.tree->setUsable(5000);
    QCOMPARE(pool.ask(4000), kAdmitted);
    QCOMPARE(pool.ask(1), ErrorCode::NoSpace);
}

void TestAdmission::refReservationsCover()
{
    Pool pool;
    MP_OK(pool.make());
    pool.tree->setUsable(100'000);
    MP_OK(pool.limit(*pool.b, "refreservation", 5000));
    MP_OK(pool.grow(*pool.b, 1000, kTxg));
    QCOMPARE(pool.ask(3000), kAdmitted);
    QCOMPARE(waiting(*pool.b), 3000U);
    QCOMPARE(waiting(*pool.a), 0U);
    QCOMPARE(pool.ask(3000), kAdmitted);
    QCOMPARE(waiting(*pool.a), 2000U);
    // In its own quota it counts only as far as it is filled.
    pool.tree->synced(kTxg);
    MP_OK(pool.limit(*pool.b, "quota", 5000));
    QCOMPARE(pool.ask(1), kAdmitted);
}

void TestAdmission::givenBack()
{
    Pool pool;
    MP_OK(pool.make());
    const auto head = pool.tree->head(*pool.b);
    MP_OK(head);
    {
        auto dropped = pool.tree->admit(**head, 5000, false, kTxg);
        MP_OK(dropped);
        auto kept = pool.tree->admit(**head, 3000, false, kTxg);
        MP_OK(kept);
        QCOMPARE(waiting(pool.tree->root()), 8000U);
        kept->keep(700);
        const Admission moved = std::move(*kept);
        QCOMPARE(waiting(pool.tree->root()), 5700U);
    }
    QCOMPARE(waiting(*pool.b), 700U);
    QCOMPARE(waiting(pool.tree->root()), 700U);
    // Nothing is held by who was refused.
    MP_OK(pool.limit(pool.tree->root(), "quota", 1000));
    QCOMPARE(pool.ask(400), kAdmitted);
    QCOMPARE(pool.ask(50), ErrorCode::WouldBlock);
    QCOMPARE(waiting(*pool.b), 1100U);
}

void TestAdmission::endsWithItsTxg()
{
    Pool pool;
    MP_OK(pool.make());
    for (std::uint64_t txg = 5; txg < 8; ++txg) {
        QCOMPARE(pool.ask(1000 * txg, false, Txg(txg)), kAdmitted);
    }
    QCOMPARE(waiting(*pool.a), 18'000U);
    pool.tree->synced(Txg(5));
    QCOMPARE(waiting(*pool.a), 13'000U);
    pool.tree->synced(Txg(6));
    pool.tree->synced(Txg(7));
    QCOMPARE(waiting(*pool.a), 0U);
}

void TestAdmission::outlivesTheDataset()
{
    struct NoFrees final : FreeSink
    {
        Status free(const format::BlockPointer& /*pointer*/, Txg /*txg*/) override { return {}; }
    };

    Pool pool;
    MP_OK(pool.make());
    NoFrees frees;
    FreeingQueue queue({*pool.tree, pool.storage, frees, pool.clock});
    MP_OK(queue.create(kTxg));
    const auto head = pool.tree->head(*pool.b);
    MP_OK(head);
    {
        auto admission = pool.tree->admit(**head, 1000, false, Txg(7));
        MP_OK(admission);
        MP_OK(pool.tree->destroyHead(*pool.b, queue, Txg(5)));
        MP_OK(pool.sync(Txg(5)));
        MP_OK(pool.sync(Txg(6)));
        admission->keep(100);
    }
    QCOMPARE(waiting(*pool.a), 100U);
    for (std::uint64_t txg = 7; txg < 12; ++txg) {
        MP_OK(pool.sync(Txg(txg)));
    }
    QCOMPARE(waiting(*pool.a), 0U);
}

void TestAdmission::manyThreads()
{
    Pool pool;
    MP_OK(pool.make());
    pool.tree->setUsable(1'000'000'000);
    MP_OK(pool.limit(*pool.b, "reservation", 5000));
    const auto head = pool.tree->head(*pool.b);
    MP_OK(head);
    {
        std::vector<std::jthread> threads;
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            threads.emplace_back([&, seed] {
                SeededRandom random(seed);
                for (int i = 0; i < 2000; ++i) {
                    const Txg txg(5 + random.next() % 3);
                    auto admission = pool.tree->admit(**head, random.next() % 3000, false, txg);
                    if (admission && random.next() % 2 == 0) {
                        admission->keep(random.next() % 3000);
                    }
                }
            });
        }
        for (int i = 0; i < 100; ++i) {
            MP_OK(pool.grow(*pool.b, i % 2 == 0 ? 4000 : -4000, kTxg));
        }
    }
    QVERIFY(waiting(*pool.a) <= waiting(*pool.b));
    for (std::uint64_t txg = 5; txg < 8; ++txg) {
        pool.tree->synced(Txg(txg));
    }
    QCOMPARE(waiting(*pool.b), 0U);
    QCOMPARE(waiting(pool.tree->root()), 0U);
}

QTEST_GUILESS_MAIN(TestAdmission)
#include "tst_admission.moc"
