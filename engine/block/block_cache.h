// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/buffer.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/types.h"

#include <array>
#include <atomic>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>

namespace millpond::block {

/// Distinguishes the pools that share a cache.
using CachePool = Strong<struct CachePoolTag, std::uint32_t>;

/// The memory of recently read blocks, decompressed: one for all pools of an engine. Bounded in
/// bytes; blocks handed out may outlive their place in it. Theory statement: block_reader.cpp.
/// Thread-safe.
class BlockCache
{
public:
    explicit BlockCache(ByteCount limit);
    ~BlockCache();
    BlockCache(const BlockCache&) = delete;
    BlockCache& operator=(const BlockCache&) = delete;

    /// A block's identity: the place of its first copy, and when it was written there.
    struct Key
    {
        CachePool pool;
        VdevId vdev;
        ByteOffset offset;
        Txg birth;

        bool operator==(const Key&) const = default;
    };

    struct KeyHash
    {
        std::size_t operator()(const Key& key) const noexcept;
    };

    [[nodiscard]] CachePool newPool();
    /// Drops all blocks of a pool; nobody reads from it any more.
    void dropPool(CachePool pool);

    enum class Use : std::uint8_t
    {
        Read,    ///< counts as hit or miss, and as use
        Prefetch ///< does not
    };

    /// A read that is going on and that others may wait for.
    class Pending;

    struct Claim
    {
        BufferRef data;                   ///< set: a hit
        std::shared_ptr<Pending> pending; ///< set: being read
        bool mine = false;                ///< with `pending`: by the caller, who must finish() it
    };

    /// Null when not there; counts hits only.
    [[nodiscard]] BufferRef find(const Key& key);
    [[nodiscard]] Claim claim(const Key& key, Use use);
    /// A hit, or being read.
    [[nodiscard]] bool contains(const Key& key) const;
    /// Ends a read that is `mine`. A good block stays in the cache.
    void finish(const Key& key,
                const std::shared_ptr<Pending>& pending,
                const Result<BufferRef>& result,
                Use use);
    /// What was written there just now; takes the place of what was there. Nobody reads the block
    /// meanwhile: its pointer is new.
    void put(const Key& key, const BufferRef& data);
    /// The block is no longer there, or has other content.
    void drop(const Key& key);
    /// Until the owner has finished.
    [[nodiscard]] static Result<BufferRef> wait(Pending& pending);

    struct Counters
    {
        std::uint64_t hits = 0;
        std::uint64_t misses = 0; ///< not in the cache, not being read
        std::uint64_t joined = 0; ///< waited for somebody else's read
        std::uint64_t evictions = 0;
        std::uint64_t bytes = 0;
        std::uint64_t blocks = 0;
        std::uint64_t limitBytes = 0;
    };

    [[nodiscard]] Counters counters() const;

private:
    static constexpr std::size_t kShards = 16;

    struct Entry
    {
        Key key;
        BufferRef data;
        std::uint64_t insertedAt = 0; ///< Shard::inserted then
        bool isProtected = false;
        bool prefetched = false; ///< and not used since
    };

    using Entries = std::list<Entry>;

    struct Shard
    {
        mutable Mutex mutex;
        Entries probation MP_GUARDED_BY(mutex); ///< newest first
        Entries protectedOnes MP_GUARDED_BY(mutex);
        std::unordered_map<Key, Entries::iterator, KeyHash> index MP_GUARDED_BY(mutex);
        std::unordered_map<Key, std::shared_ptr<Pending>, KeyHash> pending MP_GUARDED_BY(mutex);
        std::uint64_t inserted MP_GUARDED_BY(mutex) = 0; ///< bytes since the beginning
        std::uint64_t protectedBytes MP_GUARDED_BY(mutex) = 0;
    };

    [[nodiscard]] Shard& shardOf(const Key& key);
    [[nodiscard]] const Shard& shardOf(const Key& key) const;

    [[nodiscard]] std::uint64_t shareBytes() const { return m_limit / kShards; }

    [[nodiscard]] BufferRef lookUp(Shard& shard, const Key& key) MP_REQUIRES(shard.mutex);
    void promote(Shard& shard, Entries::iterator entry) MP_REQUIRES(shard.mutex);
    void insert(Shard& shard, const Key& key, const BufferRef& data, Use use)
        MP_REQUIRES(shard.mutex);
    void erase(Shard& shard, Entries::iterator entry) MP_REQUIRES(shard.mutex);
    void makeRoom();
    [[nodiscard]] bool evictFrom(Shard& shard);

    const std::uint64_t m_limit;
    std::array<Shard, kShards> m_shards;
    std::atomic<std::uint32_t> m_lastPool{0};
    std::atomic<std::uint64_t> m_bytes{0};
    std::atomic<std::uint64_t> m_blocks{0};
    std::atomic<std::uint64_t> m_hits{0};
    std::atomic<std::uint64_t> m_misses{0};
    std::atomic<std::uint64_t> m_joined{0};
    std::atomic<std::uint64_t> m_evictions{0};
    std::atomic<std::size_t> m_nextVictim{0};
};

} // namespace millpond::block
