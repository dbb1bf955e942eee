// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: blocks that a dataset gives up are freed or put on its deadlist by when they were born,
// counts and per-dataset features follow from what was written. Method: pointers made by hand,
// given to the ledger and the changes to the tree; then what readers find.

#include "dataset/dataset_ledger.h"
#include "dataset/deadlist.h"
#include "engine/dataset/live_pool.h"
#include "object/zap.h"
#include "support/mp_ok.h"

#include <QTest>

using namespace millpond;
using namespace millpond::dataset;
using namespace millpond::test;
using format::BlockPointer;
using format::ChecksumType;
using format::CompressionType;

namespace {

constexpr std::uint64_t kSector = 512;

struct BlockSpec
{
    std::uint64_t birth = 0;
    std::uint64_t sectors = 1;   ///< logical
    std::uint64_t stored = 1;    ///< sectors, physical
    std::uint64_t allocated = 1; ///< sectors
    format::ObjectType type = format::ObjectType::PlainFile;
    std::uint64_t level = 0;
    ChecksumType checksum = ChecksumType::Fletcher4;
    CompressionType compression = CompressionType::Off;
};

BlockPointer pointer(const BlockSpec& spec)
{
    BlockPointer made;
    made.words[0] = spec.allocated;
    made.words[1] = spec.birth * 1000 + spec.stored;
    made.words[6] =
        (spec.sectors - 1) | ((spec.stored - 1) << 16U) | (std::uint64_t(spec.compression) << 32U) |
        (std::uint64_t(spec.checksum) << 40U) | (std::uint64_t{format::number(spec.type)} << 48U) |
        (spec.level << 56U) | (std::uint64_t{1} << 63U);
    made.words[10] = spec.birth;
    made.words[11] = 1;
    return made;
}

std::uint64_t charged(const BlockPointer& block)
{
    return block.allocatedSize().value();
}

} // namespace

class TestDatasetLedger : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void countsAsOpenZfs();
    void freedOrDead();
    void featuresOnce();
    void featureThatThePoolLacks();
    void bookmarksCountWhatGoes();
};

void TestDatasetLedger::countsAsOpenZfs()
{
    LivePool pool;
    MP_OK(pool.make());
    const auto head = pool.tree->head(pool.tree->root());
    MP_OK(head);
    DatasetLedger ledger(charged);
    MP_OK(ledger.begin(*pool.tree, **head));
    MP_OK(ledger.born(pointer({.birth = 5, .sectors = 8, .stored = 2, .allocated = 4})));
    // Metadata counts as if it were not compressed.
    MP_OK(ledger.born(pointer({.birth = 5,
                               .sectors = 8,
                               .stored = 2,
                               .allocated = 4,
                               .type = format::ObjectType::Dnode})));
    MP_OK(ledger.born(
        pointer({.birth = 5, .sectors = 256, .stored = 2, .allocated = 4, .level = 1})));
    MP_OK(ledger.born(BlockPointer{}));
    const SpaceDelta born = ledger.changes().born;
    QCOMPARE(born.used, 12 * 512);
    QCOMPARE(born.compressed, 6 * 512);
    QCOMPARE(born.uncompressed, (8 + 2 + 2) * 512);
    QCOMPARE(ledger.chargedSize(pointer({.birth = 5, .allocated = 4})).value(), 4 * kSector);
    QVERIFY(ledger.changes().features.empty());
}

