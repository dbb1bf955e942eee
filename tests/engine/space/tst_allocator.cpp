// SPDX-License-Identifier: GPL-3.0-or-later
// Property: the allocator never hands out what is in use or was freed less than two txgs ago; what
// it writes down, read back by a new allocator, is the state of that txg; errors of callers and of
// disks are errors. Method: random allocations, frees, claims and txgs against a model of plain
// sets, with maps kept in memory; every map is read back after every txg.
#include "space/allocator.h"
#include "space/space_map.h"

#include "base/clock.h"
#include "device/memory_device.h"
#include "engine/vdev/pool_of_memory.h"
#include "support/seed.h"

#include <deque>
#include <map>
#include <thread>
#include <time.h>

using namespace millpond;
using namespace millpond::space;
using vdev::AllocationClass;

namespace {

/// The objects that hold space maps, and the port to read them: what pool/ does over the MOS.
class Maps final : public SpaceMapSink, public MetaslabLoader, public SpaceMapStore
{
public:
    struct Map
    {
        std::vector<std::byte> bytes;
        format::SpaceMapPhys header;
    };

    explicit Maps(std::uint64_t mapBlockBytes)
        : blockSize(mapBlockBytes)
    {
    }

    const std::uint64_t blockSize;
    std::map<MetaslabId, ObjectId> array;
    std::map<ObjectId, Map> maps;
    std::uint64_t truncations = 0;
    std::map<MetaslabId, unsigned> shifts; ///< of units
    std::map<MetaslabId, std::uint64_t> sizes;
    bool failLoads = false;
    std::function<void()> whileWriting; ///< what the layers above do meanwhile

    Result<SpaceMapSink::Map> createMap(const MetaslabId& metaslab) override
    {
        const ObjectId object(100 + m_next++);
        maps[object];
        array[metaslab] = object;
        return SpaceMapSink::Map{.object = object, .blockBytes = blockSize, .hasHistogram = true};
    }

    Result<SpaceMapSink::Map> truncateMap(const MetaslabId& metaslab, ObjectId map) override
    {
        ++truncations;
        maps.erase(map);
        return createMap(metaslab); // another object, as when its block size changes
    }

    Status append(ObjectId map, ByteOffset at, Bytes words) override
    {
        Map& found = maps.at(map);
        if (at.value() != found.bytes.size()) {
            return fail(ErrorCode::InvalidArgument, "not at the end");
        }
        found.bytes.insert(found.bytes.end(), words.begin(), words.end());
        if (whileWriting) {
            whileWriting();
        }
        return {};
    }

    Status setHeader(ObjectId map, const format::SpaceMapPhys& header) override
    {
        maps.at(map).header = header;
        return {};
    }

    Result<RangeSet> allocated(const MetaslabId& metaslab, ObjectId map) override
    {
        if (failLoads) {
            return fail(ErrorCode::DeviceIo, "gone");
        }
        return loadSpaceMap(*this, map, shifts.at(metaslab), {0, sizes.at(metaslab)});
    }

    Result<format::SpaceMapPhys> header(ObjectId map) override { return maps.at(map).header; }

    Result<std::uint64_t> blockBytes(ObjectId) override { return blockSize; }

    Result<Block> block(ObjectId map, BlockIndex index) override
    {
        const std::vector<std::byte>& bytes = maps.at(map).bytes;
        const std::size_t start = static_cast<std::size_t>(index.value() * blockSize);
        Buffer buffer = MP_TRY(Buffer::createZeroed(static_cast<std::size_t>(blockSize)));
        const std::size_t count =
            std::min<std::size_t>(static_cast<std::size_t>(blockSize), bytes.size() - start);
        std::memcpy(buffer.bytes().data(), bytes.data() + start, count);
        return Block{std::make_shared<const Buffer>(std::move(buffer)), ByteOrder::Little};
    }

private:
    std::uint64_t m_next = 0;
};

/// Vdevs that are never written to.
class Vdevs
{
public:
    static constexpr std::uint64_t kBytes = 64 * MiB;

