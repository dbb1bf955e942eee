// SPDX-License-Identifier: GPL-3.0-or-later
//
// Blocks: theory of reading.
//
// Purpose. From a block pointer to the block's content: choose a copy, let the vdev rebuild it,
// verify, put gangs together, decompress, keep in the cache. Everything above reads through here
// and never sees bytes that were not verified. [zio, arc]
//
// On disk. A pointer (format/block_pointer.h) either holds its block (embedded), or is a hole, or
// names up to three copies with one checksum of the stored bytes. A gang pointer's copies are
// copies of a header of three pointers (format/gang.h); the pieces joined are the stored bytes, and
// the checksum in the gang pointer is theirs. Headers carry their own checksum, seeded with the
// pointer's first address and birth.
//
// In memory. BlockCache, shared by all pools of an engine, keeps decompressed blocks by pool, place
// of the first copy and physical birth: that names content, since within one txg space is given to
// another block only by the writer, who replaces what is cached (BlockCache::put, drop).
// A segmented LRU: blocks come in on probation and are protected when they are used again after a
// while (not at once: one block is often read in several pieces); protected ones fall back to
// probation when they hold more than three quarters. A scan therefore only replaces blocks on
// probation. Sixteen shards with a lock each, one budget of bytes for all. A block being read is in
// its shard's table of pending reads: whoever wants it, too, waits for the first reader.
//
// Invariants.
//   INV-1 What is in the cache was verified against a checksum by whoever read it.
//   INV-2 A pending read is always being executed by some thread, never queued: waiting for it
//         cannot deadlock, also in a thread of the executor. A read waits for no other read; a run
//         of prefetches is one thread's and waits for none.
//   INV-3 Cached bytes never exceed the limit by more than the blocks being inserted; prefetches
//         never hold more than BlockReaderOptions::prefetchLimit.
//   INV-4 A cached block of another size than the pointer's is not what the pointer means (two
//         pointers of a damaged pool share a place): it is read past the cache.
//
// Concurrency. Any thread. No lock is held while a device is waited for. Wait::CachedOnly never
// waits, not even for a pending read.
//
// Failure. A read tries all copies, those on missing vdevs last, and says of each why it failed. An
// error is handed to all who wait and is not remembered.
//
// Reading ahead. Requests cost: 128 KiB at a time take a processor three times as long as a MiB at
// a time, columns of raidz ten times. So blocks that are prefetched one after the other and lie one
// after the other are read together, from the first copy, without a look at redundancy; a block
// that does not verify is then read as if alone.
//
// Cost. A hit is one lock and one hash. Uncompressed blocks are read straight into the buffer that
// is cached and handed out; compressed ones cost one buffer of the physical size more.
// Decompression and checksums run in the reading thread: for prefetched blocks in the executor.
//
// Sources: OpenZFS module/zfs/{zio,zio_checksum,zio_compress,arc}.c; for the cache R. Karedla, J.
// Love, B. Wherry: "Caching Strategies to Improve Disk System Performance", 1994.

#include "block/block_reader.h"

#include "block/detail/context_pool.h"
#include "block/detail/copy_reader.h"
#include "block/detail/prefetch_queue.h"

#include <fmt/format.h>

#include <vector>

namespace millpond::block {

using detail::ContextPool;
using format::BlockPointer;

namespace {

codec::CompressionAlgorithm compressionOf(const BlockPointer& pointer)
{
    return static_cast<codec::CompressionAlgorithm>(
        static_cast<std::uint8_t>(pointer.compression()));
}

bool isStoredPlain(const BlockPointer& pointer)
{
    return pointer.compression() == format::CompressionType::Off;
}

std::size_t logicalSizeOf(const BlockPointer& pointer)
{
    return static_cast<std::size_t>(pointer.logicalSize().value());
}

std::size_t physicalSizeOf(const BlockPointer& pointer)
{
    return static_cast<std::size_t>(pointer.physicalSize().value());
}

BufferRef share(Buffer buffer)
{
    return std::make_shared<const Buffer>(std::move(buffer));
}

} // namespace

ErrorContext Bookmark::context() const
{
    if (level == kRootLevel) {
        return {.objset = objset};
    }
    return {.objset = objset, .object = object, .level = level, .block = block};
}

struct BlockReader::Private
{
    Private(const VdevMap& vdevMap, BlockCache& blockCache, const BlockReaderOptions& readerOptions)
        : vdevs(vdevMap)
        , cache(blockCache)
        , executor(readerOptions.executor)
        , pool(blockCache.newPool())
        , copies(vdevs, contexts, salt)
        , prefetches(std::make_shared<detail::PrefetchQueue>(readerOptions.prefetchLimit))
    {
    }

    [[nodiscard]] BlockCache::Key keyOf(const BlockPointer& pointer) const
    {
        const format::Dva dva = pointer.dva(0);
        return {
            .pool = pool, .vdev = dva.vdev, .offset = dva.offset, .birth = pointer.physicalBirth()};
    }

