// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/check/checker.h"

#include "dataset/bp_object.h"
#include "format/dsl.h"
#include "pool/check/allocation.h"
#include "pool/check/block_claims.h"
#include "pool/check/block_walk.h"
#include "pool/check/copy_verifier.h"
#include "pool/check/dataset_checks.h"
#include "pool/check/file_checks.h"
#include "pool/check/intent_log_claims.h"
#include "pool/deflation.h"
#include "pool/mos_space_maps.h"

#include <fmt/format.h>

#include <set>

// Theory of the offline check.
//
// Purpose. Whether a pool that nobody uses is what it says it is: every byte that is allocated is
// used once, every copy is what its checksum says, every count adds up. It never writes.
//
// Passes, in this order, each finding what the one before could not:
//   1. space maps and their logs -> what is allocated (allocation.h);
//   2. one walk over the pool's own object set and every dataset and snapshot, each only over what
//      was born since its previous snapshot, so that every block is met once: its space is claimed
//      (block_claims.h), its copies are queued for verification (copy_verifier.h), its size is
//      added up, for the dataset and for the object (block_walk.h);
//   3. lists of blocks on their way to be freed, intent logs, what a checkpoint holds: claimed;
//   4. what is allocated and unclaimed is leaked; dedup and clone tables against the references
//   met;
//   5. chains of snapshots, deadlists, sums of datasets and directories (dataset_checks.h);
//   6. the content of filesystems, snapshots too, by what differs from one to the next
//      (file_checks.cpp, which also says what is not seen there); the structure of the pool's own
//      tables.
//
// Invariants. INV-1 Damage never ends the check: it is reported, and what hangs below it is left
// out. INV-2 A finding names the dataset and the path where there is one. INV-3 What a device has
// missed and what is missing with a device is no damage as long as the rest is enough (awaiting
// resilver). INV-4 After something could not be read, leaks and differences of sums are still told:
// they may follow from it, and the unreadable block is told first.
//
// INV-5 The walk ends, whatever the pointers say: below a block whose space was claimed before it
// does not go a second time.
//
// Not seen: a pointer born before the previous snapshot is taken to be that snapshot's own, and is
// not verified again; an object's space is compared in the datasets in which its dnode's block is
// new, and only when all it shares with earlier snapshots could be read.
//
// Concurrency: the walk runs on the caller's thread, copies are verified on threads of their own.
// Memory: the ranges of all space maps twice, references of deduplicated and cloned blocks, some
// fifty bytes for each indirect block, twenty-five a file of one filesystem at a time. Cost: every
// allocated byte is read once, and metadata that has changed between snapshots twice more.
//
// Sources: OpenZFS cmd/zdb/zdb.c for what is counted, module/zfs/dmu_traverse.c for the pruning.

namespace millpond::pool {

namespace {
/// Clones of clones of clones: deeper ones are walked all the same, but what they share with their
/// origins is not known then.
constexpr unsigned kMaxClonePasses = 100;

/// Room for small pools in a bound that goes by the pool's size.
constexpr std::uint64_t kFewBlocks = 100'000;

class Check final : public WalkVisitor
{
public:
    Check(const Pool& pool, CheckSink& sink, Deflation deflation)
        : m_pool(pool)
        , m_deflation(std::move(deflation))
        , m_reporter(pool, sink)
        , m_space(m_deflation)
    {
    }

    Result<CheckTotals> run();

    Result<bool> block(const format::BlockPointer& pointer, const block::Bookmark& where) override;
    Status dnode() override;

private:
    Status walk();
    Status walkChain(const Chain& chain);
    Status walkDataset(const dataset::Dataset& dataset);
    Status beingFreed();
    Status freedList(std::string_view name);
    Status dyingTrees();
    Status checkpoint();
    Status intentLog(const dataset::Dataset& dataset);