    /// One top-level vdev for each: "disk" or "raidz".
    Vdevs(std::vector<std::string> kinds, unsigned ashift, unsigned shift)
        : m_shift(shift)
    {
        std::vector<format::NvList> tops;
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            format::NvList config = test::vdevConfig(kinds[i], i, 1000 * (i + 1));
            test::MemoryPool::finishTop(config, ashift, kBytes);
            if (kinds[i] == "raidz") {
                config.setU64("nparity", 1);
                std::vector<format::NvList> children;
                for (std::uint64_t leaf = 0; leaf < 3; ++leaf) {
                    children.push_back(test::vdevConfig("disk", leaf, 1000 * (i + 1) + 1 + leaf));
                }
                test::setChildren(config, std::move(children));
            }
            tops.push_back(std::move(config));
        }
        auto built = vdev::VdevTree::build(test::rootOf(std::move(tops)), {});
        if (!built) {
            qFatal("%s", built.error().toText().c_str());
        }
        tree = *std::move(built);
    }

    /// As the maps say, as at import.
    std::unique_ptr<Allocator> open(Maps& maps, const AllocatorOptions& options = {}) const
    {
        std::vector<TopLevelSource> sources;
        for (std::uint32_t i = 0; i < tree->topLevelCount(); ++i) {
            const vdev::TopLevel& top = *tree->top(VdevId(i));
            TopLevelSource source{.top = &top, .metaslabShift = m_shift, .metaslabs = {}};
            for (std::size_t index = 0; index < top.allocatable().value() >> m_shift; ++index) {
                const MetaslabId id{VdevId(i), index};
                maps.shifts[id] = top.ashift().value();
                maps.sizes[id] = std::uint64_t{1} << m_shift;
                MetaslabSource metaslab;
                if (const auto found = maps.array.find(id); found != maps.array.end()) {
                    metaslab.map = found->second;
                    metaslab.mapBlockBytes = maps.blockSize;
                    metaslab.header = maps.maps.at(found->second).header;
                    metaslab.allocated = std::uint64_t(metaslab.header.allocated);
                }
                source.metaslabs.push_back(std::move(metaslab));
            }
            sources.push_back(std::move(source));
        }
        auto allocator = Allocator::create(std::move(sources), maps, options);
        if (!allocator) {
            qFatal("%s", allocator.error().toText().c_str());
        }
        return *std::move(allocator);
    }

    std::unique_ptr<vdev::VdevTree> tree;

private:
    const unsigned m_shift;
};

/// Nanoseconds of processor this thread has used: machines that run tests are busy.
double processorTime()
{
    timespec now = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e9 + double(now.tv_nsec);
}

Range rangeOf(const Extent& extent)
{
    return {extent.offset.value(), extent.offset.value() + extent.size.value()};
}

/// What is in use, by plain sets.
struct Model
{
    std::map<VdevId, RangeSet> unusable; ///< in use, or freed too short a time ago
    std::map<VdevId, RangeSet> inMaps;   ///< what the maps are to say at the end of the txg
    std::vector<Extent> live;
    std::deque<std::vector<Extent>> kept; ///< freed, by txg
    std::vector<Extent> freedNow;

    [[nodiscard]] bool allocated(const Extent& extent)
    {
        const bool fresh = unusable[extent.vdev].add(rangeOf(extent)) == 0;
        live.push_back(extent);
        return fresh;
    }

    Extent takeRandom(SeededRandom& random)
    {
        const std::size_t i = random.next() % live.size();
        std::swap(live[i], live.back());
        const Extent taken = live.back();
        live.pop_back();
        return taken;
    }

    void freed(const Extent& extent) { freedNow.push_back(extent); }

    void txgDone()
    {
        kept.push_back(std::exchange(freedNow, {}));
        if (kept.size() > 2) {
            for (const Extent& extent : kept.front()) {
                (void)unusable[extent.vdev].remove(rangeOf(extent));
            }
            kept.pop_front();
        }
    }
};

/// The ranges of a vdev that its maps say are allocated.
RangeSet mapsOf(Maps& maps, VdevId vdev, unsigned shift)
{
    RangeSet all;
    for (const auto& [id, object] : maps.array) {
        if (id.vdev != vdev) {
            continue;
        }
        auto set = maps.allocated(id, object);
        if (!set) {
            qFatal("%s", set.error().toText().c_str());
        }
        if (set->total() != std::uint64_t(maps.maps.at(object).header.allocated)) {
            qFatal("a header that is wrong");
        }
        set->forEach([&](Range range) {
            (void)all.add({range.start + (id.index << shift), range.end + (id.index << shift)});
        });
    }
    return all;
}

std::vector<Range> rangesOf(const RangeSet& set)
{
    std::vector<Range> ranges;
    set.forEach([&](Range range) { ranges.push_back(range); });
    return ranges;
}

} // namespace

