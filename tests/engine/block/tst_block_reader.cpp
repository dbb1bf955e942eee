// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks are written as other programs write them (every checksum, compression, byte order, copies,
// gangs of gangs, embedded) onto vdevs in memory and read back; damage must be detected, named, and
// read around; caching, waiting and prefetching are seen by counting device reads.
#include "engine/block/memory_vdevs.h"
#include "runtime/simulation.h"
#include "runtime/thread_pool.h"
#include "support/seed.h"

#include "base/clock.h"

#include <QtTest>

#include <thread>

using namespace millpond;
using namespace millpond::test;
using block::BlockCache;
using block::BlockReader;
using block::Wait;
using codec::ChecksumAlgorithm;
using codec::CompressionAlgorithm;
using format::BlockPointer;

namespace {

const block::Bookmark kMark{ObjsetId(21), ObjectId(8), Level(0), BlockIndex(3)};

bool same(const BufferRef& data, const ByteVector& expected)
{
    return std::ranges::equal(data->bytes(), expected);
}

codec::ChecksumSalt makeSalt()
{
    std::array<std::byte, 32> bytes;
    bytes.fill(std::byte{0x5a});
    return codec::ChecksumSalt(bytes);
}

BlockPointer embedded(const ByteVector& payload, std::size_t logical, CompressionAlgorithm how)
{
    BlockPointer pointer;
    ByteVector room(128);
    std::size_t at = 0;
    for (std::size_t word = 0; word < 16; ++word) {
        if (word == 6 || word == 10) {
            continue;
        }
        for (std::size_t i = 0; i < 8 && at < payload.size(); ++i) {
            pointer.words[word] |= std::to_integer<std::uint64_t>(payload[at++]) << (8 * i);
        }
    }
    pointer.words[6] = (logical - 1) | ((payload.size() - 1) << 25U) |
                       (static_cast<std::uint64_t>(how) << 32U) | (std::uint64_t{1} << 39U) |
                       (std::uint64_t{19} << 48U) | (std::uint64_t{1} << 63U);
    pointer.words[10] = 7;
    return pointer;
}

} // namespace

class tst_BlockReader : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void everyChecksumAndCompression_data();
    void everyChecksumAndCompression();
    void embeddedAndHoles();
    void encryptedIsRefusedByName();
    void protectedMetadataIsRead();
    void readsAroundDamage();
    void missingVdevsAreAskedLast();
    void saysWhyEachCopyFailed();
    void senselessPointers();
    void gangs_data();
    void gangs();
    void damagedGangs();
    void verifiesEveryCopy();
    void verifiesGangs();
    void cachesAndShares();
    void keepFalseLeavesNothing();
    void cachedOnlyNeverReads();
    void pointersThatShareAPlace();
    void prefetches();
    void neighboursArePrefetchedTogether();
    void prefetchIsBounded();
    void outlivedByItsPrefetches();
    void hammered();
    void randomPointers();

private:
    std::unique_ptr<MemoryVdevs> m_vdevs;
    std::unique_ptr<BlockCache> m_cache;
    std::unique_ptr<BlockReader> m_reader;

    Result<BufferRef> read(const BlockPointer& pointer, const block::ReadContext& context = {})
    {
        return m_reader->read(pointer, kMark, context);
    }
};

void tst_BlockReader::init()
{
    m_reader.reset();
    m_vdevs = std::make_unique<MemoryVdevs>(3);
    m_cache = std::make_unique<BlockCache>(ByteCount(4 * MiB));
    m_reader = std::make_unique<BlockReader>(*m_vdevs, *m_cache, block::BlockReaderOptions{});
}

