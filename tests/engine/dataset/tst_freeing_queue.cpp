// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: whatever is destroyed is freed, each block once, nothing before what is below it, in
// portions, over interruptions, and past blocks that can't be read; figures of what is being freed
// fit at any time; no object is left. Method: object sets in memory with several levels, spill
// blocks and large dnodes; a store that complains about reads of freed blocks and second frees;
// random budgets, the pool opened anew in between, random blocks unreadable for a while.

#include "dataset/freeing_queue.h"
#include "engine/dataset/dying_object_sets.h"
#include "object/zap.h"
#include "support/mp_ok.h"

#include <QTest>

#include <fmt/format.h>

#include <algorithm>

using namespace millpond;
using namespace millpond::dataset;
using namespace millpond::test;
using format::BlockPointer;

namespace {

/// A pool whose datasets have content.
struct Pool : LivePool
{
    WatchedBlocks blocks{storage};
    std::unique_ptr<FreeingQueue> queue;

    [[nodiscard]] FreeingPorts freeing() { return {*tree, blocks, blocks, clock}; }

    [[nodiscard]] Status make()
    {
        features.enable({"async_destroy", "extensible_dataset", "large_blocks"});
        MP_TRY(LivePool::make());
        queue = std::make_unique<FreeingQueue>(freeing());
        return queue->create(Txg(4));
    }

    [[nodiscard]] Status reopen(Txg txg)
    {
        queue.reset();
        MP_TRY(LivePool::reopen(txg));
        queue = std::make_unique<FreeingQueue>(freeing());
        return queue->open();
    }

    [[nodiscard]] Result<BlockPointer> syncSet(object::LiveObjectSet& set, Txg txg)
    {
        object::SyncContext context{.sink = storage,
                                    .executor = executor,
                                    .ledger = blocks,
                                    .txg = txg,
                                    .pass = 1,
                                    .settings = {},
                                    .owners = nullptr};
        return set.sync(context);
    }

    /// An object set with `count` objects of random shape.
    [[nodiscard]] Result<std::shared_ptr<object::LiveObjectSet>> fill(std::size_t count, Txg txg)
    {
        auto set = MP_TRY(object::LiveObjectSet::create(
            blocks, ObjsetId(99), {.type = format::ObjsetType::Filesystem}, txg));
        for (std::size_t i = 0; i < count; ++i) {
            const ObjectId id = MP_TRY(set->allocateObject(
                txg,
                {.type = format::number(format::ObjectType::PlainFile),
                 .bonusType = format::number(format::ObjectType::SystemAttributes),
                 .dataBlockBytes = 512,
                 .indirectShift = 12,
                 .slots = static_cast<std::uint8_t>(1 + random.next() % 3)}));
            MP_TRY(scribble(*set, id, txg));
            if (random.next() % 3 == 0) {
                const std::vector<std::byte> spill(512, std::byte{7});
                MP_TRY(set->setSpill(txg, id, spill));
            }
        }
        return set;
    }

    /// Some blocks at some places of an object.
    [[nodiscard]] Status scribble(object::LiveObjectSet& set, ObjectId id, Txg txg)
    {
        for (std::uint64_t n = random.next() % 6; n > 0; --n) {
            const std::uint64_t block = random.next() % (std::uint64_t{1} << (random.next() % 13));
            const std::vector<std::byte> data(512 * (1 + random.next() % 40), std::byte{1});
            MP_TRY(set.write(txg, id, ByteOffset(block * 512), data));
        }
        return {};
    }

    /// A dataset below the root that holds all the blocks there are.
    [[nodiscard]] Result<LiveDirectory*>
    addFilled(const std::string& name, std::size_t count, Txg txg)
    {
        const BlockSums before = blocks.sums();
        LiveDirectory* made = MP_TRY(add(tree->root(), name, txg));
        LiveDataset* head = MP_TRY(tree->head(*made));
        const auto set = MP_TRY(fill(count, txg));
        tree->setRoot(*head, MP_TRY(syncSet(*set, txg)));
        LiveTree::BlockChanges changes;
        changes.born = SpaceDelta::of(blocks.sums());
        changes.born.add(SpaceDelta::of(before).negated());
        MP_TRY(tree->apply(*head, changes, txg));
        return made;
    }