class TestAllocator : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void randomHistory_data();
    void randomHistory();
    void copiesGoApart();
    void spreadsByFreeSpace();
    void classesFallBack();
    void freedSpaceWaits();
    void scarceSpaceDoesNotWait();
    void condenses();
    void takenBack();
    void claims();
    void wrongFreesAreErrors();
    void damagedMapsAreLeftAlone();
    void rewrites();
    void released();
    void idleMetaslabsLeaveMemory();
    void visitsFreeSpace();
    void threads();
    void fillsHolesAgain();
};

void TestAllocator::randomHistory_data()
{
    QTest::addColumn<bool>("raidz");
    QTest::addColumn<int>("ashift");
    QTest::addColumn<int>("fullPercent");
    QTest::newRow("disks, half full") << false << 9 << 50;
    QTest::newRow("disks, full") << false << 12 << 100;
    QTest::newRow("raidz, half full") << true << 12 << 50;
    QTest::newRow("raidz, full") << true << 9 << 100;
}

void TestAllocator::randomHistory()
{
    QFETCH(bool, raidz);
    QFETCH(int, ashift);
    QFETCH(int, fullPercent);
    constexpr unsigned kShift = 22;
    SeededRandom random(test::testSeed());
    const Vdevs vdevs({"disk", raidz ? "raidz" : "disk"}, unsigned(ashift), kShift);
    Maps maps(512);
    auto allocator = vdevs.open(maps, {.unloadAfterTxgs = 3});
    Model model;
    const std::uint64_t limit = 2 * Vdevs::kBytes / 100 * std::uint64_t(fullPercent);
    const auto inUse = [&] {
        return model.unusable[VdevId(0)].total() + model.unusable[VdevId(1)].total();
    };

    for (std::uint64_t txg = 10; txg < 90; ++txg) {
        std::vector<Extent> fresh;
        const auto allocate = [&](Txg in) {
            const std::uint64_t size = std::uint64_t{512} << random.next() % 9;
            const auto taken = allocator->allocate(
                {.physicalSize = ByteCount(size - 512 * (random.next() % 2 == 0 ? size / 1024 : 0)),
                 .txg = in});
            if (!taken) {
                QVERIFY(taken.error().is(ErrorCode::NoSpace));
                return;
            }
            QVERIFY(model.allocated(*taken)); // neither in use nor kept back
            fresh.push_back(*taken);
        };
        for (unsigned pass = 1; pass <= 3; ++pass) {
            const std::uint64_t steps = pass == 1 ? 300 : 10;
            for (std::uint64_t i = 0; i < steps; ++i) {
                if (inUse() < limit && random.next() % 100 < 60) {
                    allocate(Txg(txg));
                } else if (!model.live.empty()) {
                    const Extent extent = model.takeRandom(random);
                    QVERIFY(allocator->free(extent, Txg(txg)).has_value());
                    QVERIFY(!allocator->free(extent, Txg(txg)).has_value());
                    model.freed(extent);
                }
            }
            // Writing maps allocates as well.
            maps.whileWriting = [&] {
                if (pass < 3 && random.next() % 4 == 0 && inUse() < limit) {
                    allocate(Txg(txg));
                }
            };
            QVERIFY(allocator->sync(Txg(txg), pass, maps).has_value());
            maps.whileWriting = {};
        }
        while (allocator->isDirty(Txg(txg))) {
            QVERIFY(allocator->sync(Txg(txg), 4, maps).has_value());
        }
        allocator->syncDone(Txg(txg));
        // The maps say what is live, no more and no less.
        std::map<VdevId, RangeSet> live;
        for (const Extent& extent : model.live) {
            QCOMPARE(live[extent.vdev].add(rangeOf(extent)), std::uint64_t(0));
        }
        for (const VdevId id : {VdevId(0), VdevId(1)}) {
            QCOMPARE(rangesOf(mapsOf(maps, id, kShift)), rangesOf(live[id]));
        }
        model.txgDone();
        for (const VdevId id : {VdevId(0), VdevId(1)}) {
            QCOMPARE(allocator->figures(id).allocated, model.unusable[id].total());
            QCOMPARE(allocator->figures(id).deferred,
                     model.unusable[id].total() - live[id].total());
        }
        if (random.next() % 10 == 0) { // a crash
            allocator = vdevs.open(maps, {.unloadAfterTxgs = 3});
            model.unusable = live;
            model.kept.clear();
        }
    }
    QVERIFY(maps.truncations > 0 || ashift > 9); // with large sectors maps may grow longer
}

