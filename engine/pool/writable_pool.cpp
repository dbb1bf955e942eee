// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/writable_pool.h"

#include "format/dsl.h"
#include "format/name.h"
#include "object/zap_writer.h"
#include "pool/pool_engine.h"
#include "pool/space_figures.h"
#include "runtime/task_group.h"

#include <fmt/format.h>

#include <algorithm>

// Theory of the pool layer, write side.
//
// Purpose. Puts the layers together that a pool is written with, and writes transaction groups out:
// the sync loop. pool.cpp is the other half.
//
// In memory. The MOS as a live object set, changed in syncing context only; over it the features,
// the configuration, the space maps and the tree of datasets, each of which is kept in memory and
// written down in each txg in which it changed. Live datasets (LiveHead) that are in use. The state
// that readers see: a Pool at the last synced uberblock.
//
// A txg, in the order of sync(): blocks whose freeing the last txg put off; the object sets of
// datasets; sync tasks, and the object sets they made; the configuration; then passes: the tree's
// figures, the MOS, what was freed, the space maps. Writing any of these changes others (space maps
// are objects, objects need space), less with each pass: blocks written in this txg are rewritten
// in place, later frees are put off. When nothing is dirty any more: flush, labels and uberblock.
//
// INV-1 Until the uberblock is written, the pool on disk is the last txg's: no block of it has been
//       overwritten (space::Allocator keeps freed space back for two txgs).
// INV-2 Everything an uberblock leads to is on stable storage before it: one flush of all devices.
// INV-3 What a txg allocated and did not free is in the space maps it wrote.
// INV-4 Readers see a synced txg, never a part of one.
//
// Concurrency. One sync thread (txg::TransactionGroups). Everybody else changes object sets of
// datasets under a hold, or asks for a sync task. A crash leaves the last synced txg, and the
// intent logs. Failure: an error in sync() stops the groups: the pool is suspended, nothing of the
// txg is on disk. Cost: proportional to what changed, and a few dozen blocks of the MOS.
//
// Sources: OpenZFS module/zfs/spa.c (spa_create, spa_sync), dsl_pool.c (dsl_pool_create,
// dsl_pool_sync), spa_history.c, uberblock.c.

