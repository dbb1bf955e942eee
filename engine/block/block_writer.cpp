// SPDX-License-Identifier: GPL-3.0-or-later
//
// Blocks: theory of writing.
//
// Purpose. From a block's logical content to stored copies and the pointer that leads to them; and
// the way back, from a pointer to free space. Everything above the devices writes through here,
// labels and uberblocks apart. [zio, zio_compress, blkptr]
//
// On disk. See block_reader.cpp. What is stored of a block of n bytes:
//   all zeroes          nothing: a hole, if the block is to be compressed
//   compressible        if at least n/8 are saved, rounded up to the pool's smallest sector, less
//                       than n; zeroes behind the compressed bytes
//   up to 112 bytes     nothing: the pointer holds them (where the caller allows it)
//   otherwise           as it is
// A block for which no range is long enough becomes a gang: a header of three pointers, and its
// bytes cut in three, each piece possibly a gang again. The header has two copies at least. Its
// places record the space of everything below them; freeing takes the header's own from the vdev.
//
// In memory. A call's requests are worked off in batches of kBatchBytes, in three steps: encode
// (compression and checksums, on all processors), place (allocation in the order of the requests:
// what is written together lies together), write (one VdevTree::write for the batch, which goes on
// while the next batch is encoded). Blocks stored as they are go to the devices from the caller's
// own memory. What was written is left in the reader's cache, decompressed.
//
// Invariants.
//   INV-1 Space that is written to is allocated in the same txg, to this block. So what an older
//         uberblock leads to is never overwritten.
//   INV-2 A request that fails leaves nothing allocated. One that succeeds has all its copies on
//         devices (not flushed).
//   INV-3 free() gives back exactly what place() took, header by header and member by member.
//   INV-4 From pass rewritePass on, a block of this txg that keeps its stored size keeps its
//         places, gangs too; and from lastCompressedPass on its size: so a txg's passes end.
//   INV-5 The cache holds nothing else than was written last at a place in a txg.
//
// Concurrency. Any thread, any number of calls. No lock of its own is held across a call.
//
// Failure. A copy that can't be written fails its request: with the pool's redundancy gone that far
// its txg must not become permanent. Requests fail one by one; the caller decides.
//
// Cost. Uncompressed: one pass over the bytes for the checksum, none to copy. Compressed: one
// buffer of the stored size. Memory beyond the caller's: two batches at most.
//
// Sources: OpenZFS module/zfs/{zio,zio_compress,blkptr,metaslab,zil}.c,
// include/sys/{spa,zio_impl}.h.

#include "block/block_writer.h"

#include "base/check.h"
#include "block/detail/block_encoder.h"
#include "block/detail/placer.h"
#include "block/extents.h"
#include "block/pointer_maker.h"
#include "format/dnode.h"
#include "format/intent_log.h"
#include "runtime/task_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace millpond::block {

using detail::BlockEncoder;
using detail::EncodedBlock;
using detail::WritePlan;
using format::BlockPointer;

namespace {

/// Logical bytes. Long enough for devices to be busy, short enough for its buffers not to matter.
constexpr std::size_t kBatchBytes = 8 * MiB;
constexpr std::size_t kBatchBlocks = 2048;

/// How many of the first requests make a batch.
std::size_t batchLength(std::span<const WriteRequest> requests)
{
    std::size_t bytes = 0;
    std::size_t count = 0;
    while (count < requests.size() && count < kBatchBlocks && bytes < kBatchBytes) {
        bytes += requests[count].data ? requests[count].data->size() : 0;
        ++count;
    }
    return count;
}

/// Requests on their way, with what they need until they are on the devices.
struct Batch
{
    explicit Batch(std::span<WriteRequest> batchRequests)
        : requests(batchRequests)
        , blocks(requests.size())
        , taken(requests.size())
    {
    }

    std::span<WriteRequest> requests;
    std::vector<EncodedBlock> blocks;
    std::vector<std::vector<space::Extent>> taken;
    WritePlan plan;
};

} // namespace

struct BlockWriter::Private
{
    Private(vdev::VdevTree& vdevTree,
            space::Allocator& spaceAllocator,
            BlockReader& blockReader,
            const BlockWriterOptions& writerOptions)
        : vdevs(vdevTree)
        , map(vdevTree)
        , allocator(spaceAllocator)
        , reader(blockReader)
        , options(writerOptions)
        , encoder(contexts, salt, options)
        , placer(map, allocator, encoder, options)
    {
    }

