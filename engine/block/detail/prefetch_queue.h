// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "block/block_cache.h"
#include "format/block_pointer.h"

#include <deque>
#include <unordered_set>
#include <vector>

namespace millpond::block::detail {

/// A block to be read ahead.
struct PrefetchBlock
{
    BlockCache::Key key;
    format::BlockPointer pointer;
    std::uint64_t bytes = 0; ///< memory it takes while it is read

    [[nodiscard]] ByteOffset end() const { return key.offset + pointer.dva(0).allocated; }
};

/// Neighbours on a vdev, in ascending order.
using PrefetchRun = std::vector<PrefetchBlock>;

/// What is queued or running of a reader's prefetches, bounded in bytes; neighbours that come one
/// after the other are joined. Shared with the tasks, one for each run, which may outlive the
/// reader in the executor's queue: begin() tells them. Thread-safe.
class PrefetchQueue
{
public:
    explicit PrefetchQueue(ByteCount limit)
        : m_limit(limit.value())
    {
    }

    enum class Answer : std::uint8_t
    {
        Refused, ///< queued already, or no room
        Joined,  ///< the run before it has it
        NewRun   ///< needs a task
    };

    [[nodiscard]] Answer enqueue(PrefetchBlock block)
    {
        const MutexLock lock(m_mutex);
        if (m_closed || m_bytes + block.bytes > m_limit || !m_queued.insert(block.key).second) {
            return Answer::Refused;
        }
        m_bytes += block.bytes;
        if (!m_runs.empty() && joins(m_runs.back(), block)) {
            m_runs.back().push_back(std::move(block));
            return Answer::Joined;
        }
        m_runs.emplace_back().push_back(std::move(block));
        return Answer::NewRun;
    }

    /// The executor did not take the task of the newest run. Returns how many blocks that were.
    std::size_t withdraw()
    {
        const MutexLock lock(m_mutex);
        if (m_runs.empty()) {
            return 0; // another task was faster
        }
        const PrefetchRun run = std::move(m_runs.back());
        m_runs.pop_back();
        forget(run);
        for (const PrefetchBlock& block : run) {
            m_bytes -= block.bytes;
        }
        return run.size();
    }

    /// A task's first act. Empty: nothing is left, or the reader is gone.
    [[nodiscard]] PrefetchRun begin()
    {
        const MutexLock lock(m_mutex);
        if (m_closed || m_runs.empty()) {
            return {};
        }
        PrefetchRun run = std::move(m_runs.front());
        m_runs.pop_front();
        forget(run);
        ++m_running;
        return run;
    }

    /// One block of a run that began is done with.
    void release(std::uint64_t bytes)
    {
        const MutexLock lock(m_mutex);
        m_bytes -= bytes;
    }

    /// The last act of a task whose begin() gave it a run.
    void end()
    {
        const MutexLock lock(m_mutex);
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
    /// Of physical bytes: what a request of its own would no longer make better.
    static constexpr std::uint64_t kRunBytes = 1 * MiB;

    [[nodiscard]] static bool joins(const PrefetchRun& run, const PrefetchBlock& block)
    {
        const PrefetchBlock& last = run.back();
        return !block.pointer.isGang() && !last.pointer.isGang() &&
               last.key.vdev == block.key.vdev && last.end() == block.key.offset &&
               block.key.offset.value() - run.front().key.offset.value() < kRunBytes;
    }

    void forget(const PrefetchRun& run) MP_REQUIRES(m_mutex)
    {
        for (const PrefetchBlock& block : run) {
            m_queued.erase(block.key);
        }
    }

    const std::uint64_t m_limit;
    Mutex m_mutex;
    CondVar m_idle;
    std::deque<PrefetchRun> m_runs MP_GUARDED_BY(m_mutex); ///< not begun
    std::unordered_set<BlockCache::Key, BlockCache::KeyHash> m_queued MP_GUARDED_BY(m_mutex);
    std::uint64_t m_bytes MP_GUARDED_BY(m_mutex) = 0;
    unsigned m_running MP_GUARDED_BY(m_mutex) = 0;
    bool m_closed MP_GUARDED_BY(m_mutex) = false;
};

} // namespace millpond::block::detail
