// SPDX-License-Identifier: GPL-3.0-or-later
//
// Intent logs: theory of writing.
//
// Purpose. fsync(2) must not wait for a whole txg. Each object set has a log of what was done to it
// since the last synced txg; commit() brings it to disk, a crash replays it. [zil]
//
// On disk. The object set's header (format/intent_log.h) points to the first block of a chain. Each
// block holds records and, in its chain header, a pointer to the next block, which is allocated
// already and written by a later commit, or never. A block's checksum is seeded with four words of
// the pointer to it: two of the chain's own random number, the object set, and a sequence that
// grows by one with each block: so the chain ends at the first block that does not verify, and
// nothing that lies there from former times is taken for a part of it.
//
// In memory. Records wait in the order they came: those that every commit takes, and lazy ones by
// object. Blocks of the chain wait from allocation until a txg has made their records needless.
//
//      no chain ──begin()──► [written … written, next] ──sync() moves the front──►
//         ▲                              │ a block can't be had or written, or close()
//         └──── sync() frees all ◄── retiring: commits wait for txgs
//
// Commit. One thread at a time is the writer; it takes all records that are due, fills the next
// block and as many more as they need, allocates these and one for the commit after, writes all at
// once and flushes. Who comes meanwhile waits, and shares the next such batch.
//
// Invariants.
//   INV-1 A block that the chain on disk leads to is allocated there, or is younger than the
//         uberblock: those are claimed at import, before anything else is allocated.
//   INV-2 A block is freed in the sync of a txg that is not older than its allocation nor than any
//         of its records; in the same txg the header moves behind it.
//   INV-3 Records go to disk in the order they were noted, of the same object at least, and of
//         those that are not lazy among each other.
//   INV-4 commit() returns when the records are on stable storage, or their txgs are.
//
// Concurrency. One lock, not held while devices or txgs are waited for. Lock order: below
// everything that holds a txg.
//
// Failure. No space for a block, a write or flush that failed: the chain is given up (everything
// then waits for its txg), freed by the next sync, and begun anew.
//
// Cost. A commit is one write per device in a row, and one flush; a chain's first costs a txg.
//
// Sources: OpenZFS module/zfs/zil.c, include/sys/zil.h.

#include "intent_log/intent_log.h"

#include "base/check.h"
#include "base/mutex.h"
#include "block/pointer_maker.h"

#include <algorithm>
#include <deque>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>

namespace millpond::intent_log {

using format::BlockPointer;
using format::ZilChain;
using format::ZilRecord;
using format::ZilRecordType;

namespace {

constexpr std::size_t kMinBlock = 4096;
/// Object, offset, length, offset in block, block pointer.
constexpr std::size_t kWriteBody = 160;

struct Noted
{
    Record record;
    Txg txg;
    ByteOffset offset; ///< a write whose content is still to be read
    ByteCount size;
};

using Queue = std::deque<Noted>;

/// A block of the chain.
struct LogBlock
{
    BlockPointer pointer;
    Txg allocated;
    Txg newest; ///< of its records
    bool stable = false;
};

/// The content of a block of the chain, on its way.
struct Page
{
    Buffer buffer;
    std::size_t used = ZilChain::kBytes;
    Txg newest;
};

/// Puts records into pages, the first as large as the block that waits for it.
class PageFiller
{
public:
    PageFiller(LogHost& host, std::size_t firstSize, std::size_t maxSize, std::uint64_t& sequence)
        : m_host(host)
        , m_nextSize(firstSize)
        , m_maxSize(maxSize)
        , m_sequence(sequence)
    {
    }

    [[nodiscard]] Status add(const Noted& noted)
    {
        return noted.size == ByteCount(0) ? addRecord(noted) : addWrite(noted);
    }