    void encode(Batch& batch, Txg txg, unsigned pass);
    void place(Batch& batch, Txg txg, unsigned pass);
    [[nodiscard]] Status placeOne(Batch& batch, std::size_t index, Txg txg, unsigned pass);
    void write(Batch& batch, Txg txg);
    void finish(Batch& batch, Txg txg);
    void count(const WriteRequest& request, const EncodedBlock& block);

    vdev::VdevTree& vdevs;
    TreeVdevMap map;
    space::Allocator& allocator;
    BlockReader& reader;
    BlockWriterOptions options;
    FreeFilter* filter = nullptr;
    detail::ContextPool contexts;
    std::atomic<const codec::ChecksumSalt*> salt{nullptr};
    Mutex saltMutex;
    std::vector<std::unique_ptr<codec::ChecksumSalt>> salts MP_GUARDED_BY(saltMutex);
    BlockEncoder encoder;
    detail::Placer placer;

    std::atomic<std::uint64_t> blocksWritten{0};
    std::atomic<std::uint64_t> bytesLogical{0};
    std::atomic<std::uint64_t> bytesPhysical{0};
    std::atomic<std::uint64_t> holes{0};
    std::atomic<std::uint64_t> embedded{0};
    std::atomic<std::uint64_t> unchanged{0};
    std::atomic<std::uint64_t> rewritten{0};
    std::atomic<std::uint64_t> gangs{0};
};

BlockWriter::BlockWriter(vdev::VdevTree& vdevs,
                         space::Allocator& allocator,
                         BlockReader& reader,
                         const BlockWriterOptions& options)
    : d(std::make_unique<Private>(vdevs, allocator, reader, options))
{
}

BlockWriter::~BlockWriter() = default;

void BlockWriter::setSalt(const codec::ChecksumSalt& salt)
{
    const MutexLock lock(d->saltMutex);
    d->salts.push_back(std::make_unique<codec::ChecksumSalt>(salt));
    d->salt = d->salts.back().get();
}

void BlockWriter::setMinimumAllocation(ByteCount size)
{
    d->options.minimumAllocation = size;
}

void BlockWriter::setHoleBirth(bool active)
{
    d->options.holeBirth = active;
}

void BlockWriter::setFreeFilter(FreeFilter* filter)
{
    d->filter = filter;
}

// --- writing

void BlockWriter::Private::encode(Batch& batch, Txg txg, unsigned pass)
{
    const auto one = [&](std::size_t i) -> Status {
        WriteRequest& request = batch.requests[i];
        Result<EncodedBlock> block = encoder.encode(request, txg, pass);
        if (block) {
            batch.blocks[i] = std::move(*block);
            request.status = {};
        } else {
            request.status = fail(std::move(block).error());
        }
        return {}; // the others go on
    };
    if (options.executor == nullptr || batch.requests.size() == 1) {
        for (std::size_t i = 0; i < batch.requests.size(); ++i) {
            (void)one(i);
        }
    } else {
        (void)runtime::parallelFor(*options.executor, batch.requests.size(), one);
    }
}

void BlockWriter::Private::place(Batch& batch, Txg txg, unsigned pass)
{
    for (std::size_t i = 0; i < batch.requests.size(); ++i) {
        WriteRequest& request = batch.requests[i];
        request.outcome = WriteRequest::Outcome::Written;
        if (!request.status) {
            continue;
        }
        if (batch.blocks[i].unchanged) {
            request.outcome = WriteRequest::Outcome::Unchanged;
        } else if (!batch.blocks[i].stored.empty()) {
            const std::size_t planned = batch.plan.writes.size();
            request.status = placeOne(batch, i, txg, pass);
            if (!request.status) {
                batch.plan.writes.resize(planned);
                batch.plan.owners.resize(planned);
            }
        }
    }
}