    [[nodiscard]] Result<DyingTrees> trees()
    {
        const auto directory = MP_TRY(object::Zap::open(*mos, format::kPoolDirectoryObject));
        return readDyingTrees(*mos, ObjectId(MP_TRY(directory.number(format::kPoolBpTree))));
    }

    [[nodiscard]] Result<const format::DslDirPhys*> freeDirectory()
    {
        const auto names = MP_TRY(object::Zap::open(*mos, tree->root().phys.childDirectories));
        return &MP_TRY(tree->directory(ObjectId(MP_TRY(names.number("$FREE")))))->phys;
    }
};

BlockPointer single(std::uint64_t address)
{
    BlockPointer made;
    made.words[0] = 1;
    made.words[1] = address / 512;
    made.words[6] = (std::uint64_t{2} << 32U) | (std::uint64_t{7} << 40U) |
                    (std::uint64_t{19} << 48U) | (std::uint64_t{1} << 63U);
    made.words[10] = 5;
    return made;
}

} // namespace

class TestFreeingQueue : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void destroysWithoutATrace();
    void inPortions_data();
    void inPortions();
    void onlyWhatWasBornLater();
    void othersDoNotWait();
    void passesOverWhatCannotBeRead();
    void neverGoesBack();
    void stopsInTime();
    void atOnceInOldPools();
    void singleBlocks();
    void includedLists();
    void refuses();
    void forgetsBookmarksAndRoots();
};