void TestAllocator::copiesGoApart()
{
    const Vdevs three({"disk", "disk", "disk"}, 12, 22);
    Maps maps(4096);
    const auto allocator = three.open(maps);
    const Vdevs one({"disk"}, 12, 22);
    Maps otherMaps(4096);
    const auto single = one.open(otherMaps);
    for (int i = 0; i < 100; ++i) {
        std::vector<Extent> copies;
        std::vector<Extent> onOne;
        for (int copy = 0; copy < 3; ++copy) {
            copies.push_back(*allocator->allocate(
                {.physicalSize = ByteCount(4096), .txg = Txg(5), .apartFrom = copies}));
            onOne.push_back(*single->allocate(
                {.physicalSize = ByteCount(4096), .txg = Txg(5), .apartFrom = onOne}));
        }
        QVERIFY(copies[0].vdev != copies[1].vdev && copies[1].vdev != copies[2].vdev &&
                copies[0].vdev != copies[2].vdev);
        for (const auto& [a, b] : {std::pair(0, 1), std::pair(1, 2), std::pair(0, 2)}) {
            QVERIFY(onOne[std::size_t(a)].offset.value() >> 22 !=
                    onOne[std::size_t(b)].offset.value() >> 22);
        }
    }
    QCOMPARE(single->loadedMetaslabs(), std::size_t(3));
    // Near a given block.
    for (const std::uint32_t id : {2U, 0U, 1U, 1U}) {
        QCOMPARE(
            allocator->allocate({.physicalSize = ByteCount(512), .txg = Txg(5), .near = VdevId(id)})
                ->vdev,
            VdevId(id));
    }
}

/// A vdev with a third of another's free space gets about a third as much.
void TestAllocator::spreadsByFreeSpace()
{
    const Vdevs vdevs({"disk", "disk"}, 12, 22);
    Maps maps(4096);
    const auto allocator = vdevs.open(maps);
    while (allocator->figures(VdevId(0)).free() > Vdevs::kBytes * 4 / 10) {
        QVERIFY(
            allocator
                ->allocate({.physicalSize = ByteCount(128 * KiB), .txg = Txg(5), .near = VdevId(0)})
                .has_value());
    }
    const std::uint64_t first = allocator->figures(VdevId(0)).allocated;
    while (allocator->figures(VdevId(1)).allocated < 16 * MiB) {
        QVERIFY(
            allocator->allocate({.physicalSize = ByteCount(128 * KiB), .txg = Txg(5)}).has_value());
    }
    const std::uint64_t got = allocator->figures(VdevId(0)).allocated - first;
    QVERIFY2(got > 4 * MiB && got < 9 * MiB, qPrintable(QString::number(got)));
}

void TestAllocator::classesFallBack()
{
    const Vdevs vdevs({"disk", "disk"}, 12, 22);
    QVERIFY(vdevs.tree->setAllocationClass(VdevId(1), AllocationClass::Special));
    Maps maps(4096);
    const auto allocator = vdevs.open(maps);
    QVERIFY(allocator->hasClass(AllocationClass::Special) &&
            !allocator->hasClass(AllocationClass::Log));
    const auto vdevFor = [&](AllocationClass wanted, bool only = false) -> std::optional<VdevId> {
        const auto taken = allocator->allocate({.allocationClass = wanted,
                                                .physicalSize = ByteCount(MiB),
                                                .txg = Txg(5),
                                                .onlyThisClass = only});
        return taken ? std::optional(taken->vdev) : std::nullopt;
    };
    QCOMPARE(vdevFor(AllocationClass::Normal), std::optional(VdevId(0)));
    QCOMPARE(vdevFor(AllocationClass::Special), std::optional(VdevId(1)));
    QCOMPARE(vdevFor(AllocationClass::Dedup), std::optional(VdevId(1)));
    QCOMPARE(vdevFor(AllocationClass::Log), std::optional(VdevId(0)));
    QCOMPARE(vdevFor(AllocationClass::Log, true), std::optional<VdevId>());
    while (vdevFor(AllocationClass::Special) == VdevId(1)) {
    }
    QCOMPARE(allocator->figures(AllocationClass::Special).free(), std::uint64_t(0));
    QCOMPARE(vdevFor(AllocationClass::Special), std::optional(VdevId(0)));
    QCOMPARE(vdevFor(AllocationClass::Special, true), std::optional<VdevId>());
    QCOMPARE(allocator->largestFree(AllocationClass::Special), ByteCount(0));
    QCOMPARE(allocator->largestFree(AllocationClass::Normal), ByteCount(4 * MiB));
}

