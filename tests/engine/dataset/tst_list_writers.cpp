// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: lists of block pointers and deadlists that are written read back as what was put into
// them, with sums that add up and each block in the group of its birth; one shared object stands
// for all empty groups and is counted; destroying a list leaves nothing behind. Method: random
// insertions over several txgs into a pool's object set in memory, compared with plain lists.

#include "dataset/bp_object_writer.h"
#include "engine/dataset/mos_in_memory.h"
#include "support/mp_ok.h"
#include "support/seed.h"

#include <QTest>

#include <fmt/format.h>

#include <algorithm>
#include <map>

using namespace millpond;
using namespace millpond::dataset;
using namespace millpond::test;
using format::BlockPointer;

namespace {

BlockPointer randomBlock(Random& random, Txg birth)
{
    BlockPointer pointer;
    const std::uint64_t sectors = 1 + random.next() % 8;
    pointer.words[0] = sectors;
    pointer.words[1] = 1 + random.next() % 1'000'000;
    // Little endian, a plain file's data, fletcher4, not compressed.
    pointer.words[6] = (std::uint64_t{1} << 63) | (std::uint64_t{19} << 48) |
                       (std::uint64_t{7} << 40) | (std::uint64_t{2} << 32) | ((sectors - 1) << 16) |
                       (sectors - 1);
    pointer.words[10] = birth.value();
    pointer.words[11] = 1;
    pointer.words[12] = random.next();
    return pointer;
}

std::uint64_t twice(const BlockPointer& pointer)
{
    return pointer.allocatedSize().value() * 2;
}

struct Pool : MosInMemory
{
    [[nodiscard]] ListContext context(std::uint64_t version = 5000)
    {
        return {*mos, features, version, twice};
    }

    [[nodiscard]] std::vector<std::uint64_t> objects() const
    {
        std::vector<std::uint64_t> all;
        ObjectId at{0};
        for (;;) {
            const auto next = mos->nextObject(at);
            if (!next || !*next) {
                return all;
            }
            at = **next;
            all.push_back(at.value());
        }
    }
};

/// The parts of a pointer that a list keeps.
using Kept = std::array<std::uint64_t, 4>;

Kept kept(const BlockPointer& pointer)
{
    return {pointer.words[0], pointer.words[1], pointer.words[6], pointer.words[10]};
}

template <class List> std::vector<Kept> contentOf(const List& list)
{
    std::vector<Kept> all;
    const Status walked = list.forEach([&](const BlockPointer& pointer, bool) -> Result<bool> {
        all.push_back(kept(pointer));
        return true;
    });
    if (!walked) {
        all.push_back({~0ULL, ~0ULL, ~0ULL, ~0ULL});
    }
    std::ranges::sort(all);
    return all;
}

} // namespace

class TestListWriters : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsBackWhatWasAppended();
    void sortsIntoGroups();
    void oneObjectStandsForEmptyGroups();
    void refusesWhatHasNoGroup();
    void oldPoolsHaveOneList();
};

void TestListWriters::readsBackWhatWasAppended()
{
    SeededRandom random(testSeed());
    Pool pool;
    MP_OK(pool.make());
    ListContext context = pool.context();
    std::vector<Kept> model;
    ObjectId list;
    BlockSums sums;
    for (std::uint64_t txg = 4; txg < 9; ++txg) {
        BpObjectWriter writer(context, Txg(txg));
        if (txg == 4) {
            const auto made = writer.create(4096); // 32 pointers a block
            MP_OK(made);
            list = *made;
        }
        std::vector<BlockPointer> batch(random.next() % 100);
        for (BlockPointer& pointer : batch) {
            pointer = randomBlock(random, Txg(txg));
            model.push_back(kept(pointer));
            sums.allocated += twice(pointer);
            sums.compressed += pointer.physicalSize().value();
            sums.uncompressed += pointer.logicalSize().value();
        }
        MP_OK(writer.append(list, batch));
        MP_OK(pool.sync(Txg(txg)));
        const auto read = BpObject::open(*pool.mos, list);
        MP_OK(read);
        std::vector<Kept> expected = model;
        std::ranges::sort(expected);
        QCOMPARE(contentOf(*read), expected);
        QVERIFY(read->sums() == sums);
    }
    BpObjectWriter writer(context, Txg(9));
    MP_OK(writer.clear(list));
    const auto empty = BpObject::open(*pool.mos, list);
    MP_OK(empty);
    QCOMPARE(empty->ownEntries(), 0U);
    MP_OK(writer.destroy(list));
    MP_OK(pool.sync(Txg(9)));
    QCOMPARE(pool.objects(), std::vector<std::uint64_t>{1});
}

