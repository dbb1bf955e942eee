// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/pool.h"

#include "codec/checksum.h"
#include "device/file_device.h"
#include "format/dsl.h"
#include "format/feature.h"
#include "format/label.h"
#include "pool/config_builder.h"
#include "pool/mos_space_maps.h"
#include "runtime/task_group.h"
#include "vdev/labels.h"

#include <fmt/format.h>

#include <algorithm>

// Theory of the pool layer, read side.
//
// Purpose. Finds pools, puts their vdevs together, opens them at one uberblock, and answers what
// belongs to a pool as a whole: its state, features, properties, space, history, errors; and
// verifies one that nobody uses (check/). The only layer that knows all those below; nobody below
// knows it.
//
// On disk. The labels of a leaf describe its own top-level vdev and how many others there are
// (format/label.h). The uberblock points to the pool's object set (MOS), whose object 1 is a
// directory. In it the pool's complete configuration, written with the pool's checksums: that one
// is believed where the labels differ, because labels of absent devices grow old.
//
// Opening, in this order:
//   1. labels -> provisional vdev tree (pool_config.h), newest label first;
//   2. version and features that the labels name are checked, and devices are opened and held;
//   3. the newest uberblock of all leaves -> MOS -> own configuration -> final vdev tree;
//   4. features again, now all of them; the host that used it last;
//   5. dirty time logs -> leaves know which txgs they missed; salt; dataset tree.
//
// INV-1 Nothing is written here. Devices are held with Access::ReadShared, or for whoever writes
//       (writable_pool.cpp) alone.
// INV-2 A pool that opens is readable as far as its devices are: top-level vdevs that are missing
//       keep it from opening, unless they are logs and the caller does without.
// INV-3 What an open pool shows never changes: one uberblock, immutable objects. Caches may stay.
//
// Concurrency. open() runs on one thread and uses the executor for devices. An open pool is
// thread-safe without locks of its own (INV-3). Failure: open() undoes itself; reads name what
// failed. Cost: a few hundred small reads. Memory: the configuration, the tree, dirty time logs.
//
// Sources: OpenZFS module/zfs/spa.c (spa_load_impl and what it calls), spa_config.c,
// lib/libzutil/zutil_import.c, module/zfs/zfeature.c.