    /// The last but cut to what it needs, unless it is the first.
    [[nodiscard]] Result<std::vector<Page>> take()
    {
        if (m_pages.empty()) {
            MP_TRY(newPage());
        }
        if (m_pages.size() > 1) {
            Page& last = m_pages.back();
            last.buffer.shrink(static_cast<std::size_t>(alignUp(last.used, kMinBlock)));
        }
        return std::move(m_pages);
    }

private:
    [[nodiscard]] std::size_t room() const
    {
        return m_pages.empty() ? 0 : m_pages.back().buffer.size() - m_pages.back().used;
    }

    [[nodiscard]] Status newPage()
    {
        m_pages.push_back(
            {.buffer = MP_TRY(Buffer::createZeroed(m_nextSize)), .used = ZilChain::kBytes});
        m_nextSize = m_maxSize;
        return {};
    }

    [[nodiscard]] Status makeRoom(std::size_t size)
    {
        while (room() < size) {
            MP_TRY(newPage());
        }
        return {};
    }

    /// Room was made.
    [[nodiscard]] MutableBytes begin(const Noted& noted, std::size_t size)
    {
        Page& page = m_pages.back();
        const MutableBytes out = page.buffer.bytes().subspan(page.used, size);
        page.used += size;
        page.newest = std::max(page.newest, noted.txg);
        store(out,
              0,
              static_cast<std::uint64_t>(noted.record.type) | noted.record.flags,
              ByteOrder::Little);
        store<std::uint64_t>(out, 8, size, ByteOrder::Little);
        store(out, 16, noted.txg.value(), ByteOrder::Little);
        store(out, 24, ++m_sequence, ByteOrder::Little);
        return out.subspan(ZilRecord::kHeaderBytes);
    }

    [[nodiscard]] Status addRecord(const Noted& noted)
    {
        const std::vector<std::byte>& body = noted.record.body;
        const std::size_t size = alignUp(ZilRecord::kHeaderBytes + body.size(), 8);
        MP_TRY(makeRoom(size));
        std::ranges::copy(body, begin(noted, size).begin());
        return {};
    }

    /// In as many records as there is need of pages.
    [[nodiscard]] Status addWrite(const Noted& noted)
    {
        constexpr std::size_t kFixed = ZilRecord::kHeaderBytes + kWriteBody;
        constexpr std::size_t kWorthWhile = 1024; // no crumbs at the end of a page
        std::uint64_t offset = noted.offset.value();
        std::uint64_t left = noted.size.value();
        while (left > 0) {
            MP_TRY(makeRoom(kFixed + alignUp(std::min<std::size_t>(left, kWorthWhile), 8)));
            const std::size_t piece = std::min<std::size_t>(left, (room() - kFixed) / 8 * 8);
            Buffer content = MP_TRY(Buffer::create(piece));
            if (Status read = m_host.read(noted.record.object, ByteOffset(offset), content.bytes());
                !read) {
                return read.error().is(ErrorCode::NoSuchObject) ? Status() : read;
            }
            const MutableBytes body = begin(noted, alignUp(kFixed + piece, 8));
            store(body, 0, noted.record.object.value(), ByteOrder::Little);
            store(body, 8, offset, ByteOrder::Little);
            store<std::uint64_t>(body, 16, piece, ByteOrder::Little);
            std::ranges::copy(content.bytes(), body.subspan(kWriteBody).begin());
            offset += piece;
            left -= piece;
        }
        return {};
    }

    LogHost& m_host;
    std::size_t m_nextSize;
    const std::size_t m_maxSize;
    std::uint64_t& m_sequence;
    std::vector<Page> m_pages;
};

void dropSynced(Queue& queue, Txg txg)
{
    while (!queue.empty() && queue.front().txg <= txg) {
        queue.pop_front();
    }
}

} // namespace

struct IntentLog::Private
{
    Private(block::BlockWriter& blockWriter,
            txg::TransactionGroups& transactionGroups,
            LogHost& logHost,
            Random& randomSource,
            ObjsetId objectSet,
            const LogOptions& logOptions)
        : writer(blockWriter)
        , groups(transactionGroups)
        , host(logHost)
        , random(randomSource)
        , objset(objectSet)
        , maxBlock(static_cast<std::size_t>(logOptions.maxBlock.value()))
    {
        MP_CHECK(maxBlock >= kMinBlock && maxBlock <= 128 * KiB && maxBlock % kMinBlock == 0);
    }

