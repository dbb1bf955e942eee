// SPDX-License-Identifier: GPL-3.0-or-later
// Property: what VdevTree::write() puts on the leaves is what the picture of the format says and
// nothing else, can be read back with every survivable set of leaves removed, and a leaf that
// failed is known to have missed the txg. Method: random blocks packed closely, compared with the
// slow model and with the existing reader; faults on single leaves.
#include "pool_of_memory.h"
#include "support/seed.h"

#include <map>

using namespace millpond;
using namespace millpond::test;
using vdev::BlockWrite;

namespace {

struct Shape
{
    const char* name;
    std::size_t width;
    std::size_t parity; ///< 0: a mirror
    unsigned ashift;
};

const std::vector<Shape> kShapes{
    {"single", 1, 0, 9},
    {"mirror of 3", 3, 0, 12},
    {"raidz1 of 2", 2, 1, 9},
    {"raidz1 of 3", 3, 1, 12},
    {"raidz1 of 5", 5, 1, 9},
    {"raidz2 of 5", 5, 2, 12},
    {"raidz2 of 6", 6, 2, 9},
    {"raidz3 of 7", 7, 3, 12},
};

constexpr std::byte kUntouched{0xa5};

struct Block
{
    std::uint64_t offset;
    std::vector<std::byte> data;
};

class Fixture
{
public:
    explicit Fixture(const Shape& chosen)
        : shape(chosen)
    {
        m_config = pool.addTop(shape.width, shape.parity, shape.ashift);
        tree = pool.tree(m_config);
    }

    [[nodiscard]] std::unique_ptr<vdev::VdevTree> otherTree() const { return pool.tree(m_config); }

    [[nodiscard]] std::size_t spare() const
    {
        return shape.parity > 0 ? shape.parity : shape.width - 1;
    }

    /// Blocks one after the other as the allocator packs them, some left out.
    [[nodiscard]] std::vector<Block> randomBlocks(SeededRandom& random, std::size_t count) const
    {
        std::vector<Block> blocks;
        std::uint64_t at = MiB - (random.next() % 64 << shape.ashift); // over the change of columns
        at &= ~((std::uint64_t{1} << shape.ashift) - 1);
        while (blocks.size() < count) {
            const std::uint64_t kind = random.next() % 4;
            // 60 blocks, the last ones small, end before 24 MiB, as far as images are compared.
            const bool large = kind == 0 && at < 16 * MiB;
            std::uint64_t sectors = 1 + random.next() % (large ? 400 : 20);
            const std::uint64_t cut = kind == 1
                                          ? 512 * (random.next() % ((1U << shape.ashift) / 512))
                                          : 0; // ends inside a sector
            const std::uint64_t size = (sectors << shape.ashift) - cut;
            const std::uint64_t allocated =
                tree->top(VdevId(0))->allocatedSize(ByteCount(size)).value();
            if (random.next() % 8 != 0) {
                blocks.push_back({.offset = at, .data = randomBytes(random.next(), size)});
            }
            at += allocated;
        }
        return blocks;
    }

    void fill()
    {
        const std::vector<std::byte> page(MiB, kUntouched);
        for (std::size_t leaf = 0; leaf < shape.width; ++leaf) {
            for (std::uint64_t at = 0; at < 24 * MiB; at += MiB) {
                pool.write(leaf, at, page);
            }
        }
    }

    static std::vector<BlockWrite> writesOf(const std::vector<Block>& blocks)
    {
        std::vector<BlockWrite> writes;
        for (const Block& block : blocks) {
            writes.push_back({.vdev = VdevId(0),
                              .offset = ByteOffset(block.offset),
                              .data = block.data,
                              .status = Status()});
        }
        return writes;
    }

    static bool reads(vdev::VdevTree& from, const Block& block, Txg birth = Txg(0))
    {
        std::vector<std::byte> out(block.data.size());
        return from.top(VdevId(0))
            ->read(ByteOffset(block.offset),
                   out,
                   [&](Bytes bytes) { return vdev::detail::sameBytes(bytes, block.data); },
                   {.birth = birth})
            .has_value();
    }

    const Shape& shape;
    MemoryPool pool;
    std::unique_ptr<vdev::VdevTree> tree;

private:
    format::NvList m_config;
};

/// The leaf's bytes behind its labels.
std::vector<std::byte> imageOf(Fixture& fixture, std::size_t leaf)
{
    std::vector<std::byte> bytes(24 * MiB);
    (void)fixture.pool.memory(leaf).read(ByteOffset(format::kLabelStartBytes), bytes);
    return bytes;
}

} // namespace

