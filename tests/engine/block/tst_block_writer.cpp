// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is written can be read back, from every copy, also with leaves missing; what is freed is
// what was taken; policies (rounding, embedding, holes, rewriting in place, gangs) are OpenZFS'.
// Method: a writer over memory devices with a strict allocator, read back by the reader.
#include "block/block_writer.h"

#include "block/extents.h"
#include "block/pointer_maker.h"
#include "engine/vdev/pool_of_memory.h"
#include "format/dnode.h"
#include "format/gang.h"
#include "format/intent_log.h"
#include "runtime/thread_pool.h"
#include "support/seed.h"

#include <QElapsedTimer>
#include <QTest>

using namespace millpond;
using namespace millpond::test;
using block::BlockReader;
using block::BlockWriter;
using block::WriteProperties;
using block::WriteRequest;
using format::BlockPointer;
using format::ChecksumType;
using format::CompressionType;
using Outcome = WriteRequest::Outcome;

namespace {

constexpr block::Bookmark kMark{ObjsetId(1), ObjectId(2), Level(0), BlockIndex(3)};
constexpr Txg kTxg{100};
constexpr std::uint8_t kFileType = 19;

struct Shape
{
    const char* name;
    std::size_t width;
    std::size_t parity; ///< 0: a mirror
    unsigned ashift;
};

const std::vector<Shape> kShapes{
    {"single", 1, 0, 9},
    {"mirror", 2, 0, 12},
    {"raidz1", 3, 1, 9},
    {"raidz2", 5, 2, 12},
};

class NoMaps final : public space::MetaslabLoader
{
public:
    [[nodiscard]] Result<space::RangeSet> allocated(const space::MetaslabId&, ObjectId) override
    {
        return space::RangeSet();
    }
};

/// A pool of one top-level vdev with a writer and a reader.
class Fixture
{
public:
    explicit Fixture(const Shape& shape = kShapes[0],
                     block::BlockWriterOptions options = {},
                     ByteCount cacheSize = ByteCount(64 * MiB))
        : cache(cacheSize)
    {
        config = memory.addTop(shape.width, shape.parity, shape.ashift);
        tree = memory.tree(config);
        map = std::make_unique<block::TreeVdevMap>(*tree);
        allocator =
            std::move(space::Allocator::create(
                          {{.top = tree->top(VdevId(0)), .metaslabShift = 24, .metaslabs = {}}},
                          maps,
                          {}))
                .value();
        reader = std::make_unique<BlockReader>(*map, cache, block::BlockReaderOptions{});
        executor = std::move(runtime::ThreadPool::create({.threads = 2})).value();
        options.executor = executor.get();
        if (options.minimumAllocation == ByteCount(512)) {
            options.minimumAllocation = ByteCount(std::uint64_t{1} << shape.ashift);
        }
        writer = std::make_unique<BlockWriter>(*tree, *allocator, *reader, options);
        const std::vector<std::byte> bytes = randomBytes(1, codec::ChecksumSalt::kSize);
        const codec::ChecksumSalt salt(
            std::span<const std::byte, codec::ChecksumSalt::kSize>(bytes.data(), bytes.size()));
        writer->setSalt(salt);
        reader->setSalt(salt);
    }

    WriteRequest write(Bytes data,
                       const WriteProperties& properties,
                       const BlockPointer& previous = {},
                       Txg txg = kTxg,
                       unsigned pass = 1)
    {
        WriteRequest request{
            .bookmark = kMark,
            .data = std::make_shared<const Buffer>(std::move(Buffer::copyOf(data)).value()),
            .properties = properties,
            .previous = previous,
            .result = {},
            .status = {}};
        (void)writer->write(std::span(&request, 1), txg, pass);
        return request;
    }

    /// From the devices.
    [[nodiscard]] bool readsAs(const BlockPointer& pointer, Bytes data)
    {
        const auto read = reader->read(pointer, kMark, {.keep = false});
        if (!read) {
            qWarning("%s", read.error().toText().c_str());
        }
        return read && std::ranges::equal((*read)->bytes(), data);
    }

