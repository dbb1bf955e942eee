// SPDX-License-Identifier: GPL-3.0-or-later
//
// Transaction groups: theory.
//
// Purpose. Every change of a pool belongs to a numbered group. A group becomes permanent as a whole
// when the pool's uberblock of that number is on disk; until then the disk shows the group before.
// Here is who may modify what when, and how much may wait to be written. [txg, dmu_tx, dsl_pool]
//
// On disk. Nothing of its own: the number in the uberblock and in every block's birth.
//
// In memory. Three groups at most are not yet on disk:
//
//      open ──beginQuiesce()──► quiescing ──last release()──► quiesced ──takeQuiesced()──► syncing
//                                                                        finish() ──► synced
//
//   open       hold() gives it out; modifications are made under the hold.
//   quiescing  no new holds; those given out come to an end. A new open group is there already, but
//              its first holds wait for that: so changes are made in the order of their groups, and
//              nobody finds that an object was changed in a later group before his own.
//   syncing    the target writes it, in the sync thread: syncing context.
//
// Work on one group is put in one of four slots, by number; the slot is empty again when the group
// is synced, long before a group of four numbers later opens.
//
// When a group is closed: somebody waits for it or kicks it, it has more than syncFromPercent of
// the limit dirty, or the timeout is over and something was held in it. Groups close one after the
// other: the next begins to quiesce when the quiesced one has been taken by the sync thread. So
// while one syncs, the open one collects, and how much it collects is bounded only by dirtyMax.
//
// Throttle. Dirty bytes (of all groups, and the estimates of current holds) are compared with
// dirtyMax at each hold. Up to delayFromPercent nothing happens. Beyond it each hold is kept for
//      delayScale * (dirty - from) / (max - dirty)
// at most delayMax, counted from its beginning, and the ends of two delays are at least one delay
// apart: the faster the disks are, the lower the curve settles, with no oscillation between full
// speed and standstill. At dirtyMax holds wait for a sync.
//
// Invariants.
//   INV-1 synced < syncing < quiescing or quiesced < open, as far as they exist; open - synced
//   <= 3. INV-2 A group with holds does not sync; a group that is quiesced gets no more holds.
//   INV-3 Groups sync in order, one at a time; sync(n) begins after sync(n-1) ended well.
//   INV-4 Sync tasks run once, in the group they were given to, in the order they came.
//   INV-5 After a failed sync nothing syncs any more, and nobody waits any longer.
//
// Concurrency. Any thread. One lock, held for a few instructions, never across a call to the
// target or a task; it is below all other locks, so holds may be taken with locks held, as long as
// whoever holds a txg never waits for such a lock's owner to get one.
//
// Failure. A sync that fails is not tried again: part of its blocks may be on disk, none of it is
// referred to, and what is in memory is no longer known to be whole. Everybody who waits gets the
// error, later callers too; the pool above decides (suspend, export, import again).
//
// Cost. A hold and its release are two short critical sections.
//
// Sources: OpenZFS module/zfs/{txg,dmu_tx,dsl_pool,dsl_synctask}.c.

#include "txg/transaction_groups.h"

#include "base/check.h"
#include "base/mutex.h"
#include "runtime/thread_pool.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace millpond::txg {

using std::chrono::nanoseconds;

namespace {

struct QueuedTask
{
    SyncTask task;
    std::shared_ptr<Status> result; ///< null: nobody asks
};

/// What belongs to one unsynced txg.
struct Slot
{
    std::uint64_t holds = 0;
    std::uint64_t dirty = 0;
    bool used = false; ///< held, or given a task
    std::vector<QueuedTask> tasks;
};

constexpr std::size_t kSlots = 4;

std::uint64_t percentOf(ByteCount total, unsigned percent)
{
    return total.value() * percent / 100;
}

Status checkOptions(const GroupOptions& options)
{
    if (options.dirtyMax < GroupOptions::kMinDirty) {
        return fail(ErrorCode::InvalidArgument, "too little room for dirty data");
    }
    if (options.delayFromPercent > 100 || options.syncFromPercent > 100) {
        return fail(ErrorCode::InvalidArgument, "more than the whole of the dirty data");
    }
    return {};
}

} // namespace

struct TransactionGroups::Private
{
    Private(const Clock& poolClock, SyncTarget& syncTarget, Txg last, const GroupOptions& chosen)
        : clock(poolClock)
        , target(syncTarget)
        , options(chosen)
        , delayFrom(percentOf(chosen.dirtyMax, chosen.delayFromPercent))
        , syncFrom(percentOf(chosen.dirtyMax, chosen.syncFromPercent))
        , open(last.value() + 1)
        , synced(last.value())
        , lastUsed(last.value())
        , lastSyncBegan(poolClock.monotonic())
    {
    }