    Result<BufferRef> read(const BlockPointer& pointer, const ReadContext& context);
    Result<BufferRef> readStored(const BlockPointer& pointer, const ReadContext& context);
    Result<BufferRef> readEmbedded(const BlockPointer& pointer);
    Result<BufferRef> load(const BlockPointer& pointer);
    Result<BufferRef> loadBlock(const BlockPointer& pointer);
    Result<BufferRef> loaded(const BlockPointer& pointer, Buffer stored);
    Result<BufferRef> decompress(const BlockPointer& pointer, Bytes stored);
    void runPrefetch(const detail::PrefetchRun& run);
    void finishPrefetch(const detail::PrefetchBlock& block,
                        const std::shared_ptr<BlockCache::Pending>& pending,
                        const Result<BufferRef>& result);

    const VdevMap& vdevs;
    BlockCache& cache;
    runtime::Executor* executor;
    const CachePool pool;
    ContextPool contexts;
    std::atomic<const codec::ChecksumSalt*> salt{nullptr};
    Mutex saltMutex;
    std::vector<std::unique_ptr<codec::ChecksumSalt>> salts MP_GUARDED_BY(saltMutex);
    detail::CopyReader copies;
    std::shared_ptr<detail::PrefetchQueue> prefetches;
    std::atomic<std::uint64_t> blocksRead{0};
    std::atomic<std::uint64_t> bytesRead{0};
    std::atomic<std::uint64_t> repaired{0};
    std::atomic<std::uint64_t> failed{0};
    std::atomic<std::uint64_t> prefetched{0};
    std::atomic<std::uint64_t> prefetchDropped{0};
};

BlockReader::BlockReader(const VdevMap& vdevs, BlockCache& cache, const BlockReaderOptions& options)
    : d(std::make_unique<Private>(vdevs, cache, options))
{
}

BlockReader::~BlockReader()
{
    d->prefetches->close();
    d->cache.dropPool(d->pool);
}

void BlockReader::setSalt(const codec::ChecksumSalt& salt)
{
    const MutexLock lock(d->saltMutex);
    d->salts.push_back(std::make_unique<codec::ChecksumSalt>(salt));
    d->salt = d->salts.back().get();
}

Result<BufferRef>
BlockReader::read(const BlockPointer& pointer, const Bookmark& bookmark, const ReadContext& context)
{
    Result<BufferRef> result = d->read(pointer, context);
    if (!result) {
        return fail(std::move(result).error().at(bookmark.context()));
    }
    return result;
}

Result<BufferRef> BlockReader::Private::read(const BlockPointer& pointer,
                                             const ReadContext& context)
{
    if (pointer.isEmbedded()) {
        return readEmbedded(pointer);
    }
    if (pointer.isHole()) {
        return share(MP_TRY(Buffer::createZeroed(logicalSizeOf(pointer))));
    }
    if (pointer.isEncrypted()) {
        return fail(ErrorCode::Encrypted, "the block is encrypted");
    }
    return readStored(pointer, context);
}

Result<BufferRef> BlockReader::Private::readStored(const BlockPointer& pointer,
                                                   const ReadContext& context)
{
    const BlockCache::Key key = keyOf(pointer);
    const std::size_t size = logicalSizeOf(pointer);
    if (context.wait == Wait::CachedOnly || !context.keep) {
        if (BufferRef data = cache.find(key); data && data->size() == size) {
            return data;
        }
        if (context.wait == Wait::CachedOnly) {
            return fail(ErrorCode::WouldBlock, "not in memory");
        }
        return load(pointer);
    }
    const BlockCache::Claim claim = cache.claim(key, BlockCache::Use::Read);
    if (claim.mine) {
        Result<BufferRef> result = load(pointer);
        cache.finish(key, claim.pending, result, BlockCache::Use::Read);
        return result;
    }
    Result<BufferRef> result =
        claim.data ? Result<BufferRef>(claim.data) : BlockCache::wait(*claim.pending);
    if (result && (*result)->size() != size) { // INV-4
        return load(pointer);
    }
    return result;
}

Result<BufferRef> BlockReader::Private::readEmbedded(const BlockPointer& pointer)
{
    if (pointer.isRedacted()) {
        return fail(ErrorCode::UnsupportedFeature,
                    "the block was left out of a redacted send stream");
    }
    MP_TRY(pointer.validate(vdevs.count()));
    const BlockPointer::Payload payload = MP_TRY(pointer.embeddedPayload());
    return decompress(pointer, payload.used());
}

Result<BufferRef> BlockReader::Private::load(const BlockPointer& pointer)
{
    Result<BufferRef> result = loadBlock(pointer);
    if (!result) {
        ++failed;
    }
    return result;
}

Result<BufferRef> BlockReader::Private::loadBlock(const BlockPointer& pointer)
{
    MP_TRY(pointer.validate(vdevs.count()));
    const std::size_t stored = physicalSizeOf(pointer);
    if (isStoredPlain(pointer) && stored != logicalSizeOf(pointer)) {
        return fail(ErrorCode::BadBlockPointer,
                    fmt::format("{} bytes stored, not compressed, for a block of {}",
                                stored,
                                logicalSizeOf(pointer)));
    }
    Buffer buffer = MP_TRY(Buffer::create(stored));
    if (MP_TRY(copies.read(pointer, buffer.bytes()))) {
        ++repaired;
    }
    return loaded(pointer, std::move(buffer));
}

/// From verified bytes to content.
Result<BufferRef> BlockReader::Private::loaded(const BlockPointer& pointer, Buffer stored)
{
    ++blocksRead;
    bytesRead += stored.size();
    return isStoredPlain(pointer) ? share(std::move(stored)) : decompress(pointer, stored.bytes());
}

Result<BufferRef> BlockReader::Private::decompress(const BlockPointer& pointer, Bytes stored)
{
    Buffer buffer = MP_TRY(Buffer::create(logicalSizeOf(pointer)));
    const ContextPool::Lease context = contexts.borrow();
    MP_TRY(context->decompressor.decompress(compressionOf(pointer), stored, buffer.bytes()));
    return share(std::move(buffer));
}

void BlockReader::prefetch(const BlockPointer& pointer, const Bookmark& /*bookmark*/)
{
    if (d->executor == nullptr || pointer.isEmbedded() || pointer.isHole() ||
        pointer.isEncrypted()) {
        return;
    }
    const BlockCache::Key key = d->keyOf(pointer);
    if (d->cache.contains(key)) {
        return;
    }
    const std::uint64_t bytes =
        logicalSizeOf(pointer) + (isStoredPlain(pointer) ? 0 : physicalSizeOf(pointer));
    switch (d->prefetches->enqueue({.key = key, .pointer = pointer, .bytes = bytes})) {
    case detail::PrefetchQueue::Answer::Refused:
        ++d->prefetchDropped;
        return;
    case detail::PrefetchQueue::Answer::Joined:
        return;
    case detail::PrefetchQueue::Answer::NewRun:
        break;
    }
    runtime::Task task = [this, queue = d->prefetches] {
        const detail::PrefetchRun run = queue->begin();
        if (!run.empty()) { // otherwise `this` may be gone
            d->runPrefetch(run);
            queue->end();
        }
    };
    if (!d->executor->tryPost(task)) {
        d->prefetchDropped += d->prefetches->withdraw();
    }
}

void BlockReader::Private::runPrefetch(const detail::PrefetchRun& run)
{
    struct Claimed
    {
        const detail::PrefetchBlock& block;
        std::shared_ptr<BlockCache::Pending> pending;
        detail::StoredBlock stored;
    };

    std::vector<Claimed> mine;
    for (const detail::PrefetchBlock& block : run) {
        const BlockCache::Claim claim = cache.claim(block.key, BlockCache::Use::Prefetch);
        if (claim.mine) {
            mine.push_back({block, claim.pending, {block.pointer, {}, false}});
        } else {
            prefetches->release(block.bytes);
        }
    }
    if (mine.size() > 1) {
        std::vector<detail::StoredBlock*> stored;
        for (Claimed& claimed : mine) {
            stored.push_back(&claimed.stored);
        }
        copies.readRun(stored);
    }
    for (Claimed& claimed : mine) {
        const BlockPointer& pointer = claimed.block.pointer;
        finishPrefetch(claimed.block,
                       claimed.pending,
                       claimed.stored.good ? loaded(pointer, std::move(claimed.stored.bytes))
                                           : load(pointer));
    }
}

void BlockReader::Private::finishPrefetch(const detail::PrefetchBlock& block,
                                          const std::shared_ptr<BlockCache::Pending>& pending,
                                          const Result<BufferRef>& result)
{
    cache.finish(block.key, pending, result, BlockCache::Use::Prefetch);
    prefetches->release(block.bytes);
    ++prefetched;
}

void BlockReader::remember(const BlockPointer& pointer, const BufferRef& data)
{
    if (pointer.isEmbedded() || pointer.isHole()) {
        return;
    }
    if (data) {
        d->cache.put(d->keyOf(pointer), data);
    } else {
        d->cache.drop(d->keyOf(pointer));
    }
}

Result<CopiesOutcome> BlockReader::verifyCopies(const BlockPointer& pointer,
                                                const Bookmark& bookmark,
                                                const CopySink& sink)
{
    if (pointer.isEmbedded() || pointer.isHole()) {
        return CopiesOutcome{};
    }
    if (Status valid = pointer.validate(d->vdevs.count()); !valid) {
        return fail(std::move(valid).error().at(bookmark.context()));
    }
    Result<CopiesOutcome> outcome = d->copies.verify(pointer, sink);
    if (!outcome) {
        return fail(std::move(outcome).error().at(bookmark.context()));
    }
    return outcome;
}

BlockReader::Counters BlockReader::counters() const
{
    return {.blocksRead = d->blocksRead,
            .bytesRead = d->bytesRead,
            .repaired = d->repaired,
            .failed = d->failed,
            .prefetched = d->prefetched,
            .prefetchDropped = d->prefetchDropped};
}

} // namespace millpond::block