class TestVdevWrite : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void layoutIsTheModels_data();
    void layoutIsTheModels();

    void everySurvivableLossIsSurvived_data() { layoutIsTheModels_data(); }

    void everySurvivableLossIsSurvived();

    void aLeafThatFailsMissesTheTxg_data() { layoutIsTheModels_data(); }

    void aLeafThatFailsMissesTheTxg();

    void tooManyFailuresAreAnError_data() { layoutIsTheModels_data(); }

    void tooManyFailuresAreAnError();
    void oneBadSectorCostsOneBlock();
    void absentLeafMisses();
    void flushes();
    void aFailedFlushIsALoss();
    void wrongPlacesAreRefused();
    void discards();
    void neighboursAreJoined();

    void readsRepair_data() { layoutIsTheModels_data(); }

    void readsRepair();
    void oldContentIsNotWrittenBack();
};

void TestVdevWrite::layoutIsTheModels_data()
{
    QTest::addColumn<int>("shape");
    for (std::size_t i = 0; i < kShapes.size(); ++i) {
        QTest::newRow(kShapes[i].name) << int(i);
    }
}

/// Byte for byte: what no block covers is untouched, but for padding between a raidz's blocks.
void TestVdevWrite::layoutIsTheModels()
{
    QFETCH(int, shape);
    SeededRandom random(testSeed());
    Fixture fixture(kShapes[std::size_t(shape)]);
    fixture.fill();
    const std::vector<Block> blocks = fixture.randomBlocks(random, 60);
    std::vector<BlockWrite> writes = Fixture::writesOf(blocks);
    fixture.tree->write(writes, Txg(7));

    const Shape& s = fixture.shape;
    const std::size_t sector = std::size_t{1} << s.ashift;
    std::vector<std::vector<std::byte>> expected(s.width,
                                                 std::vector<std::byte>(24 * MiB, kUntouched));
    std::vector<std::vector<bool>> padding(s.width, std::vector<bool>(24 * MiB / sector));
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        QVERIFY(writes[i].status.has_value());
        std::vector<std::byte> data = blocks[i].data;
        data.resize(alignUp(data.size(), sector)); // zeroes to the end of the sector
        if (s.parity == 0) {
            for (auto& leaf : expected) {
                std::ranges::copy(data, leaf.begin() + std::ptrdiff_t(blocks[i].offset));
            }
            continue;
        }
        const auto columns = modelRaidz(s.width, s.parity, s.ashift, blocks[i].offset, data);
        std::size_t cells = 0;
        for (const ModelColumn& column : columns) {
            std::ranges::copy(column.content,
                              expected[column.child].begin() + std::ptrdiff_t(column.offset));
            cells += column.sectors;
        }
        const std::uint64_t first = blocks[i].offset / sector;
        while (cells % (s.parity + 1) != 0) {
            padding[(first + cells) % s.width][(first + cells) / s.width] = true;
            ++cells;
        }
    }
    for (std::size_t leaf = 0; leaf < s.width; ++leaf) {
        const std::vector<std::byte> image = imageOf(fixture, leaf);
        for (std::size_t at = 0; at < image.size(); at += sector) {
            const Bytes found = Bytes(image).subspan(at, sector);
            const Bytes wanted = Bytes(expected[leaf]).subspan(at, sector);
            if (vdev::detail::sameBytes(found, wanted)) {
                continue;
            }
            const auto isZero = [](std::byte b) { return b == std::byte{0}; };
            QVERIFY2(padding[leaf][at / sector] && std::ranges::all_of(found, isZero),
                     qPrintable(QStringLiteral("leaf %1 at %2").arg(leaf).arg(at)));
        }
    }
}

void TestVdevWrite::everySurvivableLossIsSurvived()
{
    QFETCH(int, shape);
    SeededRandom random(testSeed());
    Fixture fixture(kShapes[std::size_t(shape)]);
    const std::vector<Block> blocks = fixture.randomBlocks(random, 30);
    std::vector<BlockWrite> writes = Fixture::writesOf(blocks);
    fixture.tree->write(writes, Txg(7));
    QVERIFY(fixture.tree->flush().has_value());
    QVERIFY(fixture.tree->missedWrites().empty());
    for (const std::uint32_t gone : subsets(fixture.shape.width, fixture.spare())) {
        for (std::size_t leaf = 0; leaf < fixture.shape.width; ++leaf) {
            fixture.pool.setPresent(leaf, (gone >> leaf & 1U) == 0);
        }
        const auto tree = fixture.otherTree();
        for (const Block& block : blocks) {
            QVERIFY(Fixture::reads(*tree, block));
        }
    }
}