    const Pool& m_pool;
    Deflation m_deflation;
    Reporter m_reporter;
    std::unique_ptr<Allocation> m_allocation;
    std::unique_ptr<BlockClaims> m_claims;
    std::unique_ptr<CopyVerifier> m_copies;
    std::vector<Chain> m_chains;
    std::set<std::uint64_t> m_walked; ///< datasets; the origins of clones among them
    SubtreeSpace m_space;
    NewBlocks m_newBlocks;
    dataset::BlockSums* m_sums = nullptr; ///< of the dataset being walked; null for the pool's own
    CheckTotals m_totals;
};

Result<bool> Check::block(const format::BlockPointer& pointer, const block::Bookmark& where)
{
    const dataset::BlockSums sums = sumsOf(pointer, m_deflation);
    if (m_sums != nullptr) {
        m_sums->allocated += sums.allocated;
        m_sums->compressed += sums.compressed;
        m_sums->uncompressed += sums.uncompressed;
    }
    const BlockClaims::Claimed claimed = m_claims->claim(pointer, where);
    if (claimed.verify) {
        m_copies->add(pointer, where);
    }
    MP_TRY(m_reporter.proceed());
    return claimed.isNew;
}

Status Check::dnode()
{
    ++m_totals.objects;
    return {};
}

Status Check::walkDataset(const dataset::Dataset& dataset)
{
    m_sums = &m_newBlocks[dataset.id];
    (dataset.isSnapshot() ? m_totals.snapshots : m_totals.datasets) += 1;
    const Status walked = walkObjectSet(m_pool,
                                        m_reporter,
                                        dataset.phys.root,
                                        dataset.id,
                                        dataset.phys.previousSnapshotTxg,
                                        *this,
                                        &m_space);
    m_sums = nullptr;
    return walked;
}

Status Check::walkChain(const Chain& chain)
{
    for (const dataset::DatasetRef& dataset : chain.datasets) {
        MP_TRY(walkDataset(*dataset));
        m_walked.insert(dataset->id.value());
    }
    return {};
}

Status Check::walk()
{
    MP_TRY(walkObjectSet(
        m_pool, m_reporter, m_pool.uberblock().root, ObjsetId(), Txg(), *this, &m_space));
    m_chains = MP_TRY(allChains(m_pool, m_reporter));
    // Origins before their clones, which share blocks with them.
    std::vector<const Chain*> waiting;
    for (const Chain& chain : m_chains) {
        waiting.push_back(&chain);
    }
    for (unsigned pass = 0; !waiting.empty(); ++pass) {
        std::vector<const Chain*> later;
        for (const Chain* chain : waiting) {
            const std::uint64_t origin =
                chain->datasets.empty() ? 0
                                        : chain->datasets.front()->phys.previousSnapshot.value();
            if (origin == 0 || m_walked.contains(origin) || pass == kMaxClonePasses) {
                MP_TRY(walkChain(*chain));
            } else {
                later.push_back(chain);
            }
        }
        pass = later.size() == waiting.size() ? kMaxClonePasses - 1 : pass;
        waiting = std::move(later);
    }
    return {};
}

Status Check::freedList(std::string_view name)
{
    const auto object = MP_TRY(m_pool.mos().number(name));
    if (!object || *object == 0) {
        return {};
    }
    const auto list = MP_TRY(dataset::BpObject::open(m_pool.mos().objset(), ObjectId(*object)));
    return list.forEach([&](const format::BlockPointer& pointer, bool) -> Result<bool> {
        (void)m_claims->claimRest(pointer);
        return true;
    });
}

/// Claims, without a word, what is left of a tree that is being destroyed.
class DyingTree final : public WalkVisitor
{
public:
    explicit DyingTree(BlockClaims& claims)
        : m_claims(claims)
    {
    }

    Result<bool> block(const format::BlockPointer& pointer, const block::Bookmark&) override
    {
        return m_claims.claimRest(pointer); // Parents are freed after what is below them.
    }

