// SPDX-License-Identifier: GPL-3.0-or-later
#include "object/detail/tree_sync.h"

#include "object/detail/block_tree.h"
#include "runtime/task_group.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::object::detail {

using block::WriteRequest;
using format::BlockPointer;

namespace {

/// Memory for indirect blocks and made leaves at a time.
constexpr std::uint64_t kBatchBytes = 32 * MiB;
constexpr std::size_t kBatchBlocks = 8192;
/// Indirect blocks read ahead while a tree is freed.
constexpr std::uint64_t kFreeAhead = 16;

constexpr std::size_t kPropertyWord = 6;
constexpr std::size_t kBirthWord = 10;

BlockPointer makeHole(std::uint8_t type, unsigned level, std::uint64_t size, Txg birth)
{
    BlockPointer pointer;
    pointer.words[kPropertyWord] = (size / format::kSectorBytes - 1) |
                                   (std::uint64_t{type} << 48U) | (std::uint64_t{level} << 56U) |
                                   (std::uint64_t{kHostOrder == ByteOrder::Little} << 63U);
    pointer.words[kBirthWord] = birth.value();
    return pointer;
}

unsigned pointerShift(const Dnode& dnode)
{
    return dnode.indirectShift - 7U;
}

/// Whether block numbers up to `last` can be reached.
bool reaches(const Dnode& dnode, std::uint64_t last)
{
    const unsigned shift = pointerShift(dnode) * (dnode.levels - 1U);
    return shift >= 64 || (last >> shift) < dnode.pointers.size();
}

std::uint64_t fillOf(const BlockPointer& pointer)
{
    return pointer.isHole() ? 0 : pointer.fill();
}

} // namespace

/// A block that gets new pointers: an indirect block, or the dnode itself.
struct TreeSync::Parent
{
    TreeJob* job = nullptr;
    std::uint64_t index = 0;
    bool isDnode = false;
    std::span<LeafWrite> leaves; ///< of level 0, to be written
    /// Of the level below, known already.
    std::vector<std::pair<std::uint64_t, BlockPointer>> known;
    BlockPointer before;
    std::shared_ptr<Buffer> data;

    [[nodiscard]] std::size_t slot(std::uint64_t child) const
    {
        const std::uint64_t mask = (std::uint64_t{1} << pointerShift(job->dnode)) - 1;
        return isDnode ? child : child & mask;
    }

    [[nodiscard]] BlockPointer get(std::uint64_t child) const
    {
        return isDnode ? job->dnode.pointers[slot(child)]
                       : BlockPointer::at(
                             data->bytes(), slot(child) * BlockPointer::kBytes, ByteOrder::Little);
    }

    void set(std::uint64_t child, const BlockPointer& pointer)
    {
        if (isDnode) {
            job->dnode.pointers[slot(child)] = pointer;
        } else {
            pointer.encode(data->bytes().subspan(slot(child) * BlockPointer::kBytes));
        }
    }
};

block::WriteProperties TreeSync::policy(const Dnode& dnode, unsigned level, bool spill) const
{
    return writePolicy(m_context.settings,
                       {.type = spill ? dnode.bonusType : dnode.type,
                        .level = level,
                        .spill = spill,
                        .blockBytes = dnode.dataBlockBytes,
                        .dnodeChecksum = dnode.checksum,
                        .dnodeCompression = dnode.compression});
}

BlockPointer TreeSync::hole(const BlockPointer& before,
                            std::uint8_t type,
                            unsigned level,
                            std::uint64_t size) const
{
    if (before.isHole()) {
        return before;
    }
    return m_holeBirth ? makeHole(type, level, size, m_context.txg) : BlockPointer{};
}

Status TreeSync::kill(const BlockPointer& pointer, std::uint64_t& usedBytes)
{
    if (pointer.isHole()) {
        return {};
    }
    usedBytes -= std::min(usedBytes, m_context.ledger.chargedSize(pointer).value());
    return m_context.ledger.killed(pointer);
}

Status TreeSync::account(const WriteRequest& request, std::uint64_t& usedBytes)
{
    if (!request.status) {
        return request.status;
    }
    if (request.outcome != WriteRequest::Outcome::Written) {
        return {};
    }
    MP_TRY(kill(request.previous, usedBytes));
    if (request.result.isHole()) {
        return {};
    }
    usedBytes += m_context.ledger.chargedSize(request.result).value();
    return m_context.ledger.born(request.result);
}

Status TreeSync::run(std::span<TreeJob> jobs)
{
    unsigned levels = 0;
    for (TreeJob& job : jobs) {
        job.freedAt.resize(job.dnode.levels);
        MP_TRY(freeHoles(job));
        if (!job.freeAll) {
            addLevels(job);
        }
        levels = std::max<unsigned>(levels, job.dnode.levels);
    }
    MP_TRY(writeSpills(jobs));
    for (unsigned level = 1; level <= levels; ++level) {
        MP_TRY(runLevel(jobs, level));
    }
    return {};
}