namespace millpond::pool {

namespace {
using format::NvList;

/// The device must still be what the scan saw: the leaf of that pool.
bool isLeafOf(const vdev::DeviceLabels& labels, std::uint64_t leaf)
{
    return labels.leafGuid() == VdevGuid(leaf);
}

vdev::LeafDevice openLeaf(const Services& services,
                          device::Access access,
                          const std::string& path,
                          std::uint64_t guid,
                          Status& failure)
{
    auto device = services.openDevice(path, access);
    if (!device) {
        if (device.error().is(ErrorCode::DeviceBusy)) {
            failure = fail(std::move(device).error());
        }
        return {nullptr, vdev::VdevAux::OpenFailed};
    }
    const auto labels = vdev::readLabels(**device, {.uberblocks = false});
    if (!labels || !isLeafOf(*labels, guid)) {
        return {nullptr, vdev::VdevAux::BadLabel};
    }
    return {std::move(*device), vdev::VdevAux::None};
}

/// The txgs a leaf has missed.
using MissedRanges = std::map<VdevGuid, space::RangeSet>;
} // namespace

Result<device::DeviceRef> Services::openDevice(const std::string& path, device::Access access) const
{
    if (devices) {
        return devices(path, access);
    }
    return device::openFileDevice(
        path,
        {.access = access,
         .pageCache = directIo ? device::PageCache::Bypass : device::PageCache::Use,
         .queue = ioQueue});
}

Status PoolDevices::build(const NvList& tree)
{
    blocks.reset();
    vdevMap.reset();
    vdevs = MP_TRY(vdev::VdevTree::build(tree, devices, {.clock = services.clock}));
    vdevMap = std::make_unique<block::TreeVdevMap>(*vdevs);
    blocks = std::make_unique<block::BlockReader>(
        *vdevMap,
        services.cache,
        block::BlockReaderOptions{.executor = &services.executor,
                                  .prefetchLimit = services.prefetchLimit});
    return {};
}

Pool::Pool(std::shared_ptr<PoolDevices> devices, PoolConfig config)
    : m_devices(std::move(devices))
    , m_config(std::move(config))
{
}

Pool::~Pool() = default;

Result<std::unique_ptr<Pool>>
Pool::open(const Services& services, PoolConfig config, const OpenOptions& options)
{
    auto devices =
        std::make_shared<PoolDevices>(services, vdev::DeviceMap(), nullptr, nullptr, nullptr);
    std::unique_ptr<Pool> pool(new Pool(std::move(devices), std::move(config)));
    MP_TRY(pool->build(options));
    return pool;
}

Result<std::shared_ptr<Pool>> Pool::at(std::shared_ptr<PoolDevices> devices,
                                       PoolConfig config,
                                       std::string name,
                                       const format::Uberblock& uberblock)
{
    std::shared_ptr<Pool> pool(new Pool(std::move(devices), std::move(config)));
    pool->m_name = std::move(name);
    pool->m_uberblock = uberblock;
    pool->m_config.uberblock = uberblock;
    MP_TRY(pool->openMos());
    pool->m_features = MP_TRY(readFeatures(*pool->m_mos));
    MP_TRY(pool->openContent());
    return pool;
}

Status Pool::build(const OpenOptions& options)
{
    m_name = options.name.empty() ? m_config.name : options.name;
    if (!format::isSupportedPoolVersion(m_config.version)) {
        return fail(ErrorCode::UnsupportedVersion,
                    fmt::format("pool \"{}\" has version {}, which this program does not know",
                                m_config.name,
                                m_config.version));
    }
    MP_TRY(refuseIfUnreadable(missingFeatures(m_config.label)));
    MP_TRY(checkHost(options));
    if (!m_config.uberblock) {
        return fail(ErrorCode::BadUberblock,
                    fmt::format("no device of pool \"{}\" has a valid uberblock", m_config.name));
    }
    m_uberblock = *m_config.uberblock;
    if (!format::isSupportedPoolVersion(m_uberblock.version)) {
        return fail(ErrorCode::UnsupportedVersion,
                    fmt::format("the uberblock of pool \"{}\" has version {}",
                                m_config.name,
                                m_uberblock.version));
    }
    MP_TRY(openDevices(m_config.vdevTree, options));
    MP_TRY(openTree(m_config.vdevTree));
    if (Status opened = openMos(); !opened) {
        // With a device missing that is the reason to give, not the block that could not be read.
        MP_TRY(checkTopLevels(options));
        return opened;
    }
    MP_TRY(trustOwnConfig(options));
    m_features = MP_TRY(readFeatures(*m_mos));
    MP_TRY(refuseIfUnreadable(missingFeatures(m_features)));
    MP_TRY(checkTopLevels(options));
    MP_TRY(loadMissedRanges());
    return openContent();
}

Status Pool::openContent()
{
    m_datasets = MP_TRY(dataset::DatasetTree::open(m_mos->shared(), m_name));
    m_spares = MP_TRY(auxiliary(format::kPoolSpares, "spares"));
    m_caches = MP_TRY(auxiliary(format::kPoolL2Cache, "l2cache"));
    return {};
}

Status Pool::openDevices(const NvList& tree, const OpenOptions& options)
{
    std::vector<std::uint64_t> guids = leafGuidsOf(tree);
    vdev::DeviceMap& devices = m_devices->devices;
    std::erase_if(guids, [&](std::uint64_t guid) {
        const auto known = devices.find(VdevGuid(guid));
        return (known != devices.end() && known->second.device != nullptr) ||
               !m_config.paths.contains(guid);
    });
    std::vector<vdev::LeafDevice> opened(guids.size());
    std::vector<Status> failures(guids.size());
    const device::Access access = options.write  ? device::Access::WriteExclusive
                                  : options.hold ? device::Access::ReadShared
                                                 : device::Access::Probe;
    const Services& services = m_devices->services;
    MP_TRY(runtime::parallelFor(services.executor, guids.size(), [&](std::size_t i) -> Status {
        opened[i] = openLeaf(services, access, m_config.paths.at(guids[i]), guids[i], failures[i]);
        return {};
    }));
    for (std::size_t i = 0; i < guids.size(); ++i) {
        MP_TRY(std::move(failures[i])); // Somebody holds it: never work around that.
        devices[VdevGuid(guids[i])] = std::move(opened[i]);
    }
    return {};
}

Status Pool::openTree(const NvList& tree)
{
    m_datasets.reset();
    m_mos.reset();
    return m_devices->build(tree);
}

Status Pool::openMos()
{
    auto objset = object::ObjectSet::open(*m_devices->blocks, m_uberblock.root, ObjsetId(0));
    if (!objset) {
        return fail(std::move(objset).error().during("the pool's own object set"));
    }
    m_mos = std::make_unique<Mos>(MP_TRY(Mos::open(std::move(*objset))));
    if (const auto salt = MP_TRY(readSalt(*m_mos))) {
        m_devices->blocks->setSalt(*salt);
    }
    return {};
}

Result<std::optional<codec::ChecksumSalt>> readSalt(const Mos& mos)
{
    const std::vector<std::uint64_t> bytes = MP_TRY(mos.words(format::kPoolChecksumSalt));
    if (bytes.empty()) {
        return std::optional<codec::ChecksumSalt>();
    }
    if (bytes.size() != format::kChecksumSaltBytes) {
        return fail(ErrorCode::BadConfig, fmt::format("a checksum salt of {} bytes", bytes.size()));
    }
    std::array<std::byte, format::kChecksumSaltBytes> salt{};
    std::transform(bytes.begin(), bytes.end(), salt.begin(), [](std::uint64_t byte) {
        return static_cast<std::byte>(byte);
    });
    return std::optional(codec::ChecksumSalt(salt));
}

Status Pool::trustOwnConfig(const OpenOptions& options)
{
    const ObjectId object = MP_TRY(m_mos->require(format::kPoolConfig));
    auto list = m_mos->packedList(object);
    if (!list) {
        return fail(std::move(list).error().during("the pool's configuration"));
    }
    PoolConfig own = MP_TRY(configFromPool(*list));
    if (own.guid != m_config.guid) {
        return fail(ErrorCode::BadConfig,
                    fmt::format("the devices say pool {}, their content says pool {}",
                                m_config.guid.value(),
                                own.guid.value()));
    }
    // State, host and name of an exported pool stand in the labels, which are written last.
    MP_TRY(addAllocationClasses(own.vdevTree));
    m_config.vdevTree = std::move(own.vdevTree);
    if (m_config.hostId == 0) {
        m_config.hostId = own.hostId;
        m_config.hostName = own.hostName;
    }
    MP_TRY(checkHost(options));
    MP_TRY(openDevices(m_config.vdevTree, options));
    MP_TRY(openTree(m_config.vdevTree));
    return openMos();
}

/// The class of a special or dedup vdev stands in its own ZAP; configurations carry it only
/// sometimes.
Status Pool::addAllocationClasses(NvList& tree) const
{
    const std::span<const NvList> tops = tree.listArray("children");
    format::NvValue::Lists children(tops.begin(), tops.end());
    for (NvList& top : children) {
        const std::uint64_t zapObject = top.u64(format::kVdevTopZap).value_or(0);
        if (zapObject == 0) {
            continue;
        }
        const auto zap = object::Zap::open(m_mos->objset(), ObjectId(zapObject));
        if (!zap) {
            return fail(zap.error());
        }
        if (const auto bias = zap->lookup(format::kVdevAllocationBias)) {
            top.setText("alloc_bias", bias->text());
        } else if (!bias.error().is(ErrorCode::NoSuchEntry)) {
            return fail(bias.error());
        }
    }
    if (!children.empty()) {
        tree.set("children", format::NvValue::lists(std::move(children)));
    }
    return {};
}

Status Pool::checkHost(const OpenOptions& options) const
{
    const bool inactive = m_config.state != static_cast<std::uint64_t>(format::PoolState::Active);
    if (options.force || inactive || m_config.hostId == 0 || m_config.hostId == options.hostId) {
        return {};
    }
    return fail(ErrorCode::PoolActive,
                fmt::format("pool \"{}\" was last used by {} (host id {:x}) and was not exported",
                            m_config.name,
                            m_config.hostName.empty() ? "another machine" : m_config.hostName,
                            m_config.hostId));
}

Status Pool::checkTopLevels(const OpenOptions& options) const
{
    std::string missing;
    for (const vdev::VdevStatus& row : m_devices->vdevs->status()) {
        if (row.depth != 1 || row.kind == vdev::VdevKind::Hole) {
            continue;
        }
        const vdev::TopLevel* top =
            m_devices->vdevs->top(VdevId(static_cast<std::uint32_t>(row.id)));
        const bool log = row.allocationClass == vdev::AllocationClass::Log;
        if (top != nullptr && !top->readable() && !(log && options.missingLogOk)) {
            missing +=
                fmt::format("{}{} ({})",
                            missing.empty() ? "" : ", ",
                            row.name,
                            row.aux == vdev::VdevAux::None ? vdev::stateText(row.state, row.aux)
                                                           : vdev::auxText(row.aux));
        }
    }
    if (missing.empty()) {
        return {};
    }
    return fail(ErrorCode::DeviceMissing,
                fmt::format("pool \"{}\" lacks devices: {}", m_config.name, missing)); // INV-2
}

Status Pool::loadMissedRanges()
{
    auto missed = std::make_shared<MissedRanges>();
    MosSpaceMaps store(m_mos->objset());
    for (const vdev::LeafInfo& leaf : m_devices->vdevs->leaves()) {
        if (leaf.dtlObject == 0) {
            continue;
        }
        auto ranges =
            space::loadSpaceMap(store, ObjectId(leaf.dtlObject), 0, {0, ~std::uint64_t{0}});
        if (!ranges) {
            // The checksums still tell good from bad; only the order in which copies are tried
            // suffers.
            m_devices->services.log.print(LogLevel::Warning,
                                          "{}: dirty time log of {}: {}",
                                          m_name,
                                          leaf.path,
                                          ranges.error().toText());
            continue;
        }
        missed->emplace(leaf.guid, std::move(*ranges));
    }
    m_devices->vdevs->setMissed([missed](VdevGuid leaf, Txg birth) {
        const auto ranges = missed->find(leaf);
        return ranges != missed->end() &&
               ranges->second.contains({birth.value(), birth.value() + 1});
    });
    return {};
}

Result<std::vector<AuxiliaryDevice>> Pool::auxiliary(std::string_view entry, std::string_view list)
{
    std::vector<AuxiliaryDevice> devices;
    const auto object = MP_TRY(m_mos->number(entry));
    if (!object || *object == 0) {
        return devices;
    }
    const NvList packed = MP_TRY(m_mos->packedList(ObjectId(*object)));
    for (const NvList& config : packed.listArray(list)) {
        AuxiliaryDevice device;
        device.config = config;
        device.guid = VdevGuid(config.u64("guid").value_or(0));
        device.path = config.text("path").value_or("");
        if (const auto found = m_config.paths.find(device.guid.value());
            found != m_config.paths.end()) {
            device.openedAs = found->second;
            const auto opened =
                m_devices->services.openDevice(found->second, device::Access::Probe);
            device.size = opened ? (*opened)->size().value() : 0;
        }
        devices.push_back(std::move(device));
    }
    return devices;
}

} // namespace millpond::pool