    void note(Noted noted);
    void makeDue(ObjectId object) MP_REQUIRES(mutex);
    void append(Queue& to, Queue& from) MP_REQUIRES(mutex);

    [[nodiscard]] Status writeBatch(const Queue& records);
    [[nodiscard]] bool begin();
    [[nodiscard]] bool writeToChain(const Queue& records);
    [[nodiscard]] Status extend(const std::vector<Page>& pages, std::size_t expected);
    [[nodiscard]] Status writePages(std::vector<Page>& pages);
    [[nodiscard]] Result<BlockPointer>
    allocate(std::size_t size, Txg txg, const format::ChecksumWords& seed);
    void giveUp();

    block::BlockWriter& writer;
    txg::TransactionGroups& groups;
    LogHost& host;
    Random& random;
    const ObjsetId objset;
    const std::size_t maxBlock;

    mutable Mutex mutex;
    CondVar changed;
    Queue due MP_GUARDED_BY(mutex);
    std::unordered_map<ObjectId, Queue> lazy MP_GUARDED_BY(mutex);
    std::uint64_t batch MP_GUARDED_BY(mutex) = 0;     ///< last one begun
    std::uint64_t batchDone MP_GUARDED_BY(mutex) = 0; ///< last one ended
    std::optional<Error> failure MP_GUARDED_BY(mutex);
    /// The last one is allocated, but not written. Appended to by the writer, shortened by sync().
    std::list<LogBlock> chain MP_GUARDED_BY(mutex);
    bool retiring MP_GUARDED_BY(mutex) = false;
    bool writing MP_GUARDED_BY(mutex) = false; ///< the writer needs the end of the chain
    Counters counters MP_GUARDED_BY(mutex);