// --- Freeing ---

Result<BufferRef> TreeSync::readIndirect(const TreeJob& job,
                                         const BlockPointer& pointer,
                                         unsigned level,
                                         std::uint64_t index)
{
    const block::Bookmark bookmark{
        job.dnode.objset, job.dnode.id, Level(static_cast<std::uint8_t>(level)), BlockIndex(index)};
    if (pointer.level().value() != level) {
        return fail(ErrorCode::BadBlockPointer,
                    fmt::format("its pointer is for level {}", pointer.level().value()),
                    bookmark.context());
    }
    BufferRef data = MP_TRY(m_source.read(pointer, bookmark, {}));
    if (data->size() != std::size_t{1} << job.dnode.indirectShift) {
        return fail(ErrorCode::BadBlockPointer,
                    fmt::format("an indirect block of {} bytes in an object that has them of {}",
                                data->size(),
                                std::size_t{1} << job.dnode.indirectShift),
                    bookmark.context());
    }
    return data;
}

Status TreeSync::freeHoles(TreeJob& job)
{
    if (job.freeAll) {
        job.holes = {};
        job.holes.add(0, ~std::uint64_t{0});
    }
    const TreeShape shape(*job.old);
    for (const auto& [first, last] : job.holes.ranges()) {
        for (std::uint64_t i = 0; i < job.dnode.pointers.size(); ++i) {
            job.dnode.pointers[i] =
                MP_TRY(freeBelow(job, job.dnode.pointers[i], shape.top(), i, first, last));
        }
    }
    if ((job.freeAll || job.dropSpill) && job.old->spill) {
        MP_TRY(kill(*job.old->spill, job.dnode.usedBytes));
        job.dnode.spill.reset();
    }
    return {};
}

/// What becomes of a pointer when the blocks first..last of the object are freed. Blocks that lose
/// only a part are left to the pass of their level, with a note in freedAt.
Result<BlockPointer> TreeSync::freeBelow(TreeJob& job,
                                         const BlockPointer& pointer,
                                         unsigned level,
                                         std::uint64_t index,
                                         std::uint64_t first,
                                         std::uint64_t last)
{
    const TreeShape shape(*job.old);
    const std::optional<std::uint64_t> begin = shape.firstBelow(index, level, 0);
    if (pointer.isHole() || !begin || *begin > last) {
        return pointer;
    }
    const std::optional<std::uint64_t> next = shape.firstBelow(index + 1, level, 0);
    const std::uint64_t end = next ? *next - 1 : ~std::uint64_t{0};
    if (end < first) {
        return pointer;
    }
    const bool whole = first <= *begin && end <= last;
    if (level > 0) {
        const BufferRef data = MP_TRY(readIndirect(job, pointer, level, index));
        const std::uint64_t count = data->size() / BlockPointer::kBytes;
        const std::uint64_t base = index << pointerShift(*job.old);
        const std::uint64_t from = first <= *begin ? 0 : shape.ancestor(first, 0, level - 1) - base;
        const std::uint64_t to =
            last >= end ? count - 1 : shape.ancestor(last, 0, level - 1) - base;
        const auto child = [&](std::uint64_t i) {
            return BlockPointer::at(data->bytes(), i * BlockPointer::kBytes, pointer.byteOrder());
        };
        for (std::uint64_t i = from; i <= to; ++i) {
            if (level > 1 && i + kFreeAhead <= to && !child(i + kFreeAhead).isHole()) {
                m_source.prefetch(child(i + kFreeAhead),
                                  {job.dnode.objset,
                                   job.dnode.id,
                                   Level(static_cast<std::uint8_t>(level - 1)),
                                   BlockIndex(base + i + kFreeAhead)});
            }
            const BlockPointer before = child(i);
            // NOLINTNEXTLINE(misc-no-recursion): one level lower each time
            const BlockPointer after =
                MP_TRY(freeBelow(job, before, level - 1, base + i, first, last));
            if (!whole && after != before) {
                job.freedAt[level - 1][base + i] = after;
            }
        }
    }
    if (!whole) {
        return pointer;
    }
    MP_TRY(kill(pointer, job.dnode.usedBytes));
    return hole(pointer, job.dnode.type, level, pointer.logicalSize().value());
}

// --- Growing ---