namespace millpond::pool {

using format::NvList;
using format::NvValue;
using format::ObjectType;
using object::LiveObjectSet;
using object::ZapWriter;

namespace {
/// What a txg freed is used again when so many more are on disk: the states before it are read
/// until then.
constexpr std::uint64_t kTxgsKeptBack = 2;
constexpr std::chrono::nanoseconds kReaderPatience = std::chrono::seconds(10);
/// Passes of one txg. It converges in a handful; more is a fault of this program.
constexpr unsigned kMaxPasses = 100;
/// Of each txg, for freeing in the background [zfs_free_min_time_ms].
constexpr std::chrono::nanoseconds kFreeingTime = std::chrono::milliseconds(500);

constexpr std::string_view kObjectAccounting = "userobj_accounting";
constexpr std::string_view kProjectQuota = "project_quota";
} // namespace

std::vector<std::string> defaultFeatures()
{
    std::vector<std::string> names;
    for (const format::Feature& feature : format::features()) {
        names.emplace_back(feature.name);
    }
    return names;
}

// --- MosLedger ---

Status MosLedger::born(const format::BlockPointer& pointer)
{
    m_delta.add(dataset::SpaceDelta::of(dataset::sumsOf(pointer, m_charged(pointer))));
    return {};
}

Status MosLedger::killed(const format::BlockPointer& pointer)
{
    m_delta.add(dataset::SpaceDelta::of(dataset::sumsOf(pointer, m_charged(pointer))).negated());
    m_frees.add(pointer);
    return {};
}

// --- Making it ---

WritablePool::Engine::Engine(const WriteServices& write, std::shared_ptr<PoolDevices> devices)
    : m_write(write)
    , m_devices(std::move(devices))
{
}

WritablePool::Engine::~Engine()
{
    m_groups.reset();
}

std::uint64_t WritablePool::Engine::charged(const format::BlockPointer& pointer) const
{
    return m_deflation.bytes(pointer);
}

object::LiveOptions WritablePool::Engine::liveOptions()
{
    return {.meter = &m_meter,
            .holeBirth = m_features == nullptr || m_features->isActive("hole_birth")};
}

/// Everything that needs the MOS only as an object set.
Status WritablePool::Engine::assemble(std::shared_ptr<LiveObjectSet> mos, ConfigBuilder builder)
{
    m_mos = std::move(mos);
    m_version = builder.identity.version;
    m_features = std::make_unique<LiveFeatures>(*m_mos);
    m_config = std::make_unique<LiveConfig>(*m_mos, *m_features, std::move(builder));
    m_spaceMaps = std::make_unique<LiveSpaceMaps>(*m_mos, *m_features);
    m_history = std::make_unique<HistoryWriter>(
        *m_mos, m_write.clock, m_config->builder().identity.hostName);
    const auto charge = [this](const format::BlockPointer& pointer) { return charged(pointer); };
    m_tree = std::make_unique<dataset::LiveTree>(dataset::LiveTreePorts{.mos = *m_mos,
                                                                        .features = *m_features,
                                                                        .clock = m_write.clock,
                                                                        .random = m_write.random,
                                                                        .version = m_version,
                                                                        .charged = charge});
    return {};
}

Status WritablePool::Engine::createAllocator(std::vector<space::TopLevelSource> sources)
{
    m_allocator = MP_TRY(space::Allocator::create(
        std::move(sources),
        *m_spaceMaps,
        space::AllocatorOptions{.spacemapV2 = m_features->isEnabled("spacemap_v2")}));
    const vdev::VdevTree& vdevs = *m_devices->vdevs;
    unsigned ashift = 63;
    for (std::size_t i = 0; i < vdevs.topLevelCount(); ++i) {
        const vdev::TopLevel* top = vdevs.top(VdevId(static_cast<std::uint32_t>(i)));
        if (top != nullptr && top->allocatable() != ByteCount(0)) {
            ashift = std::min<unsigned>(ashift, top->ashift().value());
        }
    }
    m_writer = std::make_unique<block::BlockWriter>(
        *m_devices->vdevs,
        *m_allocator,
        *m_devices->blocks,
        block::BlockWriterOptions{.executor = &m_devices->services.executor,
                                  .holeBirth = m_features->isActive("hole_birth"),
                                  .minimumAllocation = ByteCount(std::uint64_t{1} << ashift)});
    m_frees = std::make_unique<DeferredFrees>(*m_writer, m_tree->lists());
    m_mosLedger = std::make_unique<MosLedger>(
        *m_frees, [this](const format::BlockPointer& pointer) { return charged(pointer); });
    m_freeing = std::make_unique<dataset::FreeingQueue>(dataset::FreeingPorts{
        .tree = *m_tree, .blocks = *m_devices->blocks, .frees = *m_frees, .clock = m_write.clock});
    return {};
}

Status WritablePool::Engine::start(Txg lastSynced)
{
    m_groups =
        MP_TRY(txg::TransactionGroups::create(m_write.clock, *this, lastSynced, m_write.groups));
    m_meter.groups = m_groups.get();
    return {};
}

// --- Datasets ---

object::WriteSettings WritablePool::Engine::usualSettings() const
{
    object::WriteSettings settings;
    if (!m_features->isActive("lz4_compress")) {
        settings.defaultCompression = format::CompressionType::Lzjb;
    }
    settings.embeddedData = m_features->isEnabled("embedded_data");
    settings.specialClass = m_allocator->hasClass(vdev::AllocationClass::Special);
    return settings;
}

/// What is counted in a new object set from the beginning.
std::uint64_t WritablePool::Engine::accountingFlags() const
{
    using format::ObjsetFlag;
    std::uint64_t flags = 0;
    if (m_version >= format::kVersionUserSpace) {
        flags |= ObjsetFlag::kUserAccountingComplete;
    }
    if (m_features->isEnabled(kObjectAccounting)) {
        flags |= ObjsetFlag::kUserObjectAccountingComplete;
    }
    if (m_features->isEnabled(kProjectQuota)) {
        flags |= ObjsetFlag::kProjectQuotaComplete;
    }
    return flags;
}

Status WritablePool::Engine::makeFileSystem(dataset::LiveDataset& dataset,
                                            const posix::NewFileSystem& format,
                                            Txg txg)
{
    auto objset = MP_TRY(
        LiveObjectSet::create(*m_devices->blocks,
                              dataset.id,
                              {.type = format::ObjsetType::Filesystem, .flags = accountingFlags()},
                              txg,
                              liveOptions()));
    for (const std::string_view name : {kObjectAccounting, kProjectQuota}) {
        if (m_features->isEnabled(name)) {
            MP_TRY(m_tree->activateFeature(dataset, *format::featureByName(name), txg));
        }
    }
    posix::NewFileSystem spec = format;
    spec.projectIds = m_features->isEnabled(kProjectQuota);
    MP_TRY(posix::createFileSystem(*objset, txg, spec));
    addHead(dataset, std::move(objset));
    return {};
}

LiveHeadRef WritablePool::Engine::addHead(dataset::LiveDataset& dataset,
                                          std::shared_ptr<LiveObjectSet> objset)
{
    auto head = std::make_shared<LiveHead>(
        dataset,
        std::move(objset),
        [this](const format::BlockPointer& pointer) { return charged(pointer); },
        usualSettings());
    const MutexLock lock(m_mutex);
    return m_heads.emplace(dataset.id, std::move(head)).first->second;
}

Result<LiveHeadRef> WritablePool::Engine::head(ObjsetId id)
{
    {
        const MutexLock lock(m_mutex);
        if (const auto known = m_heads.find(id); known != m_heads.end()) {
            return known->second;
        }
    }
    const MutexLock syncing(m_syncing);
    return openHead(id);
}

Result<LiveHeadRef> WritablePool::Engine::openHead(ObjsetId id)
{
    dataset::LiveDataset* dataset = MP_TRY(m_tree->dataset(id));
    if (dataset->phys.isSnapshot()) {
        return fail(ErrorCode::ReadOnly, "a snapshot can't be written to");
    }
    return addHead(
        *dataset,
        MP_TRY(LiveObjectSet::open(*m_devices->blocks, dataset->phys.root, id, liveOptions())));
}

// --- Syncing ---

Status WritablePool::Engine::sync(Txg txg, FunctionRef<Status()> runTasks)
{
    MP_TRY(writeTxg(txg, runTasks));
    return commit(txg);
}

Status WritablePool::Engine::writeTxg(Txg txg, FunctionRef<Status()> runTasks)
{
    const MutexLock syncing(m_syncing);
    m_spaceMaps->begin(txg);
    MP_TRY(m_frees->freeDeferred(txg));
    MP_TRY(syncHeads(txg));
    MP_TRY(runTasks());
    MP_TRY(syncHeads(txg)); // what the tasks made
    MP_TRY(freeInBackground(txg));
    MP_TRY(m_config->sync(txg));
    return syncMos(txg);
}

Status WritablePool::Engine::freeInBackground(Txg txg)
{
    const auto progress = MP_TRY(m_freeing->work({.time = kFreeingTime}, txg));
    if (progress.damage) {
        m_devices->services.log.print(LogLevel::Error,
                                      "{}: space can't be freed: {}",
                                      m_config->builder().identity.name,
                                      progress.damage->toText());
    }
    m_freeingLeft.store(progress.more && !progress.stalled);
    return {};
}

Status WritablePool::Engine::syncHeads(Txg txg)
{
    std::vector<LiveHeadRef> dirty;
    {
        const MutexLock lock(m_mutex);
        for (const auto& [id, head] : m_heads) {
            if (head->objset->isDirty(txg)) {
                dirty.push_back(head);
            }
        }
    }
    for (const LiveHeadRef& head : dirty) {
        MP_TRY(syncHead(*head, txg));
    }
    return {};
}

Status WritablePool::Engine::syncHead(LiveHead& head, Txg txg)
{
    object::WriterSink sink(*m_writer);
    MP_TRY(head.ledger.begin(*m_tree, *head.dataset));
    object::WriteSettings settings;
    bool longNames = false;
    {
        const MutexLock lock(head.mutex);
        settings = head.settings;
        longNames = head.usesLongNames && head.usesLongNames();
    }
    object::SyncContext context{.sink = sink,
                                .executor = m_devices->services.executor,
                                .ledger = head.ledger,
                                .txg = txg,
                                .pass = 1,
                                .settings = settings,
                                .owners = &posix::fileOwners()};
    const format::BlockPointer root = MP_TRY(head.objset->sync(context));
    if (context.usedLargeDnodes) {
        head.ledger.useFeature("large_dnode");
    }
    if (longNames) {
        head.ledger.useFeature("longname");
    }
    m_tree->setRoot(*head.dataset, root);
    MP_TRY(m_tree->apply(*head.dataset, head.ledger.changes(), txg));
    m_frees->add(head.ledger.freed());
    return {};
}

Status WritablePool::Engine::syncMos(Txg txg)
{
    object::WriterSink sink(*m_writer);
    for (unsigned pass = 1; pass <= kMaxPasses; ++pass) {
        if (!m_mosLedger->isEmpty()) {
            m_tree->useMosSpace(m_mosLedger->take());
        }
        MP_TRY(m_tree->flush(txg));
        object::SyncContext context{.sink = sink,
                                    .executor = m_devices->services.executor,
                                    .ledger = *m_mosLedger,
                                    .txg = txg,
                                    .pass = pass,
                                    .settings = object::WriteSettings::forMos()};
        m_root = MP_TRY(m_mos->sync(context));
        MP_TRY(m_frees->process(txg, pass));
        MP_TRY(m_allocator->sync(txg, pass, *m_spaceMaps));
        if (!m_mos->isDirty(txg) && !m_tree->isDirty() && m_mosLedger->isEmpty() &&
            m_frees->isEmpty() && !m_allocator->isDirty(txg)) {
            return {};
        }
    }
    return fail(ErrorCode::System,
                fmt::format("txg {} did not settle in {} passes", txg.value(), kMaxPasses));
}

format::Uberblock WritablePool::Engine::uberblock(Txg txg) const
{
    return {.version = m_version,
            .txg = txg,
            .guidSum = m_config->builder().guidSum(),
            .timestamp = static_cast<std::uint64_t>(
                std::chrono::duration_cast<std::chrono::seconds>(m_write.clock.wall()).count()),
            .root = m_root,
            .softwareVersion = format::kPoolVersionFeatures,
            .mmpMagic = format::Uberblock::kMmpMagic};
}

Status WritablePool::Engine::commit(Txg txg)
{
    MP_TRY(m_devices->vdevs->flush()); // INV-2
    const format::Uberblock uberblock = this->uberblock(txg);
    std::vector<NvList> configs;
    std::vector<vdev::LabelLeaf> leaves = m_config->labels(*m_devices->vdevs, txg, configs);
    MP_TRY(vdev::commitLabels(leaves, uberblock, false));
    m_config->committed();
    awaitReaders(txg);
    m_allocator->syncDone(txg, [this](const space::Extent& extent) {
        if (m_autotrim && extent.size.value() >= kMinTrim) {
            m_devices->vdevs->discard(extent.vdev, extent.offset, extent.size);
        }
    });
    m_tree->synced(txg);
    updateCapacity();
    return publish(uberblock);
}

void WritablePool::Engine::updateCapacity()
{
    Capacity capacity;
    for (const NvList& top : m_config->builder().tops) {
        const VdevId id(static_cast<std::uint32_t>(top.u64("id").value_or(0)));
        const vdev::TopLevel* vdev = m_devices->vdevs->top(id);
        if (vdev == nullptr || vdev->allocationClass() != vdev::AllocationClass::Normal) {
            continue;
        }
        const std::uint64_t metaslab = std::uint64_t{1} << top.u64("metaslab_shift").value_or(0);
        const std::size_t count = m_allocator->metaslabCount(id);
        capacity.held += m_deflation.bytes(id, m_allocator->figures(id).deferred);
        capacity.add(
            m_deflation.bytes(id, count * metaslab), count, m_deflation.bytes(id, metaslab));
    }
    m_allocator->setScarce(ByteCount(capacity.slop()));
    m_tree->setRoom({.usable = capacity.usable(),
                     .whileFreeing = capacity.usable() + capacity.slop() / 2,
                     .deferred = capacity.held});
}

Status WritablePool::Engine::publish(const format::Uberblock& uberblock)
{
    const PoolIdentity& identity = m_config->builder().identity;
    PoolConfig config = MP_TRY(configFromPool(m_config->builder().whole(uberblock.txg)));
    config.vdevTree = m_config->builder().tree();
    for (const vdev::LeafInfo& leaf : m_devices->vdevs->leaves()) {
        if (leaf.device != nullptr) {
            config.paths[leaf.guid.value()] = leaf.device->path();
            config.sizes[leaf.guid.value()] = leaf.device->size().value();
        }
    }
    std::shared_ptr<const Pool> state =
        MP_TRY(Pool::at(m_devices, std::move(config), identity.name, uberblock));
    const MutexLock lock(m_mutex);
    m_state = std::move(state);
    return {};
}

std::shared_ptr<const Pool> WritablePool::Engine::read()
{
    const MutexLock lock(m_mutex);
    const std::shared_ptr<const Pool> state = m_state;
    const Txg txg = state->uberblock().txg;
    ++m_readers[txg];
    return {state.get(), [this, state, txg](const Pool*) {
                const MutexLock unlock(m_mutex);
                if (--m_readers[txg] == 0) {
                    m_readers.erase(txg);
                    m_readerGone.notifyAll();
                }
            }};
}

void WritablePool::Engine::awaitReaders(Txg txg)
{
    const auto end = std::chrono::steady_clock::now() + kReaderPatience;
    const MutexLock lock(m_mutex);
    while (!m_readers.empty() && m_readers.begin()->first.value() + kTxgsKeptBack < txg.value() &&
           std::chrono::steady_clock::now() < end) {
        m_readerGone.waitFor(m_mutex, kReaderPatience);
    }
}

std::shared_ptr<const Pool> WritablePool::Engine::state() const
{
    const MutexLock lock(m_mutex);
    return m_state;
}

Status WritablePool::Engine::close(format::PoolState state)
{
    MP_TRY(m_groups->waitSynced());
    return m_groups->run({.check = {}, .apply = [&](Txg) -> Status {
                              m_config->edit().identity.state = static_cast<std::uint64_t>(state);
                              return {};
                          }});
}

} // namespace millpond::pool