void tst_BlockReader::everyChecksumAndCompression_data()
{
    QTest::addColumn<int>("checksum");
    QTest::addColumn<int>("compression");
    QTest::addColumn<bool>("big");
    for (const int checksum : {2, 6, 7, 8, 11, 12, 13, 14}) {
        for (const int compression : {2, 3, 10, 14, 15, 16}) {
            for (const bool big : {false, true}) {
                QTest::addRow("checksum %d, compression %d, %s",
                              checksum,
                              compression,
                              big ? "big" : "little")
                    << checksum << compression << big;
            }
        }
    }
}

void tst_BlockReader::everyChecksumAndCompression()
{
    QFETCH(const int, checksum);
    QFETCH(const int, compression);
    QFETCH(const bool, big);
    const codec::ChecksumSalt salt = makeSalt();
    const ByteVector content = textBytes(32 * KiB);
    const BlockPointer pointer =
        writeBlock(*m_vdevs,
                   content,
                   {.checksum = static_cast<ChecksumAlgorithm>(checksum),
                    .compression = static_cast<CompressionAlgorithm>(compression),
                    .order = big ? ByteOrder::Big : ByteOrder::Little,
                    .salt = &salt});
    const bool salted = codec::isSalted(static_cast<ChecksumAlgorithm>(checksum));
    if (salted) {
        const auto without = read(pointer);
        QVERIFY(!without);
        QVERIFY(!without.error().is(ErrorCode::ChecksumMismatch));
    }
    m_reader->setSalt(salt);
    const auto data = read(pointer);
    QVERIFY2(data, data ? "" : data.error().toText().c_str());
    QVERIFY(same(*data, content));

    // Every bit counts, except where there is no checksum.
    if (checksum != 2) {
        SeededRandom random(testSeed());
        for (int i = 0; i < 5; ++i) {
            const std::size_t at = static_cast<std::size_t>(pointer.dva(0).offset.value()) +
                                   random.next() % pointer.physicalSize().value();
            (*m_vdevs)[0].bytes()[at] ^= std::byte{4};
            const auto damaged = read(pointer, {.keep = false});
            // Still cached: read from the device with a fresh reader.
            BlockCache empty(ByteCount(1 * MiB));
            BlockReader fresh(*m_vdevs, empty, {});
            fresh.setSalt(salt);
            const auto again = fresh.read(pointer, kMark, {});
            QVERIFY(!again);
            QVERIFY(again.error().is(ErrorCode::ChecksumMismatch));
            QVERIFY(damaged);
            (*m_vdevs)[0].bytes()[at] ^= std::byte{4};
        }
    }
}

void tst_BlockReader::embeddedAndHoles()
{
    const auto hole = read(BlockPointer{});
    QVERIFY(hole);
    QVERIFY(same(*hole, ByteVector(512)));

    const ByteVector small = randomBytes(5, 100);
    QVERIFY(same(*read(embedded(small, 100, CompressionAlgorithm::Off)), small));

    const ByteVector content(4096, std::byte{7});
    ByteVector packed(4096);
    packed.resize(**codec::compress(CompressionAlgorithm::Lz4, content, packed));
    QVERIFY(packed.size() <= 112);
    const BlockPointer pointer = embedded(packed, 4096, CompressionAlgorithm::Lz4);
    QVERIFY(same(*read(pointer, {.wait = Wait::CachedOnly}), content));

    BlockPointer broken = pointer;
    broken.words[6] ^= 3; // another logical size
    QVERIFY(!read(broken));
    BlockPointer redacted = pointer;
    redacted.words[6] |= std::uint64_t{2} << 40U;
    QVERIFY(!read(redacted));
}

void tst_BlockReader::encryptedIsRefusedByName()
{
    const BlockPointer pointer =
        writeBlock(*m_vdevs, randomBytes(1, 4096), {.type = 19, .crypt = true});
    const auto data = read(pointer);
    QVERIFY(!data);
    QVERIFY(data.error().is(ErrorCode::Encrypted));
    QCOMPARE(data.error().where().object->value(), 8U);
    // The check needs no key.
    const auto outcome = m_reader->verifyCopies(pointer, kMark, [](const block::CopyFinding&) {});
    QVERIFY(outcome);
    QCOMPARE(outcome->goodCopies, 1U);
}