void TreeSync::addLevels(TreeJob& job) const
{
    Dnode& dnode = job.dnode;
    const unsigned before = dnode.levels;
    while (!reaches(dnode, dnode.maxBlockId)) {
        ++dnode.levels;
    }
    job.freedAt.resize(std::max<std::size_t>(job.freedAt.size(), dnode.levels));
    if (dnode.levels == before) {
        return;
    }
    const bool empty = std::ranges::all_of(dnode.pointers, [](const BlockPointer& pointer) {
        return pointer.isHole() && pointer.birth().value() == 0;
    });
    if (!empty) {
        job.seeds = dnode.pointers;
        job.seedLevel = before;
    }
    std::ranges::fill(dnode.pointers, BlockPointer{});
}

// --- Writing ---

Status TreeSync::writeSpills(std::span<TreeJob> jobs)
{
    std::vector<WriteRequest> requests;
    std::vector<TreeJob*> owners;
    for (TreeJob& job : jobs) {
        if (job.spill == nullptr || job.freeAll) {
            continue;
        }
        WriteRequest& request = requests.emplace_back();
        request.bookmark = {job.dnode.objset, job.dnode.id, Level(0), block::kSpillBlock};
        request.data = job.spill;
        request.properties = policy(job.dnode, 0, true);
        request.previous = job.old->spill.value_or(BlockPointer{});
        owners.push_back(&job);
    }
    if (requests.empty()) {
        return {};
    }
    MP_TRY(m_context.sink.write(requests, m_context.txg, m_context.pass));
    for (std::size_t i = 0; i < requests.size(); ++i) {
        MP_TRY(account(requests[i], owners[i]->dnode.usedBytes));
        owners[i]->dnode.spill = requests[i].result;
    }
    return {};
}

Status TreeSync::runLevel(std::span<TreeJob> jobs, unsigned level)
{
    std::vector<Parent> batch;
    std::uint64_t bytes = 0;
    std::size_t blocks = 0;
    const auto flush = [&]() -> Status {
        const Status status = batch.empty() ? Status() : runBatch(batch, level);
        batch.clear();
        bytes = blocks = 0;
        return status;
    };
    for (TreeJob& job : jobs) {
        if (job.freeAll || level > job.dnode.levels) {
            continue;
        }
        const bool top = level == job.dnode.levels;
        std::map<std::uint64_t, BlockPointer> known = std::move(job.pointers);
        job.pointers.clear();
        known.merge(job.freedAt[level - 1]);
        const unsigned shift = pointerShift(job.dnode);
        std::span<LeafWrite> leaves(job.leaves);
        if (level > 1) {
            leaves = {};
        }
        auto next = known.begin();
        bool seeded = job.seedLevel == level;
        const auto parentOf = [&](std::uint64_t child) { return top ? 0 : child >> shift; };
        while (!leaves.empty() || next != known.end() || seeded) {
            std::uint64_t index = ~std::uint64_t{0};
            if (seeded) {
                index = 0;
                seeded = false;
            }
            if (!leaves.empty()) {
                index = std::min(index, parentOf(leaves.front().index));
            }
            if (next != known.end()) {
                index = std::min(index, parentOf(next->first));
            }
            Parent parent;
            parent.job = &job;
            parent.index = index;
            parent.isDnode = top;
            std::size_t count = 0;
            while (count < leaves.size() && parentOf(leaves[count].index) == index) {
                ++count;
            }
            parent.leaves = leaves.first(count);
            leaves = leaves.subspan(count);
            for (; next != known.end() && parentOf(next->first) == index; ++next) {
                parent.known.emplace_back(*next);
            }
            bytes += top ? 0 : std::uint64_t{1} << job.dnode.indirectShift;
            bytes += job.makeLeaf ? count * job.dnode.dataBlockBytes : 0;
            blocks += count + 1;
            batch.push_back(std::move(parent));
            if (bytes >= kBatchBytes || blocks >= kBatchBlocks) {
                MP_TRY(flush());
            }
        }
    }
    MP_TRY(flush());
    for (TreeJob& job : jobs) {
        job.pointers = std::move(job.nextPointers);
        job.nextPointers.clear();
    }
    return {};
}

Status TreeSync::runBatch(std::span<Parent> parents, unsigned level)
{
    MP_TRY(runtime::parallelFor(m_context.executor, parents.size(), [&](std::size_t i) {
        return loadParent(parents[i], level);
    }));
    for (Parent& parent : parents) {
        for (const auto& [child, pointer] : parent.known) {
            parent.set(child, pointer);
        }
    }
    if (level == 1) {
        MP_TRY(writeLeaves(parents));
    }
    return writeParents(parents, level);
}