    // Numbers are plain here: they are counted with.

    [[nodiscard]] Slot& slot(std::uint64_t txg) MP_REQUIRES(mutex) { return slots[txg % kSlots]; }

    [[nodiscard]] bool isUnsynced(std::uint64_t txg) const MP_REQUIRES(mutex)
    {
        return txg > synced && txg <= open;
    }

    [[nodiscard]] bool stepped() const { return options.drive == Drive::Stepped; }

    void want(std::uint64_t txg) MP_REQUIRES(mutex);
    void beginQuiesce() MP_REQUIRES(mutex);
    void use(std::uint64_t txg) MP_REQUIRES(mutex);
    void reduceDirty(std::uint64_t bytes) MP_REQUIRES(mutex);
    [[nodiscard]] nanoseconds delayFor(std::uint64_t dirty) const;
    [[nodiscard]] std::optional<nanoseconds> wakeUpTime(nanoseconds began) MP_REQUIRES(mutex);
    void sleepUntil(nanoseconds time) MP_REQUIRES(mutex);
    [[nodiscard]] std::uint64_t takeHold(const HoldRequest& request) MP_REQUIRES(mutex);
    [[nodiscard]] bool timeIsUp() MP_REQUIRES(mutex);

    [[nodiscard]] std::uint64_t takeQuiesced() MP_REQUIRES(mutex);
    [[nodiscard]] Status sync(std::uint64_t txg);
    [[nodiscard]] Status runTasks(std::uint64_t txg);
    void finish(std::uint64_t txg, Status status);
    [[nodiscard]] std::uint64_t waitForWork();
    void work();
    [[nodiscard]] bool step();

    const Clock& clock;
    SyncTarget& target;
    const GroupOptions options;
    const std::uint64_t delayFrom;
    const std::uint64_t syncFrom;

    mutable Mutex mutex;
    CondVar forThread;  ///< something for the sync thread to do
    CondVar forWaiters; ///< a txg was quiesced or synced
    CondVar forStopped; ///< there is room for dirty data again
    CondVar forDelayed; ///< never but at the end
    std::uint64_t open MP_GUARDED_BY(mutex);
    std::uint64_t quiescing MP_GUARDED_BY(mutex) = 0;
    std::uint64_t quiesced MP_GUARDED_BY(mutex) = 0;
    std::uint64_t syncing MP_GUARDED_BY(mutex) = 0;
    std::uint64_t synced MP_GUARDED_BY(mutex);
    std::uint64_t wanted MP_GUARDED_BY(mutex) = 0; ///< txgs up to this shall sync soon
    std::uint64_t lastUsed MP_GUARDED_BY(mutex);
    std::array<Slot, kSlots> slots MP_GUARDED_BY(mutex);
    std::uint64_t dirty MP_GUARDED_BY(mutex) = 0; ///< of all slots, and estimates
    nanoseconds lastWakeUp MP_GUARDED_BY(mutex){0};
    nanoseconds lastSyncBegan MP_GUARDED_BY(mutex);
    std::optional<Error> failure MP_GUARDED_BY(mutex);
    bool stopping MP_GUARDED_BY(mutex) = false;
    Figures figures MP_GUARDED_BY(mutex);
    std::unique_ptr<runtime::ThreadPool> thread; ///< the sync thread, one task long
};

Hold::Hold(TransactionGroups& groups, Txg txg, ByteCount estimate)
    : m_groups(&groups)
    , m_txg(txg)
    , m_estimate(estimate)
{
}

Hold::Hold(Hold&& other) noexcept
    : m_groups(std::exchange(other.m_groups, nullptr))
    , m_txg(other.m_txg)
    , m_estimate(other.m_estimate)
{
}

Hold& Hold::operator=(Hold&& other) noexcept
{
    if (this != &other) {
        Hold old(std::move(*this)); // released at the end
        m_groups = std::exchange(other.m_groups, nullptr);
        m_txg = other.m_txg;
        m_estimate = other.m_estimate;
    }
    return *this;
}

Hold::~Hold()
{
    if (m_groups != nullptr) {
        m_groups->release(m_txg, m_estimate);
    }
}

// --- closing a txg

void TransactionGroups::Private::want(std::uint64_t txg)
{
    wanted = std::max(wanted, txg);
    beginQuiesce();
}