    /// Every copy and column, without the cache.
    [[nodiscard]] unsigned goodCopies(const BlockPointer& pointer)
    {
        unsigned findings = 0;
        const auto outcome =
            reader->verifyCopies(pointer, kMark, [&](const block::CopyFinding&) { ++findings; });
        return outcome && findings == 0 ? outcome->goodCopies : 0;
    }

    [[nodiscard]] std::uint64_t allocated() const
    {
        return allocator->figures(VdevId(0)).allocated;
    }

    /// Leaves only single ranges of `size` bytes free.
    void fragment(std::uint64_t size)
    {
        const std::uint64_t end = tree->top(VdevId(0))->allocatable().value();
        std::uint64_t at = MiB;
        for (; at + size * 2 <= end; at += size * 2) {
            QVERIFY(allocator->claim({VdevId(0), ByteOffset(at), ByteCount(size)}, kTxg));
        }
        if (at < end) {
            QVERIFY(allocator->claim({VdevId(0), ByteOffset(at), ByteCount(end - at)}, kTxg));
        }
    }

    MemoryPool memory;
    format::NvList config;
    std::unique_ptr<vdev::VdevTree> tree;
    std::unique_ptr<block::TreeVdevMap> map;
    NoMaps maps;
    std::unique_ptr<space::Allocator> allocator;
    block::BlockCache cache;
    std::unique_ptr<runtime::ThreadPool> executor;
    std::unique_ptr<BlockReader> reader;
    std::unique_ptr<BlockWriter> writer;
};

std::vector<std::byte> textBytes(std::size_t size)
{
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) {
        bytes[i] = i / 100 % 2 == 0 ? std::byte("to be or not to be, that is "[i % 28])
                                    : std::byte{0}; // zle knows nothing else
    }
    return bytes;
}

/// All zeroes but for the last word, so that it shrinks to next to nothing.
std::vector<std::byte> nearlyZero(std::size_t size)
{
    std::vector<std::byte> bytes(size);
    bytes.back() = std::byte{7};
    return bytes;
}

constexpr WriteProperties kPlain{.type = kFileType};
constexpr WriteProperties kLz4{.type = kFileType, .compression = CompressionType::Lz4};

} // namespace