    // The writer's own.
    std::uint64_t sequence = 0;
    std::size_t expectedBytes = 0;
};

IntentLog::IntentLog(block::BlockWriter& writer,
                     txg::TransactionGroups& groups,
                     LogHost& host,
                     Random& random,
                     ObjsetId objset,
                     const LogOptions& options)
    : d(std::make_unique<Private>(writer, groups, host, random, objset, options))
{
}

IntentLog::~IntentLog() = default;

// --- noting

void IntentLog::add(const txg::Hold& hold, Record record)
{
    MP_CHECK(record.body.size() <= kMaxBody);
    MP_CHECK(ZilRecord::kHeaderBytes + record.body.size() + ZilChain::kBytes <= d->maxBlock);
    d->note({.record = std::move(record), .txg = hold.txg(), .offset = {}, .size = {}});
}

void IntentLog::addWrite(
    const txg::Hold& hold, ObjectId object, ByteOffset offset, ByteCount size, bool lazy)
{
    if (size == ByteCount(0)) {
        return;
    }
    d->note({.record = {.type = ZilRecordType::Write, .object = object, .lazy = lazy, .body = {}},
             .txg = hold.txg(),
             .offset = offset,
             .size = size});
}

void IntentLog::Private::note(Noted noted)
{
    const MutexLock lock(mutex);
    if (noted.record.afterContent) {
        makeDue(ObjectId(0));
    }
    Queue& queue = noted.record.lazy ? lazy[noted.record.object] : due;
    queue.push_back(std::move(noted));
}

void IntentLog::forget(ObjectId object)
{
    const MutexLock lock(d->mutex);
    d->lazy.erase(object);
}

void IntentLog::Private::append(Queue& to, Queue& from)
{
    std::ranges::move(from, std::back_inserter(to));
    from.clear();
}

/// Lazy records of an object, or of all, join those that every commit takes. INV-3
void IntentLog::Private::makeDue(ObjectId object)
{
    if (object == ObjectId(0)) {
        for (auto& [id, queue] : lazy) {
            append(due, queue);
        }
        lazy.clear();
    } else if (const auto found = lazy.find(object); found != lazy.end()) {
        append(due, found->second);
        lazy.erase(found);
    }
}

// --- committing

Status IntentLog::commit(ObjectId object)
{
    std::uint64_t mine = 0;
    {
        const MutexLock lock(d->mutex);
        ++d->counters.commits;
        d->makeDue(object);
        mine = d->due.empty() ? d->batch : d->batch + 1;
    }
    for (;;) {
        Queue records;
        {
            const MutexLock lock(d->mutex);
            if (d->batchDone >= mine) {
                return d->failure ? fail(*d->failure) : Status();
            }
            if (d->batch != d->batchDone) { // somebody writes
                d->changed.wait(d->mutex);
                continue;
            }
            ++d->batch;
            ++d->counters.batches;
            records.swap(d->due);
        }
        Status status = d->writeBatch(records);
        const MutexLock lock(d->mutex);
        d->batchDone = d->batch;
        if (!status) {
            d->failure = std::move(status).error();
        }
        d->changed.notifyAll();
    }
}

/// INV-4
Status IntentLog::Private::writeBatch(const Queue& records)
{
    if (records.empty()) {
        return {};
    }
    bool hasChain = false;
    {
        const MutexLock lock(mutex);
        hasChain = !chain.empty() && !retiring;
        writing = hasChain;
        counters.records += records.size();
    }
    const bool written = hasChain && writeToChain(records);
    {
        const MutexLock lock(mutex);
        writing = false;
        retiring |= hasChain && !written;
        if (written) {
            return {};
        }
        ++counters.fallbacks;
    }
    if (hasChain) {
        giveUp();
    } else {
        (void)begin(); // on disk with the txg that is waited for
    }
    return groups.waitSynced();
}

Result<BlockPointer>
IntentLog::Private::allocate(std::size_t size, Txg txg, const format::ChecksumWords& seed)
{
    BlockPointer pointer = MP_TRY(writer.allocateLogBlock(ByteCount(size), txg, true));
    block::setChecksum(pointer, {seed});
    return pointer;
}

/// False when there is no space, or the old chain is still being freed.
bool IntentLog::Private::begin()
{
    {
        const MutexLock lock(mutex);
        if (!chain.empty()) {
            return false;
        }
    }
    const Result<txg::Hold> hold = groups.hold({.urgent = true});
    if (!hold) {
        return false;
    }
    const format::ChecksumWords seed{random.next(), random.next(), objset.value(), 1};
    const Result<BlockPointer> first = allocate(kMinBlock, hold->txg(), seed);
    if (!first) {
        return false;
    }
    host.touch(hold->txg());
    const MutexLock lock(mutex);
    chain.push_back({.pointer = *first, .allocated = hold->txg()});
    return true;
}

/// False: the chain must be given up.
bool IntentLog::Private::writeToChain(const Queue& records)
{
    std::size_t firstSize = 0;
    {
        const MutexLock lock(mutex);
        firstSize = static_cast<std::size_t>(chain.back().pointer.physicalSize().value());
    }
    PageFiller filler(host, firstSize, maxBlock, sequence);
    for (const Noted& noted : records) {
        if (!filler.add(noted)) {
            return false;
        }
    }
    Result<std::vector<Page>> pages = filler.take();
    if (!pages) {
        return false;
    }
    std::size_t bytes = ZilChain::kBytes;
    for (const Page& page : *pages) {
        bytes += page.used - ZilChain::kBytes;
    }
    // The next commit will be like the last ones.
    expectedBytes = std::max(bytes, expectedBytes / 4 * 3);
    return extend(*pages, expectedBytes) && writePages(*pages);
}

/// Allocates blocks for all pages but the first, and one for the next commit.
Status IntentLog::Private::extend(const std::vector<Page>& pages, std::size_t expected)
{
    const txg::Hold hold = MP_TRY(groups.hold({.urgent = true}));
    BlockPointer last;
    {
        const MutexLock lock(mutex);
        last = chain.back().pointer;
    }
    format::ChecksumWords seed = last.checksum();
    const std::size_t next =
        std::clamp<std::size_t>(alignUp(expected, kMinBlock), kMinBlock, maxBlock);
    std::list<LogBlock> fresh;
    for (std::size_t i = 1; i <= pages.size(); ++i) {
        ++seed[format::ZilChecksumWord::kSequence];
        Result<BlockPointer> pointer =
            allocate(i < pages.size() ? pages[i].buffer.size() : next, hold.txg(), seed);
        if (!pointer) {
            for (const LogBlock& block : fresh) {
                MP_TRY(writer.unallocate(block.pointer, hold.txg()));
            }
            return fail(std::move(pointer).error());
        }
        fresh.push_back({.pointer = *pointer, .allocated = hold.txg()});
    }
    host.touch(hold.txg());
    const MutexLock lock(mutex);
    chain.splice(chain.end(), fresh);
    return {};
}

Status IntentLog::Private::writePages(std::vector<Page>& pages)
{
    std::vector<block::LogBlockWrite> writes;
    Txg newest;
    std::uint64_t bytes = 0;
    {
        const MutexLock lock(mutex);
        auto block = std::prev(chain.end(), static_cast<std::ptrdiff_t>(pages.size() + 1));
        for (Page& page : pages) {
            block->newest = page.newest;
            newest = std::max({newest, page.newest, block->allocated});
            const MutableBytes content = page.buffer.bytes();
            ZilChain{.next = std::next(block)->pointer, .used = page.used}.encode(
                content.first(ZilChain::kBytes));
            writes.push_back({.pointer = block->pointer, .content = content});
            bytes += page.used;
            ++block;
        }
    }
    MP_TRY(writer.writeLogBlocks(writes, newest));
    MP_TRY(host.flush());
    const MutexLock lock(mutex);
    auto block = std::prev(chain.end(), static_cast<std::ptrdiff_t>(pages.size() + 1));
    for (std::size_t i = 0; i < pages.size(); ++i, ++block) {
        block->stable = true;
    }
    counters.blocks += pages.size();
    counters.bytes += bytes;
    return {};
}

/// What is in the chain stays valid until a sync frees it; nothing is added.
void IntentLog::Private::giveUp()
{
    {
        const MutexLock lock(mutex);
        retiring = true;
    }
    if (const Result<txg::Hold> hold = groups.hold({.urgent = true})) {
        host.touch(hold->txg());
    }
}

// --- txgs

Status IntentLog::sync(Txg txg, format::ZilHeader& header)
{
    std::list<LogBlock> needless;
    {
        const MutexLock lock(d->mutex);
        while (!d->chain.empty()) {
            const LogBlock& first = d->chain.front();
            const bool done = first.stable || (d->retiring && !d->writing);
            if (!done || first.allocated > txg || first.newest > txg) { // INV-2
                break;
            }
            needless.splice(needless.end(), d->chain, d->chain.begin());
        }
        if (d->chain.empty()) {
            d->retiring = false;
        }
        header.log = d->chain.empty() ? BlockPointer() : d->chain.front().pointer; // INV-1
    }
    for (const LogBlock& block : needless) {
        MP_TRY(d->writer.free(block.pointer, txg));
    }
    return {};
}

void IntentLog::synced(Txg txg)
{
    const MutexLock lock(d->mutex);
    dropSynced(d->due, txg);
    for (auto queue = d->lazy.begin(); queue != d->lazy.end();) {
        dropSynced(queue->second, txg);
        queue = queue->second.empty() ? d->lazy.erase(queue) : std::next(queue);
    }
}

Status IntentLog::close()
{
    bool hasChain = false;
    {
        const MutexLock lock(d->mutex);
        hasChain = !d->chain.empty();
    }
    if (hasChain) {
        d->giveUp();
    }
    return d->groups.waitSynced();
}

IntentLog::Counters IntentLog::counters() const
{
    const MutexLock lock(d->mutex);
    return d->counters;
}

} // namespace millpond::intent_log