    Status dnode() override { return {}; }

private:
    BlockClaims& m_claims;
};

Status Check::dyingTrees()
{
    const auto object = MP_TRY(m_pool.mos().number(format::kPoolBpTree));
    if (!object || *object == 0) {
        return {};
    }
    DyingTree visitor(*m_claims);
    for (const auto& tree :
         MP_TRY(dataset::readDyingTrees(m_pool.mos().objset(), ObjectId(*object))).trees) {
        MP_TRY(walkObjectSet(
            m_pool, m_reporter, tree.pointer, ObjsetId(tree.position.objset), tree.birth, visitor));
    }
    return {};
}

Status Check::checkpoint()
{
    for (const MetaslabLayout& layout : MP_TRY(metaslabLayouts(m_pool))) {
        if (layout.checkpointMap == ObjectId()) {
            continue;
        }
        MosSpaceMaps store(m_pool.mos().objset());
        MP_TRY(space::forEachEntry(
            store, layout.checkpointMap, [&](const format::SpaceMapEntry& entry) -> Status {
                const space::Range range{entry.offset << layout.ashift,
                                         (entry.offset + entry.run) << layout.ashift};
                (void)m_allocation->claimRest(layout.vdev, range);
                return {};
            }));
    }
    return {};
}

Status Check::beingFreed()
{
    const auto pass = [&](Status status, std::string_view what) -> Status {
        if (!status && status.error().is(ErrorCode::Cancelled)) {
            return status;
        }
        if (!status) {
            m_reporter.report(status.error(), {}, what);
        }
        return {};
    };
    MP_TRY(pass(freedList(format::kPoolSyncBpObject), "list of deferred frees"));
    MP_TRY(pass(freedList(format::kPoolFreeBpObject), "list of blocks to be freed"));
    MP_TRY(pass(dyingTrees(), "datasets being destroyed"));
    MP_TRY(pass(checkpoint(), "checkpoint"));
    for (const Chain& chain : m_chains) {
        if (chain.hasHead) {
            MP_TRY(pass(intentLog(*chain.datasets.back()), "intent log"));
        }
    }
    return {};
}

Status Check::intentLog(const dataset::Dataset& dataset)
{
    if (dataset.phys.root.isHole()) {
        return {};
    }
    const auto objset = MP_TRY(m_pool.datasets().openObjset(dataset));
    return claimIntentLog(m_pool, (*objset).header().intentLog, *m_claims);
}

Result<CheckTotals> Check::run()
{
    m_allocation = MP_TRY(Allocation::load(m_pool, m_reporter));
    m_totals.allocated = m_allocation->total();
    m_reporter.total(m_totals.allocated);
    m_claims = std::make_unique<BlockClaims>(m_pool, m_reporter, *m_allocation);
    MP_TRY(m_claims->load());
    m_copies = MP_TRY(CopyVerifier::create(m_pool, m_reporter));
    MP_TRY(walk());
    MP_TRY(beingFreed());
    MP_TRY(m_claims->compareCounts());
    m_allocation->reportLeaks(m_reporter);
    MP_TRY(checkDatasets(m_pool, m_reporter, m_chains, m_newBlocks, m_deflation));
    // A block takes a sector at least, or stands in its pointer.
    const std::uint64_t mostBlocks = kFewBlocks + m_totals.allocated / format::kSectorBytes * 4;
    for (const Chain& chain : m_chains) {
        MP_TRY(checkFiles(m_pool, m_reporter, chain, mostBlocks));
    }
    MP_TRY(checkZaps(m_pool.mos().objset(), m_reporter));
    MP_TRY(m_copies->finish());
    const CopyVerifier::Counts counts = m_copies->counts();
    m_totals.blocks = counts.blocks;
    m_totals.copies = counts.copies;
    m_totals.bytesRead = counts.bytesRead;
    m_totals.awaitingResilver = counts.awaitingResilver;
    return m_totals;
}
} // namespace

Result<CheckTotals> checkPool(const Pool& pool, CheckSink& sink)
{
    return Check(pool, sink, MP_TRY(Deflation::of(pool.mos(), pool.vdevs()))).run();
}

} // namespace millpond::pool
