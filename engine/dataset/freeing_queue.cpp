// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/freeing_queue.h"

#include "dataset/detail/dying_tree.h"
#include "dataset/detail/extensible.h"
#include "object/zap_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

// Freeing in the background: theory.
//
// Purpose. A dataset that is destroyed is gone at once; its blocks are found and freed over the
// next txgs, some in each, so that a large one holds up nobody.
//
// On disk. The pool directory names a list of trees while there are any (the feature async_destroy
// counts that): a bonus buffer with the bounds of what is left and what all of it counts for, and
// entries of 168 bytes: a root, the txg after which its blocks are the tree's own, and how far
// freeing has come. And a list of block pointers, for single blocks. What both count for is counted
// in the directory $FREE until it is freed.
//
// INV-1 A block is freed after all that are reached through it: what is left of a tree is whole,
//       and where freeing has come to is stored in the txg that freed up to there.
// INV-2 $FREE counts what the entries say, less what was freed of them.
// INV-3 A tree whose blocks can't be read stays; those behind it are freed all the same, and marked
//       as empty (born after the largest txg) because only the list's beginning moves.
//
// Syncing context only. A crash leaves the last synced txg: nothing is freed twice. Cost: one read
// for each indirect block and block of dnodes; memory: one path through a tree.
//
// Sources: OpenZFS module/zfs/bptree.c, bpobj.c, dsl_scan.c (dsl_process_async_destroys),
// dsl_pool.c.

namespace millpond::dataset {

using detail::DyingTree;
using format::BlockPointer;
using format::BpTreeEntry;
using format::BpTreePhys;
using object::ZapWriter;

namespace {
constexpr std::string_view kAsyncDestroy = "async_destroy";
constexpr std::uint8_t kTreesType = format::newType(format::Layout::Uint64, true);
constexpr std::uint32_t kTreesBlockBytes = 128 * 1024;
constexpr Txg kNothingLeft{~std::uint64_t{0}};

void subtract(BpTreePhys& phys, const BlockSums& sums)
{
    phys.bytes -= sums.allocated;
    phys.compressedBytes -= sums.compressed;
    phys.uncompressedBytes -= sums.uncompressed;
}

} // namespace

/// One call of work().
class FreeingQueue::Run
{
public:
    Run(const FreeingPorts& ports, const Budget& budget, Txg txg)
        : m_ports(ports)
        , m_budget(budget)
        , m_txg(txg)
        , m_start(ports.clock.monotonic())
    {
    }

    [[nodiscard]] bool isUsedUp() const
    {
        return progress.blocks >= m_budget.blocks ||
               m_ports.clock.monotonic() - m_start > m_budget.time;
    }

    /// False: not now.
    [[nodiscard]] Result<bool> take(const BlockPointer& pointer, bool mayPause, BlockSums& freed)
    {
        if (mayPause && isUsedUp()) {
            return false;
        }
        MP_TRY(m_ports.frees.free(pointer, m_txg));
        ++progress.blocks;
        freed = sumsOf(pointer, m_ports.tree.lists().charged(pointer));
        m_ports.tree.useFreeingSpace(SpaceDelta::of(freed).negated());
        return true;
    }

    [[nodiscard]] Txg txg() const { return m_txg; }