void tst_BlockReader::protectedMetadataIsRead()
{
    const ByteVector content = randomBytes(1, 4096);
    const BlockPointer pointer = writeBlock(*m_vdevs, content, {.type = 16, .crypt = true});
    QVERIFY(same(*read(pointer), content));
    (*m_vdevs)[0].bytes()[pointer.dva(0).offset.value() + 9] ^= std::byte{1};
    QVERIFY(!BlockReader(*m_vdevs, *m_cache, {}).read(pointer, kMark, {}));
}

void tst_BlockReader::readsAroundDamage()
{
    const ByteVector content = randomBytes(2, 8192);
    for (const bool gang : {false, true}) {
        const WriteSpec spec{.vdevs = {0, 1, 2}};
        const BlockPointer pointer =
            gang ? writeGang(*m_vdevs, content, spec, 0) : writeBlock(*m_vdevs, content, spec);
        for (const std::size_t copy : {0U, 1U}) {
            (*m_vdevs)[copy].bytes()[pointer.dva(copy).offset.value() + 5] ^= std::byte{1};
            BlockReader reader(*m_vdevs, *m_cache, {});
            const auto data = reader.read(pointer, kMark, {});
            QVERIFY(data);
            QVERIFY(same(*data, content));
            QCOMPARE(reader.counters().repaired, 1U);
        }
        (*m_vdevs)[2].bytes()[pointer.dva(2).offset.value() + 5] ^= std::byte{1};
        QVERIFY(!BlockReader(*m_vdevs, *m_cache, {}).read(pointer, kMark, {}));
    }
}

void tst_BlockReader::missingVdevsAreAskedLast()
{
    const ByteVector content = randomBytes(2, 8192);
    const BlockPointer pointer = writeBlock(*m_vdevs, content, {.vdevs = {0, 1}});
    (*m_vdevs)[0].missing = true;
    QVERIFY(same(*read(pointer), content));
    QCOMPARE((*m_vdevs)[0].reads, 0U);
    QCOMPARE((*m_vdevs)[1].reads, 1U);
}

void tst_BlockReader::saysWhyEachCopyFailed()
{
    const BlockPointer pointer = writeBlock(*m_vdevs, randomBytes(2, 8192), {.vdevs = {0, 1, 2}});
    (*m_vdevs)[0].missing = true;
    (*m_vdevs)[1].bytes()[pointer.dva(1).offset.value()] ^= std::byte{1};
    (*m_vdevs)[2].missing = true;
    const auto data = read(pointer);
    QVERIFY(!data);
    QVERIFY(data.error().is(ErrorCode::ChecksumMismatch));
    const QString text = QString::fromStdString(data.error().toText());
    QVERIFY2(text.contains("object 8 level 0 block 3"), qPrintable(text));
    QVERIFY(text.contains("copy 0") && text.contains("copy 1") && text.contains("copy 2"));
    QVERIFY(text.contains("missing") && text.contains("checksum"));
}

void tst_BlockReader::senselessPointers()
{
    BlockPointer pointer = writeBlock(*m_vdevs, randomBytes(2, 8192), {});
    const auto refused = [&](std::size_t word, std::uint64_t value) {
        BlockPointer broken = pointer;
        broken.words[word] = value;
        const auto data = read(broken);
        return !data && data.error().errorClass() == ErrorClass::Corrupt;
    };
    QVERIFY(refused(0, pointer.words[0] | std::uint64_t{99} << 32U)); // vdev 99
    QVERIFY(refused(1, std::uint64_t{1} << 53U));                     // far outside
    QVERIFY(refused(0, 1));                                           // too little space
    QVERIFY(refused(6, pointer.words[6] & ~std::uint64_t{0xffff}));   // logical below physical
    QVERIFY(refused(6, pointer.words[6] | 0xffff)); // larger than stored, not compressed
    QVERIFY(refused(6, pointer.words[6] | std::uint64_t{0xff} << 40U)); // checksum 255
    QVERIFY(refused(6, pointer.words[6] | std::uint64_t{0x7f} << 32U)); // compression 127
}

