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
/// Shorter free ranges are not worth telling a device [zfs_trim_extent_bytes_min].
constexpr std::uint64_t kMinTrim = 32 * KiB;
/// What a txg freed is used again when so many more are on disk: the states before it are read
/// until then.
constexpr std::uint64_t kTxgsKeptBack = 2;
constexpr std::chrono::nanoseconds kReaderPatience = std::chrono::seconds(10);
/// Passes of one txg. It converges in a handful; more is a fault of this program.
constexpr unsigned kMaxPasses = 100;
/// Of each txg, for freeing in the background [zfs_free_min_time_ms].
constexpr std::chrono::nanoseconds kFreeingTime = std::chrono::milliseconds(500);

constexpr std::string_view kAutotrim = "autotrim";
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

Status WritablePool::Engine::create(const CreateRequest& request, NewConfig config)
{
    m_deflation = Deflation::of(*m_devices->vdevs);
    MP_TRY(assemble(MP_TRY(LiveObjectSet::create(*m_devices->blocks,
                                                 ObjsetId(0),
                                                 {.type = format::ObjsetType::Meta},
                                                 kFirstTxg,
                                                 {.meter = &m_meter, .holeBirth = true})),
                    std::move(config.builder)));
    ZapWriter zaps(*m_mos, kFirstTxg);
    MP_TRY(zaps.claim(format::kPoolDirectoryObject,
                      {.type = format::number(ObjectType::ObjectDirectory)}));
    if (request.version == format::kPoolVersionFeatures) {
        MP_TRY(m_features->create(kFirstTxg));
        for (const std::string& feature : request.features) {
            MP_TRY(m_features->enable(feature, kFirstTxg));
        }
    }
    MP_TRY(m_config->create(kFirstTxg));
    std::vector<space::TopLevelSource> sources;
    for (std::size_t i = 0; i < m_config->builder().tops.size(); ++i) {
        NvList& top = m_config->edit().tops[i];
        const VdevId id(static_cast<std::uint32_t>(i));
        const auto shift = static_cast<unsigned>(top.u64("metaslab_shift").value_or(0));
        const std::uint64_t count = format::metaslabCount(top.u64("asize").value_or(0), shift);
        const ObjectId array =
            MP_TRY(m_spaceMaps->createArray(id,
                                            shift,
                                            static_cast<unsigned>(top.u64("ashift").value_or(0)),
                                            static_cast<std::size_t>(count),
                                            kFirstTxg));
        top.setU64("metaslab_array", array.value());
        sources.push_back(
            {.top = m_devices->vdevs->top(id),
             .metaslabShift = shift,
             .metaslabs = std::vector<space::MetaslabSource>(static_cast<std::size_t>(count))});
    }
    MP_TRY(createAllocator(std::move(sources)));
    MP_TRY(createMos(request));
    MP_TRY(addAuxiliary(format::kPoolSpares, "spares", config.spares));
    MP_TRY(addAuxiliary(format::kPoolL2Cache, "l2cache", config.caches));
    MP_TRY(sync(kFirstTxg, [] { return Status(); }));
    return start(kFirstTxg);
}

Status WritablePool::Engine::createMos(const CreateRequest& request)
{
    ZapWriter zaps(*m_mos, kFirstTxg);
    const ObjectId directory = format::kPoolDirectoryObject;
    MP_TRY(zaps.add(directory, format::kPoolCreationVersion, request.version));
    MP_TRY(zaps.add(directory, format::kPoolDeflate, 1));
    MP_TRY(m_tree->create(kFirstTxg));
    MP_TRY(m_freeing->create(kFirstTxg));
    MP_TRY(m_frees->create(kFirstTxg));
    MP_TRY(createSalt());
    MP_TRY(m_history->create(m_allocator->figures(vdev::AllocationClass::Normal).size, kFirstTxg));
    if (!request.command.empty()) {
        MP_TRY(m_history->addCommand(request.command, request.user, kFirstTxg));
    }
    MP_TRY(m_history->addEvent(
        {.name = "create",
         .text = fmt::format("pool version {}; software version millpond", request.version)},
        kFirstTxg));
    dataset::LiveDataset* root = MP_TRY(m_tree->createHead(m_tree->root(), kFirstTxg));
    MP_TRY(m_tree->set(m_tree->root(), request.rootSettings, kFirstTxg));
    return makeFileSystem(*root, request.rootFormat, kFirstTxg);
}