void TestListWriters::sortsIntoGroups()
{
    SeededRandom random(testSeed());
    Pool pool;
    MP_OK(pool.make());
    ListContext context = pool.context();
    const std::vector<std::uint64_t> keys{0, 10, 20, 30};
    ObjectId deadlist;
    {
        DeadlistWriter writer(context, Txg(4));
        const auto made = writer.create();
        MP_OK(made);
        deadlist = *made;
        for (const std::uint64_t key : keys) {
            MP_OK(writer.addGroup(deadlist, Txg(key)));
        }
    }
    std::map<std::uint64_t, std::uint64_t> bytes; // by group
    std::vector<Kept> model;
    for (std::uint64_t txg = 40; txg < 44; ++txg) {
        DeadlistWriter writer(context, Txg(txg));
        std::vector<BlockPointer> batch(50);
        for (BlockPointer& pointer : batch) {
            const std::uint64_t birth = 1 + random.next() % 39;
            pointer = randomBlock(random, Txg(birth));
            model.push_back(kept(pointer));
            // A block born in a group's own txg is the earlier snapshot's.
            bytes[(birth - 1) / 10 * 10] += twice(pointer);
        }
        MP_OK(writer.insert(deadlist, batch));
        MP_OK(pool.sync(Txg(txg)));
    }
    const auto read = Deadlist::open(*pool.mos, deadlist);
    MP_OK(read);
    std::ranges::sort(model);
    QCOMPARE(contentOf(*read), model);
    std::uint64_t sum = 0;
    for (const auto& [txg, list] : read->groups()) {
        const auto group = BpObject::open(*pool.mos, list);
        MP_OK(group);
        QCOMPARE(group->sums().allocated, bytes[txg.value()]);
        sum += group->sums().allocated;
    }
    QCOMPARE(read->sums().allocated, sum);
    DeadlistWriter writer(context, Txg(44));
    MP_OK(writer.destroy(deadlist));
    MP_OK(pool.sync(Txg(44)));
    QCOMPARE(pool.objects(), std::vector<std::uint64_t>{1});
}

void TestListWriters::oneObjectStandsForEmptyGroups()
{
    Pool pool;
    MP_OK(pool.make());
    ListContext context = pool.context();
    DeadlistWriter writer(context, Txg(4));
    const auto first = writer.create();
    MP_OK(first);
    MP_OK(writer.addGroup(*first, Txg(0)));
    MP_OK(writer.addGroup(*first, Txg(2)));
    const auto clone = writer.cloneGroups(*first, Txg(2));
    MP_OK(clone);
    QCOMPARE(pool.features.counts["empty_bpobj"], 3);
    const auto groups = Deadlist::open(*pool.mos, *clone);
    MP_OK(groups);
    QCOMPARE(groups->groups().size(), 1U);
    // Directory, two deadlists, and the list that stands for all three groups.
    QCOMPARE(pool.objects().size(), 4U);
    MP_OK(writer.destroy(*first));
    MP_OK(writer.destroy(*clone));
    QCOMPARE(pool.features.counts["empty_bpobj"], 0);
    QCOMPARE(pool.objects(), std::vector<std::uint64_t>{1});
}

void TestListWriters::refusesWhatHasNoGroup()
{
    SeededRandom random(testSeed());
    Pool pool;
    MP_OK(pool.make());
    ListContext context = pool.context();
    DeadlistWriter writer(context, Txg(4));
    const auto deadlist = writer.create();
    MP_OK(deadlist);
    MP_OK(writer.addGroup(*deadlist, Txg(10)));
    const std::vector<BlockPointer> batch{randomBlock(random, Txg(10))};
    const Status inserted = writer.insert(*deadlist, batch);
    QVERIFY(!inserted && inserted.error().is(ErrorCode::BadDataset));
}

void TestListWriters::oldPoolsHaveOneList()
{
    SeededRandom random(testSeed());
    Pool pool;
    MP_OK(pool.make());
    pool.features.counts.clear();
    ListContext context = pool.context(25);
    DeadlistWriter writer(context, Txg(4));
    const auto deadlist = writer.create();
    MP_OK(deadlist);
    MP_OK(writer.addGroup(*deadlist, Txg(0))); // No groups there: nothing happens.
    const std::vector<BlockPointer> batch{randomBlock(random, Txg(3)), randomBlock(random, Txg(1))};
    MP_OK(writer.insert(*deadlist, batch));
    const auto read = Deadlist::open(*pool.mos, *deadlist);
    MP_OK(read);
    QVERIFY(read->isOldFormat());
    QCOMPARE(contentOf(*read).size(), 2U);
    MP_OK(writer.destroy(*deadlist));
    QCOMPARE(pool.objects(), std::vector<std::uint64_t>{1});
}

QTEST_GUILESS_MAIN(TestListWriters)
#include "tst_list_writers.moc"