void TestDatasetLedger::freedOrDead()
{
    LivePool pool;
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    const auto a = pool.add(tree.root(), "a", Txg(4));
    MP_OK(a);
    const auto head = tree.head(**a);
    MP_OK(head);
    // As if snapshots had been made in txgs 10 and 20 of what was written until then: the
    // origin's place is taken, its groups are there.
    DeadlistWriter deadlists(tree.lists(), Txg(21));
    MP_OK(deadlists.addGroup((*head)->phys.deadlist, Txg(10)));
    MP_OK(deadlists.addGroup((*head)->phys.deadlist, Txg(20)));
    const auto origin = tree.dataset(ObjsetId((*head)->phys.previousSnapshot.value()));
    MP_OK(origin);
    (*head)->phys.previousSnapshotTxg = Txg(20);
    (*origin)->phys.nextSnapshot = ObjectId((*head)->id.value());
    (*origin)->phys.previousSnapshotTxg = Txg(10);
    (*origin)->phys.uniqueBytes = 0;
    (*a)->originTxg = Txg(5);
    MP_OK(pool.grow(**a, 100 * 512, Txg(21)));

    DatasetLedger ledger(charged);
    MP_OK(ledger.begin(tree, **head));
    MP_OK(ledger.born(pointer({.birth = 21, .allocated = 3})));
    MP_OK(ledger.killed(pointer({.birth = 21, .allocated = 7})));
    MP_OK(ledger.killed(pointer({.birth = 20, .allocated = 11}))); // the previous one's alone now
    MP_OK(ledger.killed(pointer({.birth = 10, .allocated = 13}))); // an earlier one has it too
    MP_OK(ledger.killed(pointer({.birth = 5, .allocated = 17})));  // the origin's
    MP_OK(ledger.killed(BlockPointer{}));
    QCOMPARE(ledger.freed().size(), std::size_t{1});
    QCOMPARE(ledger.freed()[0].birth(), Txg(21));
    MP_OK(tree.apply(**head, ledger.changes(), Txg(21)));
    QCOMPARE((*head)->phys.uniqueBytes, (100U + 3 - 7) * 512);
    QCOMPARE((*head)->phys.referencedBytes, (100U + 3 - 7 - 11 - 13 - 17) * 512);
    QCOMPARE((*origin)->phys.uniqueBytes, 11U * 512);
    QCOMPARE((*a)->phys.usedBreakdown[1], (11U + 13) * 512);
    QCOMPARE((*a)->phys.usedBreakdown[0], (100U + 3 - 7 - 11 - 13) * 512);
    QCOMPARE((*a)->phys.usedBytes, (100U + 3 - 7) * 512);

    const auto deadlist = Deadlist::open(*pool.mos, (*head)->phys.deadlist);
    MP_OK(deadlist);
    QCOMPARE(deadlist->sums().allocated, (11U + 13 + 17) * 512);
    const auto late = deadlist->sumsOf({Txg(10), Txg(20)}, charged);
    MP_OK(late);
    QCOMPARE(late->allocated, 11U * 512);
    // What is begun anew begins with nothing.
    MP_OK(ledger.begin(tree, **head));
    QVERIFY(ledger.freed().empty() && ledger.changes().dead.empty());
    QCOMPARE(ledger.changes().born, SpaceDelta());
}

void TestDatasetLedger::featuresOnce()
{
    LivePool pool;
    pool.features.enable(
        {"extensible_dataset", "large_blocks", "zstd_compress", "skein", "large_dnode"});
    MP_OK(pool.make());
    const auto a = pool.add(pool.tree->root(), "a", Txg(5));
    MP_OK(a);
    const auto head = pool.tree->head(**a);
    MP_OK(head);
    const auto use = [&](LiveDataset& dataset, Txg txg) -> Status {
        DatasetLedger ledger(charged);
        MP_TRY(ledger.begin(*pool.tree, dataset));
        for (int i = 0; i < 3; ++i) {
            MP_TRY(ledger.born(pointer({.birth = txg.value(), .sectors = 257})));
            MP_TRY(
                ledger.born(pointer({.birth = txg.value(), .compression = CompressionType::Zstd})));
            MP_TRY(ledger.born(pointer({.birth = txg.value(), .checksum = ChecksumType::Skein})));
        }
        ledger.useFeature("large_dnode");
        return pool.tree->apply(dataset, ledger.changes(), txg);
    };
    MP_OK(use(**head, Txg(5)));
    MP_OK(use(**head, Txg(6)));
    MP_OK(pool.reopen(Txg(6)));
    const auto again = pool.tree->find("pool/a");
    MP_OK(again);
    const auto reopened = pool.tree->head(**again);
    MP_OK(reopened);
    MP_OK(use(**reopened, Txg(7)));
    for (const char* name : {"large_blocks", "zstd_compress", "skein", "large_dnode"}) {
        QCOMPARE(pool.features.counts[name], 1);
    }
    QCOMPARE(pool.features.counts["extensible_dataset"], 1);
    const auto fields = object::Zap::open(*pool.mos, ObjectId((*reopened)->id.value()));
    MP_OK(fields);
    MP_OK(fields->number("org.open-zfs:large_blocks"));
    const auto count = fields->count();
    MP_OK(count);
    QCOMPARE(*count, 4U);
    // It is still a dataset.
    MP_OK(pool.sync(Txg(7)));
    const auto reader = pool.reader();
    MP_OK(reader);
    const auto node = (*reader)->find("pool/a");
    MP_OK(node);
    QVERIFY(node->dataset->extensible);
    QCOMPARE(node->dataset->phys.guid, (*reopened)->phys.guid);
}