void TestAllocator::freedSpaceWaits()
{
    const Vdevs vdevs({"disk"}, 12, 26); // one metaslab
    Maps maps(4096);
    const auto allocator = vdevs.open(maps);
    const auto take = [&](std::uint64_t txg) {
        return allocator->allocate({.physicalSize = ByteCount(16 * MiB), .txg = Txg(txg)});
    };
    std::vector<Extent> all;
    while (const auto taken = take(10)) {
        all.push_back(*taken);
    }
    QCOMPARE(all.size(), std::size_t(4));
    const auto finish = [&](std::uint64_t txg) {
        QVERIFY(allocator->sync(Txg(txg), 1, maps).has_value());
        allocator->syncDone(Txg(txg));
    };
    finish(10);
    QVERIFY(allocator->free(all[1], Txg(11)).has_value());
    QVERIFY(!take(11).has_value());
    finish(11);
    QVERIFY(!take(12).has_value());
    QCOMPARE(allocator->figures(AllocationClass::Normal).deferred, 16 * MiB);
    finish(12);
    QVERIFY(!take(13).has_value());
    finish(13);
    QCOMPARE(allocator->figures(AllocationClass::Normal).deferred, std::uint64_t(0));
    QCOMPARE(*take(14), all[1]);
}

void TestAllocator::scarceSpaceDoesNotWait()
{
    const Vdevs vdevs({"disk"}, 12, 26);
    Maps maps(4096);
    const auto allocator = vdevs.open(maps, {.scarce = ByteCount(MiB)});
    std::vector<Extent> all;
    while (const auto taken =
               allocator->allocate({.physicalSize = ByteCount(16 * MiB), .txg = Txg(10)})) {
        all.push_back(*taken);
    }
    QVERIFY(allocator->free(all[1], Txg(10)).has_value());
    QVERIFY(!allocator->allocate({.physicalSize = ByteCount(512), .txg = Txg(10)}).has_value());
    QVERIFY(allocator->sync(Txg(10), 1, maps).has_value());
    allocator->syncDone(Txg(10));
    QCOMPARE(*allocator->allocate({.physicalSize = ByteCount(16 * MiB), .txg = Txg(11)}), all[1]);
}

/// A map whose entries cancel out does not grow without end, and says the same before and after.
void TestAllocator::condenses()
{
    const Vdevs vdevs({"disk"}, 9, 26);
    Maps maps(512);
    const auto allocator = vdevs.open(maps);
    std::deque<Extent> live;
    std::uint64_t longest = 0;
    for (std::uint64_t txg = 10; txg < 300; ++txg) {
        for (int i = 0; i < 20; ++i) {
            live.push_back(
                *allocator->allocate({.physicalSize = ByteCount(4096), .txg = Txg(txg)}));
        }
        while (live.size() > 100) {
            QVERIFY(allocator->free(live.front(), Txg(txg)).has_value());
            live.pop_front();
        }
        QVERIFY(allocator->sync(Txg(txg), 1, maps).has_value());
        allocator->syncDone(Txg(txg));
        QCOMPARE(mapsOf(maps, VdevId(0), 26).total(), live.size() * 4096);
        longest = std::max(longest, maps.maps.begin()->second.header.length.value());
    }
    QVERIFY(maps.truncations > 2);
    QVERIFY2(longest < 8 * 512, qPrintable(QString::number(longest)));
    // The histogram counts all free space, kept back or not.
    const format::SpaceMapPhys& header = maps.maps.begin()->second.header;
    QVERIFY(header.hasHistogram);
    QVERIFY(header.histogram[25 - 9] > 0);
}