/// The block as it is, little endian; made leaves come into being, too.
Status TreeSync::loadParent(Parent& parent, unsigned level)
{
    TreeJob& job = *parent.job;
    if (job.makeLeaf) {
        for (LeafWrite& leaf : parent.leaves) {
            leaf = MP_TRY(job.makeLeaf(leaf.index));
        }
    }
    if (parent.isDnode) {
        return {};
    }
    const std::size_t size = std::size_t{1} << job.dnode.indirectShift;
    parent.data = std::make_shared<Buffer>(MP_TRY(Buffer::createZeroed(size)));
    if (job.seedLevel == level && parent.index == 0) {
        for (std::size_t i = 0; i < job.seeds.size(); ++i) {
            parent.set(i, job.seeds[i]);
        }
        return {};
    }
    if (level >= job.old->levels) {
        return {}; // there was no such level
    }
    const ReadContext context;
    PointerWalker walker(m_source, *job.old, context);
    parent.before = MP_TRY(walker.pointer(level, parent.index));
    const std::size_t count = size / BlockPointer::kBytes;
    const std::uint64_t base = parent.index << pointerShift(job.dnode);
    if (!parent.before.isHole()) {
        const BufferRef data = MP_TRY(readIndirect(job, parent.before, level, parent.index));
        for (std::size_t i = 0; i < count; ++i) {
            parent.set(base + i,
                       BlockPointer::at(
                           data->bytes(), i * BlockPointer::kBytes, parent.before.byteOrder()));
        }
    } else if (parent.before.birth().value() != 0) {
        // The holes below a hole are as old as it.
        const std::uint64_t below = level == 1 ? job.old->dataBlockBytes : size;
        const BlockPointer inherited =
            makeHole(job.dnode.type, level - 1, below, parent.before.birth());
        for (std::size_t i = 0; i < count; ++i) {
            parent.set(base + i, inherited);
        }
    }
    return {};
}

Status TreeSync::writeLeaves(std::span<Parent> parents)
{
    std::vector<WriteRequest> requests;
    for (Parent& parent : parents) {
        const Dnode& dnode = parent.job->dnode;
        const block::WriteProperties properties = policy(dnode, 0, false);
        for (LeafWrite& leaf : parent.leaves) {
            WriteRequest& request = requests.emplace_back();
            request.bookmark = {dnode.objset, dnode.id, Level(0), BlockIndex(leaf.index)};
            request.data = std::move(leaf.data);
            request.properties = properties;
            request.properties.fill = leaf.fill;
            request.previous = parent.get(leaf.index);
        }
    }
    if (requests.empty()) {
        return {};
    }
    MP_TRY(m_context.sink.write(requests, m_context.txg, m_context.pass));
    auto request = requests.begin();
    for (Parent& parent : parents) {
        for (const LeafWrite& leaf : parent.leaves) {
            MP_TRY(account(*request, parent.job->dnode.usedBytes));
            BlockPointer result = request->result;
            if (leaf.order != kHostOrder && !result.isHole()) {
                result.words[kPropertyWord] ^= std::uint64_t{1} << 63U;
            }
            parent.set(leaf.index, result);
            ++request;
        }
    }
    return {};
}

Status TreeSync::writeParents(std::span<Parent> parents, unsigned level)
{
    std::vector<WriteRequest> requests;
    std::vector<Parent*> writers;
    for (Parent& parent : parents) {
        if (parent.isDnode) {
            continue;
        }
        Dnode& dnode = parent.job->dnode;
        std::uint64_t fill = 0;
        bool holes = true;
        for (std::size_t at = 0; at < parent.data->size(); at += BlockPointer::kBytes) {
            const BlockPointer child =
                BlockPointer::at(parent.data->bytes(), at, ByteOrder::Little);
            fill += fillOf(child);
            holes = holes && child.isHole();
        }
        if (holes) {
            MP_TRY(kill(parent.before, dnode.usedBytes));
            // Of this txg even where there was a hole: holes below may be new.
            parent.job->nextPointers[parent.index] =
                m_holeBirth ? makeHole(dnode.type, level, parent.data->size(), m_context.txg)
                            : BlockPointer{};
            continue;
        }
        WriteRequest& request = requests.emplace_back();
        request.bookmark = {dnode.objset,
                            dnode.id,
                            Level(static_cast<std::uint8_t>(level)),
                            BlockIndex(parent.index)};
        request.data = std::move(parent.data);
        request.properties = policy(dnode, level, false);
        request.properties.fill = fill;
        request.previous = parent.before;
        writers.push_back(&parent);
    }
    if (requests.empty()) {
        return {};
    }
    MP_TRY(m_context.sink.write(requests, m_context.txg, m_context.pass));
    for (std::size_t i = 0; i < requests.size(); ++i) {
        MP_TRY(account(requests[i], writers[i]->job->dnode.usedBytes));
        writers[i]->job->nextPointers[writers[i]->index] = requests[i].result;
    }
    return {};
}

} // namespace millpond::object::detail