void TestDatasetLedger::featureThatThePoolLacks()
{
    LivePool pool;
    MP_OK(pool.make());
    const auto head = pool.tree->head(pool.tree->root());
    MP_OK(head);
    DatasetLedger ledger(charged);
    MP_OK(ledger.begin(*pool.tree, **head));
    MP_OK(ledger.born(pointer({.birth = 5, .sectors = 257})));
    const Status status = pool.tree->apply(**head, ledger.changes(), Txg(5));
    QVERIFY(!status && status.error().is(ErrorCode::UnsupportedFeature));
}

void TestDatasetLedger::bookmarksCountWhatGoes()
{
    LivePool pool;
    pool.features.enable({"extensible_dataset", "bookmark_written", "large_blocks"});
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    const auto head = tree.head(tree.root());
    MP_OK(head);
    (*head)->phys.previousSnapshotTxg = Txg(10);
    object::ZapWriter zaps(*pool.mos, Txg(21));
    const auto table = zaps.create();
    MP_OK(table);
    for (const auto& [name, txg, flags] : {std::tuple("old", 9, 1),
                                           std::tuple("plain", 15, 0),
                                           std::tuple("early", 12, 1),
                                           std::tuple("late", 20, 1)}) {
        format::BookmarkPhys phys;
        phys.creationTxg = Txg(static_cast<std::uint64_t>(txg));
        phys.flags = static_cast<std::uint64_t>(flags);
        phys.words = format::BookmarkPhys::kWordsV2;
        MP_OK(zaps.add(*table, name, object::ZapValue::integers(phys.encode())));
    }
    const format::Feature* feature = format::featureByName("large_blocks");
    MP_OK(tree.activateFeature(**head, *feature, Txg(21))); // makes the dataset's object a ZAP
    MP_OK(zaps.add(ObjectId((*head)->id.value()), format::kDatasetBookmarks, table->value()));
    pool.features.counts["bookmark_written"] = 3;

    DatasetLedger ledger(charged);
    MP_OK(ledger.begin(tree, **head));
    MP_OK(ledger.born(pointer({.birth = 21, .allocated = 1000})));
    MP_OK(ledger.killed(pointer({.birth = 12, .sectors = 9, .stored = 4, .allocated = 5})));
    MP_OK(ledger.killed(pointer({.birth = 13, .sectors = 2, .stored = 1, .allocated = 7})));
    MP_OK(ledger.killed(pointer({.birth = 21, .allocated = 11})));
    MP_OK(tree.apply(**head, ledger.changes(), Txg(21)));
    const auto marks = object::Zap::open(*pool.mos, *table);
    MP_OK(marks);
    const auto freed = [&](const char* name) {
        const auto entry = marks->lookup(name);
        const auto phys =
            format::BookmarkPhys::decode(entry ? entry->values : std::vector<std::uint64_t>{});
        return phys ? std::array{phys->referencedFreedBeforeNext / kSector,
                                 phys->compressedFreedBeforeNext / kSector,
                                 phys->uncompressedFreedBeforeNext / kSector}
                    : std::array<std::uint64_t, 3>{99, 99, 99};
    };
    QCOMPARE(freed("early"), (std::array<std::uint64_t, 3>{5, 4, 9}));
    QCOMPARE(freed("late"), (std::array<std::uint64_t, 3>{12, 5, 11}));
    QCOMPARE(freed("old"), (std::array<std::uint64_t, 3>{0, 0, 0}));
    QCOMPARE(freed("plain"), (std::array<std::uint64_t, 3>{0, 0, 0}));
}

QTEST_GUILESS_MAIN(TestDatasetLedger)
#include "tst_dataset_ledger.moc"