Status BlockWriter::Private::placeOne(Batch& batch, std::size_t index, Txg txg, unsigned pass)
{
    WriteRequest& request = batch.requests[index];
    EncodedBlock& block = batch.blocks[index];
    batch.plan.owner = index;
    const BlockPointer& previous = request.previous;
    const bool inPlace =
        pass >= options.rewritePass && !previous.isHole() && !previous.isEmbedded() &&
        !previous.isDedup() && previous.birth() == txg && previous.physicalBirth() == txg &&
        previous.physicalSize() == block.pointer.physicalSize() &&
        (previous.isGang() || previous.dvaCount() == request.properties.copies); // INV-4
    if (inPlace) {
        request.outcome = WriteRequest::Outcome::Rewritten;
        return placer.rewrite(block.pointer, previous, block.stored, batch.plan);
    }
    return placer.place(block.pointer,
                        block.stored,
                        {.copies = request.properties.copies,
                         .allocationClass = request.properties.allocationClass,
                         .txg = txg},
                        batch.plan,
                        batch.taken[index]);
}

void BlockWriter::Private::write(Batch& batch, Txg txg)
{
    WritePlan& plan = batch.plan;
    if (!plan.writes.empty()) {
        vdevs.write(plan.writes, txg);
    }
    for (std::size_t i = 0; i < plan.writes.size(); ++i) {
        Status& status = batch.requests[plan.owners[i]].status;
        if (status && !plan.writes[i].status) {
            status = std::move(plan.writes[i].status);
        }
    }
    finish(batch, txg);
}

void BlockWriter::Private::finish(Batch& batch, Txg txg)
{
    for (std::size_t i = 0; i < batch.requests.size(); ++i) {
        WriteRequest& request = batch.requests[i];
        const EncodedBlock& block = batch.blocks[i];
        if (request.status) {
            request.result = block.pointer;
            if (!block.unchanged) { // INV-5
                reader.remember(block.pointer,
                                request.properties.bypassCache ? nullptr : request.data);
            }
            count(request, block);
            continue;
        }
        for (const space::Extent& extent : batch.taken[i]) { // INV-2
            if (Status given = allocator.unallocate(extent, txg); !given) {
                request.status = std::move(given); // worse: the maps are not right
            }
        }
        request.status = fail(std::move(request.status).error().at(request.bookmark.context()));
    }
}

void BlockWriter::Private::count(const WriteRequest& request, const EncodedBlock& block)
{
    if (block.unchanged) {
        ++unchanged;
    } else if (block.pointer.isEmbedded()) {
        ++embedded;
    } else if (block.pointer.isHole()) {
        ++holes;
    } else {
        ++blocksWritten;
        bytesLogical += block.pointer.logicalSize().value();
        bytesPhysical += block.pointer.physicalSize().value();
        rewritten += request.outcome == WriteRequest::Outcome::Rewritten;
        gangs += block.pointer.isGang();
    }
}

Status BlockWriter::write(std::span<WriteRequest> requests, Txg txg, unsigned pass)
{
    runtime::Executor* executor = d->options.executor;
    std::optional<runtime::TaskGroup> group;
    std::unique_ptr<Batch> writing; // by the group
    for (std::span<WriteRequest> left = requests; !left.empty();) {
        const std::size_t length = batchLength(left);
        auto batch = std::make_unique<Batch>(left.first(length));
        left = left.subspan(length);
        d->encode(*batch, txg, pass);
        d->place(*batch, txg, pass);
        if (group) {
            (void)group->wait();
        }
        writing = std::move(batch);
        if (left.empty() || executor == nullptr) {
            d->write(*writing, txg);
            continue;
        }
        if (!group) {
            group.emplace(*executor);
        }
        group->run([this, running = writing.get(), txg]() -> Status {
            d->write(*running, txg);
            return {};
        });
    }
    for (const WriteRequest& request : requests) {
        if (!request.status) {
            return fail(request.status.error());
        }
    }
    return {};
}

// --- giving back

Status BlockWriter::free(const BlockPointer& pointer, Txg txg)
{
    if (pointer.isEmbedded() || pointer.isHole()) {
        return {};
    }
    MP_TRY(pointer.validate(d->map.count()));
    if (d->filter != nullptr && MP_TRY(d->filter->keeps(pointer, txg))) {
        return {};
    }
    std::vector<space::Extent> extents; // all are known before one is freed
    MP_TRY(forEachExtent(
        d->map, pointer, [&](const space::Extent& extent) { extents.push_back(extent); }));
    for (const space::Extent& extent : extents) {
        MP_TRY(d->allocator.free(extent, txg));
    }
    return {};
}