void tst_BlockReader::gangs_data()
{
    QTest::addColumn<int>("depth");
    QTest::addColumn<int>("size");
    QTest::addColumn<bool>("compressed");
    for (const int depth : {0, 1, 3}) {
        for (const int size : {512, 1024, 4096, 131072}) {
            QTest::addRow("depth %d, %d bytes", depth, size) << depth << size << false;
        }
        QTest::addRow("depth %d, compressed", depth) << depth << 131072 << true;
    }
}

void tst_BlockReader::gangs()
{
    QFETCH(const int, depth);
    QFETCH(const int, size);
    QFETCH(const bool, compressed);
    const ByteVector content = compressed ? textBytes(static_cast<std::size_t>(size))
                                          : randomBytes(4, static_cast<std::size_t>(size));
    for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
        const BlockPointer pointer = writeGang(
            *m_vdevs,
            content,
            {.compression = compressed ? CompressionAlgorithm::Lzjb : CompressionAlgorithm::Off,
             .order = order},
            static_cast<unsigned>(depth));
        QVERIFY(pointer.isGang());
        const auto data = read(pointer);
        QVERIFY2(data, data ? "" : data.error().toText().c_str());
        QVERIFY(same(*data, content));
    }
}

void tst_BlockReader::damagedGangs()
{
    const ByteVector content = randomBytes(4, 16384);
    const auto errorOf = [&](const BlockPointer& pointer) {
        const auto data = BlockReader(*m_vdevs, *m_cache, {}).read(pointer, kMark, {});
        return data ? ErrorCode::System : data.error().code();
    };
    // A header with a right checksum of its own, but pieces of the wrong size or content.
    const auto reseal = [&](const BlockPointer& pointer, const format::GangHeader& header) {
        ByteVector raw(512);
        header.encode(raw);
        const format::Dva dva = pointer.dva(0);
        QVERIFY(codec::sealEmbedded(
            ChecksumAlgorithm::GangHeader, raw, codec::gangVerifier(dva.vdev, dva.offset, Txg(7))));
        std::memcpy(&(*m_vdevs)[0].bytes()[dva.offset.value()], raw.data(), raw.size());
    };
    const BlockPointer pointer = writeGang(*m_vdevs, content, {}, 0);
    const auto headerOf = [&] {
        return *format::GangHeader::decode(
            Bytes((*m_vdevs)[0].bytes()).subspan(pointer.dva(0).offset.value(), 512),
            ByteOrder::Little);
    };
    format::GangHeader header = headerOf();
    header.pointers[1] = BlockPointer{};
    reseal(pointer, header);
    QCOMPARE(errorOf(pointer), ErrorCode::BadGang); // too short

    header = headerOf();
    header.pointers[1] = writeBlock(*m_vdevs, randomBytes(9, 5632), {.type = 0});
    reseal(pointer, header);
    const ErrorCode wrongPiece = errorOf(pointer);
    QVERIFY(wrongPiece == ErrorCode::ChecksumMismatch || wrongPiece == ErrorCode::BadGang);

    // A gang that is its own only piece.
    BlockPointer loop = writeGang(*m_vdevs, content, {}, 0);
    header = {};
    header.pointers[0] = loop;
    reseal(loop, header);
    QCOMPARE(errorOf(loop), ErrorCode::BadGang);
    const auto verified = m_reader->verifyCopies(loop, kMark, [](const block::CopyFinding&) {});
    QVERIFY(!verified);
    QVERIFY(verified.error().is(ErrorCode::BadGang));
}

