// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/check/dataset_checks.h"

#include "dataset/deadlist.h"
#include "format/dnode.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::pool {

namespace {
using dataset::BlockSums;
using dataset::DatasetRef;

BlockSums& operator+=(BlockSums& a, const BlockSums& b)
{
    a.allocated += b.allocated;
    a.compressed += b.compressed;
    a.uncompressed += b.uncompressed;
    return a;
}

BlockSums operator-(BlockSums a, const BlockSums& b)
{
    a.allocated -= b.allocated;
    a.compressed -= b.compressed;
    a.uncompressed -= b.uncompressed;
    return a;
}

BlockSums referencedBy(const dataset::Dataset& dataset)
{
    return {
        dataset.phys.referencedBytes, dataset.phys.compressedBytes, dataset.phys.uncompressedBytes};
}

std::string wordsOf(const BlockSums& sums)
{
    return fmt::format("{} allocated, {} compressed, {} uncompressed",
                       sums.allocated,
                       sums.compressed,
                       sums.uncompressed);
}

/// What a dataset's deadlist holds, read through.
struct Dead
{
    BlockSums all;
    BlockSums bornHere; ///< of those, born after the directory's origin: they take space here
    BlockSums bornSincePrevious; ///< of those, born after the snapshot before the previous one
};

class Checking
{
public:
    Checking(const Pool& pool,
             Reporter& reporter,
             const NewBlocks& found,
             const Deflation& deflation)
        : m_pool(pool)
        , m_reporter(reporter)
        , m_found(found)
        , m_deflation(deflation)
    {
    }

    Status chain(const Chain& chain);
    Status counts(const std::vector<Chain>& chains);
    Status directories(const std::vector<Chain>& chains);

private:
    [[nodiscard]] Result<DatasetRef> previousOf(const dataset::Dataset& dataset) const;
    Result<Dead> deadOf(const dataset::Dataset& dataset, Txg originTxg, Txg beforePrevious);
    void links(const Chain& chain, std::size_t index);
    void
    referenced(const dataset::Dataset& dataset, const dataset::Dataset* previous, const Dead& dead);
    void directory(const Chain& chain,
                   const std::map<ObjectId, std::vector<const Chain*>>& children);

    void complain(ObjsetId objset, std::string text)
    {
        m_reporter.report(CheckFinding::Kind::Accounting,
                          {objset, ObjectId(), Level(), BlockIndex()},
                          std::move(text));
    }