Status BlockWriter::unallocate(const BlockPointer& pointer, Txg txg)
{
    if (pointer.isEmbedded() || pointer.isHole()) {
        return {};
    }
    std::vector<space::Extent> extents;
    MP_TRY(forEachExtent(
        d->map, pointer, [&](const space::Extent& extent) { extents.push_back(extent); }));
    d->reader.remember(pointer, nullptr); // INV-5
    for (const space::Extent& extent : extents) {
        MP_TRY(d->allocator.unallocate(extent, txg));
    }
    return {};
}

// --- blocks of intent logs

Result<BlockPointer> BlockWriter::allocateLogBlock(ByteCount size, Txg txg, bool slim)
{
    const space::Extent extent =
        MP_TRY(d->allocator.allocate({.allocationClass = vdev::AllocationClass::Log,
                                      .physicalSize = size,
                                      .txg = txg,
                                      .apartFrom = {},
                                      .near = std::nullopt}));
    BlockPointer pointer = storedPointer(
        {.type = format::number(format::ObjectType::IntentLog),
         .level = Level(0),
         .checksum = slim ? format::ChecksumType::IntentLog2 : format::ChecksumType::IntentLog,
         .compression = format::CompressionType::Off,
         .logicalSize = size,
         .physicalSize = size,
         .birth = txg,
         .fill = 0});
    setDva(pointer, 0, {.vdev = extent.vdev, .offset = extent.offset, .allocated = extent.size});
    return pointer;
}

namespace {

/// How much of a log block matters, in whole pages: the newer layout says so at its front.
Result<std::size_t> usedOfLogBlock(const BlockPointer& pointer, Bytes block)
{
    if (pointer.checksumType() != format::ChecksumType::IntentLog2) {
        return block.size();
    }
    const format::ZilChain chain = MP_TRY(format::ZilChain::decode(block, ByteOrder::Little));
    if (chain.used < format::ZilChain::kBytes || chain.used > block.size()) {
        return fail(ErrorCode::InvalidArgument, "a log block that uses more than it has");
    }
    constexpr std::uint64_t kPage = 4096;
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(block.size(), alignUp(chain.used, kPage)));
}

} // namespace

Status BlockWriter::writeLogBlocks(std::span<const LogBlockWrite> blocks, Txg txg)
{
    std::vector<vdev::BlockWrite> writes;
    writes.reserve(blocks.size());
    for (const auto& [pointer, content] : blocks) {
        if (content.size() != pointer.physicalSize().value() || pointer.dvaCount() != 1) {
            return fail(ErrorCode::InvalidArgument, "not the log block that was allocated");
        }
        std::size_t used = MP_TRY(usedOfLogBlock(pointer, content));
        const codec::ChecksumAlgorithm algorithm =
            pointer.checksumType() == format::ChecksumType::IntentLog2
                ? codec::ChecksumAlgorithm::Zilog2
                : codec::ChecksumAlgorithm::Zilog;
        MP_TRY(codec::sealEmbedded(algorithm, content, codec::Checksum{pointer.checksum()}));
        const format::Dva place = pointer.dva(0);
        const vdev::TopLevel* top = d->vdevs.top(place.vdev);
        if (top != nullptr && top->kind() == vdev::VdevKind::Raidz) {
            used = content.size(); // where a column is, depends on the whole
        }
        writes.push_back({.vdev = place.vdev,
                          .offset = place.offset,
                          .data = Bytes(content).first(used),
                          .status = {}});
    }
    d->vdevs.write(writes, txg);
    for (vdev::BlockWrite& write : writes) {
        MP_TRY(std::move(write.status));
    }
    return {};
}

BlockWriter::Counters BlockWriter::counters() const
{
    return {.blocksWritten = d->blocksWritten,
            .bytesLogical = d->bytesLogical,
            .bytesPhysical = d->bytesPhysical,
            .holes = d->holes,
            .embedded = d->embedded,
            .unchanged = d->unchanged,
            .rewritten = d->rewritten,
            .gangs = d->gangs};
}

} // namespace millpond::block