/// If it is time to, and the one before has been taken.
void TransactionGroups::Private::beginQuiesce()
{
    if (open > wanted || quiescing != 0 || quiesced != 0 || failure) {
        return;
    }
    const std::uint64_t txg = open++;
    MP_CHECK(open - synced <= 3); // INV-1
    MP_CHECK(slot(open).holds == 0 && slot(open).tasks.empty());
    slot(open) = {};
    if (slot(txg).holds == 0) {
        quiesced = txg;
        forThread.notifyOne();
    } else {
        quiescing = txg;
    }
    forWaiters.notifyAll();
}

void TransactionGroups::release(Txg txg, ByteCount estimate)
{
    const MutexLock lock(d->mutex);
    Slot& slot = d->slot(txg.value());
    MP_CHECK(slot.holds > 0);
    --slot.holds;
    d->reduceDirty(estimate.value());
    if (slot.holds == 0 && txg.value() == d->quiescing) { // INV-2
        d->quiesced = std::exchange(d->quiescing, 0);
        d->forThread.notifyOne();
        d->forWaiters.notifyAll();
    }
}

// --- dirty data and the throttle

void TransactionGroups::Private::reduceDirty(std::uint64_t bytes)
{
    const std::uint64_t max = options.dirtyMax.value();
    const bool wasFull = dirty >= max;
    MP_DCHECK(dirty >= bytes);
    dirty -= bytes;
    if (wasFull && dirty < max) {
        forStopped.notifyAll();
    }
}

void TransactionGroups::addDirty(Txg txg, ByteCount bytes)
{
    const MutexLock lock(d->mutex);
    MP_CHECK(d->isUnsynced(txg.value()));
    Slot& slot = d->slot(txg.value());
    slot.dirty += bytes.value();
    d->dirty += bytes.value();
    if (txg.value() == d->open && slot.dirty >= d->syncFrom) {
        d->want(d->open);
    }
}

void TransactionGroups::dirtyDone(Txg txg, ByteCount bytes)
{
    const MutexLock lock(d->mutex);
    MP_CHECK(d->isUnsynced(txg.value()));
    Slot& slot = d->slot(txg.value());
    const std::uint64_t done = std::min(slot.dirty, bytes.value());
    slot.dirty -= done;
    d->reduceDirty(done);
}

nanoseconds TransactionGroups::Private::delayFor(std::uint64_t amount) const
{
    const std::uint64_t max = options.dirtyMax.value();
    if (amount <= delayFrom) {
        return nanoseconds(0);
    }
    if (amount >= max) {
        return options.delayMax;
    }
    const double share =
        static_cast<double>(amount - delayFrom) / static_cast<double>(max - amount);
    const double delay = static_cast<double>(options.delayScale.count()) * share;
    return delay < static_cast<double>(options.delayMax.count())
               ? nanoseconds(static_cast<nanoseconds::rep>(delay))
               : options.delayMax;
}

/// When a hold that began then may go on; nothing if at once.
std::optional<nanoseconds> TransactionGroups::Private::wakeUpTime(nanoseconds began)
{
    const nanoseconds delay = delayFor(dirty);
    const nanoseconds now = clock.monotonic();
    if (delay == nanoseconds(0) || now > began + delay) {
        return std::nullopt;
    }
    lastWakeUp = std::max(began + delay, lastWakeUp + delay);
    if (lastWakeUp <= now) {
        return std::nullopt;
    }
    ++figures.delayed;
    figures.delayTime += lastWakeUp - now;
    return lastWakeUp;
}

void TransactionGroups::Private::sleepUntil(nanoseconds time)
{
    if (stepped()) {
        return; // the clock is the simulation's
    }
    for (nanoseconds now = clock.monotonic(); now < time && !failure; now = clock.monotonic()) {
        forDelayed.waitFor(mutex, time - now);
    }
}

// --- holds

void TransactionGroups::Private::use(std::uint64_t txg)
{
    slot(txg).used = true;
    lastUsed = std::max(lastUsed, txg);
}

std::uint64_t TransactionGroups::Private::takeHold(const HoldRequest& request)
{
    ++slot(open).holds;
    use(open);
    dirty += request.dirtyEstimate.value();
    return open;
}

