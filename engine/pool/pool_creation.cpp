// SPDX-License-Identifier: GPL-3.0-or-later
//
// Making a pool up to its first txg: devices, configuration, labels. Sources: OpenZFS
// module/zfs/vdev_label.c (vdev_label_init), vdev.c (vdev_config_generate).

#include "format/label.h"
#include "format/name.h"
#include "pool/pool_engine.h"
#include "runtime/task_group.h"

#include <filesystem>

namespace millpond::pool {

using format::NvList;

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

void collectLeaves(const NvList& vdev, std::vector<NvList>& leaves) // NOLINT(misc-no-recursion)
{
    const std::span<const NvList> children = vdev.listArray("children");
    if (children.empty()) {
        leaves.push_back(vdev);
    }
    for (const NvList& child : children) {
        collectLeaves(child, leaves);
    }
}

/// Labels of txg 0 say that a device is about to join a pool, and nothing is imported by them.
std::vector<LeafToLabel> newLabels(const ConfigBuilder& builder, const Opened& opened)
{
    std::vector<LeafToLabel> labels;
    for (std::size_t top = 0; top < builder.tops.size(); ++top) {
        std::vector<NvList> leaves;
        collectLeaves(builder.tops[top], leaves);
        for (const NvList& leaf : leaves) {
            NvList label = builder.label(top, leaf.u64("guid").value_or(0), Txg(0));
            label.setU64("create_txg", kFirstTxg.value());
            labels.push_back({opened.at(std::string(leaf.text("path").value_or(""))), label});
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
    std::vector<NvList> leaves;
    for (const NvList& top : builder.tops) {
        collectLeaves(top, leaves);
    }
    for (const NvList& leaf : leaves) {
        devices[VdevGuid(leaf.u64("guid").value_or(0))] = {
            opened.at(std::string(leaf.text("path").value_or(""))), vdev::VdevAux::None};
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
            labels.push_back({opened.at(std::string(device.text("path").value_or(""))),
                              auxiliaryLabel(device, state, request.version)});
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
    return std::unique_ptr<WritablePool>(new WritablePool(std::move(engine)));
}

} // namespace millpond::pool
