// SPDX-License-Identifier: GPL-3.0-or-later
// Theory of vdev/
//
// Purpose. Makes one fault-tolerant store out of a pool's devices. Above (block/) a block is named
// by a DVA: number of a top-level vdev, offset. Below (device/) are plain devices. This layer knows
// where a block's bytes lie, who can be read, and how to get the right bytes although devices are
// missing, return errors, or lie. It does not know checksums: the caller passes a test.
//
// Terms. A leaf is a device of the pool. A top-level vdev is a child of the root: a leaf, a mirror
// or a raidz. Spare and replacing vdevs are mirrors for as long as a stand-in or a replacement
// lasts; as a raidz column they are one column with several places to read it from. A leaf has
// missed a txg when blocks were born while it was away (its dirty time log says so): what it holds
// there is stale.
//
// On disk. Each leaf begins with two labels of 256 KiB and 3.5 MiB kept free, and ends with two
// labels; DVA offset 0 is at 4 MiB. A label holds the configuration of its top-level vdev and a
// ring of uberblocks (labels.h reads them, any subset being damaged). Mirrors store the same at the
// same offset; for raidz see detail/raidz_map.cpp.
//
// In memory. Nodes (detail/node.h) are the configuration as a tree: fixed once built, but for state
// and counters, which are atomic. For reading, the tree is flat: a mirror is a list of leaves, a
// raidz a list of such lists (detail/mirror_top.cpp, detail/raidz_top.cpp); all nested mirror-like
// vdevs put the same bytes at the same offset, so nothing is lost by that.
//
// INV-1 A read returns bytes that its verifier accepted, or an error. Never anything else.
// INV-2 A write is what the format's picture says: no byte of another block is touched. A block is
//       reported written when it can be read back from the leaves that took it.
// INV-3 Stale leaves are asked last, and what they return is no error of theirs.
// INV-4 A parent's state is a function of its children's (detail/node.cpp); it is recomputed under
// the
//       state lock whenever a leaf's changes.
// INV-5 Memory for one read is bounded by three times the block with its parity (what is worked on,
//       what was read, what parity should be), plus the other places of columns that have several.
// INV-6 Nothing of a configuration is trusted: kinds, places, counts and sizes are checked while
// the
//       tree is built (detail/tree_builder.cpp).
// INV-7 A repair writes what verified while no write was under way, and no write begins before it
//       is done: old content never overwrites new. It is given up where a leaf has missed writes.
// INV-8 A failed flush is never repeated. Who lost what is decided by what was written since the
//       last flush; a loss is told to everybody until somebody takes note of it (forgetLosses()).
//
// Writing. Blocks become pieces, one for each column (detail/write_batch.h); neighbours on the same
// leaves are joined, across the padding of raidz too, which is then written with zeroes; everything
// goes to the devices' queues at once. A request that failed is repeated piece by piece, so that a
// bad sector is one block's loss. A leaf that lacks something has missed the txg
// (detail/write_journal.h); the pool puts that into dirty time logs. Flushes of many callers are
// one (detail/flusher.h). Labels: label_writer.cpp.
//
// Reading raidz. First the data columns alone; if they verify, that is all. Columns that are known
// to be missing or stale are rebuilt from as much parity as that takes. If that does not verify, or
// a read fails on the way, everything that can be read is read, and every set of up to `parity`
// data columns is taken for bad in turn, rebuilt from every choice of parity columns, fewest first,
// until the verifier is content. Parity that agrees with the data as read cannot give anything new
// and is not tried, so a block that was written wrong costs one computation of parity, not a
// search. The search is bounded (detail/raidz_stripe.h). Parity has no checksum: scrubRead()
// recomputes it and compares.
//
// Concurrency. Any number of readers. A read of one leaf is a single call in the caller's thread;
// mirrors read one copy likewise; raidz and scrubs send all columns but one to the devices' queue
// and read that one themselves. setMissed() and setAllocationClass() are for the time of opening.
// Rank of the state lock: Vdev.
//
// Failure. A read that fails is tried a second time, then counted (as `zpool status` shows), and
// another way is sought. A leaf that has vanished costs two failed calls for each read until
// setLeafState() says that it is gone.
//
// Cost. A healthy raidz read touches no byte twice: columns are read into their place in the block.
//
// Not here yet, and refused by name: removed devices (indirect), draid, expanded raidz.
//
// Sources. OpenZFS vdev.c, vdev_label.c, vdev_mirror.c, vdev_raidz.c, vdev_root.c;
// cmd/zpool/zpool_main.c for the words of states.
#include "vdev/vdev.h"