void tst_BlockReader::verifiesEveryCopy()
{
    const ByteVector content = randomBytes(2, 8192);
    const BlockPointer pointer = writeBlock(*m_vdevs, content, {.vdevs = {0, 1, 2}});
    std::vector<block::CopyFinding> findings;
    const auto note = [&](const block::CopyFinding& finding) { findings.push_back(finding); };
    auto outcome = m_reader->verifyCopies(pointer, kMark, note);
    QVERIFY(outcome);
    QCOMPARE(outcome->goodCopies, 3U);
    QCOMPARE(outcome->bytesRead, 3 * 8192U);
    QVERIFY(findings.empty());

    (*m_vdevs)[1].bytes()[pointer.dva(1).offset.value() + 4000] ^= std::byte{1};
    (*m_vdevs)[2].missing = true;
    outcome = m_reader->verifyCopies(pointer, kMark, note);
    QVERIFY(outcome);
    QCOMPARE(outcome->goodCopies, 1U);
    QCOMPARE(outcome->findings, 2U);
    QCOMPARE(findings.size(), 2U);
    QCOMPARE(findings[0].copy, 1U);
    QVERIFY(findings[0].finding.kind == vdev::ScrubFinding::Kind::BadData);
    QVERIFY(findings[0].dva == pointer.dva(1));
    QVERIFY(findings[1].finding.kind == vdev::ScrubFinding::Kind::AwaitingResilver);
    QCOMPARE(m_cache->counters().blocks, 0U);

    QCOMPARE(m_reader->verifyCopies(BlockPointer{}, kMark, note)->goodCopies, 0U);
}

void tst_BlockReader::verifiesGangs()
{
    const ByteVector content = randomBytes(2, 8192);
    const BlockPointer pointer = writeGang(*m_vdevs, content, {.vdevs = {0, 1}}, 1);
    unsigned findings = 0;
    const auto note = [&](const block::CopyFinding&) { ++findings; };
    QCOMPARE(m_reader->verifyCopies(pointer, kMark, note)->goodCopies, 2U);
    QCOMPARE(findings, 0U);
    // The first byte written is of the first piece's first copy.
    (*m_vdevs)[0].bytes()[512] ^= std::byte{1};
    const auto outcome = m_reader->verifyCopies(pointer, kMark, note);
    QVERIFY(outcome);
    QCOMPARE(outcome->goodCopies, 2U);
    QCOMPARE(findings, 1U);
    (*m_vdevs)[1].bytes()[512] ^= std::byte{1}; // and its last
    QCOMPARE(m_reader->verifyCopies(pointer, kMark, note)->goodCopies, 0U);
}

void tst_BlockReader::cachesAndShares()
{
    const ByteVector content = randomBytes(2, 8192);
    const BlockPointer pointer = writeBlock(*m_vdevs, content, {});
    const BufferRef first = *read(pointer);
    const BufferRef second = *read(pointer);
    QVERIFY(first == second);
    QCOMPARE((*m_vdevs)[0].reads, 1U);

    // Others who want a block that is being read wait for it.
    const BlockPointer other = writeBlock(*m_vdevs, content, {});
    std::atomic<bool> go = false;
    (*m_vdevs)[0].beforeRead = [&] {
        while (!go) {
            std::this_thread::yield();
        }
    };
    std::vector<std::thread> threads;
    std::atomic<int> good = 0;
    for (int i = 0; i < 5; ++i) {
        threads.emplace_back([&] { good += same(*read(other), content) ? 1 : 0; });
    }
    while (m_cache->counters().joined < 4) {
        std::this_thread::yield();
    }
    QVERIFY(read(other, {.wait = Wait::CachedOnly}).error().is(ErrorCode::WouldBlock));
    go = true;
    for (std::thread& thread : threads) {
        thread.join();
    }
    QCOMPARE(good, 5);
    QCOMPARE((*m_vdevs)[0].reads, 2U);
}