void TestAllocator::takenBack()
{
    const Vdevs vdevs({"disk"}, 12, 26);
    Maps maps(4096);
    const auto allocator = vdevs.open(maps);
    const Extent a = *allocator->allocate({.physicalSize = ByteCount(4096), .txg = Txg(10)});
    QVERIFY(allocator->unallocate(a, Txg(10)).has_value());
    QCOMPARE(allocator->figures(VdevId(0)).allocated, std::uint64_t(0));
    QVERIFY(!allocator->unallocate(a, Txg(10)).has_value());
    const Extent b = *allocator->allocate({.physicalSize = ByteCount(4096), .txg = Txg(10)});
    QVERIFY(allocator->sync(Txg(10), 1, maps).has_value());
    QVERIFY(allocator->unallocate(b, Txg(10)).has_value()); // written down: freed
    QVERIFY(allocator->sync(Txg(10), 2, maps).has_value());
    QCOMPARE(allocator->figures(VdevId(0)).deferred, std::uint64_t(4096));
    QCOMPARE(mapsOf(maps, VdevId(0), 26).total(), std::uint64_t(0));
}

void TestAllocator::claims()
{
    const Vdevs vdevs({"disk"}, 12, 22);
    Maps maps(4096);
    const auto allocator = vdevs.open(maps);
    const Extent block{VdevId(0), ByteOffset(5 * MiB), ByteCount(128 * KiB)};
    QVERIFY(allocator->claim(block, Txg(10)).has_value());
    QVERIFY(!allocator
                 ->claim({VdevId(0), ByteOffset(5 * MiB + 64 * KiB), ByteCount(128 * KiB)}, Txg(10))
                 .has_value());
    QVERIFY(!allocator->claim({VdevId(0), ByteOffset(8 * MiB - 4096), ByteCount(8192)}, Txg(10))
                 .has_value());
    QVERIFY(allocator->sync(Txg(10), 1, maps).has_value());
    QCOMPARE(rangesOf(mapsOf(maps, VdevId(0), 22)), std::vector<Range>{rangeOf(block)});
    QVERIFY(allocator->free(block, Txg(10)).has_value());
}

void TestAllocator::wrongFreesAreErrors()
{
    const Vdevs vdevs({"disk"}, 12, 22);
    Maps maps(4096);
    const auto allocator = vdevs.open(maps);
    const Extent block = *allocator->allocate({.physicalSize = ByteCount(8192), .txg = Txg(10)});
    const auto refused = [&](const Extent& extent) {
        const Status status = allocator->free(extent, Txg(10));
        return !status && status.error().is(ErrorCode::BadSpaceMap);
    };
    QVERIFY(refused({VdevId(7), block.offset, block.size}));
    QVERIFY(refused({VdevId(0), ByteOffset(~std::uint64_t{0} << 12), ByteCount(4096)}));
    QVERIFY(refused({VdevId(0), block.offset, ByteCount(0)}));
    QVERIFY(refused({VdevId(0), block.offset, ByteCount(~std::uint64_t{0})}));
    QVERIFY(refused({VdevId(0), block.offset + ByteCount(512), ByteCount(512)}));
    QVERIFY(
        refused({VdevId(0), block.offset + ByteCount(4096), ByteCount(8192)})); // half of it free
    QVERIFY(allocator->free(block, Txg(10)).has_value());
    QVERIFY(refused(block));
    QVERIFY(allocator->sync(Txg(10), 1, maps).has_value());
    QVERIFY(refused(block));
    allocator->syncDone(Txg(10));
    QVERIFY(refused(block));
}

/// A metaslab whose map can't be read, or contradicts itself, costs its space and no more.
void TestAllocator::damagedMapsAreLeftAlone()
{
    const Vdevs vdevs({"disk"}, 12, 25); // two metaslabs
    Maps maps(4096);
    auto allocator = vdevs.open(maps);
    const Extent block = *allocator->allocate({.physicalSize = ByteCount(8192), .txg = Txg(10)});
    QCOMPARE(block.offset, ByteOffset(0));
    QVERIFY(allocator->sync(Txg(10), 1, maps).has_value());
    for (const bool unreadable : {true, false}) {
        maps.failLoads = unreadable;
        maps.maps.begin()->second.header.allocated = unreadable ? 8192 : 4096;
        allocator = vdevs.open(maps);
        std::uint64_t got = 0;
        Result<Extent> taken =
            allocator->allocate({.physicalSize = ByteCount(MiB), .txg = Txg(11)});
        while (taken) {
            got += taken->size.value();
            taken = allocator->allocate({.physicalSize = ByteCount(MiB), .txg = Txg(11)});
        }
        QCOMPARE(got, 32 * MiB);
        QVERIFY(allocator->free(block, Txg(11)).has_value());
        QVERIFY(!allocator->claim(block, Txg(11)).has_value());
    }
    // Figures beyond all bounds are refused at once.
    std::vector<TopLevelSource> wrong(1);
    wrong[0] = {.top = vdevs.tree->top(VdevId(0)), .metaslabShift = 25, .metaslabs = {}};
    wrong[0].metaslabs.push_back(
        {.map = ObjectId(1), .mapBlockBytes = 4096, .allocated = MiB * 33});
    QVERIFY(!Allocator::create(wrong, maps, {}).has_value());
    wrong[0].metaslabs.assign(3, {});
    QVERIFY(!Allocator::create(wrong, maps, {}).has_value());
    wrong[0].metaslabShift = 63;
    QVERIFY(!Allocator::create(wrong, maps, {}).has_value());
}