void TestVdevWrite::aLeafThatFailsMissesTheTxg()
{
    QFETCH(int, shape);
    SeededRandom random(testSeed());
    Fixture fixture(kShapes[std::size_t(shape)]);
    if (fixture.spare() == 0) {
        return;
    }
    const std::vector<Block> blocks = fixture.randomBlocks(random, 30);
    std::vector<BlockWrite> writes = Fixture::writesOf(blocks);
    fixture.pool.faulty(1).setPlan({.failAt = 0, .stayFailed = true});
    fixture.tree->write(writes, Txg(7));
    for (const BlockWrite& write : writes) {
        QVERIFY(write.status.has_value());
    }
    const std::vector<vdev::MissedTxgs> missed{{MemoryPool::guid(1), Txg(7), Txg(7)}};
    QCOMPARE(fixture.tree->missedWrites(), missed);
    fixture.pool.faulty(1).setPlan({});
    // The leaf is back, with old content: blocks of that birth are rebuilt without asking it.
    for (const Block& block : blocks) {
        QVERIFY(Fixture::reads(*fixture.tree, block, Txg(7)));
    }
    const auto rows = fixture.tree->status();
    const auto row = std::ranges::find(rows, MemoryPool::guid(1), &vdev::VdevStatus::guid);
    QVERIFY(row != rows.end());
    QVERIFY(row->errors.write > 0);
    QCOMPARE(row->errors.checksum, std::uint64_t(0));
}

void TestVdevWrite::tooManyFailuresAreAnError()
{
    QFETCH(int, shape);
    SeededRandom random(testSeed());
    Fixture fixture(kShapes[std::size_t(shape)]);
    std::vector<Block> blocks = fixture.randomBlocks(random, 10);
    // As wide as the vdev, so that every failed leaf has a part of it.
    blocks.resize(1);
    blocks[0].data = randomBytes(1, fixture.shape.width * 2 << fixture.shape.ashift);
    std::vector<BlockWrite> writes = Fixture::writesOf(blocks);
    for (std::size_t leaf = 0; leaf <= fixture.spare(); ++leaf) {
        fixture.pool.faulty(leaf).setPlan({.failAt = 0, .stayFailed = true});
    }
    fixture.tree->write(writes, Txg(7));
    QVERIFY(!writes[0].status.has_value());
    QVERIFY(writes[0].status.error().is(ErrorCode::DeviceIo));
    QCOMPARE(writes[0].status.error().where().txg, std::optional(Txg(7)));
}

void TestVdevWrite::oneBadSectorCostsOneBlock()
{
    Fixture fixture(kShapes[0]);
    const std::vector<Block> blocks{
        {0, randomBytes(1, 4096)}, {4096, randomBytes(2, 4096)}, {8192, randomBytes(3, 4096)}};
    std::vector<BlockWrite> writes = Fixture::writesOf(blocks);
    fixture.pool.faulty(0).setPlan(
        {.badWrites = {{ByteOffset(format::kLabelStartBytes + 5000), ByteCount(1)}}});
    fixture.tree->write(writes, Txg(7));
    QVERIFY(writes[0].status.has_value());
    QVERIFY(!writes[1].status.has_value());
    QVERIFY(writes[2].status.has_value());
    QVERIFY(Fixture::reads(*fixture.tree, blocks[0]) && Fixture::reads(*fixture.tree, blocks[2]));
    // What was lost was said; the flush has nothing to add.
    QVERIFY(fixture.tree->flush().has_value());
}

void TestVdevWrite::absentLeafMisses()
{
    Fixture fixture(kShapes[1]);
    fixture.pool.setPresent(2, false);
    const auto tree = fixture.otherTree();
    const std::vector<Block> blocks{{0, randomBytes(1, 4096)}};
    std::vector<BlockWrite> writes = Fixture::writesOf(blocks);
    for (const std::uint64_t txg : {5, 6, 7, 9}) {
        tree->write(writes, Txg(txg));
        QVERIFY(writes[0].status.has_value());
    }
    const std::vector<vdev::MissedTxgs> missed{{MemoryPool::guid(2), Txg(5), Txg(7)},
                                               {MemoryPool::guid(2), Txg(9), Txg(9)}};
    QCOMPARE(tree->missedWrites(), missed);
    QVERIFY(tree->flush().has_value());
}

