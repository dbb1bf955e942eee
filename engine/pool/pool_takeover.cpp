// SPDX-License-Identifier: GPL-3.0-or-later
//
// Import for writing: everything in memory from what is on disk, and in the first txg an end to
// what other programs keep in a pool and this one does not. Sources: OpenZFS module/zfs/spa.c
// (spa_load_impl), spa_log_spacemap.c, vdev.c (vdev_destroy_ms_flush_data).

#include "format/dsl.h"
#include "intent_log/log_chain.h"
#include "object/zap_writer.h"
#include "pool/mos_space_maps.h"
#include "pool/pool_engine.h"

#include <fmt/format.h>

namespace millpond::pool {

using format::NvList;
using object::LiveObjectSet;
using object::ZapWriter;

namespace {
constexpr std::string_view kLogSpaceMaps = "log_spacemap";
constexpr std::string_view kHistogram = "spacemap_histogram";

Status refuse(const Pool& pool)
{
    const std::uint64_t version = pool.version();
    if (version != format::kPoolVersionFeatures && version != format::kPoolVersionNewestNumbered) {
        return fail(ErrorCode::UnsupportedVersion,
                    fmt::format("pool \"{}\" has version {}: pools of versions below {} are "
                                "imported with readonly=on only",
                                pool.name(),
                                version,
                                format::kPoolVersionNewestNumbered));
    }
    if (pool.uberblock().order != ByteOrder::Little) {
        return fail(ErrorCode::UnsupportedVersion,
                    fmt::format("pool \"{}\" was last written by a big-endian machine: it is "
                                "imported with readonly=on only",
                                pool.name()));
    }
    return refuseIfUnwritable(pool.features());
}

Result<bool> readAutotrim(const Mos& mos)
{
    const auto table = MP_TRY(mos.number(format::kPoolProperties));
    for (const object::ZapEntry& entry : MP_TRY(mos.entries(ObjectId(table.value_or(0))))) {
        if (entry.name == "autotrim") {
            return entry.first() != 0;
        }
    }
    return false;
}

ConfigBuilder configOf(const Pool& pool, const PoolIdentity& host)
{
    const PoolConfig& config = pool.config();
    ConfigBuilder builder;
    builder.identity = {.name = pool.name(),
                        .guid = config.guid,
                        .rootGuid = config.vdevTree.u64("guid").value_or(config.guid.value()),
                        .version = pool.version(),
                        .state = static_cast<std::uint64_t>(format::PoolState::Active),
                        .errata = config.label.u64("errata").value_or(0),
                        .comment = std::string(config.label.text("comment").value_or("")),
                        .compatibility =
                            std::string(config.label.text("compatibility").value_or("")),
                        .hostId = host.hostId,
                        .hostName = host.hostName};
    const std::span<const NvList> tops = config.vdevTree.listArray("children");
    builder.tops.assign(tops.begin(), tops.end());
    builder.root = config.vdevTree;
    builder.root.remove("children");
    return builder;
}
} // namespace

Status WritablePool::Engine::open(std::unique_ptr<Pool> opened, const Host& host)
{
    const std::shared_ptr<const Pool> pool = std::move(opened);
    MP_TRY(refuse(*pool));
    m_deflation = MP_TRY(Deflation::of(pool->mos(), *m_devices->vdevs));
    object::LiveOptions options = liveOptions();
    options.holeBirth = pool->features().isActive("com.delphix:hole_birth");
    MP_TRY(assemble(MP_TRY(LiveObjectSet::open(
                        *m_devices->blocks, pool->uberblock().root, ObjsetId(0), options)),
                    configOf(*pool, {.hostId = host.id, .hostName = host.name})));
    const Mos mos = MP_TRY(Mos::open(m_mos));
    MP_TRY(m_features->open(mos));
    MP_TRY(m_config->open(mos));
    MP_TRY(createAllocator(MP_TRY(findMetaslabs(*pool))));
    if (const auto salt = MP_TRY(readSalt(mos))) {
        m_writer->setSalt(*salt);
    }
    MP_TRY(m_tree->open());
    m_history->open(ObjectId(MP_TRY(mos.number(format::kPoolHistory)).value_or(0)));
    m_autotrim = MP_TRY(readAutotrim(mos));
    m_frees->open(MP_TRY(mos.require(format::kPoolSyncBpObject)));
    MP_TRY(m_freeing->open());
    m_freeingLeft.store(!MP_TRY(m_freeing->isEmpty()));
    updateCapacity();
    {
        const MutexLock lock(m_mutex);
        m_state = pool;
    }
    MP_TRY(start(pool->uberblock().txg));
    return m_groups->run(
        {.check = {}, .apply = [&](Txg txg) -> Status { return takeOver(*pool, txg); }});
}

Result<std::vector<space::TopLevelSource>> WritablePool::Engine::findMetaslabs(const Pool& pool)
{
    const std::vector<MetaslabLayout> layouts = MP_TRY(metaslabLayouts(pool));
    MosSpaceMaps store(*m_mos);
    std::vector<space::TopLevelSource> sources;
    for (const MetaslabLayout& layout : layouts) {
        const NvList& config = m_config->builder().tops.at(layout.vdev.value());
        m_spaceMaps->addArray({.vdev = layout.vdev,
                               .metaslabShift = layout.shift,
                               .ashift = layout.ashift,
                               .array = ObjectId(config.u64("metaslab_array").value_or(0)),
                               .maps = layout.maps});
        space::TopLevelSource& source = sources.emplace_back();
        source.top = m_devices->vdevs->top(layout.vdev);
        source.metaslabShift = layout.shift;
        for (const ObjectId map : layout.maps) {
            space::MetaslabSource& metaslab = source.metaslabs.emplace_back();
            metaslab.map = map;
            if (map.value() != 0) {
                metaslab.mapBlockBytes = MP_TRY(store.blockBytes(map));
                metaslab.header = MP_TRY(store.header(map));
                metaslab.allocated = static_cast<std::uint64_t>(metaslab.header.allocated);
            }
        }
    }
    MP_TRY(forEachLogEntry(pool, layouts, [&](const LogEntry& entry) -> Status {
        const std::uint64_t start = entry.metaslab * layouts[entry.layout].metaslabBytes();
        m_spaceMaps->addLogged({layouts[entry.layout].vdev, entry.metaslab},
                               entry.allocate,
                               {entry.bytes.start - start, entry.bytes.end - start});
        space::MetaslabSource& metaslab = sources[entry.layout].metaslabs[entry.metaslab];
        metaslab.allocated +=
            entry.allocate ? entry.bytes.size() : std::uint64_t{0} - entry.bytes.size();
        metaslab.rewrite = true;
        return {};
    }));
    return sources;
}

Status WritablePool::Engine::takeOver(const Pool& pool, Txg txg)
{
    (void)m_config->edit(); // it is active now, and this machine's
    MP_TRY(claimLogs(pool, pool.datasets().root(), txg));
    MP_TRY(m_tree->dropLivelists(txg));
    return m_features->isActive(kLogSpaceMaps) ? dropSpaceMapLogs(pool, txg) : Status();
}

/// Blocks of intent logs are younger than the uberblock and in no space map: they are taken before
/// anything is allocated. Those of `directory` and all below it.
Status WritablePool::Engine::claimLogs(const Pool& pool, const dataset::DirectoryRef& root, Txg txg)
{
    std::vector<dataset::DirectoryRef> waiting{root};
    while (!waiting.empty()) {
        const dataset::DirectoryRef directory = std::move(waiting.back());
        waiting.pop_back();
        for (dataset::DirectoryRef& child : MP_TRY(pool.datasets().allChildren(directory))) {
            waiting.push_back(std::move(child));
        }
        if (directory->phys.headDataset.value() == 0) {
            continue;
        }
        const dataset::DatasetRef dataset = MP_TRY(pool.datasets().head(directory));
        if (dataset->phys.root.isHole()) {
            continue;
        }
        const auto objset = MP_TRY(pool.datasets().openObjset(*dataset));
        if (objset->header().intentLog.log.isHole()) {
            continue;
        }
        const LiveHeadRef head = MP_TRY(openHead(dataset->id));
        format::ZilHeader header = head->objset->intentLog();
        const bool changed = MP_TRY(intent_log::claimLog(
            logSource(dataset->id), *m_allocator, txg, header, [](const format::BlockPointer&) {
                // Clones are counted in the table of cloned blocks: pools with one are refused.
                return Status();
            }));
        if (changed) {
            head->objset->setIntentLog(txg, header);
        }
    }
    return {};
}

intent_log::ChainSource WritablePool::Engine::logSource(ObjsetId id)
{
    return {.reader = *m_devices->blocks, .vdevs = *m_devices->vdevMap, .objset = id};
}

/// The allocator writes every map anew in this txg that the logs say something of.
Status WritablePool::Engine::dropSpaceMapLogs(const Pool& pool, Txg txg)
{
    ZapWriter zaps(*m_mos, txg);
    const Mos mos = MP_TRY(Mos::open(m_mos));
    for (const LogSpaceMap& log : MP_TRY(logSpaceMaps(pool))) {
        const object::DnodeRef dnode = MP_TRY(m_mos->dnode(log.map));
        MP_TRY(m_mos->freeObject(txg, log.map));
        if (dnode->bonus.size() >= format::SpaceMapPhys::kBytes) {
            MP_TRY(m_features->count(kHistogram, -1, txg));
        }
    }
    if (const auto table = MP_TRY(mos.number(format::kPoolLogSpaceMaps))) {
        MP_TRY(m_mos->freeObject(txg, ObjectId(*table)));
        MP_TRY(zaps.remove(format::kPoolDirectoryObject, format::kPoolLogSpaceMaps));
        MP_TRY(m_features->count(kLogSpaceMaps, -1, txg));
    }
    for (const NvList& top : m_config->builder().tops) {
        const ObjectId zap(top.u64(format::kVdevTopZap).value_or(0));
        if (zap.value() == 0) {
            continue;
        }
        const auto unflushed =
            MP_TRY(object::Zap::open(*m_mos, zap)).number(format::kVdevUnflushedTxgs);
        if (unflushed) {
            MP_TRY(m_mos->freeObject(txg, ObjectId(*unflushed)));
            MP_TRY(zaps.remove(zap, format::kVdevUnflushedTxgs));
        } else if (!unflushed.error().is(ErrorCode::NoSuchEntry)) {
            return fail(unflushed.error());
        }
    }
    return {};
}

Result<std::unique_ptr<WritablePool>>
WritablePool::open(const WriteServices& write, std::unique_ptr<Pool> pool, const Host& host)
{
    auto engine = std::make_unique<Engine>(write, pool->devices());
    MP_TRY(engine->open(std::move(pool), host));
    return std::unique_ptr<WritablePool>(std::move(engine));
}

} // namespace millpond::pool