#include "runtime/lock_rank.h"
#include "vdev/detail/flusher.h"
#include "vdev/detail/node.h"
#include "vdev/detail/top_base.h"
#include "vdev/detail/tree_builder.h"

#include <algorithm>
#include <functional>

namespace millpond::vdev {

using detail::Node;
using runtime::LockRank;
using runtime::RankedLock;

std::string_view kindText(VdevKind kind)
{
    switch (kind) {
    case VdevKind::Root:
        return "root";
    case VdevKind::Disk:
        return "disk";
    case VdevKind::File:
        return "file";
    case VdevKind::Mirror:
        return "mirror";
    case VdevKind::Raidz:
        return "raidz";
    case VdevKind::Spare:
        return "spare";
    case VdevKind::Replacing:
        return "replacing";
    case VdevKind::Missing:
        return "missing";
    case VdevKind::Hole:
        break;
    }
    return "hole";
}

std::string_view classText(AllocationClass allocationClass)
{
    switch (allocationClass) {
    case AllocationClass::Log:
        return "log";
    case AllocationClass::Special:
        return "special";
    case AllocationClass::Dedup:
        return "dedup";
    case AllocationClass::Normal:
        break;
    }
    return "normal";
}

namespace {
template <std::size_t Size>
void addEach(std::array<std::uint64_t, Size>& to, const std::array<std::uint64_t, Size>& from)
{
    std::ranges::transform(to, from, to.begin(), std::plus());
}
} // namespace

void RequestHistograms::add(const RequestHistograms& other)
{
    addEach(latency, other.latency);
    addEach(size, other.size);
    addEach(joinedSize, other.joinedSize);
}

void IoStats::add(const IoStats& other)
{
    readOps += other.readOps;
    writeOps += other.writeOps;
    readBytes += other.readBytes;
    writeBytes += other.writeBytes;
    readTimeNs += other.readTimeNs;
    writeTimeNs += other.writeTimeNs;
    readsActive += other.readsActive;
    writesActive += other.writesActive;
    reads.add(other.reads);
    writes.add(other.writes);
}

struct VdevTree::Private
{
    format::NvList config; ///< nodes point into it
    detail::TreeContext context;
    std::unique_ptr<Node> root;
    std::vector<std::unique_ptr<detail::TopBase>> tops; ///< by id; null between
    std::map<VdevGuid, Node*> leaves;
    mutable runtime::RankedMutex<LockRank::Vdev> stateMutex;
    detail::Flusher flusher;