class TestBlockWriter : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void readsBackWhatWasWritten_data()
    {
        QTest::addColumn<int>("shape");
        for (std::size_t i = 0; i < kShapes.size(); ++i) {
            QTest::newRow(kShapes[i].name) << static_cast<int>(i);
        }
    }

    /// Every checksum × compression × size × copies, and gives everything back.
    void readsBackWhatWasWritten()
    {
        QFETCH(int, shape);
        Fixture f(kShapes[static_cast<std::size_t>(shape)]);
        const std::vector<ChecksumType> checksums{ChecksumType::Off,
                                                  ChecksumType::Fletcher2,
                                                  ChecksumType::Fletcher4,
                                                  ChecksumType::Sha256,
                                                  ChecksumType::NoParity,
                                                  ChecksumType::Sha512,
                                                  ChecksumType::Skein,
                                                  ChecksumType::EdonR,
                                                  ChecksumType::Blake3};
        const std::vector<CompressionType> compressions{CompressionType::Off,
                                                        CompressionType::Lzjb,
                                                        CompressionType::Gzip1,
                                                        CompressionType::Zle,
                                                        CompressionType::Lz4,
                                                        CompressionType::Zstd};
        std::vector<WriteRequest> requests;
        unsigned copies = 0;
        for (const ChecksumType checksum : checksums) {
            for (const CompressionType compression : compressions) {
                std::vector<std::size_t> sizes{512, 4096, 7680};
                if (checksum == ChecksumType::Fletcher4) {
                    sizes.push_back(128 * KiB); // the others take their time in debug builds
                }
                for (const std::size_t size : sizes) {
                    for (const bool text : {false, true}) {
                        copies = copies % 3 + 1;
                        const auto content =
                            text ? textBytes(size) : randomBytes(requests.size(), size);
                        requests.push_back({.bookmark = kMark,
                                            .data = std::make_shared<const Buffer>(
                                                std::move(Buffer::copyOf(content)).value()),
                                            .properties = {.type = kFileType,
                                                           .checksum = checksum,
                                                           .compression = compression,
                                                           .copies = copies,
                                                           .bypassCache = true},
                                            .previous = {},
                                            .result = {},
                                            .status = {}});
                    }
                }
            }
        }
        const Status status = f.writer->write(requests, kTxg, 1);
        QVERIFY2(status, status ? "" : status.error().toText().c_str());
        for (const WriteRequest& request : requests) {
            const BlockPointer& pointer = request.result;
            QVERIFY(pointer.validate(1));
            QCOMPARE(pointer.birth(), kTxg);
            QCOMPARE(pointer.fill(), std::uint64_t{1});
            QCOMPARE(pointer.dvaCount(), std::size_t{request.properties.copies});
            QVERIFY(f.readsAs(pointer, request.data->bytes()));
            QCOMPARE(f.goodCopies(pointer), request.properties.copies);
        }
        QVERIFY(f.allocated() > 0);
        for (const WriteRequest& request : requests) {
            QVERIFY(f.writer->free(request.result, kTxg));
        }
        QCOMPARE(f.allocated(), std::uint64_t{0});
    }

    void survivesTheLossOfLeaves()
    {
        for (const Shape& shape : {kShapes[1], kShapes[2], kShapes[3]}) {
            Fixture f(shape);
            const auto content = randomBytes(5, 40 * KiB);
            const WriteRequest request = f.write(content, kPlain);
            QVERIFY(request.status);
            for (std::size_t leaf = 0; leaf < std::max<std::size_t>(shape.parity, 1); ++leaf) {
                f.memory.damage(leaf, MiB / shape.width / 2, 2 * MiB);
            }
            QVERIFY(f.readsAs(request.result, content));
        }
    }

    void compressedSizesAreWholeSectors_data()
    {
        QTest::addColumn<int>("ashift");
        QTest::newRow("512") << 9;
        QTest::newRow("4096") << 12;
    }

    void compressedSizesAreWholeSectors()
    {
        QFETCH(int, ashift);
        Fixture f({"single", 1, 0, static_cast<unsigned>(ashift)});
        const std::uint64_t sector = std::uint64_t{1} << ashift;
        for (const std::size_t zeroes : {512U, 2000U, 8192U, 12000U, 14000U, 15000U, 16000U}) {
            std::vector<std::byte> content = randomBytes(zeroes, 16 * KiB);
            std::fill_n(content.begin(), zeroes, std::byte{0});
            const BlockPointer pointer = f.write(content, kLz4).result;
            const std::uint64_t stored = pointer.physicalSize().value();
            const bool shrunk = pointer.compression() == CompressionType::Lz4;
            QCOMPARE(stored % sector, std::uint64_t{0});
            QCOMPARE(shrunk, stored < content.size());
            // An eighth at least: 2 KiB.
            QVERIFY(!shrunk || stored <= 14 * KiB);
            QCOMPARE(shrunk, zeroes > 2100);
            QVERIFY(f.readsAs(pointer, content));
        }
    }

    void tailsBehindCompressedBytesAreZero()
    {
        Fixture f({"single", 1, 0, 12});
        std::vector<std::byte> content = textBytes(16 * KiB);
        const BlockPointer pointer = f.write(content, kLz4).result;
        QCOMPARE(pointer.physicalSize(), ByteCount(4096));
        std::vector<std::byte> raw(4096);
        QVERIFY(f.memory.memory(0).read(
            ByteOffset(pointer.dva(0).offset.value() + format::kLabelStartBytes), raw));
        QVERIFY(std::all_of(
            raw.begin() + 2048, raw.end(), [](std::byte b) { return b == std::byte{0}; }));
    }

    void embedsWhatIsSmallEnough()
    {
        Fixture f;
        WriteProperties properties = kLz4;
        properties.mayEmbed = true;
        const auto content = nearlyZero(4096);
        const BlockPointer pointer = f.write(content, properties).result;
        QVERIFY(pointer.isEmbedded());
        QVERIFY(pointer.validate(1));
        QCOMPARE(pointer.logicalSize(), ByteCount(4096));
        QCOMPARE(pointer.birth(), kTxg);
        QCOMPARE(pointer.type(), kFileType);
        QVERIFY(f.readsAs(pointer, content));
        QCOMPARE(f.allocated(), std::uint64_t{0});
        QVERIFY(f.writer->free(pointer, kTxg));

        // Not above level 0, not types that count, not without leave.
        properties.level = Level(1);
        QVERIFY(!f.write(content, properties).result.isEmbedded());
        properties.level = Level(0);
        properties.type = format::number(format::ObjectType::Dnode);
        QVERIFY(!f.write(content, properties).result.isEmbedded());
        QVERIFY(!f.write(content, kLz4).result.isEmbedded());
        // Not what isn't compressed.
        properties = kPlain;
        properties.mayEmbed = true;
        QVERIFY(!f.write(content, properties).result.isEmbedded());
    }

    /// Of every length that fits, with every last byte in its place.
    void embeddedPayloadsKeepTheirBytes()
    {
        for (std::size_t size = 1; size <= BlockPointer::kMaxEmbeddedBytes; ++size) {
            const auto payload = randomBytes(size, size);
            const BlockPointer pointer =
                block::embeddedPointer({.type = kFileType,
                                        .compression = CompressionType::Lz4,
                                        .logicalSize = ByteCount(4096),
                                        .birth = kTxg},
                                       payload);
            const auto back = pointer.embeddedPayload();
            QVERIFY(back);
            QVERIFY(std::ranges::equal(back->used(), payload));
        }
    }

    void zeroesAreHoles()
    {
        Fixture f;
        const std::vector<std::byte> zeroes(8192);
        const BlockPointer never = f.write(zeroes, kLz4).result;
        QCOMPARE(never, BlockPointer());
        const BlockPointer before = f.write(randomBytes(1, 8192), kPlain, {}, Txg(90)).result;
        const BlockPointer hole = f.write(zeroes, kLz4, before).result;
        QVERIFY(hole.isHole());
        QCOMPARE(hole.birth(), kTxg);
        QCOMPARE(hole.logicalSize(), ByteCount(8192));
        QCOMPARE(hole.type(), kFileType);
        QVERIFY(f.readsAs(hole, zeroes));
        QVERIFY(!f.write(zeroes, kPlain).result.isHole()); // not compressed: stored

        Fixture old(kShapes[0], {.holeBirth = false});
        QCOMPARE(old.write(zeroes, kLz4, before).result, BlockPointer());
    }

    void rewritesInPlaceFromTheSecondPassOn()
    {
        Fixture f;
        const auto first = randomBytes(1, 4096);
        const auto second = randomBytes(2, 4096);
        const BlockPointer before = f.write(first, kPlain).result;
        const std::uint64_t allocated = f.allocated();

        const WriteRequest moved = f.write(second, kPlain, before, kTxg, 1);
        QCOMPARE(moved.outcome, Outcome::Written);
        QVERIFY(moved.result.dva(0) != before.dva(0));
        QVERIFY(f.readsAs(before, first));
        QVERIFY(f.writer->unallocate(moved.result, kTxg));

        const WriteRequest kept = f.write(second, kPlain, before, kTxg, 2);
        QCOMPARE(kept.outcome, Outcome::Rewritten);
        QCOMPARE(kept.result.dva(0), before.dva(0));
        QCOMPARE(f.allocated(), allocated);
        QVERIFY(f.readsAs(kept.result, second));
        const auto cached = f.reader->read(kept.result, kMark, {.wait = block::Wait::CachedOnly});
        QVERIFY(cached && std::ranges::equal((*cached)->bytes(), second));

        // Another size, another number of copies, another txg: elsewhere.
        QCOMPARE(f.write(randomBytes(3, 8192), kPlain, before, kTxg, 2).outcome, Outcome::Written);
        WriteProperties twice = kPlain;
        twice.copies = 2;
        QCOMPARE(f.write(second, twice, before, kTxg, 2).outcome, Outcome::Written);
        QCOMPARE(f.write(second, kPlain, before, Txg(101), 2).outcome, Outcome::Written);
    }

    void compressesNoMoreInLatePasses()
    {
        Fixture f;
        const auto text = textBytes(8192);
        const BlockPointer before = f.write(text, kLz4, {}, kTxg, 8).result;
        QCOMPARE(before.compression(), CompressionType::Lz4); // new in this pass
        QCOMPARE(f.write(text, kLz4, before, kTxg, 7).result.compression(), CompressionType::Lz4);
        QCOMPARE(f.write(text, kLz4, before, kTxg, 8).result.compression(), CompressionType::Off);
    }

    void equalContentIsNotWrittenAgain()
    {
        Fixture f;
        WriteProperties properties = kLz4;
        properties.checksum = ChecksumType::Sha256;
        properties.nopwrite = true;
        const auto text = textBytes(8192);
        const BlockPointer before = f.write(text, properties, {}, Txg(90)).result;
        const std::uint64_t allocated = f.allocated();
        const WriteRequest same = f.write(text, properties, before);
        QCOMPARE(same.outcome, Outcome::Unchanged);
        QCOMPARE(same.result, before);
        QCOMPARE(f.allocated(), allocated);
        QCOMPARE(f.write(randomBytes(1, 8192), properties, before).outcome, Outcome::Written);
        properties.copies = 2;
        QCOMPARE(f.write(text, properties, before).outcome, Outcome::Written);
        properties.copies = 1;
        properties.checksum = ChecksumType::Fletcher4; // collides too easily
        const BlockPointer weak = f.write(text, properties, {}, Txg(90)).result;
        QCOMPARE(f.write(text, properties, weak).outcome, Outcome::Written);
    }

    void fragmentedSpaceMakesGangs_data() { readsBackWhatWasWritten_data(); }

    void fragmentedSpaceMakesGangs()
    {
        QFETCH(int, shape);
        const Shape& chosen = kShapes[static_cast<std::size_t>(shape)];
        Fixture f(chosen);
        f.fragment(std::uint64_t{chosen.parity + 8} << (chosen.ashift + 1));
        const std::uint64_t allocated = f.allocated();
        std::vector<BlockPointer> pointers;
        for (const unsigned copies : {1U, 2U, 3U}) {
            for (const std::size_t size : {std::size_t{33 * KiB}, std::size_t{256 * KiB}}) {
                WriteProperties properties = kPlain;
                properties.copies = copies;
                const auto content = randomBytes(size, alignUp(size, 4096));
                const WriteRequest request = f.write(content, properties);
                QVERIFY2(request.status,
                         request.status ? "" : request.status.error().toText().c_str());
                const BlockPointer& pointer = request.result;
                if (size > 200 * KiB) {
                    QVERIFY(pointer.isGang());
                }
                if (pointer.isGang()) {
                    QCOMPARE(pointer.dvaCount(), std::size_t{std::max(copies, 2U)});
                }
                QVERIFY(pointer.validate(1));
                QVERIFY(f.readsAs(pointer, content));
                QCOMPARE(f.goodCopies(pointer), static_cast<unsigned>(pointer.dvaCount()));

                // The pointer counts all that was taken for it.
                std::uint64_t taken = 0;
                QVERIFY(block::forEachExtent(*f.map, pointer, [&](const block::Extent& extent) {
                    taken += extent.size.value();
                }));
                QCOMPARE(pointer.allocatedSize().value(), taken);

                // In place, in the same pieces.
                const auto other = randomBytes(size + 1, content.size());
                const std::uint64_t before = f.allocated();
                const WriteRequest again = f.write(other, properties, pointer, kTxg, 2);
                QCOMPARE(again.outcome, Outcome::Rewritten);
                QCOMPARE(f.allocated(), before);
                QVERIFY(f.readsAs(again.result, other));
                QCOMPARE(f.goodCopies(again.result), static_cast<unsigned>(pointer.dvaCount()));
                pointers.push_back(again.result);
            }
        }
        QVERIFY(f.writer->counters().gangs > 0);
        for (const BlockPointer& pointer : pointers) {
            QVERIFY(f.writer->free(pointer, kTxg));
        }
        QCOMPARE(f.allocated(), allocated);
    }

    void aFullPoolTakesNothing()
    {
        Fixture f;
        f.fragment(64 * KiB);
        std::vector<BlockPointer> pointers;
        Status status;
        std::uint64_t before = 0;
        for (int i = 0; i < 100 && status; ++i) {
            before = f.allocated();
            const WriteRequest request =
                f.write(randomBytes(static_cast<unsigned>(i), 4 * MiB), kPlain);
            status = request.status;
            if (status) {
                pointers.push_back(request.result);
            }
        }
        QVERIFY(!status);
        QVERIFY(status.error().is(ErrorCode::NoSpace));
        QCOMPARE(*status.error().where().object, ObjectId(2));
        QCOMPARE(f.allocated(), before); // INV-2
        QVERIFY(!pointers.empty());
        for (const BlockPointer& pointer : pointers) {
            QVERIFY(f.writer->free(pointer, kTxg));
        }
    }

    void failedDevicesFailTheRequest()
    {
        Fixture f;
        f.memory.faulty(0).setPlan(
            {.badWrites = {{.offset = ByteOffset(format::kLabelStartBytes + MiB + 8192),
                            .size = ByteCount(512)}}});
        std::vector<WriteRequest> requests;
        for (unsigned i = 0; i < 4; ++i) {
            requests.push_back({.bookmark = kMark,
                                .data = std::make_shared<const Buffer>(
                                    std::move(Buffer::copyOf(randomBytes(i, 4096))).value()),
                                .properties = kPlain,
                                .previous = {},
                                .result = {},
                                .status = {}});
        }
        QVERIFY(f.writer->write(requests, kTxg, 1).error().is(ErrorCode::DeviceIo));
        std::uint64_t good = 0;
        for (const WriteRequest& request : requests) {
            good += request.status.has_value();
        }
        QCOMPARE(f.allocated(), good * 4096);
        QVERIFY(!requests[2].status);
    }

    void refusesSenselessRequests()
    {
        Fixture f;
        const auto refused = [&](std::size_t size, const WriteProperties& properties) {
            const WriteRequest request = f.write(std::vector<std::byte>(size), properties);
            return !request.status && request.status.error().errorClass() != ErrorClass::Io;
        };
        QVERIFY(refused(100, kPlain));
        QVERIFY(refused(0, kPlain));
        QVERIFY(refused(512, {.copies = 0}));
        QVERIFY(refused(512, {.copies = 4}));
        QVERIFY(refused(512, {.checksum = ChecksumType::GangHeader}));
        QVERIFY(refused(512, {.checksum = ChecksumType::On}));
        QCOMPARE(f.allocated(), std::uint64_t{0});
    }

    void whatWasWrittenIsCached()
    {
        Fixture f;
        const auto text = textBytes(8192);
        const BlockPointer kept = f.write(text, kLz4).result;
        const auto cached = f.reader->read(kept, kMark, {.wait = block::Wait::CachedOnly});
        QVERIFY(cached && std::ranges::equal((*cached)->bytes(), text));
        WriteProperties bypass = kLz4;
        bypass.bypassCache = true;
        const BlockPointer passed = f.write(text, bypass).result;
        QVERIFY(f.reader->read(passed, kMark, {.wait = block::Wait::CachedOnly})
                    .error()
                    .is(ErrorCode::WouldBlock));
        // Given back and taken again in the same txg: the old content is not found there.
        QVERIFY(f.writer->unallocate(passed, kTxg));
        QVERIFY(f.writer->unallocate(kept, kTxg));
        const auto other = randomBytes(1, 8192);
        const BlockPointer again = f.write(other, bypass).result;
        QCOMPARE(again.dva(0).offset, kept.dva(0).offset);
        QVERIFY(f.readsAs(again, other));
    }

    /// Longer than a batch; each request its own content.
    void manyBlocksAtOnce()
    {
        Fixture f;
        std::vector<WriteRequest> requests;
        for (unsigned i = 0; i < 160; ++i) {
            const std::size_t size = (i % 8 + 1) * 16 * KiB;
            requests.push_back(
                {.bookmark = kMark,
                 .data = std::make_shared<const Buffer>(
                     std::move(Buffer::copyOf(i % 2 != 0 ? randomBytes(i, size) : textBytes(size)))
                         .value()),
                 .properties = kLz4,
                 .previous = {},
                 .result = {},
                 .status = {}});
        }
        QVERIFY(f.writer->write(requests, kTxg, 1));
        for (const WriteRequest& request : requests) {
            QVERIFY(f.readsAs(request.result, request.data->bytes()));
        }
        QCOMPARE(f.writer->counters().blocksWritten, std::uint64_t{160});
    }

    void logBlocksVerify_data() { readsBackWhatWasWritten_data(); }

    void logBlocksVerify()
    {
        QFETCH(int, shape);
        Fixture f(kShapes[static_cast<std::size_t>(shape)]);
        for (const bool slim : {false, true}) {
            constexpr std::size_t kSize = 32 * KiB;
            BlockPointer pointer =
                std::move(f.writer->allocateLogBlock(ByteCount(kSize), kTxg, slim)).value();
            QVERIFY(pointer.validate(1));
            QCOMPARE(pointer.type(), format::number(format::ObjectType::IntentLog));
            block::setChecksum(pointer, {{1, 2, 3, 4}});
            std::vector<std::byte> content = randomBytes(7, kSize);
            const std::uint64_t used = slim ? 5000 : kSize - format::ZilChain::kBytes;
            const std::size_t chainAt = slim ? 0 : kSize - format::ZilChain::kBytes;
            format::ZilChain{.next = pointer, .used = used}.encode(
                MutableBytes(content).subspan(chainAt, format::ZilChain::kBytes));
            const block::LogBlockWrite write{.pointer = pointer, .content = content};
            QVERIFY(f.writer->writeLogBlocks(std::span(&write, 1), kTxg));
            const auto read = f.reader->read(pointer, kMark, {.keep = false});
            QVERIFY2(read, read ? "" : read.error().toText().c_str());
            const auto block = format::ZilBlock::decode(
                (*read)->bytes(), pointer.checksumType(), ByteOrder::Little);
            QVERIFY(block);
            QCOMPARE(block->chain.next, pointer);
            QCOMPARE(block->chain.used, used);
            const std::size_t recordsAt = slim ? format::ZilChain::kBytes : 0;
            QVERIFY(std::ranges::equal(block->records,
                                       Bytes(content).subspan(recordsAt, block->records.size())));
            QVERIFY(f.writer->free(pointer, kTxg));
        }
        QCOMPARE(f.allocated(), std::uint64_t{0});
    }

    /// Incompressible blocks of 128 KiB, fletcher4, one memory device.
    void speed()
    {
        if (!qEnvironmentVariableIsSet("MILLPOND_BENCH")) {
            return;
        }
        Fixture f;
        std::vector<WriteRequest> requests;
        for (unsigned i = 0; i < 256; ++i) {
            requests.push_back({.bookmark = kMark,
                                .data = std::make_shared<const Buffer>(
                                    std::move(Buffer::copyOf(randomBytes(i, 128 * KiB))).value()),
                                .properties = kPlain,
                                .previous = {},
                                .result = {},
                                .status = {}});
            requests.back().properties.bypassCache = true;
        }
        for (int round = 0; round < 5; ++round) {
            QElapsedTimer timer;
            timer.start();
            QVERIFY(f.writer->write(requests, kTxg, 1));
            qInfo("%.0f MiB/s", 32e9 / static_cast<double>(timer.nsecsElapsed()));
            for (const WriteRequest& request : requests) {
                QVERIFY(f.writer->free(request.result, kTxg));
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestBlockWriter)
#include "tst_block_writer.moc"
