// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/function_ref.h"
#include "base/result.h"
#include "base/types.h"

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace millpond::txg {

/// What writes a transaction group out: the pool. Called by one thread at a time, in syncing
/// context.
class SyncTarget
{
public:
    virtual ~SyncTarget() = default;

    /// Makes all of `txg` permanent; nobody modifies anything in it any more. Calls
    /// `runTasks` once, at the place where sync tasks may act (user object sets are written, the
    /// MOS is not). An error, also one of runTasks(), means that the txg is not on disk and that
    /// the pool can't go on: it is not tried again.
    [[nodiscard]] virtual Status sync(Txg txg, FunctionRef<Status()> runTasks) = 0;

    /// Asked when the timeout is over and nothing was held in the open txg: is there work even so
    /// (deferred frees)? Looks at a flag and returns; must not call the groups.
    [[nodiscard]] virtual bool wantsSync() const { return false; }
};

/// Who makes transaction groups go on.
enum class Drive : std::uint8_t
{
    Threads, ///< a thread of the object's own
    /// Nobody but the caller, in one thread: every call that waits does the work it waits for, and
    /// step() does what is due. For simulations.
    Stepped,
};

struct GroupOptions
{
    /// Dirty bytes beyond which writers stop; at least kMinDirty. [zfs_dirty_data_max]
    ByteCount dirtyMax{256 * MiB};
    /// Writers are slowed from here on, percent of dirtyMax. [zfs_delay_min_dirty_percent]
    unsigned delayFromPercent = 60;
    /// How hard: the delay of one hold in the middle between there and dirtyMax. [zfs_delay_scale]
    std::chrono::nanoseconds delayScale{500'000};
    /// No hold is delayed longer. [zfs_delay_max_ns]
    std::chrono::nanoseconds delayMax{100'000'000};
    /// Syncing begins early from here on, percent of dirtyMax. [zfs_dirty_data_sync_percent]
    unsigned syncFromPercent = 20;
    /// A txg in which something was held is synced this long after the last one began to.
    std::chrono::nanoseconds timeout = std::chrono::seconds(5);
    Drive drive = Drive::Threads;

    static constexpr ByteCount kMinDirty{1 * MiB};
};

struct HoldRequest
{
    /// Bytes that will be made dirty under the hold, about; counted as dirty while it is held.
    ByteCount dirtyEstimate;
    /// For what frees space and for the engine's own work: neither slowed nor stopped.
    bool urgent = false;
};

class TransactionGroups;

/// Keeps a txg from syncing while modifications are made in it. Move only. Short: everybody waits
/// for the longest holder. A thread with a hold must not ask for another one (the first may keep
/// the second waiting for ever), nor wait for a txg.
class Hold
{
public:
    Hold(Hold&& other) noexcept;
    Hold& operator=(Hold&& other) noexcept;
    ~Hold();

    [[nodiscard]] Txg txg() const { return m_txg; }

private:
    friend class TransactionGroups;

    Hold(TransactionGroups& groups, Txg txg, ByteCount estimate);

    TransactionGroups* m_groups;
    Txg m_txg;
    ByteCount m_estimate;
};

/// A change of pool-wide state. Both functions are called in syncing context, by the sync thread.
struct SyncTask
{
    /// Refuses with the error that run() returns; must change nothing. May be null. Also called
    /// once before in the caller's thread, so that what can't work costs no txg.
    std::function<Status(Txg)> check;
    /// An error fails the txg (see SyncTarget::sync).
    std::function<Status(Txg)> apply;
};

/// Transaction groups [txg]: one per pool. Numbers changes so that each txg becomes permanent
/// whole; bounds what is dirty. Theory statement: transaction_groups.cpp. Thread-safe.
class TransactionGroups
{
public:
    /// `lastSynced` is the uberblock's; the first open txg is the next one. Clock and target
    /// outlive the groups. Errors: InvalidArgument (options out of range), System (threads).
    [[nodiscard]] static Result<std::unique_ptr<TransactionGroups>>
    create(const Clock& clock, SyncTarget& target, Txg lastSynced, const GroupOptions& options);
    /// Ends after the txg that is syncing; what is dirty after that is dropped (to keep it,
    /// waitSynced() first). Nobody holds or waits any more.
    ~TransactionGroups();
    TransactionGroups(const TransactionGroups&) = delete;
    TransactionGroups& operator=(const TransactionGroups&) = delete;

    /// Holds the open txg; waits as long as there is too much dirty, and for the holders of the txg
    /// before. Error: the one that a sync failed with.
    [[nodiscard]] Result<Hold> hold(const HoldRequest& request);
    /// Never waits: WouldBlock where hold() would.
    [[nodiscard]] Result<Hold> tryHold(const HoldRequest& request);

    /// Bytes that will have to be written when `txg` syncs. Under a hold of it, or by the sync
    /// thread (also for blocks that the syncing itself makes dirty).
    void addDirty(Txg txg, ByteCount bytes);
    /// They need no writing any more, or are written: any time before the end of sync(txg). What is
    /// not taken back until then, is at its end.
    void dirtyDone(Txg txg, ByteCount bytes);

    /// Waits until `txg` is on disk; Txg(0): everything that was changed up to now (returns at once
    /// when that is nothing). Error: the one that a sync failed with.
    [[nodiscard]] Status waitSynced(Txg txg = Txg(0));
    /// Waits until nobody can modify anything in `txg` any more; Txg(0): the txg that is open now.
    [[nodiscard]] Status waitQuiesced(Txg txg = Txg(0));
    /// Has the open txg synced soon, without waiting.
    void kick();

    /// Runs a task in syncing context and waits until its txg is synced. All tasks that are asked
    /// for meanwhile share the next txg, and run in the order they came in. Errors: what `check`
    /// said; the one that a sync failed with. Never under a hold.
    [[nodiscard]] Status run(const SyncTask& task);
    /// Without waiting: for work that belongs to what was changed under the hold. There is nobody
    /// to tell of an error of `check`: then the task just does not run.
    void enqueue(const Hold& hold, SyncTask task);

    [[nodiscard]] Txg open() const;
    [[nodiscard]] Txg quiescing() const; ///< 0: none
    [[nodiscard]] Txg syncing() const;   ///< 0: none
    [[nodiscard]] Txg lastSynced() const;
    /// The error that a sync failed with. Nothing goes on then.
    [[nodiscard]] Status failed() const;

    struct Figures
    {
        ByteCount dirty;      ///< of all txgs, with the estimates of current holds
        ByteCount dirtyLimit; ///< GroupOptions::dirtyMax
        std::uint64_t txgs = 0;
        std::uint64_t delayed = 0; ///< holds that were slowed
        std::uint64_t stopped = 0; ///< holds that had to wait for a sync
        std::chrono::nanoseconds delayTime{0};
    };

    [[nodiscard]] Figures figures() const;

    /// Stepped only: does one thing that is due (quiesce a txg, or sync one). False: nothing is.
    bool step();

private:
    friend class Hold;
    struct Private;

    explicit TransactionGroups(std::unique_ptr<Private> data);
    void release(Txg txg, ByteCount estimate);

    std::unique_ptr<Private> d;
};

} // namespace millpond::txg
