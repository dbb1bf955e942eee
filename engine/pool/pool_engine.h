// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "dataset/freeing_queue.h"
#include "intent_log/log_chain.h"
#include "pool/deferred_frees.h"
#include "pool/deflation.h"
#include "pool/history_writer.h"
#include "pool/live_config.h"
#include "pool/live_head.h"
#include "pool/live_space_maps.h"
#include "pool/writable_pool.h"
#include "space/allocator.h"

#include <atomic>
#include <map>

namespace millpond::pool {

/// A pool's first txg [TXG_INITIAL].
inline constexpr Txg kFirstTxg{4};

/// Shorter free ranges are not worth telling a device [zfs_trim_extent_bytes_min].
inline constexpr std::uint64_t kMinTrim = 32 * KiB;

/// The MOS' own blocks: what they take, and what becomes of those given up.
class MosLedger final : public object::BlockLedger
{
public:
    MosLedger(DeferredFrees& frees, dataset::ChargedBytes charged)
        : m_frees(frees)
        , m_charged(std::move(charged))
    {
    }

    [[nodiscard]] Status born(const format::BlockPointer& pointer) override;
    [[nodiscard]] Status killed(const format::BlockPointer& pointer) override;

    [[nodiscard]] ByteCount chargedSize(const format::BlockPointer& pointer) const override
    {
        return ByteCount(m_charged(pointer));
    }

    /// What came and went since the last call.
    [[nodiscard]] dataset::SpaceDelta take() { return std::exchange(m_delta, {}); }

    [[nodiscard]] bool isEmpty() const { return m_delta == dataset::SpaceDelta(); }

private:
    DeferredFrees& m_frees;
    dataset::ChargedBytes m_charged;
    dataset::SpaceDelta m_delta;
};

/// Tells the transaction groups what is dirty; before they exist, nobody.
class GroupMeter final : public object::DirtyMeter
{
public:
    void dirtied(Txg txg, ByteCount bytes) override
    {
        if (groups != nullptr) {
            groups->addDirty(txg, bytes);
        }
    }

    void cleaned(Txg txg, ByteCount bytes) override
    {
        if (groups != nullptr) {
            groups->dirtyDone(txg, bytes);
        }
    }

    txg::TransactionGroups* groups = nullptr;
};

/// All that a writable pool is made of. Construction: the devices first, then the MOS (new or
/// found), then everything else over it, then start().
class WritablePool::Engine final : public WritablePool, public txg::SyncTarget
{
public:
    Engine(const WriteServices& write, std::shared_ptr<PoolDevices> devices);
    ~Engine() override;

    struct NewConfig
    {
        ConfigBuilder builder;
        std::vector<format::NvList> spares, caches;
    };

    /// Of a new pool: everything in its first txg, which is then on disk.
    [[nodiscard]] Status create(const CreateRequest& request, NewConfig config);
    [[nodiscard]] Status open(std::unique_ptr<Pool> pool, const Host& host);

    [[nodiscard]] Status sync(Txg txg, FunctionRef<Status()> runTasks) override;

    [[nodiscard]] bool wantsSync() const override { return m_freeingLeft.load(); }

    [[nodiscard]] std::shared_ptr<const Pool> state() const override;
    [[nodiscard]] std::shared_ptr<const Pool> read() override;
    [[nodiscard]] Result<LiveHeadRef> head(ObjsetId id) override;
    [[nodiscard]] Status createFileSystems(std::span<const NewFileSystem> requests) override;
    [[nodiscard]] Status set(const std::string& dataset,
                             std::span<const dataset::Setting> settings) override;
    [[nodiscard]] Status
    inherit(const std::string& dataset, const std::string& name, bool received) override;
    [[nodiscard]] Status rename(const std::string& dataset, const std::string& newName) override;
    [[nodiscard]] Status destroy(const std::string& dataset) override;
    [[nodiscard]] object::WriteSettings usualSettings() const override;
    [[nodiscard]] Status change(const PoolChanges& changes) override;
    [[nodiscard]] Status trim(const TrimProgress& progress) override;
    void note(const std::string& command, std::uint64_t user) override;
    [[nodiscard]] Status close(format::PoolState state) override;

    txg::TransactionGroups& groups() override { return *m_groups; }