Result<Hold> TransactionGroups::hold(const HoldRequest& request)
{
    const nanoseconds began = d->clock.monotonic();
    bool delayed = request.urgent;
    bool stopped = false;
    for (;;) {
        {
            const MutexLock lock(d->mutex);
            if (d->failure) {
                return fail(*d->failure);
            }
            if (d->quiescing != 0) {
                MP_CHECK(!d->stepped()); // it would wait for itself
                d->forWaiters.wait(d->mutex);
                continue;
            }
            const bool full = !request.urgent && d->dirty >= d->options.dirtyMax.value();
            if (!full && !delayed) {
                delayed = true;
                if (const auto time = d->wakeUpTime(began)) {
                    d->sleepUntil(*time);
                    continue;
                }
            }
            if (!full) {
                return Hold(*this, Txg(d->takeHold(request)), request.dirtyEstimate);
            }
            if (!stopped) {
                stopped = true;
                ++d->figures.stopped;
            }
            d->want(d->open);
            if (!d->stepped()) {
                d->forStopped.wait(d->mutex);
                continue;
            }
        }
        MP_CHECK(d->step()); // otherwise it would wait for itself
    }
}

Result<Hold> TransactionGroups::tryHold(const HoldRequest& request)
{
    const MutexLock lock(d->mutex);
    if (d->failure) {
        return fail(*d->failure);
    }
    if (!request.urgent && d->dirty > d->delayFrom) {
        return fail(ErrorCode::WouldBlock, "too much data waits to be written");
    }
    if (d->quiescing != 0) {
        return fail(ErrorCode::WouldBlock, "changes of the txg before come to an end");
    }
    return Hold(*this, Txg(d->takeHold(request)), request.dirtyEstimate);
}

// --- waiting

Status TransactionGroups::waitSynced(Txg txg)
{
    std::uint64_t wanted = txg.value();
    for (;;) {
        {
            const MutexLock lock(d->mutex);
            if (wanted == 0) {
                wanted = d->lastUsed;
            }
            if (d->synced >= wanted) {
                return {};
            }
            if (d->failure) {
                return fail(*d->failure);
            }
            d->want(wanted);
            if (!d->stepped()) {
                d->forWaiters.wait(d->mutex);
                continue;
            }
        }
        MP_CHECK(d->step()); // otherwise it would wait for itself
    }
}

Status TransactionGroups::waitQuiesced(Txg txg)
{
    std::uint64_t wanted = txg.value();
    for (;;) {
        {
            const MutexLock lock(d->mutex);
            if (wanted == 0) {
                wanted = d->open;
            }
            if (d->failure) {
                return fail(*d->failure);
            }
            if (d->open > wanted && d->quiescing != wanted) {
                return {};
            }
            d->want(wanted);
            if (d->open > wanted && d->quiescing != wanted) {
                return {};
            }
            if (!d->stepped()) {
                d->forWaiters.wait(d->mutex);
                continue;
            }
        }
        MP_CHECK(d->step()); // otherwise it would wait for itself
    }
}

void TransactionGroups::kick()
{
    const MutexLock lock(d->mutex);
    d->want(d->open);
}

// --- sync tasks

Status TransactionGroups::run(const SyncTask& task)
{
    if (task.check) {
        MP_TRY(task.check(open()));
    }
    const auto result = std::make_shared<Status>();
    Txg txg;
    {
        const MutexLock lock(d->mutex);
        if (d->failure) {
            return fail(*d->failure);
        }
        txg = Txg(d->open);
        d->slot(d->open).tasks.push_back({.task = task, .result = result});
        d->use(d->open);
    }
    MP_TRY(waitSynced(txg));
    return *result;
}

void TransactionGroups::enqueue(const Hold& hold, SyncTask task)
{
    const MutexLock lock(d->mutex);
    Slot& slot = d->slot(hold.txg().value());
    MP_CHECK(slot.holds > 0);
    slot.tasks.push_back({.task = std::move(task), .result = nullptr});
}

Status TransactionGroups::Private::runTasks(std::uint64_t txg)
{
    std::vector<QueuedTask> tasks;
    {
        const MutexLock lock(mutex);
        MP_CHECK(txg == syncing);
        tasks.swap(slot(txg).tasks); // INV-4
    }
    for (QueuedTask& queued : tasks) {
        if (queued.task.check) {
            if (Status checked = queued.task.check(Txg(txg)); !checked) {
                if (queued.result) {
                    *queued.result = std::move(checked);
                }
                continue;
            }
        }
        MP_TRY(queued.task.apply(Txg(txg)));
    }
    return {};
}

// --- syncing

/// The txg to be synced now; 0: none.
std::uint64_t TransactionGroups::Private::takeQuiesced()
{
    if (quiesced == 0 || syncing != 0 || failure || stopping) {
        return 0;
    }
    syncing = std::exchange(quiesced, 0);
    lastSyncBegan = clock.monotonic();
    beginQuiesce();
    return syncing;
}

Status TransactionGroups::Private::sync(std::uint64_t txg)
{
    const auto tasks = [this, txg] { return runTasks(txg); };
    return target.sync(Txg(txg), tasks);
}