    const Pool& m_pool;
    Reporter& m_reporter;
    const NewBlocks& m_found;
    const Deflation& m_deflation;
    std::map<ObjectId, BlockSums> m_heads;     ///< by directory: space of the live dataset
    std::map<ObjectId, BlockSums> m_snapshots; ///< by directory: space that only snapshots hold
    std::map<ObjsetId, std::uint64_t> m_next;  ///< by snapshot: datasets made after it
};

Result<DatasetRef> Checking::previousOf(const dataset::Dataset& dataset) const
{
    if (dataset.phys.previousSnapshot == ObjectId()) {
        return DatasetRef();
    }
    return m_pool.datasets().dataset(ObjsetId(dataset.phys.previousSnapshot.value()));
}

Result<Dead> Checking::deadOf(const dataset::Dataset& dataset, Txg originTxg, Txg beforePrevious)
{
    Dead dead;
    const auto list = MP_TRY(dataset::Deadlist::open(m_pool.mos().objset(), dataset.phys.deadlist));
    std::uint64_t tooYoung = 0;
    MP_TRY(list.forEach([&](const format::BlockPointer& pointer, bool) -> Result<bool> {
        const BlockSums sums = sumsOf(pointer, m_deflation);
        dead.all += sums;
        if (pointer.birth() > originTxg) {
            dead.bornHere += sums;
        }
        if (pointer.birth() > beforePrevious) {
            dead.bornSincePrevious += sums;
        }
        tooYoung += pointer.birth() > dataset.phys.previousSnapshotTxg ? 1U : 0U;
        MP_TRY(m_reporter.proceed());
        return true;
    }));
    if (tooYoung != 0) {
        m_reporter.report(
            CheckFinding::Kind::Structure,
            {dataset.id, ObjectId(), Level(), BlockIndex()},
            fmt::format("its deadlist has {} blocks born after the previous snapshot", tooYoung));
    }
    const BlockSums& claimed = list.sums();
    // Lists of old pools count allocated bytes only.
    const bool same =
        claimed.allocated == dead.all.allocated && (list.isOldFormat() || claimed == dead.all);
    if (!same) {
        complain(dataset.id,
                 fmt::format("its deadlist holds {} bytes, the list says {}",
                             wordsOf(dead.all),
                             wordsOf(claimed)));
    }
    return dead;
}

void Checking::links(const Chain& chain, std::size_t index)
{
    const dataset::Dataset& dataset = *chain.datasets[index];
    const auto wrong = [&](std::string text) {
        m_reporter.report(CheckFinding::Kind::Structure,
                          {dataset.id, ObjectId(), Level(), BlockIndex()},
                          std::move(text));
    };
    if (dataset.phys.directory != chain.directory->object) {
        wrong(fmt::format("it says it belongs to directory {}, but directory {} lists it",
                          dataset.phys.directory.value(),
                          chain.directory->object.value()));
    }
    if (index > 0) {
        const dataset::Dataset& before = *chain.datasets[index - 1];
        if (dataset.phys.previousSnapshot.value() != before.id.value()) {
            wrong(fmt::format("its previous snapshot is object {}, but the one before it is {}",
                              dataset.phys.previousSnapshot.value(),
                              before.name()));
        }
        if (before.phys.nextSnapshot.value() != dataset.id.value()) {
            wrong(fmt::format("{} says the next one is object {}",
                              before.name(),
                              before.phys.nextSnapshot.value()));
        }
        if (dataset.phys.previousSnapshotTxg != before.phys.creationTxg) {
            wrong(fmt::format("its previous snapshot was made in txg {}, it says {}",
                              before.phys.creationTxg.value(),
                              dataset.phys.previousSnapshotTxg.value()));
        }
    }
}

void Checking::referenced(const dataset::Dataset& dataset,
                          const dataset::Dataset* previous,
                          const Dead& dead)
{
    BlockSums sum = previous == nullptr ? BlockSums() : referencedBy(*previous) - dead.all;
    if (const auto found = m_found.find(dataset.id); found != m_found.end()) {
        sum += found->second;
    }
    if (sum != referencedBy(dataset)) {
        complain(dataset.id,
                 fmt::format("it references {} bytes, its record says {}",
                             wordsOf(sum),
                             wordsOf(referencedBy(dataset))));
    }
}

Status Checking::chain(const Chain& chain)
{
    Txg originTxg;
    if (!chain.datasets.empty()) {
        originTxg = chain.datasets.front()->phys.previousSnapshotTxg;
    }
    BlockSums snapshots;
    BlockSums inherited;     ///< referenced by the origin
    BlockSums inheritedDead; ///< of that, dropped since
    for (std::size_t i = 0; i < chain.datasets.size(); ++i) {
        const dataset::Dataset& dataset = *chain.datasets[i];
        links(chain, i);
        const auto previous = previousOf(dataset);
        if (!previous) {
            m_reporter.report(previous.error(), {dataset.id, ObjectId(), Level(), BlockIndex()});
            continue;
        }
        if (*previous != nullptr) {
            ++m_next[(*previous)->id];
        }
        const Txg beforePrevious =
            *previous == nullptr ? Txg() : (*previous)->phys.previousSnapshotTxg;
        const auto dead = deadOf(dataset, originTxg, beforePrevious);
        if (!dead) {
            if (dead.error().is(ErrorCode::Cancelled)) {
                return fail(dead.error());
            }
            m_reporter.report(
                dead.error(), {dataset.id, ObjectId(), Level(), BlockIndex()}, "its deadlist");
            continue;
        }
        referenced(dataset, previous->get(), *dead);
        snapshots += dead->bornHere;
        inheritedDead += dead->all - dead->bornHere;
        if (i == 0 && *previous != nullptr) {
            inherited = referencedBy(**previous);
        }
        if (i + 1 == chain.datasets.size() && chain.hasHead) {
            // Blocks still shared with the origin are not this directory's.
            m_heads[chain.directory->object] = referencedBy(dataset) - (inherited - inheritedDead);
        }
    }
    m_snapshots[chain.directory->object] = snapshots;
    return {};
}

Status Checking::counts(const std::vector<Chain>& chains)
{
    for (const Chain& chain : chains) {
        for (const DatasetRef& dataset : chain.datasets) {
            if (!dataset->isSnapshot()) {
                continue;
            }
            const auto next = m_next.find(dataset->id);
            const std::uint64_t found = next == m_next.end() ? 0 : next->second;
            if (found != dataset->phys.childCount) {
                m_reporter.report(CheckFinding::Kind::Structure,
                                  {dataset->id, ObjectId(), Level(), BlockIndex()},
                                  fmt::format("{} datasets follow it, its record says {}",
                                              found,
                                              dataset->phys.childCount));
            }
        }
    }
    return {};
}

void Checking::directory(const Chain& chain,
                         const std::map<ObjectId, std::vector<const Chain*>>& children)
{
    const dataset::Directory& directory = *chain.directory;
    const format::DslDirPhys& phys = directory.phys;
    std::uint64_t below = 0;
    std::uint64_t reserved = 0;
    if (const auto found = children.find(directory.object); found != children.end()) {
        for (const Chain* child : found->second) {
            const format::DslDirPhys& theirs = child->directory->phys;
            below += theirs.usedBytes;
            reserved += theirs.reserved > theirs.usedBytes ? theirs.reserved - theirs.usedBytes : 0;
        }
    }
    const auto used = [&](format::DirUsed part) {
        return phys.usedBreakdown[static_cast<std::size_t>(part)];
    };
    const auto compare = [&](std::string_view what, std::uint64_t found, std::uint64_t recorded) {
        if (found != recorded) {
            CheckFinding finding;
            finding.kind = CheckFinding::Kind::Accounting;
            finding.dataset = directory.name;
            finding.text = fmt::format("{}: {} bytes, its record says {}", what, found, recorded);
            m_reporter.report(std::move(finding));
        }
    };
    if ((phys.flags & format::DslDirPhys::kUsedBreakdown) == 0) {
        return;
    }
    std::uint64_t sum = 0;
    for (const std::uint64_t part : phys.usedBreakdown) {
        sum += part;
    }
    compare("used", sum, phys.usedBytes);
    compare("used by children", below, used(format::DirUsed::Children));
    compare("reserved by children", reserved, used(format::DirUsed::ChildReservations));
    if (const auto head = m_heads.find(directory.object); head != m_heads.end()) {
        compare("used by the dataset", head->second.allocated, used(format::DirUsed::Head));
        compare("used by snapshots",
                m_snapshots[directory.object].allocated,
                used(format::DirUsed::Snapshots));
    }
}

Status Checking::directories(const std::vector<Chain>& chains)
{
    std::map<ObjectId, std::vector<const Chain*>> children;
    for (const Chain& chain : chains) {
        if (chain.directory->parent != nullptr) {
            children[chain.directory->parent->object].push_back(&chain);
        }
    }
    for (const Chain& chain : chains) {
        MP_TRY(m_reporter.proceed());
        directory(chain, children);
    }
    return {};
}

Status
addChains(const Pool& pool,
          Reporter& reporter,
          const dataset::DirectoryRef& directory, // NOLINT(misc-no-recursion): by the tree's depth
          std::vector<Chain>& chains)
{
    MP_TRY(reporter.proceed());
    dataset::DatasetTree& tree = pool.datasets();
    Chain chain;
    chain.directory = directory;
    const auto complain = [&](const Error& error) {
        CheckFinding finding;
        finding.kind = CheckFinding::Kind::Structure;
        finding.dataset = directory->name;
        finding.text = error.toText();
        reporter.report(std::move(finding));
    };
    if (auto snapshots = tree.allSnapshots(directory)) {
        chain.datasets = std::move(*snapshots);
    } else if (!snapshots.error().is(ErrorCode::NoSuchDataset)) {
        complain(snapshots.error());
    }
    if (auto head = tree.head(directory)) {
        chain.datasets.push_back(std::move(*head));
        chain.hasHead = true;
    } else if (!head.error().is(ErrorCode::NoSuchDataset)) {
        complain(head.error());
    }
    chains.push_back(std::move(chain));
    const auto children = tree.allChildren(directory);
    if (!children) {
        complain(children.error());
        return {};
    }
    for (const dataset::DirectoryRef& child : *children) {
        MP_TRY(addChains(pool, reporter, child, chains));
    }
    return {};
}
} // namespace

BlockSums sumsOf(const format::BlockPointer& pointer, const Deflation& deflation)
{
    const std::uint64_t stored =
        pointer.physicalSize().value(); // An embedded block stores nothing.
    // Metadata counts as if it were not compressed at all.
    const bool metadata = pointer.level() > Level() || format::isMetadataType(pointer.type());
    return {deflation.bytes(pointer), stored, metadata ? stored : pointer.logicalSize().value()};
}

Result<std::vector<Chain>> allChains(const Pool& pool, Reporter& reporter)
{
    std::vector<Chain> chains;
    MP_TRY(addChains(pool, reporter, pool.datasets().root(), chains));
    return chains;
}

Status checkDatasets(const Pool& pool,
                     Reporter& reporter,
                     const std::vector<Chain>& chains,
                     const NewBlocks& found,
                     const Deflation& deflation)
{
    Checking checking(pool, reporter, found, deflation);
    for (const Chain& chain : chains) {
        MP_TRY(reporter.proceed());
        MP_TRY(checking.chain(chain));
    }
    MP_TRY(checking.counts(chains));
    return checking.directories(chains);
}

} // namespace millpond::pool