void TestFreeingQueue::destroysWithoutATrace()
{
    Pool pool;
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    MP_OK(pool.sync(Txg(4)));
    const auto before = pool.objects();
    MP_OK(before);
    const auto a = pool.addFilled("a", 40, Txg(5));
    MP_OK(a);
    MP_OK(tree.set(**a,
                   std::vector<Setting>{{"reservation", std::uint64_t{1'000'000'000}},
                                        {"refreservation", std::uint64_t{900'000'000}},
                                        {"a:b", std::string("c")}},
                   Txg(5)));
    const auto head = tree.head(**a);
    MP_OK(head);
    MP_OK(tree.activateFeature(**head, *format::featureByName("large_blocks"), Txg(5)));
    MP_OK(pool.sync(Txg(5)));
    const std::uint64_t used = (*head)->phys.uniqueBytes;
    const auto origin = tree.dataset(ObjsetId((*head)->phys.previousSnapshot.value()));
    MP_OK(origin);
    QCOMPARE((*origin)->phys.childCount, 3U); // its own head, the root, a

    MP_OK(tree.destroyHead(**a, *pool.queue, Txg(6)));
    QVERIFY(!tree.find("pool/a"));
    QCOMPARE((*origin)->phys.childCount, 2U);
    QCOMPARE(pool.features.counts["large_blocks"], 0);
    QCOMPARE(pool.features.counts["extensible_dataset"], 0);
    QCOMPARE(pool.features.counts["async_destroy"], 1);
    const auto freeing = pool.freeDirectory();
    MP_OK(freeing);
    QCOMPARE((*freeing)->usedBytes, used);
    QCOMPARE(tree.root().phys.usedBytes, used);
    MP_OK(pool.sync(Txg(6)));
    const auto reader = pool.reader();
    MP_OK(reader);
    QCOMPARE(wrongFigures(**reader), "");

    const auto progress = pool.queue->work({}, Txg(7));
    MP_OK(progress);
    QVERIFY(!progress->more && !progress->damage);
    QVERIFY(pool.blocks.inUse.empty());
    QVERIFY(pool.blocks.complaints.empty());
    QCOMPARE((*freeing)->usedBytes, 0U);
    QCOMPARE((*freeing)->uncompressedBytes, 0U);
    QCOMPARE(pool.features.counts["async_destroy"], 0);
    MP_OK(pool.sync(Txg(7)));
    const auto after = pool.objects();
    MP_OK(after);
    QCOMPARE(*after, *before);
    // Its name is free.
    MP_OK(pool.add(tree.root(), "a", Txg(8)));
}

void TestFreeingQueue::inPortions_data()
{
    QTest::addColumn<int>("most");
    for (const int most : {1, 7, 100}) {
        QTest::addRow("up to %d", most) << most;
    }
}

void TestFreeingQueue::inPortions()
{
    QFETCH(int, most);
    Pool pool;
    MP_OK(pool.make());
    for (const char* name : {"a", "b", "c"}) {
        MP_OK(pool.addFilled(name, 1 + pool.random.next() % 12, Txg(5)));
    }
    for (const char* name : {"a", "b", "c"}) {
        const auto directory = pool.tree->find(fmt::format("pool/{}", name));
        MP_OK(directory);
        MP_OK(pool.tree->destroyHead(**directory, *pool.queue, Txg(6)));
    }
    bool more = true;
    std::uint64_t txg = 7;
    while (more) {
        QVERIFY(txg < 20'000);
        const std::uint64_t budget = pool.random.next() % static_cast<std::uint64_t>(most) + 1;
        const auto progress = pool.queue->work({.blocks = budget}, Txg(txg));
        MP_OK(progress);
        QVERIFY(!progress->stalled && !progress->damage);
        // A little more than the budget: the way up to the root.
        QVERIFY(progress->blocks < budget + 40);
        more = progress->more;
        const auto freeing = pool.freeDirectory();
        MP_OK(freeing);
        const BlockSums left = pool.blocks.sums();
        QCOMPARE((*freeing)->usedBytes, left.allocated);
        QCOMPARE((*freeing)->compressedBytes, left.compressed);
        QCOMPARE((*freeing)->uncompressedBytes, left.uncompressed);
        if (more) {
            const auto trees = pool.trees();
            MP_OK(trees);
            QCOMPARE(trees->sums, left);
        }
        if (pool.random.next() % 4 == 0) {
            MP_OK(pool.reopen(Txg(txg)));
        }
        ++txg;
    }
    QVERIFY2(pool.blocks.complaints.empty(),
             pool.blocks.complaints.empty() ? "" : pool.blocks.complaints.front().c_str());
    QVERIFY(pool.blocks.inUse.empty());
    const auto empty = pool.queue->isEmpty();
    MP_OK(empty);
    QVERIFY(*empty);
}

void TestFreeingQueue::onlyWhatWasBornLater()
{
    Pool pool;
    MP_OK(pool.make());
    const auto set = pool.fill(80, Txg(5));
    MP_OK(set);
    MP_OK(pool.syncSet(**set, Txg(5)));
    const auto old = pool.blocks.inUse;
    for (std::uint64_t id = 1; id < 60; id += 7) {
        if ((*set)->dnode(ObjectId(id))) {
            MP_OK(pool.scribble(**set, ObjectId(id), Txg(9)));
        }
    }
    (*set)->markDirty(Txg(9));
    const auto root = pool.syncSet(**set, Txg(9));
    MP_OK(root);
    // What the old tree has, somebody else has too: nothing of it may be freed.
    const auto all = pool.blocks.inUse;
    pool.blocks.inUse.insert(old.begin(), old.end());
    BlockSums sums;
    std::size_t young = 0;
    for (const auto& [address, pointer] : all) {
        if (pointer.birth() > Txg(5)) {
            ++young;
            sums.allocated += pointer.allocatedSize().value();
        }
    }
    MP_OK(pool.queue->bury({*root, Txg(5), sums}, Txg(10)));
    bool more = true;
    for (std::uint64_t txg = 11; more; ++txg) {
        const auto progress = pool.queue->work({.blocks = 3}, Txg(txg));
        MP_OK(progress);
        more = progress->more;
        young -= progress->blocks;
    }
    QCOMPARE(young, std::size_t{0});
    QCOMPARE(pool.blocks.inUse.size(), old.size());
    QVERIFY(pool.blocks.complaints.empty());
}

/// A tree that can't be read does not hold up those behind it, which then are nothing any more.
void TestFreeingQueue::othersDoNotWait()
{
    Pool pool;
    MP_OK(pool.make());
    for (const char* name : {"a", "b", "c"}) {
        const auto directory = pool.addFilled(name, 10, Txg(5));
        MP_OK(directory);
        const auto head = pool.tree->head(**directory);
        MP_OK(head);
        if (name[0] == 'b') {
            pool.blocks.unreadable.insert(MemoryPool::addressOf((*head)->phys.root));
        }
    }
    const std::size_t before = pool.blocks.inUse.size();
    for (const char* name : {"a", "b", "c"}) {
        const auto directory = pool.tree->find(fmt::format("pool/{}", name));
        MP_OK(directory);
        MP_OK(pool.tree->destroyHead(**directory, *pool.queue, Txg(6)));
    }
    std::uint64_t blocks = 0;
    for (std::uint64_t txg = 7; txg < 10; ++txg) {
        const auto progress = pool.queue->work({}, Txg(txg));
        MP_OK(progress);
        QVERIFY(progress->more && progress->damage);
        QCOMPARE(progress->stalled, txg > 7);
        blocks += progress->blocks;
        MP_OK(pool.reopen(Txg(txg)));
    }
    QCOMPARE(blocks + pool.blocks.inUse.size(), before);
    const auto trees = pool.trees();
    MP_OK(trees);
    QCOMPARE(trees->trees.size(), std::size_t{2});
    QCOMPARE(trees->sums, pool.blocks.sums());
    pool.blocks.unreadable.clear();
    const auto progress = pool.queue->work({}, Txg(10));
    MP_OK(progress);
    QVERIFY(!progress->more);
    QVERIFY(pool.blocks.inUse.empty() && pool.blocks.complaints.empty());
}

void TestFreeingQueue::passesOverWhatCannotBeRead()
{
    Pool pool;
    MP_OK(pool.make());
    for (const char* name : {"a", "b", "c"}) {
        MP_OK(pool.addFilled(name, 30, Txg(5)));
    }
    for (const char* name : {"a", "b", "c"}) {
        const auto directory = pool.tree->find(fmt::format("pool/{}", name));
        MP_OK(directory);
        MP_OK(pool.tree->destroyHead(**directory, *pool.queue, Txg(6)));
    }
    bool more = true;
    bool damaged = false;
    std::uint64_t txg = 7;
    for (; more; ++txg) {
        QVERIFY(txg < 3000);
        pool.blocks.unreadable.clear();
        if (txg % 3 != 0 && txg < 300) {
            for (const auto& [address, pointer] : pool.blocks.inUse) {
                if (pool.random.next() % 10 == 0) {
                    pool.blocks.unreadable.insert(address);
                }
            }
        }
        const auto progress = pool.queue->work({.blocks = pool.random.next() % 60}, Txg(txg));
        MP_OK(progress);
        more = progress->more;
        damaged = damaged || progress->damage.has_value();
        QVERIFY(!progress->stalled || progress->damage);
        if (txg % 5 == 0) {
            MP_OK(pool.reopen(Txg(txg)));
        }
    }
    QVERIFY(damaged);
    QVERIFY2(pool.blocks.complaints.empty(),
             pool.blocks.complaints.empty() ? "" : pool.blocks.complaints.front().c_str());
    QVERIFY(pool.blocks.inUse.empty());
    const auto freeing = pool.freeDirectory();
    MP_OK(freeing);
    QCOMPARE((*freeing)->usedBytes, 0U);
}

/// An upper block that can't be read for a while does not bring back what is below it.
void TestFreeingQueue::neverGoesBack()
{
    Pool pool;
    MP_OK(pool.make());
    const auto a = pool.addFilled("a", 40, Txg(5));
    MP_OK(a);
    const auto head = pool.tree->head(**a);
    MP_OK(head);
    const std::uint64_t root = MemoryPool::addressOf((*head)->phys.root);
    MP_OK(pool.tree->destroyHead(**a, *pool.queue, Txg(6)));
    bool more = true;
    for (std::uint64_t txg = 7; more; ++txg) {
        pool.blocks.unreadable.clear();
        if (txg % 2 == 0) {
            pool.blocks.unreadable.insert(root);
        } else if (txg % 4 == 1) {
            for (const auto& [address, pointer] : pool.blocks.inUse) {
                if (pointer.level().value() > 0) {
                    pool.blocks.unreadable.insert(address);
                }
            }
        }
        const auto progress = pool.queue->work({.blocks = 20}, Txg(txg));
        MP_OK(progress);
        more = progress->more;
        QCOMPARE(progress->stalled, !pool.blocks.unreadable.empty() && progress->blocks == 0);
        QVERIFY(txg < 3000);
    }
    QVERIFY2(pool.blocks.complaints.empty(),
             pool.blocks.complaints.empty() ? "" : pool.blocks.complaints.front().c_str());
    QVERIFY(pool.blocks.inUse.empty());
}

void TestFreeingQueue::stopsInTime()
{
    Pool pool;
    MP_OK(pool.make());
    const auto a = pool.addFilled("a", 20, Txg(5));
    MP_OK(a);
    MP_OK(pool.tree->destroyHead(**a, *pool.queue, Txg(6)));
    const auto progress = pool.queue->work({.time = std::chrono::nanoseconds(-1)}, Txg(7));
    MP_OK(progress);
    QCOMPARE(progress->blocks, 0U);
    QVERIFY(progress->more && !progress->damage);
}

void TestFreeingQueue::atOnceInOldPools()
{
    for (const std::uint64_t version : {25U, 28U}) {
        Pool pool;
        pool.version = version;
        pool.features.counts.clear();
        MP_OK(pool.LivePool::make());
        pool.queue = std::make_unique<FreeingQueue>(pool.freeing());
        MP_OK(pool.queue->create(Txg(4)));
        MP_OK(pool.sync(Txg(4)));
        const auto before = pool.objects();
        MP_OK(before);
        const auto a = pool.addFilled("a", 30, Txg(5));
        MP_OK(a);
        MP_OK(pool.tree->destroyHead(**a, *pool.queue, Txg(6)));
        QVERIFY(pool.blocks.inUse.empty());
        QVERIFY(pool.blocks.complaints.empty());
        QCOMPARE(pool.tree->root().phys.usedBytes, 0U);
        MP_OK(pool.sync(Txg(6)));
        const auto after = pool.objects();
        MP_OK(after);
        QCOMPARE(*after, *before);
    }
}

void TestFreeingQueue::singleBlocks()
{
    Pool pool;
    MP_OK(pool.make());
    std::vector<BlockPointer> pointers;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        pointers.push_back(single(1'000'000 + i * 512));
        MP_OK(pool.blocks.born(pointers.back()));
    }
    MP_OK(pool.queue->add(pointers, Txg(5)));
    const auto freeing = pool.freeDirectory();
    MP_OK(freeing);
    QCOMPARE((*freeing)->usedBytes, 3000U * 512);
    std::uint64_t left = 3000;
    for (std::uint64_t txg = 6; left > 0; ++txg) {
        const auto progress = pool.queue->work({.blocks = 700}, Txg(txg));
        MP_OK(progress);
        QCOMPARE(progress->blocks, std::min<std::uint64_t>(left, 700));
        left -= progress->blocks;
        QCOMPARE(progress->more, left > 0);
        MP_OK(pool.reopen(Txg(txg)));
        const auto again = pool.freeDirectory();
        MP_OK(again);
        QCOMPARE((*again)->usedBytes, left * 512);
    }
    QVERIFY(pool.blocks.inUse.empty() && pool.blocks.complaints.empty());
}

/// Lists in lists, as OpenZFS makes them of the deadlists of snapshots that are destroyed.
void TestFreeingQueue::includedLists()
{
    Pool pool;
    MP_OK(pool.make());
    MP_OK(pool.sync(Txg(4)));
    const auto before = pool.objects();
    MP_OK(before);
    ListContext& lists = pool.tree->lists();
    BpObjectWriter writer(lists, Txg(5));
    std::uint64_t next = 1'000'000;
    const auto filled = [&](ObjectId list, int count) -> Status {
        std::vector<BlockPointer> pointers;
        for (int i = 0; i < count; ++i) {
            pointers.push_back(single(next += 512));
            MP_TRY(pool.blocks.born(pointers.back()));
        }
        return writer.append(list, pointers);
    };
    // As bpobj_enqueue_subobj(): the sums of what is included count in the list.
    const auto include = [&](ObjectId list, std::vector<ObjectId> included) -> Status {
        const std::uint8_t type = format::number(format::ObjectType::BpObjectSubobject);
        const ObjectId array =
            MP_TRY(pool.mos->allocateObject(Txg(5), {.type = type, .dataBlockBytes = 512}));
        std::vector<std::byte> bytes(included.size() * 8);
        auto dnode = MP_TRY(pool.mos->dnode(list));
        auto phys = MP_TRY(format::BpObjectPhys::decode(dnode->bonus, dnode->order));
        for (std::size_t i = 0; i < included.size(); ++i) {
            store(MutableBytes(bytes), i * 8, included[i].value(), ByteOrder::Little);
            const auto one = MP_TRY(BpObject::open(*pool.mos, included[i])).sums();
            phys.bytes += one.allocated;
            phys.compressedBytes += one.compressed;
            phys.uncompressedBytes += one.uncompressed;
        }
        phys.subobjects = array;
        phys.subobjectCount = included.size();
        MP_TRY(pool.mos->write(Txg(5), array, ByteOffset(0), bytes));
        std::vector<std::byte> bonus(phys.sizeBytes);
        phys.encode(bonus, dnode->order);
        return pool.mos->setBonus(Txg(5), list, dnode->bonusType, bonus);
    };
    std::vector<ObjectId> made;
    for (int i = 0; i < 5; ++i) {
        const auto list = writer.create();
        MP_OK(list);
        made.push_back(*list);
        MP_OK(filled(*list, 10 * i));
    }
    const auto empty = writer.createEmpty();
    MP_OK(empty);
    MP_OK(include(made[4], {made[3], *empty}));
    MP_OK(include(made[2], {made[4], made[1]}));
    const auto directory = object::Zap::open(*pool.mos, format::kPoolDirectoryObject);
    MP_OK(directory);
    const auto top = directory->number(format::kPoolFreeBpObject);
    MP_OK(top);
    MP_OK(filled(ObjectId(*top), 25));
    MP_OK(include(ObjectId(*top), {made[0], made[2]}));
    pool.tree->useFreeingSpace(SpaceDelta::of(pool.blocks.sums()));
    MP_OK(pool.reopen(Txg(5)));

    bool more = true;
    for (std::uint64_t txg = 6; more; ++txg) {
        const auto progress = pool.queue->work({.blocks = 7}, Txg(txg));
        MP_OK(progress);
        more = progress->more;
        MP_OK(pool.reopen(Txg(txg)));
        const auto list = BpObject::open(*pool.mos, ObjectId(*top));
        MP_OK(list);
        QCOMPARE(list->sums(), pool.blocks.sums());
        QVERIFY(txg < 100);
    }
    QVERIFY(pool.blocks.inUse.empty() && pool.blocks.complaints.empty());
    const auto after = pool.objects();
    MP_OK(after);
    QCOMPARE(*after, *before + 1);                    // the list's own array of lists stays
    QCOMPARE(pool.features.counts["empty_bpobj"], 2); // $ORIGIN's and the root's deadlists
    const auto isEmpty = pool.queue->isEmpty();
    MP_OK(isEmpty);
    QVERIFY(*isEmpty);
}

void TestFreeingQueue::refuses()
{
    Pool pool;
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    const auto a = pool.add(tree.root(), "a", Txg(5));
    MP_OK(a);
    const auto b = pool.add(**a, "b", Txg(5));
    MP_OK(b);
    const auto code = [&](LiveDirectory& directory) {
        const Status status = tree.destroyHead(directory, *pool.queue, Txg(6));
        return status ? ErrorCode::System : status.error().code();
    };
    QCOMPARE(code(**a), ErrorCode::DatasetBusy);
    QCOMPARE(code(tree.root()), ErrorCode::InvalidArgument);
    // A snapshot of its own.
    const auto head = tree.head(**b);
    MP_OK(head);
    const auto origin = tree.dataset(ObjsetId((*head)->phys.previousSnapshot.value()));
    MP_OK(origin);
    const ObjectId next =
        std::exchange((*origin)->phys.nextSnapshot, ObjectId((*head)->id.value()));
    QCOMPARE(code(**b), ErrorCode::DatasetBusy);
    (*origin)->phys.nextSnapshot = next;
    MP_OK(tree.destroyHead(**b, *pool.queue, Txg(6)));
    MP_OK(tree.destroyHead(**a, *pool.queue, Txg(6)));
    MP_OK(pool.sync(Txg(6)));
    const auto empty = pool.queue->isEmpty(); // they never had an object set
    MP_OK(empty);
    QVERIFY(*empty);
}

void TestFreeingQueue::forgetsBookmarksAndRoots()
{
    Pool pool;
    pool.features.enable({"bookmarks", "bookmark_written", "head_errlog", "livelist"});
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    MP_OK(pool.sync(Txg(4)));
    const auto before = pool.objects();
    MP_OK(before);
    const auto a = pool.addFilled("a", 3, Txg(5));
    MP_OK(a);
    const auto head = tree.head(**a);
    MP_OK(head);
    const ObjectId object((*head)->id.value());
    MP_OK(tree.activateFeature(**head, *format::featureByName("large_blocks"), Txg(5)));
    object::ZapWriter zaps(*pool.mos, Txg(5));
    const auto bookmarks = zaps.createLinked(object, format::kDatasetBookmarks);
    MP_OK(bookmarks);
    format::BookmarkPhys mark;
    mark.flags = format::BookmarkPhys::kHasFreedBeforeNext;
    mark.words = format::BookmarkPhys::kWordsV2;
    MP_OK(zaps.add(*bookmarks, "m", object::ZapValue::integers(mark.encode())));
    pool.features.counts["bookmarks"] = 1;
    pool.features.counts["bookmark_written"] = 1;
    const auto properties =
        zaps.createLinked(format::kPoolDirectoryObject, format::kPoolProperties);
    MP_OK(properties);
    MP_OK(zaps.add(*properties, "bootfs", object.value()));
    const auto errors = zaps.createLinked(format::kPoolDirectoryObject, format::kPoolErrorLogLast);
    MP_OK(errors);
    MP_OK(zaps.createLinked(*errors, fmt::format("{:x}", object.value())));
    pool.features.counts["head_errlog"] = 1;
    // Permissions: a table of tables.
    const auto permissions = zaps.create();
    MP_OK(permissions);
    MP_OK(zaps.createLinked(*permissions, "ul$1000"));
    (*a)->phys.permissions = *permissions;

    MP_OK(tree.destroyHead(**a, *pool.queue, Txg(6)));
    MP_OK(pool.queue->work({}, Txg(6)));
    MP_OK(pool.sync(Txg(6)));
    const auto after = pool.objects();
    MP_OK(after);
    QCOMPARE(*after, *before + 2); // the two pool-wide tables made here
    for (const char* name : {"bookmarks", "bookmark_written", "large_blocks"}) {
        QCOMPARE(pool.features.counts[name], 0);
    }
    const auto table = object::Zap::open(*pool.mos, *properties);
    MP_OK(table);
    QVERIFY(!table->lookup("bootfs"));
}

QTEST_GUILESS_MAIN(TestFreeingQueue)
#include "tst_freeing_queue.moc"