void TransactionGroups::Private::finish(std::uint64_t txg, Status status)
{
    std::vector<QueuedTask> dropped; // destroyed outside the lock
    const MutexLock lock(mutex);
    MP_CHECK(txg == syncing && txg == synced + 1); // INV-3
    syncing = 0;
    if (status) {
        MP_CHECK(slot(txg).tasks.empty()); // INV-4: the target has to run them
        synced = txg;
        reduceDirty(std::exchange(slot(txg).dirty, 0));
        ++figures.txgs;
        beginQuiesce();
    } else {
        failure = std::move(status).error().at({.txg = Txg(txg)});
        dropped.swap(slot(txg).tasks);
        forStopped.notifyAll();
        forDelayed.notifyAll();
        forThread.notifyOne();
    }
    forWaiters.notifyAll();
}

/// The timeout is over, and there is something to be synced.
bool TransactionGroups::Private::timeIsUp()
{
    if (failure || quiescing != 0 || quiesced != 0 || syncing != 0 ||
        clock.monotonic() - lastSyncBegan < options.timeout) {
        return false;
    }
    if (slot(open).used || target.wantsSync()) {
        return true;
    }
    lastSyncBegan = clock.monotonic(); // look again after as long
    return false;
}

/// The txg to be synced; 0: the end.
std::uint64_t TransactionGroups::Private::waitForWork()
{
    const MutexLock lock(mutex);
    for (;;) {
        if (stopping) {
            return 0;
        }
        if (timeIsUp()) {
            want(open);
        }
        if (const std::uint64_t txg = takeQuiesced()) {
            return txg;
        }
        const nanoseconds left = lastSyncBegan + options.timeout - clock.monotonic();
        if (failure || quiescing != 0) {
            forThread.wait(mutex);
        } else {
            forThread.waitFor(mutex, std::max(left, nanoseconds(0)));
        }
    }
}

void TransactionGroups::Private::work()
{
    while (const std::uint64_t txg = waitForWork()) {
        finish(txg, sync(txg));
    }
}

bool TransactionGroups::Private::step()
{
    std::uint64_t txg = 0;
    {
        const MutexLock lock(mutex);
        if (quiesced == 0 && timeIsUp()) {
            want(open);
            return true;
        }
        txg = takeQuiesced();
    }
    if (txg == 0) {
        return false;
    }
    finish(txg, sync(txg));
    return true;
}

bool TransactionGroups::step()
{
    MP_CHECK(d->stepped());
    return d->step();
}

// --- from birth to death

Result<std::unique_ptr<TransactionGroups>> TransactionGroups::create(const Clock& clock,
                                                                     SyncTarget& target,
                                                                     Txg lastSynced,
                                                                     const GroupOptions& options)
{
    MP_TRY(checkOptions(options));
    auto data = std::make_unique<Private>(clock, target, lastSynced, options);
    if (options.drive == Drive::Threads) {
        data->thread = MP_TRY(runtime::ThreadPool::create({.name = "mp-sync", .threads = 1}));
        data->thread->post([p = data.get()] { p->work(); });
    }
    return std::unique_ptr<TransactionGroups>(new TransactionGroups(std::move(data)));
}

TransactionGroups::TransactionGroups(std::unique_ptr<Private> data)
    : d(std::move(data))
{
}

TransactionGroups::~TransactionGroups()
{
    {
        const MutexLock lock(d->mutex);
        for (const Slot& slot : d->slots) {
            MP_CHECK(slot.holds == 0);
        }
        d->stopping = true;
        d->forThread.notifyOne();
    }
    d->thread.reset();
}

Txg TransactionGroups::open() const
{
    const MutexLock lock(d->mutex);
    return Txg(d->open);
}

/// From the end of its open state until the sync thread takes it.
Txg TransactionGroups::quiescing() const
{
    const MutexLock lock(d->mutex);
    return Txg(std::max(d->quiescing, d->quiesced));
}

Txg TransactionGroups::syncing() const
{
    const MutexLock lock(d->mutex);
    return Txg(d->syncing);
}

Txg TransactionGroups::lastSynced() const
{
    const MutexLock lock(d->mutex);
    return Txg(d->synced);
}

Status TransactionGroups::failed() const
{
    const MutexLock lock(d->mutex);
    return d->failure ? fail(*d->failure) : Status();
}

TransactionGroups::Figures TransactionGroups::figures() const
{
    const MutexLock lock(d->mutex);
    Figures figures = d->figures;
    figures.dirty = ByteCount(d->dirty);
    figures.dirtyLimit = d->options.dirtyMax;
    return figures;
}

} // namespace millpond::txg
