// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "block/block_cache.h"

#include <unordered_set>

namespace millpond::block::detail {

/// What is queued or running of a reader's prefetches, bounded in bytes. Shared with the tasks,
/// which may outlive the reader in the executor's queue: begin() tells them. Thread-safe.
class PrefetchQueue
{
public:
    explicit PrefetchQueue(ByteCount limit)
        : m_limit(limit.value())
    {
    }

    /// False: queued already, or no room.
    [[nodiscard]] bool enqueue(const BlockCache::Key& key, std::uint64_t bytes)
    {
        const MutexLock lock(m_mutex);
        if (m_closed || m_bytes + bytes > m_limit || !m_queued.insert(key).second) {
            return false;
        }
        m_bytes += bytes;
        return true;
    }

    /// The executor did not take it.
    void withdraw(const BlockCache::Key& key, std::uint64_t bytes)
    {
        const MutexLock lock(m_mutex);
        m_queued.erase(key);
        m_bytes -= bytes;
    }

    /// A task's first act. False: the reader is gone.
    [[nodiscard]] bool begin(const BlockCache::Key& key)
    {
        const MutexLock lock(m_mutex);
        if (m_closed) {
            return false;
        }
        m_queued.erase(key);
        ++m_running;
        return true;
    }

    /// The last act of a task that began.
    void end(std::uint64_t bytes)
    {
        const MutexLock lock(m_mutex);
        m_bytes -= bytes;
        if (--m_running == 0) {
            m_idle.notifyAll();
        }
    }

    /// Lets nothing begin any more and waits for what is running.
    void close()
    {
        const MutexLock lock(m_mutex);
        m_closed = true;
        while (m_running != 0) {
            m_idle.wait(m_mutex);
        }
    }

private:
    const std::uint64_t m_limit;
    Mutex m_mutex;
    CondVar m_idle;
    std::unordered_set<BlockCache::Key, BlockCache::KeyHash> m_queued MP_GUARDED_BY(m_mutex);
    std::uint64_t m_bytes MP_GUARDED_BY(m_mutex) = 0;
    unsigned m_running MP_GUARDED_BY(m_mutex) = 0;
    bool m_closed MP_GUARDED_BY(m_mutex) = false;
};

} // namespace millpond::block::detail