    Progress progress;

private:
    const FreeingPorts& m_ports;
    const Budget& m_budget;
    Txg m_txg;
    std::chrono::nanoseconds m_start;
};

// --- Beginning ---

Status FreeingQueue::create(Txg txg)
{
    ListContext& lists = m_ports.tree.lists();
    if (lists.version < format::kVersionDeadlists) {
        return {};
    }
    m_list = MP_TRY(BpObjectWriter(lists, txg).create());
    ZapWriter zaps(mos(), txg);
    return zaps.add(format::kPoolDirectoryObject, format::kPoolFreeBpObject, m_list.value());
}

Status FreeingQueue::open()
{
    ListContext& lists = m_ports.tree.lists();
    const auto number = [&](std::string_view name) -> Result<ObjectId> {
        return ObjectId(
            MP_TRY(detail::numberIn(lists, format::kPoolDirectoryObject, name)).value_or(0));
    };
    m_list = MP_TRY(number(format::kPoolFreeBpObject));
    m_trees = MP_TRY(number(format::kPoolBpTree));
    if (m_list.value() == 0 && lists.version >= format::kVersionDeadlists) {
        return fail(ErrorCode::BadDataset, "the pool has no list of blocks to be freed");
    }
    return {};
}

// --- Adding ---

Status FreeingQueue::bury(const Dead& dead, Txg txg)
{
    const SpaceDelta delta = SpaceDelta::of(dead.sums);
    if (!m_ports.tree.lists().features.isEnabled(kAsyncDestroy)) {
        m_ports.tree.useFreeingSpace(delta);
        DyingTree tree(m_ports.blocks, {dead.root, dead.birth, {}});
        const Budget all;
        Run run(m_ports, all, txg);
        const auto outcome =
            MP_TRY(tree.run([&](const BlockPointer& pointer, bool) -> Result<bool> {
                BlockSums freed;
                return run.take(pointer, false, freed);
            }));
        return outcome == DyingTree::Outcome::Damaged ? fail(*tree.damage()) : Status();
    }
    if (m_trees.value() == 0) {
        MP_TRY(createTrees(txg));
    }
    BpTreePhys phys = MP_TRY(readTrees());
    MP_TRY(writeEntry(phys.end, {dead.root, dead.birth, {}}, txg));
    ++phys.end;
    phys.bytes += dead.sums.allocated;
    phys.compressedBytes += dead.sums.compressed;
    phys.uncompressedBytes += dead.sums.uncompressed;
    MP_TRY(writeTrees(phys, txg));
    m_ports.tree.useFreeingSpace(delta);
    return {};
}

Status FreeingQueue::add(std::span<const BlockPointer> pointers, Txg txg)
{
    if (m_list.value() == 0) {
        for (const BlockPointer& pointer : pointers) {
            MP_TRY(m_ports.frees.free(pointer, txg));
        }
        return {};
    }
    ListContext& lists = m_ports.tree.lists();
    MP_TRY(BpObjectWriter(lists, txg).append(m_list, pointers));
    SpaceDelta delta;
    for (const BlockPointer& pointer : pointers) {
        delta.add(SpaceDelta::of(sumsOf(pointer, lists.charged(pointer))));
    }
    m_ports.tree.useFreeingSpace(delta);
    return {};
}

Status FreeingQueue::createTrees(Txg txg)
{
    const std::array<std::byte, BpTreePhys::kBytes> bonus{};
    m_trees = MP_TRY(mos().allocateObject(txg,
                                          object::ObjectSpec{.type = kTreesType,
                                                             .bonusType = kTreesType,
                                                             .bonus = bonus,
                                                             .dataBlockBytes = kTreesBlockBytes}));
    MP_TRY(m_ports.tree.lists().features.count(kAsyncDestroy, 1, txg));
    ZapWriter zaps(mos(), txg);
    return zaps.add(format::kPoolDirectoryObject, format::kPoolBpTree, m_trees.value());
}

Result<BpTreePhys> FreeingQueue::readTrees() const
{
    const object::DnodeRef dnode = MP_TRY(mos().dnode(m_trees));
    return BpTreePhys::decode(dnode->bonus, dnode->order);
}

Status FreeingQueue::writeTrees(const BpTreePhys& phys, Txg txg)
{
    const object::DnodeRef dnode = MP_TRY(mos().dnode(m_trees));
    std::array<std::byte, BpTreePhys::kBytes> bonus{};
    phys.encode(bonus, dnode->order);
    return mos().setBonus(txg, m_trees, dnode->bonusType, bonus);
}

Result<BpTreeEntry> FreeingQueue::readEntry(std::uint64_t index) const
{
    const object::DnodeRef dnode = MP_TRY(mos().dnode(m_trees));
    std::array<std::byte, BpTreeEntry::kBytes> bytes{};
    MP_TRY(mos().read(*dnode, ByteOffset(index * BpTreeEntry::kBytes), bytes));
    return BpTreeEntry::decode(bytes, dnode->order);
}

Status FreeingQueue::writeEntry(std::uint64_t index, const BpTreeEntry& entry, Txg txg)
{
    const object::DnodeRef dnode = MP_TRY(mos().dnode(m_trees));
    std::array<std::byte, BpTreeEntry::kBytes> bytes{};
    entry.encode(bytes, dnode->order);
    return mos().write(txg, m_trees, ByteOffset(index * BpTreeEntry::kBytes), bytes);
}

// --- Freeing ---

Result<bool> FreeingQueue::isEmpty() const
{
    if (m_trees.value() != 0) {
        return false;
    }
    if (m_list.value() == 0) {
        return true;
    }
    const BpObject list = MP_TRY(BpObject::open(mos(), m_list));
    return list.ownEntries() == 0 && MP_TRY(list.includedLists()).empty();
}

Result<FreeingQueue::Progress> FreeingQueue::work(const Budget& budget, Txg txg)
{
    Run run(m_ports, budget, txg);
    if (m_list.value() != 0) {
        MP_TRY(freeList(run));
    }
    if (m_trees.value() != 0 && !run.progress.more) {
        MP_TRY(freeTrees(run));
    }
    return std::move(run.progress);
}

Status FreeingQueue::freeList(Run& run)
{
    BpObjectWriter lists(m_ports.tree.lists(), run.txg());
    const bool all = MP_TRY(lists.drain(m_list, [&](const BlockPointer& pointer) -> Result<bool> {
        BlockSums freed;
        return run.take(pointer, true, freed);
    }));
    run.progress.more = !all;
    return {};
}

Status FreeingQueue::freeTrees(Run& run)
{
    BpTreePhys phys = MP_TRY(readTrees());
    const std::uint64_t begin = phys.begin;
    bool allBefore = true; // of the trees so far nothing is left
    for (std::uint64_t index = phys.begin; index < phys.end; ++index) {
        BpTreeEntry entry = MP_TRY(readEntry(index));
        DyingTree tree(m_ports.blocks, entry);
        const auto outcome =
            MP_TRY(tree.run([&](const BlockPointer& pointer, bool mayPause) -> Result<bool> {
                BlockSums freed;
                const bool taken = MP_TRY(run.take(pointer, mayPause, freed));
                subtract(phys, freed);
                return taken;
            }));
        if (outcome == DyingTree::Outcome::Done && allBefore) {
            phys.begin = index + 1;
            continue;
        }
        entry.position = tree.position();
        if (outcome == DyingTree::Outcome::Done) {
            entry.birth = kNothingLeft;
        }
        MP_TRY(writeEntry(index, entry, run.txg()));
        allBefore = false;
        if (outcome == DyingTree::Outcome::Paused) {
            run.progress.more = true;
            break;
        }
        if (outcome == DyingTree::Outcome::Damaged && !run.progress.damage) {
            run.progress.damage = tree.damage();
        }
    }
    MP_TRY(writeTrees(phys, run.txg()));
    if (phys.begin == phys.end) {
        return endTrees(run.txg());
    }
    if (phys.begin != begin) {
        MP_TRY(mos().freeRange(run.txg(),
                               m_trees,
                               ByteOffset(begin * BpTreeEntry::kBytes),
                               ByteCount((phys.begin - begin) * BpTreeEntry::kBytes)));
    }
    run.progress.stalled = !run.progress.more && run.progress.blocks == 0;
    run.progress.more = true;
    return {};
}

Status FreeingQueue::endTrees(Txg txg)
{
    ZapWriter zaps(mos(), txg);
    MP_TRY(zaps.remove(format::kPoolDirectoryObject, format::kPoolBpTree));
    MP_TRY(mos().freeObject(txg, m_trees));
    m_trees = ObjectId(0);
    return m_ports.tree.lists().features.count(kAsyncDestroy, -1, txg);
}

} // namespace millpond::dataset