void tst_BlockReader::keepFalseLeavesNothing()
{
    const ByteVector content = randomBytes(2, 8192);
    const BlockPointer pointer = writeBlock(*m_vdevs, content, {});
    QVERIFY(same(*read(pointer, {.keep = false}), content));
    QCOMPARE(m_cache->counters().blocks, 0U);
    QVERIFY(read(pointer));
    QVERIFY(read(pointer, {.keep = false}));
    QCOMPARE((*m_vdevs)[0].reads, 2U);
}

void tst_BlockReader::cachedOnlyNeverReads()
{
    const BlockPointer pointer = writeBlock(*m_vdevs, randomBytes(2, 8192), {});
    const auto data = read(pointer, {.wait = Wait::CachedOnly});
    QVERIFY(!data);
    QVERIFY(data.error().is(ErrorCode::WouldBlock));
    QCOMPARE((*m_vdevs)[0].reads, 0U);
    QVERIFY(read(pointer));
    QVERIFY(read(pointer, {.wait = Wait::CachedOnly}));
}

void tst_BlockReader::pointersThatShareAPlace()
{
    // A damaged pool: the same place as a block of another size.
    const ByteVector content = randomBytes(2, 8192);
    const BlockPointer pointer =
        writeBlock(*m_vdevs, content, {.checksum = ChecksumAlgorithm::Off});
    BlockPointer shorter = pointer;
    shorter.words[6] = (pointer.words[6] & ~std::uint64_t{0xffffffff}) | (7U << 16U) | 7U;
    QCOMPARE((*read(pointer))->size(), 8192U);
    QCOMPARE((*read(shorter))->size(), 4096U);
    QCOMPARE((*read(pointer))->size(), 8192U);
}

void tst_BlockReader::prefetches()
{
    const auto executor = *runtime::ThreadPool::create({.threads = 2});
    BlockReader reader(*m_vdevs, *m_cache, {.executor = executor.get()});
    std::vector<BlockPointer> pointers;
    for (std::uint64_t i = 0; i < 50; ++i) {
        pointers.push_back(writeBlock(*m_vdevs, randomBytes(i, 8192), {}));
        reader.prefetch(pointers.back(), kMark);
        reader.prefetch(pointers.back(), kMark);
    }
    for (std::uint64_t i = 0; i < 50; ++i) {
        QVERIFY(same(*reader.read(pointers[i], kMark, {}), randomBytes(i, 8192)));
    }
    QTRY_COMPARE((*m_vdevs)[0].reads, 50U);
    reader.prefetch(pointers.front(), kMark);
    reader.prefetch(BlockPointer{}, kMark);
    QTest::qWait(10);
    QCOMPARE((*m_vdevs)[0].reads, 50U);
}

void tst_BlockReader::neighboursArePrefetchedTogether()
{
    const auto executor = *runtime::ThreadPool::create({.threads = 1});
    std::atomic<bool> go = false;
    executor->post([&] {
        while (!go) {
            std::this_thread::yield();
        }
    });
    BlockReader reader(*m_vdevs, *m_cache, {.executor = executor.get()});
    std::vector<BlockPointer> pointers;
    for (std::uint64_t i = 0; i < 20; ++i) {
        pointers.push_back(writeBlock(
            *m_vdevs,
            textBytes(8192),
            {.compression = i % 2 == 0 ? CompressionAlgorithm::Lz4 : CompressionAlgorithm::Off,
             .vdevs = {0, 1}}));
    }
    (*m_vdevs)[0].bytes()[pointers[7].dva(0).offset.value()] ^= std::byte(1);
    for (const BlockPointer& pointer : pointers) {
        reader.prefetch(pointer, kMark);
    }
    go = true;
    QTRY_COMPARE(reader.counters().prefetched, 20U);
    QCOMPARE((*m_vdevs)[0].runs, 1U);
    QCOMPARE((*m_vdevs)[1].reads, 1U); // the damaged one's other copy
    QCOMPARE(reader.counters().repaired, 1U);
    for (const BlockPointer& pointer : pointers) {
        QVERIFY(
            same(*reader.read(pointer, kMark, {.wait = block::Wait::CachedOnly}), textBytes(8192)));
    }
}