    dataset::LiveTree& tree() override { return *m_tree; }

private:
    // Making it.
    [[nodiscard]] Status assemble(std::shared_ptr<object::LiveObjectSet> mos,
                                  ConfigBuilder builder);
    [[nodiscard]] Status createMos(const CreateRequest& request);
    [[nodiscard]] Status createSalt();
    [[nodiscard]] Status createAllocator(std::vector<space::TopLevelSource> sources);
    [[nodiscard]] Status addAuxiliary(std::string_view entry,
                                      std::string_view list,
                                      const std::vector<format::NvList>& configs);
    [[nodiscard]] Status start(Txg lastSynced);

    // Taking it over.
    [[nodiscard]] Result<std::vector<space::TopLevelSource>> findMetaslabs(const Pool& pool);
    /// What other programs leave in a pool that this one does not keep up: in the first txg.
    [[nodiscard]] Status takeOver(const Pool& pool, Txg txg);
    [[nodiscard]] Status claimLogs(const Pool& pool, const dataset::DirectoryRef& root, Txg txg);
    [[nodiscard]] intent_log::ChainSource logSource(ObjsetId id);
    [[nodiscard]] Status dropSpaceMapLogs(const Pool& pool, Txg txg);

    // Syncing context.
    [[nodiscard]] Status freeInBackground(Txg txg);
    [[nodiscard]] Status apply(const PoolChanges& changes, Txg txg);
    void useFeatures();
    [[nodiscard]] Status store(std::span<const dataset::Setting> properties, Txg txg);
    [[nodiscard]] Status freeLog(const dataset::LiveDataset& dataset, Txg txg);
    [[nodiscard]] Result<LiveHeadRef> openHead(ObjsetId id);
    [[nodiscard]] Status
    makeFileSystem(dataset::LiveDataset& dataset, const posix::NewFileSystem& format, Txg txg);
    LiveHeadRef addHead(dataset::LiveDataset& dataset,
                        std::shared_ptr<object::LiveObjectSet> objset);
    [[nodiscard]] Status syncHeads(Txg txg);
    [[nodiscard]] Status syncHead(LiveHead& head, Txg txg);
    [[nodiscard]] Status writeTxg(Txg txg, FunctionRef<Status()> runTasks);
    [[nodiscard]] Status syncMos(Txg txg);
    [[nodiscard]] Status commit(Txg txg);
    [[nodiscard]] format::Uberblock uberblock(Txg txg) const;
    void updateCapacity();
    /// Until nobody reads a state any more that freed space may belong to.
    void awaitReaders(Txg txg);
    [[nodiscard]] Status publish(const format::Uberblock& uberblock);

    /// Runs a task: `refuse` says no without changing anything, or `apply` succeeds.
    [[nodiscard]] Status inSync(FunctionRef<Status(Txg)> refuse, FunctionRef<Status(Txg)> apply);

    [[nodiscard]] std::uint64_t accountingFlags() const;
    [[nodiscard]] std::uint64_t charged(const format::BlockPointer& pointer) const;
    [[nodiscard]] object::LiveOptions liveOptions();

    WriteServices m_write;
    std::shared_ptr<PoolDevices> m_devices;
    Deflation m_deflation;
    std::uint64_t m_version = 0;
    GroupMeter m_meter;
    std::shared_ptr<object::LiveObjectSet> m_mos;
    std::unique_ptr<LiveFeatures> m_features;
    std::unique_ptr<LiveConfig> m_config;
    std::unique_ptr<LiveSpaceMaps> m_spaceMaps;
    std::unique_ptr<space::Allocator> m_allocator;
    std::unique_ptr<block::BlockWriter> m_writer;
    std::unique_ptr<dataset::LiveTree> m_tree;
    std::unique_ptr<DeferredFrees> m_frees;
    std::unique_ptr<MosLedger> m_mosLedger;
    std::unique_ptr<HistoryWriter> m_history;
    std::unique_ptr<dataset::FreeingQueue> m_freeing;
    std::atomic<bool> m_freeingLeft = false;
    bool m_autotrim = false;     ///< sync thread only
    format::BlockPointer m_root; ///< of the MOS, as last written

    /// Held while the tree and the MOS change: by the sync thread, and by who looks into them.
    Mutex m_syncing; ///< taken before m_mutex
    mutable Mutex m_mutex;
    std::shared_ptr<const Pool> m_state MP_GUARDED_BY(m_mutex);
    std::map<ObjsetId, LiveHeadRef> m_heads MP_GUARDED_BY(m_mutex);
    std::map<Txg, std::size_t> m_readers MP_GUARDED_BY(m_mutex); ///< by the state they read
    CondVar m_readerGone;

    std::unique_ptr<txg::TransactionGroups> m_groups; ///< last: its thread uses all the others
};

} // namespace millpond::pool