    [[nodiscard]] Status makeTops();
    [[nodiscard]] Status indexLeaves(Node& node);
    void writeWindow(std::span<BlockWrite> blocks, Txg txg);
};

Status VdevTree::Private::makeTops()
{
    for (const auto& child : root->children) {
        if (child->id >= kMaxTopLevels) {
            return fail(ErrorCode::BadConfig, "vdev configuration: a top-level number too large");
        }
        if (tops.size() <= child->id) {
            tops.resize(child->id + 1);
        }
        std::unique_ptr<detail::TopBase>& top = tops[child->id];
        if (top) {
            return fail(ErrorCode::BadConfig, "vdev configuration: a top-level number twice");
        }
        if (child->isLeaf() || child->isMirrorLike()) {
            top = detail::makeMirrorTop(*child, context);
        } else if (child->kind == VdevKind::Raidz) {
            top = detail::makeRaidzTop(*child, context);
        } else {
            top = detail::makeAbsentTop(*child, context);
        }
    }
    return {};
}

Status VdevTree::Private::indexLeaves(Node& node)
{
    if (node.isLeaf() && !leaves.emplace(node.guid, &node).second) {
        return fail(
            ErrorCode::BadConfig, "vdev configuration: a device twice", {.vdev = node.guid});
    }
    for (const auto& child : node.children) {
        // NOLINTNEXTLINE(misc-no-recursion): kMaxDepth
        MP_TRY(indexLeaves(*child));
    }
    return {};
}

VdevTree::VdevTree(std::unique_ptr<Private> data)
    : m_data(std::move(data))
{
}

VdevTree::~VdevTree() = default;

Result<std::unique_ptr<VdevTree>>
VdevTree::build(const format::NvList& config, const DeviceMap& devices, const TreeOptions& options)
{
    auto data = std::make_unique<Private>();
    data->config = config;
    data->context.clock = options.clock;
    data->root = MP_TRY(detail::TreeBuilder(devices, data->context).build(data->config));
    MP_TRY(data->indexLeaves(*data->root));
    MP_TRY(data->makeTops());
    return std::unique_ptr<VdevTree>(new VdevTree(std::move(data)));
}

VdevState VdevTree::state() const
{
    return m_data->root->state();
}

VdevAux VdevTree::aux() const
{
    return m_data->root->aux();
}

namespace {

/// What one round of requests takes: large enough to keep every device busy, small enough that the
/// copies made for it (neighbours joined, parity) do not count.
constexpr std::size_t kWriteWindowBytes = 32 * MiB;

std::uint64_t sumOfGuids(const Node& node)
{
    std::uint64_t sum = node.guid.value();
    for (const auto& child : node.children) {
        // NOLINTNEXTLINE(misc-no-recursion): VdevTree::kMaxDepth
        sum += sumOfGuids(*child);
    }
    return sum;
}

VdevStatus rowOf(const Node& node, unsigned depth)
{
    VdevStatus row;
    row.depth = depth;
    row.kind = node.kind;
    row.allocationClass = node.allocationClass;
    row.guid = node.guid;
    row.id = node.id;
    row.name = node.name();
    row.parity = node.parity;
    row.state = node.state();
    row.aux = node.aux();
    row.notPresent = node.notPresent;
    row.wholeDisk = node.wholeDisk;
    row.asize = node.asize;
    row.ashift = node.ashift;
    row.config = node.config;
    row.errors.checksum = node.checksumErrors.load(std::memory_order_relaxed);
    if (node.leaf) {
        row.path = node.leaf->path();
        row.errors = node.leaf->counters().errors();
        row.io = node.leaf->counters().stats();
        if (node.leaf->device()) {
            row.openedAs = node.leaf->device()->path();
            row.deviceSize = node.leaf->device()->size().value();
        }
    }
    return row;
}

void collectRows(const Node& node, unsigned depth, std::vector<VdevStatus>& rows)
{
    const std::size_t own = rows.size();
    rows.push_back(rowOf(node, depth));
    for (const auto& child : node.children) {
        const std::size_t childRow = rows.size();
        // NOLINTNEXTLINE(misc-no-recursion): VdevTree::kMaxDepth
        collectRows(*child, depth + 1, rows);
        rows[own].io.add(IoStats(rows[childRow].io));
    }
}

void collectLeaves(const Node& node, VdevId top, std::vector<LeafInfo>& leaves)
{
    if (node.leaf) {
        leaves.push_back({.guid = node.guid,
                          .top = top,
                          .path = node.leaf->path(),
                          .device = node.leaf->device(),
                          .state = node.state(),
                          .dtlObject = node.dtlObject,
                          .config = node.config});
    }
    for (const auto& child : node.children) {
        const bool isTop = node.kind == VdevKind::Root;
        // NOLINTNEXTLINE(misc-no-recursion): VdevTree::kMaxDepth
        collectLeaves(*child, isTop ? VdevId(static_cast<std::uint32_t>(child->id)) : top, leaves);
    }
}

} // namespace

std::uint64_t VdevTree::guidSum() const
{
    return sumOfGuids(*m_data->root);
}

std::size_t VdevTree::topLevelCount() const
{
    return m_data->tops.size();
}

TopLevel* VdevTree::top(VdevId id) const
{
    return id.value() < m_data->tops.size() ? m_data->tops[id.value()].get() : nullptr;
}

std::vector<VdevStatus> VdevTree::status() const
{
    const RankedLock<LockRank::Vdev> lock(m_data->stateMutex);
    std::vector<VdevStatus> rows;
    collectRows(*m_data->root, 0, rows);
    return rows;
}

std::vector<LeafInfo> VdevTree::leaves() const
{
    const RankedLock<LockRank::Vdev> lock(m_data->stateMutex);
    std::vector<LeafInfo> leaves;
    collectLeaves(*m_data->root, VdevId(0), leaves);
    return leaves;
}

void VdevTree::setMissed(MissedPredicate missed)
{
    m_data->context.missed = std::move(missed);
}

void VdevTree::setReadRepair(bool repair)
{
    m_data->context.readRepair = repair;
}

void VdevTree::Private::writeWindow(std::span<BlockWrite> blocks, Txg txg)
{
    detail::WriteBatch batch(txg);
    std::vector<BlockWrite*> planned;
    for (BlockWrite& block : blocks) {
        const detail::TopBase* top =
            block.vdev.value() < tops.size() ? tops[block.vdev.value()].get() : nullptr;
        block.status = top == nullptr
                           ? Status(fail(ErrorCode::BadBlockPointer, "no such top-level vdev"))
                           : top->plan(block.offset, block.data, batch);
        if (block.status) {
            planned.push_back(&block);
        }
    }
    {
        const SharedLock writing(context.repairs); // INV-7
        batch.run();
    }
    for (std::size_t i = 0; i < planned.size(); ++i) {
        planned[i]->status = batch.status(i);
        if (!planned[i]->status) {
            const VdevGuid guid = tops[planned[i]->vdev.value()]->guid();
            planned[i]->status =
                fail(std::move(planned[i]->status).error().at({.vdev = guid, .txg = txg}));
        }
    }
}

void VdevTree::write(std::span<BlockWrite> blocks, Txg txg)
{
    while (!blocks.empty()) {
        std::size_t count = 0;
        std::size_t bytes = 0;
        while (count < blocks.size() && bytes < kWriteWindowBytes) {
            bytes += blocks[count++].data.size();
        }
        m_data->writeWindow(blocks.first(count), txg);
        blocks = blocks.subspan(count);
    }
}

Status VdevTree::flush()
{
    return m_data->flusher.flush(m_data->tops);
}

void VdevTree::forgetLosses()
{
    m_data->flusher.forgetLosses();
}

void VdevTree::discard(VdevId vdev, ByteOffset offset, ByteCount size)
{
    if (vdev.value() >= m_data->tops.size() || !m_data->tops[vdev.value()]) {
        return;
    }
    const detail::TopBase& top = *m_data->tops[vdev.value()];
    std::uint64_t end = 0;
    if (checkedAdd(offset.value(), size.value(), end) && end <= top.allocatable().value()) {
        top.discard(offset, size);
    }
}

std::vector<MissedTxgs> VdevTree::missedWrites() const
{
    std::vector<MissedTxgs> missed;
    for (const auto& [guid, node] : m_data->leaves) {
        for (const detail::WriteJournal::Run& run : node->leaf->journal().runs()) {
            missed.push_back({.leaf = guid, .first = run.first, .last = run.last});
        }
    }
    return missed;
}

bool VdevTree::setAllocationClass(VdevId id, AllocationClass allocationClass)
{
    const RankedLock<LockRank::Vdev> lock(m_data->stateMutex);
    for (const auto& child : m_data->root->children) {
        if (child->id == id.value()) {
            child->allocationClass = allocationClass;
            m_data->root->deriveState();
            return true;
        }
    }
    return false;
}

bool VdevTree::setLeafState(VdevGuid leaf, VdevState state, VdevAux aux)
{
    const RankedLock<LockRank::Vdev> lock(m_data->stateMutex);
    const auto found = m_data->leaves.find(leaf);
    if (found == m_data->leaves.end()) {
        return false;
    }
    found->second->setState(state, aux);
    for (Node* node = found->second->parent; node != nullptr; node = node->parent) {
        node->deriveState(); // INV-4
    }
    return true;
}

} // namespace millpond::vdev