void TestAllocator::rewrites()
{
    const Vdevs vdevs({"disk"}, 12, 26);
    Maps maps(4096);
    auto allocator = vdevs.open(maps);
    const Extent block = *allocator->allocate({.physicalSize = ByteCount(8192), .txg = Txg(10)});
    QVERIFY(allocator->sync(Txg(10), 1, maps).has_value());

    // As if a log space map had freed half of it.
    struct WithLog final : MetaslabLoader
    {
        Result<RangeSet> allocated(const MetaslabId&, ObjectId) override
        {
            RangeSet set;
            (void)set.add({0, 4096});
            return set;
        }
    } withLog;

    TopLevelSource source{.top = vdevs.tree->top(VdevId(0)), .metaslabShift = 26, .metaslabs = {}};
    source.metaslabs.push_back({.map = maps.array.begin()->second,
                                .mapBlockBytes = 4096,
                                .header = maps.maps.begin()->second.header,
                                .allocated = 4096,
                                .rewrite = true});
    const auto reopened = Allocator::create({source}, withLog, {});
    QVERIFY(reopened.has_value());
    QVERIFY((*reopened)->isDirty(Txg(11)));
    QVERIFY((*reopened)->sync(Txg(11), 1, maps).has_value());
    QVERIFY(!(*reopened)->isDirty(Txg(11)));
    const std::vector<Range> half{{0, 4096}};
    QCOMPARE(rangesOf(mapsOf(maps, VdevId(0), 26)), half);
    QCOMPARE(block.offset, ByteOffset(0));
}

void TestAllocator::released()
{
    const Vdevs vdevs({"disk"}, 12, 26);
    Maps maps(4096);
    const auto allocator = vdevs.open(maps);
    const Extent block = *allocator->allocate({.physicalSize = ByteCount(8192), .txg = Txg(10)});
    QVERIFY(allocator->free(block, Txg(10)).has_value());
    std::vector<Extent> told;
    for (std::uint64_t txg = 10; txg < 14; ++txg) {
        QVERIFY(allocator->sync(Txg(txg), 1, maps).has_value());
        allocator->syncDone(Txg(txg), [&](const Extent& extent) {
            QCOMPARE(txg, std::uint64_t(12));
            QVERIFY(allocator->figures(VdevId(0)).deferred == 8192); // not free yet
            told.push_back(extent);
        });
    }
    QCOMPARE(told, std::vector<Extent>{block});
}

void TestAllocator::idleMetaslabsLeaveMemory()
{
    const Vdevs vdevs({"disk"}, 12, 22);
    Maps maps(4096);
    const auto allocator = vdevs.open(maps, {.unloadAfterTxgs = 10});
    const Extent block = *allocator->allocate({.physicalSize = ByteCount(8192), .txg = Txg(10)});
    for (std::uint64_t txg = 10; txg < 64; ++txg) {
        QVERIFY(allocator->sync(Txg(txg), 1, maps).has_value());
        allocator->syncDone(Txg(txg));
    }
    QCOMPARE(allocator->loadedMetaslabs(), std::size_t(0));
    QVERIFY(allocator->free(block, Txg(64)).has_value());
    QCOMPARE(allocator->loadedMetaslabs(), std::size_t(0));
    const Extent next = *allocator->allocate({.physicalSize = ByteCount(8192), .txg = Txg(64)});
    QVERIFY(next.offset != block.offset);
}