/// Only what was written to is flushed, and only once.
void TestVdevWrite::flushes()
{
    Fixture fixture(kShapes[1]);
    QVERIFY(fixture.tree->flush().has_value());
    QCOMPARE(fixture.pool.faulty(0).calls(), std::uint64_t(0));
    const std::vector<Block> blocks{{0, randomBytes(1, 4096)}};
    std::vector<BlockWrite> writes = Fixture::writesOf(blocks);
    fixture.tree->write(writes, Txg(7));
    QVERIFY(fixture.tree->flush().has_value());
    QVERIFY(fixture.tree->flush().has_value());
    for (std::size_t leaf = 0; leaf < 3; ++leaf) {
        QCOMPARE(fixture.pool.faulty(leaf).calls(), std::uint64_t(2));
    }
}

void TestVdevWrite::aFailedFlushIsALoss()
{
    Fixture fixture(kShapes[1]);
    const std::vector<Block> blocks{{0, randomBytes(1, 4096)}};
    std::vector<BlockWrite> writes = Fixture::writesOf(blocks);
    // One of three: the others have it.
    fixture.pool.faulty(0).setPlan({.failAt = fixture.pool.faulty(0).calls() + 1});
    fixture.tree->write(writes, Txg(7));
    QVERIFY(fixture.tree->flush().has_value());
    const std::vector<vdev::MissedTxgs> missed{{MemoryPool::guid(0), Txg(7), Txg(7)}};
    QCOMPARE(fixture.tree->missedWrites(), missed);
    // One failed to write, the two others to flush: nobody has it.
    fixture.pool.faulty(0).setPlan({.failAt = fixture.pool.faulty(0).calls(), .stayFailed = true});
    for (std::size_t leaf = 1; leaf < 3; ++leaf) {
        fixture.pool.faulty(leaf).setPlan({.failAt = fixture.pool.faulty(leaf).calls() + 1});
    }
    fixture.tree->write(writes, Txg(8));
    QVERIFY(writes[0].status.has_value());
    const Status lost = fixture.tree->flush();
    QVERIFY(!lost.has_value() && lost.error().is(ErrorCode::DeviceIo));
    // Nor does anybody who asks later hear that all is well.
    QVERIFY(!fixture.tree->flush().has_value());
    fixture.tree->forgetLosses();
    QVERIFY(fixture.tree->flush().has_value());
}

void TestVdevWrite::wrongPlacesAreRefused()
{
    Fixture fixture(kShapes[3]);
    const std::vector<std::byte> data = randomBytes(1, 4096);
    std::vector<BlockWrite> writes{
        {.vdev = VdevId(9), .offset = ByteOffset(0), .data = data, .status = {}},
        {.vdev = VdevId(0), .offset = ByteOffset(512), .data = data, .status = {}},
        {.vdev = VdevId(0),
         .offset = ByteOffset(std::uint64_t{1} << 40),
         .data = data,
         .status = {}},
        {.vdev = VdevId(0), .offset = ByteOffset(0), .data = {}, .status = {}},
        {.vdev = VdevId(0), .offset = ByteOffset(0), .data = data, .status = {}}};
    fixture.tree->write(writes, Txg(7));
    for (std::size_t i = 0; i < 4; ++i) {
        QVERIFY(!writes[i].status.has_value());
        QVERIFY(writes[i].status.error().is(ErrorCode::BadBlockPointer));
    }
    QVERIFY(writes[4].status.has_value());
}

void TestVdevWrite::discards()
{
    for (const Shape& shape : kShapes) {
        Fixture fixture(shape);
        SeededRandom random(testSeed());
        const std::vector<Block> blocks = fixture.randomBlocks(random, 40);
        std::vector<BlockWrite> writes = Fixture::writesOf(blocks);
        fixture.tree->write(writes, Txg(7));
        for (std::size_t i = 0; i < blocks.size(); i += 2) {
            fixture.tree->discard(
                VdevId(0),
                ByteOffset(blocks[i].offset),
                fixture.tree->top(VdevId(0))->allocatedSize(ByteCount(blocks[i].data.size())));
        }
        fixture.tree->discard(VdevId(3), ByteOffset(0), ByteCount(4096));
        fixture.tree->discard(VdevId(0), ByteOffset(0), ByteCount(~std::uint64_t{0}));
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            QCOMPARE(Fixture::reads(*fixture.tree, blocks[i]), i % 2 == 1);
        }
    }
}