void tst_BlockReader::prefetchIsBounded()
{
    const auto executor = *runtime::ThreadPool::create({.threads = 1});
    std::atomic<bool> go = false;
    (*m_vdevs)[0].beforeRead = [&] {
        while (!go) {
            std::this_thread::yield();
        }
    };
    BlockReader reader(
        *m_vdevs, *m_cache, {.executor = executor.get(), .prefetchLimit = ByteCount(40 * KiB)});
    for (std::uint64_t i = 0; i < 50; ++i) {
        reader.prefetch(writeBlock(*m_vdevs, randomBytes(i, 8192), {}), kMark);
    }
    QCOMPARE(reader.counters().prefetchDropped, 45U);
    go = true;
    QTRY_COMPARE(reader.counters().prefetched, 5U);
    reader.prefetch(writeBlock(*m_vdevs, randomBytes(99, 8192), {}), kMark);
    QTRY_COMPARE(reader.counters().prefetched, 6U);
}

void tst_BlockReader::outlivedByItsPrefetches()
{
    const auto executor = *runtime::ThreadPool::create({.threads = 1});
    for (int round = 0; round < 20; ++round) {
        BlockReader reader(*m_vdevs, *m_cache, {.executor = executor.get()});
        for (std::uint64_t i = 0; i < 20; ++i) {
            reader.prefetch(writeBlock(*m_vdevs, ByteVector(512), {}), kMark);
        }
    }
    QCOMPARE(m_cache->counters().blocks, 0U);
}

void tst_BlockReader::hammered()
{
    const auto executor = *runtime::ThreadPool::create({.threads = 2});
    BlockCache cache(ByteCount(200 * KiB));
    BlockReader reader(*m_vdevs, cache, {.executor = executor.get()});
    std::vector<BlockPointer> pointers;
    for (std::uint64_t i = 0; i < 100; ++i) {
        pointers.push_back(writeBlock(
            *m_vdevs,
            ByteVector(4096, std::byte(i)),
            {.compression = i % 2 == 0 ? CompressionAlgorithm::Lz4 : CompressionAlgorithm::Off}));
    }
    std::atomic<bool> wrong = false;
    std::vector<std::thread> threads;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        threads.emplace_back([&, seed] {
            SeededRandom random(seed);
            for (int i = 0; i < 2000; ++i) {
                const std::uint64_t n = random.next() % 100;
                if (random.next() % 3 == 0) {
                    reader.prefetch(pointers[n], kMark);
                    continue;
                }
                const auto data = reader.read(pointers[n], kMark, {.keep = random.next() % 4 != 0});
                wrong = wrong || !data || !same(*data, ByteVector(4096, std::byte(n)));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    QVERIFY(!wrong);
    QVERIFY(cache.counters().bytes <= 200 * KiB);
}

void tst_BlockReader::randomPointers()
{
    SeededRandom random(testSeed());
    const BlockPointer plain = writeBlock(*m_vdevs, textBytes(8192), {.vdevs = {0, 1}});
    const BlockPointer gang = writeGang(*m_vdevs, textBytes(8192), {.vdevs = {0, 1}}, 1);
    for (int i = 0; i < 3000; ++i) {
        BlockPointer pointer = i % 2 == 0 ? plain : gang;
        for (std::uint64_t flips = random.next() % 4 + 1; flips > 0; --flips) {
            pointer.words[random.next() % 12] ^= std::uint64_t{1} << random.next() % 64;
        }
        (void)read(pointer);
        (void)m_reader->verifyCopies(pointer, kMark, [](const block::CopyFinding&) {});
        m_reader->prefetch(pointer, kMark);
    }
}

QTEST_GUILESS_MAIN(tst_BlockReader)
#include "tst_block_reader.moc"