void TestAllocator::visitsFreeSpace()
{
    const Vdevs vdevs({"disk"}, 12, 25);
    Maps maps(4096);
    const auto allocator = vdevs.open(maps);
    const Extent block = *allocator->allocate({.physicalSize = ByteCount(8192), .txg = Txg(10)});
    std::uint64_t visited = 0;
    QVERIFY(allocator
                ->visitFree(
                    {VdevId(0), 0},
                    ByteCount(4096),
                    [&](const Extent& extent) {
                        visited += extent.size.value();
                        // Nobody is given anything here meanwhile.
                        QVERIFY(
                            allocator->allocate({.physicalSize = ByteCount(4096), .txg = Txg(10)})
                                ->offset >= ByteOffset(32 * MiB));
                    })
                .has_value());
    QCOMPARE(visited, 32 * MiB - block.size.value());
    QVERIFY(
        !allocator->visitFree({VdevId(0), 2}, ByteCount(4096), [](const Extent&) {}).has_value());
}

/// Allocations and frees of an open txg go on while another syncs.
void TestAllocator::threads()
{
    const Vdevs vdevs({"disk", "disk"}, 9, 22);
    Maps maps(512);
    const auto allocator = vdevs.open(maps);
    std::atomic<std::uint64_t> open = 11;
    std::atomic<bool> stop = false;
    std::vector<std::vector<Extent>> live(3);
    std::array<std::atomic<int>, 4> holds{}; // by txg: nobody is still in it
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < live.size(); ++t) {
        threads.emplace_back([&, t] {
            SeededRandom random(t + 1);
            while (!stop) {
                const std::uint64_t txg = open;
                ++holds[txg % 4];
                if (txg != open) {
                    --holds[txg % 4];
                    continue;
                }
                if (live[t].size() < 400 || random.next() % 2 == 0) {
                    if (auto taken = allocator->allocate(
                            {.physicalSize = ByteCount(512 + random.next() % 8192),
                             .txg = Txg(txg)})) {
                        live[t].push_back(*taken);
                    }
                } else {
                    std::swap(live[t][random.next() % live[t].size()], live[t].back());
                    if (!allocator->free(live[t].back(), Txg(txg))) {
                        qFatal("a free that failed");
                    }
                    live[t].pop_back();
                }
                --holds[txg % 4];
            }
        });
    }
    const auto finish = [&](std::uint64_t txg) {
        while (holds[txg % 4] != 0) {
            std::this_thread::yield();
        }
        QVERIFY(allocator->sync(Txg(txg), 1, maps).has_value());
        QVERIFY(allocator->sync(Txg(txg), 2, maps).has_value());
        allocator->syncDone(Txg(txg));
    };
    for (std::uint64_t txg = 11; txg < 60; ++txg) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        open = txg + 1;
        finish(txg);
    }
    stop = true;
    for (std::thread& thread : threads) {
        thread.join();
    }
    finish(60);
    std::map<VdevId, RangeSet> expected;
    for (const auto& extents : live) {
        for (const Extent& extent : extents) {
            QCOMPARE(expected[extent.vdev].add(rangeOf(extent)), std::uint64_t(0));
        }
    }
    for (const VdevId id : {VdevId(0), VdevId(1)}) {
        QCOMPARE(rangesOf(mapsOf(maps, id, 22)), rangesOf(expected[id]));
    }
}

/// Fresh space and space full of holes. Prints; the bound is far off, for slow machines.
void TestAllocator::fillsHolesAgain()
{
    const Vdevs vdevs({"disk"}, 9, 26);
    Maps maps(4096);
    const auto allocator = vdevs.open(maps);
    std::vector<Extent> all;
    double begun = processorTime();
    while (const auto taken =
               allocator->allocate({.physicalSize = ByteCount(512), .txg = Txg(10)})) {
        all.push_back(*taken);
    }
    const double fresh = (processorTime() - begun) / double(all.size());
    for (std::uint64_t txg = 10; txg < 15; ++txg) {
        for (std::size_t i = txg - 10; i < all.size() && txg < 12; i += 4) {
            QVERIFY(allocator->free(all[i], Txg(txg)).has_value());
        }
        QVERIFY(allocator->sync(Txg(txg), 1, maps).has_value());
        allocator->syncDone(Txg(txg));
    }
    std::size_t count = 0;
    begun = processorTime();
    while (allocator->allocate({.physicalSize = ByteCount(512), .txg = Txg(15)})) {
        ++count;
    }
    const double holes = (processorTime() - begun) / double(count);
    qInfo("%.0f ns an allocation of fresh space, %.0f ns among %zu holes", fresh, holes, count / 2);
    QCOMPARE(count, all.size() / 2);
}

QTEST_GUILESS_MAIN(TestAllocator)
#include "tst_allocator.moc"