Status WritablePool::Engine::createSalt()
{
    std::array<std::byte, format::kChecksumSaltBytes> salt{};
    for (std::byte& byte : salt) {
        byte = static_cast<std::byte>(m_write.random.next());
    }
    ZapWriter zaps(*m_mos, kFirstTxg);
    MP_TRY(zaps.add(
        format::kPoolDirectoryObject, format::kPoolChecksumSalt, object::ZapValue::bytes(salt)));
    m_devices->blocks->setSalt(codec::ChecksumSalt(salt));
    m_writer->setSalt(codec::ChecksumSalt(salt));
    return {};
}

Status WritablePool::Engine::addAuxiliary(std::string_view entry,
                                          std::string_view list,
                                          const std::vector<NvList>& configs)
{
    if (configs.empty()) {
        return {};
    }
    const ObjectId object = MP_TRY(createPackedList(*m_mos, entry, kFirstTxg));
    NvList packed;
    packed.set(list, NvValue::lists(configs));
    return writePackedList(*m_mos, object, packed, kFirstTxg);
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

Status WritablePool::Engine::inSync(FunctionRef<Status(Txg)> refuse, FunctionRef<Status(Txg)> apply)
{
    Status refused; // an error of the task itself would suspend the pool
    MP_TRY(m_groups->run({.check = {}, .apply = [&](Txg txg) -> Status {
                              refused = refuse(txg);
                              return refused ? apply(txg) : Status();
                          }}));
    return refused;
}

Status WritablePool::Engine::createFileSystems(std::span<const NewFileSystem> requests)
{
    std::vector<dataset::LiveTree::NewDataset> datasets;
    for (const NewFileSystem& request : requests) {
        datasets.push_back({request.name, request.settings});
    }
    return inSync([&](Txg) { return m_tree->checkMany(datasets); },
                  [&](Txg txg) -> Status {
                      const auto made = MP_TRY(m_tree->createMany(datasets, txg));
                      for (std::size_t i = 0; i < made.size(); ++i) {
                          MP_TRY(makeFileSystem(*made[i], requests[i].format, txg));
                          MP_TRY(m_history->addEvent({.name = "create",
                                                      .dataset = requests[i].name,
                                                      .objset = made[i]->id,
                                                      .text = ""},
                                                     txg));
                      }
                      return {};
                  });
}

Status WritablePool::Engine::set(const std::string& dataset,
                                 std::span<const dataset::Setting> settings)
{
    dataset::LiveDirectory* directory = nullptr;
    return inSync(
        [&](Txg) -> Status {
            directory = MP_TRY(m_tree->find(dataset));
            return m_tree->check(*directory, settings);
        },
        [&](Txg txg) -> Status {
            MP_TRY(m_tree->set(*directory, settings, txg));
            for (const dataset::Setting& setting : settings) {
                const auto* number = std::get_if<std::uint64_t>(&setting.value);
                const std::string value = number != nullptr ? fmt::format("{}", *number)
                                                            : std::get<std::string>(setting.value);
                MP_TRY(m_history->addEvent({.name = "set",
                                            .dataset = dataset,
                                            .objset = ObjsetId(directory->phys.headDataset.value()),
                                            .text = fmt::format("{}={}", setting.name, value)},
                                           txg));
            }
            return {};
        });
}

/// What it refuses, it refuses before it has changed anything.
Status
WritablePool::Engine::inherit(const std::string& dataset, const std::string& name, bool received)
{
    return inSync(
        [&](Txg txg) -> Status {
            dataset::LiveDirectory* directory = MP_TRY(m_tree->find(dataset));
            return m_tree->inherit(*directory, name, received, txg);
        },
        [](Txg) { return Status(); });
}

Status WritablePool::Engine::rename(const std::string& dataset, const std::string& newName)
{
    dataset::LiveDirectory* directory = nullptr;
    dataset::LiveDirectory* parent = nullptr;
    const std::string_view name = std::string_view(newName).substr(newName.rfind('/') + 1);
    return inSync(
        [&](Txg) -> Status {
            MP_TRY(format::checkName(newName, format::NameKind::Filesystem));
            directory = MP_TRY(m_tree->find(dataset));
            parent = MP_TRY(m_tree->find(format::parentName(newName)));
            return m_tree->checkRename(*directory, *parent, name);
        },
        [&](Txg txg) -> Status {
            MP_TRY(m_tree->rename(*directory, *parent, name, txg));
            return m_history->addEvent({.name = "rename",
                                        .dataset = dataset,
                                        .objset = ObjsetId(directory->phys.headDataset.value()),
                                        .text = fmt::format("-> {}", newName)},
                                       txg);
        });
}

/// Of a dataset that is to go.
Status WritablePool::Engine::freeLog(const dataset::LiveDataset& dataset, Txg txg)
{
    if (dataset.phys.root.isHole()) {
        return {};
    }
    const auto objset =
        MP_TRY(object::ObjectSet::open(*m_devices->blocks, dataset.phys.root, dataset.id));
    format::ZilHeader header = objset->header().intentLog;
    return header.log.isHole() ? Status()
                               : intent_log::freeLog(logSource(dataset.id), *m_writer, txg, header);
}

Status WritablePool::Engine::destroy(const std::string& dataset)
{
    dataset::LiveDirectory* directory = nullptr;
    return inSync(
        [&](Txg) -> Status {
            directory = MP_TRY(m_tree->find(dataset));
            MP_TRY(m_tree->checkDestroy(*directory));
            const dataset::LiveDataset* head = MP_TRY(m_tree->head(*directory));
            const MutexLock lock(m_mutex);
            const auto known = m_heads.find(head->id);
            if (known == m_heads.end()) {
                return {};
            }
            if (known->second.use_count() > 1) {
                return fail(ErrorCode::DatasetBusy, "the dataset is in use", {.dataset = dataset});
            }
            m_heads.erase(known); // what was changed in this txg is written
            return {};
        },
        [&](Txg txg) -> Status {
            const dataset::LiveDataset* head = MP_TRY(m_tree->head(*directory));
            MP_TRY(freeLog(*head, txg));
            MP_TRY(m_history->addEvent(
                {.name = "destroy", .dataset = dataset, .objset = head->id, .text = ""}, txg));
            return m_tree->destroyHead(*directory, *m_freeing, txg);
        });
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

Status WritablePool::Engine::change(const PoolChanges& changes)
{
    return inSync(
        [&](Txg) -> Status {
            if (!changes.features.empty() && m_version != format::kPoolVersionFeatures) {
                return fail(ErrorCode::UnsupportedVersion,
                            fmt::format("a pool of version {} has no features", m_version));
            }
            for (const std::string& name : changes.features) {
                if (format::featureByName(name) == nullptr) {
                    return fail(ErrorCode::NoSuchProperty,
                                fmt::format("no such feature: {}", name));
                }
            }
            return {};
        },
        [&](Txg txg) { return apply(changes, txg); });
}

Status WritablePool::Engine::apply(const PoolChanges& changes, Txg txg)
{
    const auto noteSet = [&](std::string_view name, std::string_view value) {
        return m_history->addEvent(
            {.name = "set", .dataset = "", .text = fmt::format("{}={}", name, value)}, txg);
    };
    for (const std::string& name : changes.features) {
        MP_TRY(m_features->enable(name, txg));
        MP_TRY(noteSet("feature@" + name, "enabled"));
    }
    useFeatures();
    if (changes.comment) {
        m_config->edit().identity.comment = *changes.comment;
        MP_TRY(noteSet("comment", *changes.comment));
    }
    if (changes.newGuid) {
        const std::uint64_t guid = newGuid(m_write.random);
        ConfigBuilder& builder = m_config->edit();
        MP_TRY(m_history->addEvent(
            {.name = "guid change",
             .dataset = "",
             .text = fmt::format("old={} new={}", builder.identity.guid.value(), guid)},
            txg));
        builder.identity.guid = PoolGuid(guid);
        builder.identity.rootGuid = guid;
        builder.root.setU64("guid", guid);
    }
    return store(changes.properties, txg);
}

/// What those who write blocks know of features. In syncing context, where nothing is written.
void WritablePool::Engine::useFeatures()
{
    const bool holeBirth = m_features->isActive("hole_birth");
    m_writer->setHoleBirth(holeBirth);
    m_mos->setHoleBirth(holeBirth);
    const MutexLock lock(m_mutex);
    for (const auto& [id, head] : m_heads) {
        head->objset->setHoleBirth(holeBirth);
        const object::WriteSettings usual = usualSettings();
        const MutexLock guard(head->mutex);
        head->settings.defaultCompression = usual.defaultCompression;
        head->settings.embeddedData = usual.embeddedData;
    }
}

/// Empty texts are no settings.
Status WritablePool::Engine::store(std::span<const dataset::Setting> properties, Txg txg)
{
    if (properties.empty()) {
        return {};
    }
    ZapWriter zaps(*m_mos, txg);
    const Mos mos = MP_TRY(Mos::open(m_mos));
    ObjectId table(MP_TRY(mos.number(format::kPoolProperties)).value_or(0));
    if (table.value() == 0) {
        table = MP_TRY(zaps.createLinked(format::kPoolDirectoryObject,
                                         format::kPoolProperties,
                                         {.type = format::number(ObjectType::PoolProperties)}));
    }
    for (const dataset::Setting& setting : properties) {
        if (setting.name == kAutotrim) {
            m_autotrim = std::get<std::uint64_t>(setting.value) != 0;
        }
        if (const auto* number = std::get_if<std::uint64_t>(&setting.value)) {
            MP_TRY(zaps.update(table, setting.name, *number));
        } else if (const auto& text = std::get<std::string>(setting.value); !text.empty()) {
            MP_TRY(zaps.update(table, setting.name, object::ZapValue::text(text)));
        } else if (Status removed = zaps.remove(table, setting.name);
                   !removed && !removed.error().is(ErrorCode::NoSuchEntry)) {
            return removed;
        }
    }
    return {};
}

Status WritablePool::Engine::trim(const TrimProgress& progress)
{
    std::uint64_t total = 0;
    std::uint64_t done = 0;
    std::vector<std::pair<VdevId, std::uint64_t>> vdevs; // with the size of a metaslab
    for (std::size_t i = 0; i < m_devices->vdevs->topLevelCount(); ++i) {
        const VdevId id(static_cast<std::uint32_t>(i));
        if (const std::size_t count = m_allocator->metaslabCount(id); count != 0) {
            const std::uint64_t size = m_allocator->figures(id).size;
            vdevs.emplace_back(id, size / count);
            total += size;
        }
    }
    for (const auto& [id, bytes] : vdevs) {
        for (std::size_t i = 0; i < m_allocator->metaslabCount(id); ++i) {
            if (!progress(done, total)) {
                return fail(ErrorCode::Cancelled, "trimming was cancelled");
            }
            MP_TRY(m_allocator->visitFree(
                {id, i}, ByteCount(kMinTrim), [this](const space::Extent& extent) {
                    m_devices->vdevs->discard(extent.vdev, extent.offset, extent.size);
                }));
            done += bytes;
        }
    }
    (void)progress(done, total);
    return {};
}

void WritablePool::Engine::note(const std::string& command, std::uint64_t user)
{
    auto hold = m_groups->hold({.dirtyEstimate = ByteCount(64 * KiB), .urgent = true});
    if (hold) {
        m_groups->enqueue(*hold, {.check = {}, .apply = [this, command, user](Txg txg) {
                                      return m_history->addCommand(command, user, txg);
                                  }});
    }
}

Status WritablePool::Engine::close(format::PoolState state)
{
    MP_TRY(m_groups->waitSynced());
    return m_groups->run({.check = {}, .apply = [&](Txg) -> Status {
                              m_config->edit().identity.state = static_cast<std::uint64_t>(state);
                              return {};
                          }});
}

// --- WritablePool ---

WritablePool::WritablePool(std::unique_ptr<Engine> engine)
    : d(std::move(engine))
{
}

WritablePool::~WritablePool() = default;

std::shared_ptr<const Pool> WritablePool::state() const
{
    return d->state();
}

std::shared_ptr<const Pool> WritablePool::read()
{
    return d->read();
}

txg::TransactionGroups& WritablePool::groups()
{
    return d->groups();
}

dataset::LiveTree& WritablePool::tree()
{
    return d->tree();
}

block::BlockWriter& WritablePool::writer()
{
    return d->writer();
}

Result<LiveHeadRef> WritablePool::head(ObjsetId id)
{
    return d->head(id);
}

Status WritablePool::createFileSystems(std::span<const NewFileSystem> requests)
{
    return d->createFileSystems(requests);
}

Status WritablePool::set(const std::string& dataset, std::span<const dataset::Setting> settings)
{
    return d->set(dataset, settings);
}

Status WritablePool::inherit(const std::string& dataset, const std::string& name, bool received)
{
    return d->inherit(dataset, name, received);
}

Status WritablePool::rename(const std::string& dataset, const std::string& newName)
{
    return d->rename(dataset, newName);
}

Status WritablePool::destroy(const std::string& dataset)
{
    return d->destroy(dataset);
}

object::WriteSettings WritablePool::usualSettings() const
{
    return d->usualSettings();
}

Status WritablePool::change(const PoolChanges& changes)
{
    return d->change(changes);
}

Status WritablePool::trim(const TrimProgress& progress)
{
    return d->trim(progress);
}

void WritablePool::note(const std::string& command, std::uint64_t user)
{
    d->note(command, user);
}

Status WritablePool::close(format::PoolState state)
{
    return d->close(state);
}

} // namespace millpond::pool
