// SPDX-License-Identifier: GPL-3.0-or-later
#include "block/block_cache.h"

#include <algorithm>

namespace millpond::block {

class BlockCache::Pending
{
public:
    void set(const Result<BufferRef>& result)
    {
        {
            const MutexLock lock(m_mutex);
            m_result = result;
        }
        m_done.notifyAll();
    }

    Result<BufferRef> wait()
    {
        const MutexLock lock(m_mutex);
        while (!m_result) {
            m_done.wait(m_mutex);
        }
        return *m_result;
    }

private:
    Mutex m_mutex;
    CondVar m_done;
    std::optional<Result<BufferRef>> m_result MP_GUARDED_BY(m_mutex);
};

namespace {

/// What a block costs, with its place in the cache.
std::uint64_t weightOf(const BufferRef& data)
{
    constexpr std::uint64_t kOverhead = 256;
    return data->size() + kOverhead;
}

} // namespace

BlockCache::BlockCache(ByteCount limit)
    : m_limit(limit.value())
{
}

BlockCache::~BlockCache() = default;

std::size_t BlockCache::KeyHash::operator()(const Key& key) const noexcept
{
    std::uint64_t hash = key.offset.value() * 0x9e3779b97f4a7c15U;
    hash ^= (std::uint64_t{key.pool.value()} << 32) | key.vdev.value();
    hash = (hash ^ (hash >> 32U)) * 0xd6e8feb86659fd93U;
    hash = (hash ^ key.birth.value()) * 0xd6e8feb86659fd93U;
    return hash ^ (hash >> 32U);
}

BlockCache::Shard& BlockCache::shardOf(const Key& key)
{
    return m_shards[KeyHash()(key) >> 7U & (kShards - 1)];
}

const BlockCache::Shard& BlockCache::shardOf(const Key& key) const
{
    return m_shards[KeyHash()(key) >> 7U & (kShards - 1)];
}

CachePool BlockCache::newPool()
{
    return CachePool(++m_lastPool);
}

void BlockCache::dropPool(CachePool pool)
{
    for (Shard& shard : m_shards) {
        const MutexLock lock(shard.mutex);
        for (Entries* entries : {&shard.probation, &shard.protectedOnes}) {
            for (auto entry = entries->begin(); entry != entries->end();) {
                const auto next = std::next(entry);
                if (entry->key.pool == pool) {
                    erase(shard, entry);
                }
                entry = next;
            }
        }
    }
}

BufferRef BlockCache::find(const Key& key)
{
    Shard& shard = shardOf(key);
    const MutexLock lock(shard.mutex);
    BufferRef data = lookUp(shard, key);
    if (data) {
        ++m_hits;
    }
    return data;
}

bool BlockCache::contains(const Key& key) const
{
    const Shard& shard = shardOf(key);
    const MutexLock lock(shard.mutex);
    return shard.index.contains(key) || shard.pending.contains(key);
}

BlockCache::Claim BlockCache::claim(const Key& key, Use use)
{
    Shard& shard = shardOf(key);
    const MutexLock lock(shard.mutex);
    if (use == Use::Prefetch && shard.index.contains(key)) {
        return {.data = shard.index.find(key)->second->data, .pending = nullptr, .mine = false};
    }
    if (BufferRef data = lookUp(shard, key)) {
        ++m_hits;
        return {.data = std::move(data), .pending = nullptr, .mine = false};
    }
    std::shared_ptr<Pending>& pending = shard.pending[key];
    const bool mine = pending == nullptr;
    if (mine) {
        pending = std::make_shared<Pending>();
    }
    if (use == Use::Read) {
        ++(mine ? m_misses : m_joined);
    }
    return {.data = nullptr, .pending = pending, .mine = mine};
}

void BlockCache::finish(const Key& key,
                        const std::shared_ptr<Pending>& pending,
                        const Result<BufferRef>& result,
                        Use use)
{
    Shard& shard = shardOf(key);
    {
        const MutexLock lock(shard.mutex);
        shard.pending.erase(key);
        if (result && *result) {
            insert(shard, key, *result, use);
        }
    }
    pending->set(result);
    makeRoom();
}

void BlockCache::put(const Key& key, const BufferRef& data)
{
    drop(key);
    {
        Shard& shard = shardOf(key);
        const MutexLock lock(shard.mutex);
        insert(shard, key, data, Use::Prefetch);
    }
    makeRoom();
}

void BlockCache::drop(const Key& key)
{
    BufferRef freed; // outside the lock
    Shard& shard = shardOf(key);
    const MutexLock lock(shard.mutex);
    if (const auto found = shard.index.find(key); found != shard.index.end()) {
        freed = found->second->data;
        erase(shard, found->second);
    }
}

Result<BufferRef> BlockCache::wait(Pending& pending)
{
    return pending.wait();
}

BufferRef BlockCache::lookUp(Shard& shard, const Key& key)
{
    const auto found = shard.index.find(key);
    if (found == shard.index.end()) {
        return nullptr;
    }
    const auto entry = found->second;
    BufferRef data = entry->data;
    if (entry->isProtected) {
        shard.protectedOnes.splice(shard.protectedOnes.begin(), shard.protectedOnes, entry);
    } else if (entry->prefetched) {
        entry->prefetched = false;
        entry->insertedAt = shard.inserted;
    } else if (shard.inserted - entry->insertedAt >= shareBytes() / 16) {
        promote(shard, entry); // used again later, not only in several pieces
    }
    return data;
}

void BlockCache::promote(Shard& shard, Entries::iterator entry)
{
    entry->isProtected = true;
    shard.protectedBytes += weightOf(entry->data);
    shard.protectedOnes.splice(shard.protectedOnes.begin(), shard.probation, entry);
    const std::uint64_t limit = shareBytes() / 4 * 3;
    while (shard.protectedBytes > limit && !shard.protectedOnes.empty()) {
        const auto oldest = std::prev(shard.protectedOnes.end());
        oldest->isProtected = false;
        oldest->insertedAt = shard.inserted;
        shard.protectedBytes -= weightOf(oldest->data);
        shard.probation.splice(shard.probation.begin(), shard.protectedOnes, oldest);
    }
}

void BlockCache::insert(Shard& shard, const Key& key, const BufferRef& data, Use use)
{
    if (weightOf(data) > m_limit || shard.index.contains(key)) {
        return;
    }
    shard.probation.push_front(Entry{.key = key,
                                     .data = data,
                                     .insertedAt = shard.inserted,
                                     .isProtected = false,
                                     .prefetched = use == Use::Prefetch});
    shard.index.emplace(key, shard.probation.begin());
    shard.inserted += weightOf(data);
    m_bytes += weightOf(data);
    ++m_blocks;
}

void BlockCache::erase(Shard& shard, Entries::iterator entry)
{
    const std::uint64_t size = weightOf(entry->data);
    shard.index.erase(entry->key);
    m_bytes -= size;
    --m_blocks;
    if (entry->isProtected) {
        shard.protectedBytes -= size;
        shard.protectedOnes.erase(entry);
    } else {
        shard.probation.erase(entry);
    }
}

void BlockCache::makeRoom()
{
    std::size_t empty = 0; // shards in a row with nothing to give
    while (m_bytes > m_limit && empty < kShards) {
        empty = evictFrom(m_shards[m_nextVictim++ % kShards]) ? 0 : empty + 1;
    }
}

bool BlockCache::evictFrom(Shard& shard)
{
    BufferRef freed; // outside the lock
    const MutexLock lock(shard.mutex);
    Entries& entries = shard.probation.empty() ? shard.protectedOnes : shard.probation;
    if (entries.empty()) {
        return false;
    }
    const auto oldest = std::prev(entries.end());
    freed = oldest->data;
    erase(shard, oldest);
    ++m_evictions;
    return true;
}

BlockCache::Counters BlockCache::counters() const
{
    return {.hits = m_hits,
            .misses = m_misses,
            .joined = m_joined,
            .evictions = m_evictions,
            .bytes = m_bytes,
            .blocks = m_blocks,
            .limitBytes = m_limit};
}

} // namespace millpond::block
