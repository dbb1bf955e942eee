// SPDX-License-Identifier: GPL-3.0-or-later
//
// Making a pool: devices, configuration, labels, and its objects in the first txg. Sources: OpenZFS
// module/zfs/vdev_label.c (vdev_label_init), vdev.c (vdev_config_generate), spa.c (spa_create),
// dsl_pool.c (dsl_pool_create).

#include "format/label.h"
#include "format/name.h"
#include "object/zap_writer.h"
#include "pool/pool_engine.h"
#include "runtime/task_group.h"

#include <fmt/format.h>

#include <filesystem>

namespace millpond::pool {

using format::NvList;
using format::NvValue;
using format::ObjectType;
using object::LiveObjectSet;
using object::ZapWriter;

namespace {
using Opened = std::map<std::string, device::DeviceRef>;

Result<Opened> openAlone(const Services& services, const LayoutRequest& layout)
{
    Opened opened;
    for (const std::string& path : leafPaths(layout)) {
        opened[path] = MP_TRY(services.openDevice(path, device::Access::WriteExclusive));
    }
    return opened;
}

LeafGeometries geometriesOf(const Opened& opened)
{
    LeafGeometries geometries;
    for (const auto& [path, device] : opened) {
        std::error_code ignored;
        geometries[path] = {.size = device->size(),
                            .physicalSector = device->physicalSector(),
                            .isBlockDevice = std::filesystem::is_block_file(path, ignored),
                            .wholeDisk = false};
    }
    return geometries;
}

struct LeafToLabel
{
    device::DeviceRef device;
    NvList label;
};

const device::DeviceRef& deviceOf(const NvList& leaf, const Opened& opened)
{
    return opened.at(std::string(leaf.text("path").value_or("")));
}

/// Labels of txg 0 say that a device is about to join a pool, and nothing is imported by them.
std::vector<LeafToLabel> newLabels(const ConfigBuilder& builder, const Opened& opened)
{
    std::vector<LeafToLabel> labels;
    for (std::size_t top = 0; top < builder.tops.size(); ++top) {
        for (const NvList* leaf : leavesOf(builder.tops[top])) {
            NvList label = builder.label(top, leaf->u64("guid").value_or(0), Txg(0));
            label.setU64("create_txg", kFirstTxg.value());
            labels.push_back({deviceOf(*leaf, opened), std::move(label)});
        }
    }
    return labels;
}

/// A spare's or cache device's: they belong to no pool in particular.
NvList auxiliaryLabel(const NvList& config, format::PoolState state, std::uint64_t version)
{
    NvList label;
    label.setU64("version", version);
    label.setU64("state", static_cast<std::uint64_t>(state));
    label.setU64("guid", config.u64("guid").value_or(0));
    if (const auto ashift = config.u64("ashift")) {
        label.setU64("ashift", *ashift);
    }
    return label;
}

vdev::DeviceMap devicesOf(const ConfigBuilder& builder, const Opened& opened)
{
    vdev::DeviceMap devices;
    for (const NvList& top : builder.tops) {
        for (const NvList* leaf : leavesOf(top)) {
            devices[VdevGuid(leaf->u64("guid").value_or(0))] = {deviceOf(*leaf, opened),
                                                                vdev::VdevAux::None};
        }
    }
    return devices;
}

ConfigBuilder newConfig(const CreateRequest& request, std::vector<NvList> tops, std::uint64_t guid)
{
    ConfigBuilder builder;
    builder.identity = {.name = request.name,
                        .guid = PoolGuid(guid),
                        .rootGuid = guid,
                        .version = request.version,
                        .state = static_cast<std::uint64_t>(format::PoolState::Active),
                        .errata = 0,
                        .comment = request.comment,
                        .compatibility = request.compatibility,
                        .hostId = request.hostId,
                        .hostName = request.hostName};
    builder.tops = std::move(tops);
    builder.root.setText("type", "root");
    builder.root.setU64("id", 0);
    builder.root.setU64("guid", guid);
    builder.root.setU64("create_txg", kFirstTxg.value());
    return builder;
}
} // namespace

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

Result<std::unique_ptr<WritablePool>> WritablePool::create(const Services& services,
                                                           const WriteServices& write,
                                                           const CreateRequest& request)
{
    MP_TRY(format::checkNewPoolName(request.name));
    MP_TRY(checkLayout(request.layout));
    const Opened opened = MP_TRY(openAlone(services, request.layout));
    const LeafGeometries geometries = geometriesOf(opened);
    const LayoutOptions options{.createTxg = kFirstTxg};
    Engine::NewConfig config;
    config.builder =
        newConfig(request,
                  MP_TRY(layoutConfigs(request.layout, geometries, options, write.random)),
                  newGuid(write.random));
    config.spares =
        MP_TRY(auxiliaryConfigs(request.layout.spares, false, geometries, options, write.random));
    config.caches =
        MP_TRY(auxiliaryConfigs(request.layout.caches, true, geometries, options, write.random));

    std::vector<LeafToLabel> labels = newLabels(config.builder, opened);
    for (const auto& [list, state] : {std::pair(&config.spares, format::PoolState::Spare),
                                      std::pair(&config.caches, format::PoolState::L2Cache)}) {
        for (const NvList& device : *list) {
            labels.push_back(
                {deviceOf(device, opened), auxiliaryLabel(device, state, request.version)});
        }
    }
    MP_TRY(runtime::parallelFor(services.executor, labels.size(), [&](std::size_t i) {
        return vdev::initializeLabels(*labels[i].device, labels[i].label);
    }));

    auto devices = std::make_shared<PoolDevices>(
        services, devicesOf(config.builder, opened), nullptr, nullptr, nullptr);
    MP_TRY(devices->build(config.builder.tree()));
    auto engine = std::make_unique<Engine>(write, std::move(devices));
    MP_TRY(engine->create(request, std::move(config)));
    return std::unique_ptr<WritablePool>(std::move(engine));
}

} // namespace millpond::pool