/// Many small blocks in a row are few requests.
void TestVdevWrite::neighboursAreJoined()
{
    Fixture fixture(kShapes[6]); // raidz2 of 6, with padding sectors between blocks
    std::vector<Block> blocks;
    std::uint64_t at = 0;
    for (int i = 0; i < 400; ++i) {
        blocks.push_back(
            {.offset = at, .data = randomBytes(std::uint64_t(i), 1024 + 512 * (i % 7))});
        at += fixture.tree->top(VdevId(0))
                  ->allocatedSize(ByteCount(blocks.back().data.size()))
                  .value();
    }
    std::vector<BlockWrite> writes = Fixture::writesOf(blocks);
    fixture.tree->write(writes, Txg(7));
    for (std::size_t leaf = 0; leaf < fixture.shape.width; ++leaf) {
        QCOMPARE(fixture.pool.faulty(leaf).calls(), std::uint64_t(1));
    }
    for (const Block& block : blocks) {
        QVERIFY(Fixture::reads(*fixture.tree, block));
    }
}

/// Damage on any survivable set of leaves is gone after one read of each block, once it is allowed.
void TestVdevWrite::readsRepair()
{
    QFETCH(int, shape);
    SeededRandom random(testSeed());
    Fixture fixture(kShapes[std::size_t(shape)]);
    const std::vector<Block> blocks = fixture.randomBlocks(random, 10);
    std::vector<BlockWrite> writes = Fixture::writesOf(blocks);
    fixture.tree->write(writes, Txg(7));
    std::vector<std::vector<std::byte>> before;
    for (std::size_t leaf = 0; leaf < fixture.shape.width; ++leaf) {
        before.push_back(imageOf(fixture, leaf));
    }
    for (std::size_t leaf = 0; leaf < fixture.spare(); ++leaf) {
        fixture.pool.damage(leaf, 0, 24 * MiB);
    }
    for (const Block& block : blocks) {
        QVERIFY(Fixture::reads(*fixture.tree, block));
    }
    if (fixture.spare() > 0) {
        QVERIFY(imageOf(fixture, 0) != before[0]); // not allowed yet
    }
    fixture.tree->setReadRepair(true);
    for (int round = 0; round < 3; ++round) { // a mirror looks at one copy at a time
        for (const Block& block : blocks) {
            std::vector<std::byte> out(block.data.size());
            const auto right = [&](Bytes bytes) {
                return vdev::detail::sameBytes(bytes, block.data);
            };
            const auto ignore = [](const vdev::ScrubFinding&) {};
            const auto outcome =
                fixture.tree->top(VdevId(0))->scrubRead(ByteOffset(block.offset),
                                                        out,
                                                        right,
                                                        {.birth = Txg(7), .repair = round == 1},
                                                        ignore);
            QVERIFY(outcome.has_value());
            QVERIFY(Fixture::reads(*fixture.tree, block, Txg(7)));
            QVERIFY(round < 2 || outcome->findings == 0);
            QVERIFY(round == 1 || outcome->bytesRepaired == 0);
        }
    }
    QVERIFY(fixture.tree->flush().has_value());
    // All of what the blocks cover is as it was.
    for (std::size_t leaf = 0; leaf < fixture.spare(); ++leaf) {
        fixture.pool.setPresent(fixture.shape.width - 1 - leaf, false);
    }
    const auto tree = fixture.otherTree();
    for (const Block& block : blocks) {
        QVERIFY(Fixture::reads(*tree, block));
    }
}

/// Who still reads a block that was freed, and whose place got new content on one leaf only, does
/// not bring the old content back.
void TestVdevWrite::oldContentIsNotWrittenBack()
{
    Fixture fixture(kShapes[1]);
    fixture.tree->setReadRepair(true);
    const std::vector<Block> old{{0, randomBytes(1, 4096)}};
    const std::vector<Block> fresh{{0, randomBytes(2, 4096)}};
    std::vector<BlockWrite> writes = Fixture::writesOf(old);
    fixture.tree->write(writes, Txg(7));
    fixture.pool.faulty(1).setPlan({.failAt = 0, .stayFailed = true});
    fixture.pool.faulty(2).setPlan({.failAt = 0, .stayFailed = true});
    writes = Fixture::writesOf(fresh);
    fixture.tree->write(writes, Txg(20));
    QVERIFY(writes[0].status.has_value());
    fixture.pool.faulty(1).setPlan({});
    fixture.pool.faulty(2).setPlan({});
    for (int i = 0; i < 3; ++i) {
        QVERIFY(Fixture::reads(*fixture.tree, old[0], Txg(7)));
        QVERIFY(Fixture::reads(*fixture.tree, fresh[0], Txg(20)));
    }
}

QTEST_GUILESS_MAIN(TestVdevWrite)
#include "tst_vdev_write.moc"
