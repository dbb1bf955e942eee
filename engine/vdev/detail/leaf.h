// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "vdev/detail/write_journal.h"
#include "vdev/vdev.h"

#include <array>
#include <atomic>

namespace millpond::vdev::detail {

/// What all parts of one tree share.
struct TreeContext
{
    const Clock* clock = nullptr;
    MissedPredicate missed;
    bool readRepair = false;
    /// Shared while blocks are written; alone while a read repairs: see vdev_tree.cpp.
    mutable SharedMutex repairs;

    [[nodiscard]] std::uint64_t now() const
    {
        return clock == nullptr ? 0 : static_cast<std::uint64_t>(clock->monotonic().count());
    }
};

/// Keeps writers away while a block is read and repaired; otherwise nothing.
class RepairLock
{
public:
    RepairLock(const TreeContext& context, bool repairs) MP_NO_THREAD_ANALYSIS
        : m_mutex(repairs ? &context.repairs : nullptr)
    {
        if (m_mutex != nullptr) {
            m_mutex->lock();
        }
    }

    ~RepairLock() MP_NO_THREAD_ANALYSIS
    {
        if (m_mutex != nullptr) {
            m_mutex->unlock();
        }
    }

    RepairLock(const RepairLock&) = delete;
    RepairLock& operator=(const RepairLock&) = delete;

private:
    SharedMutex* m_mutex;
};

/// Requests of one kind as threads count them.
class RequestCounters
{
public:
    void begin() { m_active.fetch_add(1, std::memory_order_relaxed); }

    /// `joined`: for several blocks at once.
    void end(std::size_t bytes, std::uint64_t nanoseconds, bool joined);

    [[nodiscard]] std::uint64_t active() const { return load(m_active); }

    [[nodiscard]] std::uint64_t count() const { return load(m_count); }

    [[nodiscard]] std::uint64_t bytes() const { return load(m_bytes); }

    [[nodiscard]] std::uint64_t nanoseconds() const { return load(m_nanoseconds); }

    [[nodiscard]] RequestHistograms histograms() const;

private:
    using Counter = std::atomic<std::uint64_t>;

    [[nodiscard]] static std::uint64_t load(const Counter& counter)
    {
        return counter.load(std::memory_order_relaxed);
    }

    Counter m_active = 0, m_count = 0, m_bytes = 0, m_nanoseconds = 0;
    std::array<Counter, std::tuple_size_v<decltype(RequestHistograms::latency)>> m_latency{};
    std::array<Counter, std::tuple_size_v<decltype(RequestHistograms::size)>> m_size{},
        m_joinedSize{};
};

/// IoStats and ErrorCounts as threads count them.
class LeafCounters
{
public:
    RequestCounters reads, writes;

    void countReadError() { m_readErrors.fetch_add(1, std::memory_order_relaxed); }

    void countWriteError() { m_writeErrors.fetch_add(1, std::memory_order_relaxed); }

    void countChecksumError() { m_checksumErrors.fetch_add(1, std::memory_order_relaxed); }

    [[nodiscard]] IoStats stats() const;
    [[nodiscard]] ErrorCounts errors() const;

private:
    std::atomic<std::uint64_t> m_readErrors = 0, m_writeErrors = 0, m_checksumErrors = 0;
};

/// A device of the pool. Offsets are a DVA's: the labels in front are added here.
class Leaf
{
public:
    Leaf(VdevGuid guid, std::string path, device::DeviceRef device, const TreeContext& context);

    [[nodiscard]] VdevGuid guid() const { return m_guid; }

    [[nodiscard]] const std::string& path() const { return m_path; } ///< as configured

    [[nodiscard]] const device::DeviceRef& device() const { return m_device; }

    /// Where it is now, or where it should be: what messages name.
    [[nodiscard]] const std::string& knownAs() const
    {
        return m_device ? m_device->path() : m_path;
    }

    [[nodiscard]] bool readable() const { return m_readable.load(std::memory_order_acquire); }

    void setReadable(bool readable)
    {
        m_readable.store(readable && m_device != nullptr, std::memory_order_release);
    }

    /// The block of that birth was written while this leaf was away. Never for birth 0.
    [[nodiscard]] bool missed(Txg birth) const;

    /// Blocking, in this thread; tried twice. Errors carry guid and path, and are counted.
    [[nodiscard]] Status read(ByteOffset offset, MutableBytes into);
    /// Blocking, in this thread, tried once; no error is counted: for what somebody else will read
    /// again if it fails.
    [[nodiscard]] bool tryReadScattered(ByteOffset offset, std::span<const MutableBytes> into);
    /// As read(), but tried once: for what failed before, and for repairs.
    [[nodiscard]] Status write(ByteOffset offset, Bytes from);

    /// Into the device's queue; `joined`: of several blocks. `done` as for device::DeviceRequest,
    /// but without counting errors.
    [[nodiscard]] device::DeviceRequest
    writeRequest(ByteOffset offset, Bytes from, bool joined, runtime::IoCompletion done);

    /// A hint: errors are of no interest, a device that cannot is not asked again.
    void discard(ByteOffset offset, ByteCount size);

    [[nodiscard]] WriteJournal& journal() { return m_journal; }

    [[nodiscard]] const WriteJournal& journal() const { return m_journal; }

    [[nodiscard]] std::uint64_t inFlight() const
    {
        return m_counters.reads.active() + m_counters.writes.active();
    }

    [[nodiscard]] LeafCounters& counters() { return m_counters; }

    [[nodiscard]] const LeafCounters& counters() const { return m_counters; }

private:
    friend void readPieces(std::span<struct Piece> pieces);

    [[nodiscard]] Status readOnce(ByteOffset offset, MutableBytes into);
    /// The second try, and the counting.
    [[nodiscard]] Status retry(ByteOffset offset, MutableBytes into);

    const VdevGuid m_guid;
    const std::string m_path;
    const device::DeviceRef m_device;
    const TreeContext& m_context;
    std::atomic<bool> m_readable = false;
    std::atomic<bool> m_cannotDiscard = false;
    LeafCounters m_counters;
    WriteJournal m_journal;
};

/// The leaves of one child of a raidz, or all leaves of a mirror: the same bytes at the same
/// offsets.
using LeafGroup = std::vector<Leaf*>;

/// Completions count down; the waiter may go away as soon as wait() returns.
class Countdown
{
public:
    explicit Countdown(std::size_t count)
        : m_left(count)
    {
    }

    void step();
    void wait();

private:
    Mutex m_mutex;
    CondVar m_done;
    std::size_t m_left MP_GUARDED_BY(m_mutex);
};

/// One read of a batch.
struct Piece
{
    Leaf* leaf = nullptr; ///< readable
    ByteOffset offset;    ///< as of a DVA
    MutableBytes into;
    Status status;
};

/// All at once; the last one in this thread. Returns when every piece has its status.
void readPieces(std::span<Piece> pieces);

} // namespace millpond::vdev::detail
