// SPDX-License-Identifier: GPL-3.0-or-later
// The cache stays within its bytes, keeps what is used again while a scan passes, keeps pools
// apart, and lets one reader work for all; threads hammer it for races (also under
// ThreadSanitizer).
#include "block/block_cache.h"

#include "base/clock.h"

#include <QtTest>

#include <thread>

using namespace millpond;
using block::BlockCache;
using block::CachePool;

namespace {

BufferRef blockOf(std::size_t size)
{
    return std::make_shared<const Buffer>(*Buffer::createZeroed(size));
}

BlockCache::Key key(std::uint64_t n, CachePool pool = CachePool(1))
{
    return {.pool = pool,
            .vdev = VdevId(static_cast<std::uint32_t>(n % 3)),
            .offset = ByteOffset(n * 4096),
            .birth = Txg(5)};
}

void put(BlockCache& cache, const BlockCache::Key& at, const BufferRef& data)
{
    const auto claim = cache.claim(at, BlockCache::Use::Read);
    if (claim.mine) {
        cache.finish(at, claim.pending, data, BlockCache::Use::Read);
    }
}

} // namespace

class tst_BlockCache : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void staysWithinItsBytes();
    void tooLargeBlocksPass();
    void keepsWhatIsUsedAgain();
    void keepsPoolsAndBirthsApart();
    void dropsPools();
    void errorsAreNotKept();
    void oneReaderWorksForAll();
    void hammered();
};

void tst_BlockCache::staysWithinItsBytes()
{
    BlockCache cache(ByteCount(4 * MiB));
    SeededRandom random(3);
    for (std::uint64_t i = 0; i < 5000; ++i) {
        put(cache, key(i), blockOf(512 << random.next() % 9));
        QVERIFY(cache.counters().bytes <= 4 * MiB);
    }
    const auto counters = cache.counters();
    QVERIFY(counters.bytes > 3 * MiB);
    QVERIFY(counters.evictions > 0);
    QVERIFY(cache.find(key(4999)) != nullptr);
    QVERIFY(cache.find(key(0)) == nullptr);
}

void tst_BlockCache::tooLargeBlocksPass()
{
    BlockCache cache(ByteCount(1 * MiB));
    put(cache, key(1), blockOf(512));
    put(cache, key(2), blockOf(16 * MiB));
    QVERIFY(cache.find(key(2)) == nullptr);
    QVERIFY(cache.find(key(1)) != nullptr);
}

void tst_BlockCache::keepsWhatIsUsedAgain()
{
    BlockCache cache(ByteCount(16 * MiB));
    constexpr std::uint64_t kHot = 64; // of 16 KiB: 1 MiB
    for (std::uint64_t i = 0; i < kHot; ++i) {
        put(cache, key(i), blockOf(16 * KiB));
    }
    for (std::uint64_t i = 1000; i < 1512; ++i) { // time passes
        put(cache, key(i), blockOf(16 * KiB));
    }
    for (std::uint64_t i = 0; i < kHot; ++i) {
        QVERIFY(cache.find(key(i)) != nullptr);
    }
    for (std::uint64_t i = 10'000; i < 20'000; ++i) { // a scan of ten times the cache
        put(cache, key(i), blockOf(16 * KiB));
        (void)cache.find(key(i)); // in two pieces: that is not using it again
    }
    std::uint64_t kept = 0;
    for (std::uint64_t i = 0; i < kHot; ++i) {
        kept += cache.find(key(i)) != nullptr ? 1 : 0;
    }
    QCOMPARE(kept, kHot);
}

void tst_BlockCache::keepsPoolsAndBirthsApart()
{
    BlockCache cache(ByteCount(1 * MiB));
    const CachePool first = cache.newPool();
    const CachePool second = cache.newPool();
    QVERIFY(first != second);
    put(cache, key(1, first), blockOf(512));
    QVERIFY(cache.find(key(1, first)) != nullptr);
    QVERIFY(cache.find(key(1, second)) == nullptr);
    BlockCache::Key later = key(1, first);
    later.birth = Txg(6);
    QVERIFY(cache.find(later) == nullptr);
}

void tst_BlockCache::dropsPools()
{
    BlockCache cache(ByteCount(4 * MiB));
    for (std::uint64_t i = 0; i < 100; ++i) {
        put(cache, key(i, CachePool(1)), blockOf(4096));
        put(cache, key(i, CachePool(2)), blockOf(4096));
    }
    cache.dropPool(CachePool(1));
    QCOMPARE(cache.counters().blocks, 100U);
    QVERIFY(cache.find(key(5, CachePool(1))) == nullptr);
    QVERIFY(cache.find(key(5, CachePool(2))) != nullptr);
    cache.dropPool(CachePool(2));
    QCOMPARE(cache.counters().bytes, 0U);
}

void tst_BlockCache::errorsAreNotKept()
{
    BlockCache cache(ByteCount(1 * MiB));
    const auto claim = cache.claim(key(1), BlockCache::Use::Read);
    QVERIFY(claim.mine);
    QVERIFY(cache.contains(key(1)));
    cache.finish(key(1), claim.pending, fail(ErrorCode::DeviceIo, "no"), BlockCache::Use::Read);
    QVERIFY(!cache.contains(key(1)));
    QVERIFY(BlockCache::wait(*claim.pending).error().is(ErrorCode::DeviceIo));
    QVERIFY(cache.claim(key(1), BlockCache::Use::Read).mine);
}

void tst_BlockCache::oneReaderWorksForAll()
{
    BlockCache cache(ByteCount(1 * MiB));
    const auto mine = cache.claim(key(1), BlockCache::Use::Read);
    std::atomic<int> got = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            const auto claim = cache.claim(key(1), BlockCache::Use::Read);
            const auto data =
                claim.data ? Result<BufferRef>(claim.data) : BlockCache::wait(*claim.pending);
            got += !claim.mine && data && (*data)->size() == 1024 ? 1 : 0;
        });
    }
    while (cache.counters().joined < 4) {
        std::this_thread::yield();
    }
    cache.finish(key(1), mine.pending, blockOf(1024), BlockCache::Use::Read);
    for (std::thread& thread : threads) {
        thread.join();
    }
    QCOMPARE(got, 4);
    QCOMPARE(cache.counters().misses, 1U);
}

void tst_BlockCache::hammered()
{
    BlockCache cache(ByteCount(256 * KiB));
    std::atomic<bool> wrong = false;
    std::vector<std::thread> threads;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        threads.emplace_back([&, seed] {
            SeededRandom random(seed);
            for (int i = 0; i < 5000; ++i) {
                const std::uint64_t n = random.next() % 200;
                const auto at = key(n);
                const auto claim =
                    cache.claim(at, n % 5 == 0 ? BlockCache::Use::Prefetch : BlockCache::Use::Read);
                Result<BufferRef> data = BufferRef();
                if (claim.mine) {
                    data = blockOf(512 * (n + 1));
                    cache.finish(at, claim.pending, data, BlockCache::Use::Read);
                } else {
                    data = claim.data ? Result<BufferRef>(claim.data)
                                      : BlockCache::wait(*claim.pending);
                }
                wrong = wrong || !data || (*data)->size() != 512 * (n + 1);
                if (i % 1000 == 999) {
                    cache.dropPool(CachePool(1));
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    QVERIFY(!wrong);
    QVERIFY(cache.counters().bytes <= 256 * KiB);
}

QTEST_GUILESS_MAIN(tst_BlockCache)
#include "tst_block_cache.moc"
