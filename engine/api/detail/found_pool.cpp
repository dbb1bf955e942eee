// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/detail/found_pool.h"

#include "api/detail/status_rows.h"
#include "device/memory_device.h"
#include "format/feature.h"
#include "format/label.h"
#include "pool/features.h"
#include "vdev/vdev.h"

#include <fmt/format.h>

namespace millpond::api::detail {

namespace {
/// A scan holds no devices; the tree's states only need to know which leaves are there.
vdev::DeviceMap presence(const pool::PoolConfig& config)
{
    vdev::DeviceMap devices;
    for (const auto& [guid, path] : config.paths) {
        device::MemoryDevice::Options options;
        options.path = path;
        const auto size = config.sizes.find(guid);
        options.size = ByteCount(size == config.sizes.end() ? 0 : size->second);
        devices[VdevGuid(guid)] = {std::make_shared<device::MemoryDevice>(std::move(options)),
                                   vdev::VdevAux::None};
    }
    return devices;
}

/// The first refusal stands: the ones after it follow from it.
void refuse(FoundPool& found, const Error& error, std::string reason)
{
    found.importable = false;
    if (!found.reason.empty()) {
        return;
    }
    found.reason = std::move(reason);
    if (error.errorClass() == ErrorClass::Unsupported) {
        const bool version = error.is(ErrorCode::UnsupportedVersion);
        found.status.messageId = version ? "ZFS-8000-A5" : "";
        found.status.status = fmt::format(
            "The pool uses something that this program does not support: {}.", error.what());
        found.status.action = "Import it on a system that supports it.";
    }
}

void checkTree(const pool::PoolConfig& config, FoundPool& found)
{
    const auto tree = vdev::VdevTree::build(config.vdevTree, presence(config));
    if (!tree) {
        found.status.state = VdevState::Unavailable;
        refuse(found, tree.error(), tree.error().toText());
        return;
    }
    found.status.state = vdevState((*tree)->state());
    found.status.vdevs = vdevRows(**tree, config.name);
    if (found.status.state == VdevState::Unavailable || found.status.state == VdevState::Faulted) {
        refuse(found,
               Error(ErrorCode::DeviceMissing, ""),
               "devices are missing, and what is left is not enough");
    }
}

void lookInside(const pool::Services& services, const pool::PoolConfig& config, FoundPool& found)
{
    const auto opened =
        pool::Pool::open(services, config, {.force = true, .missingLogOk = true, .hold = false});
    if (!opened) {
        for (const pool::MissingFeature& feature : pool::missingFeatures(config.label)) {
            found.missingFeatures.push_back(feature.toText());
        }
        refuse(found, opened.error(), opened.error().what());
        return;
    }
    found.status.state = vdevState((*opened)->vdevs().state());
    found.status.vdevs = vdevRows(**opened, nullptr);
    for (const pool::MissingFeature& feature : pool::missingFeatures((*opened)->features())) {
        found.missingFeatures.push_back(feature.toText());
    }
}
} // namespace

FoundPool
foundPool(const pool::Services& services, const pool::PoolConfig& config, std::uint64_t hostId)
{
    FoundPool found;
    found.importable = true;
    found.readOnlyOnly = true; // Until pools can be written.
    found.status.name = config.name;
    found.status.guid = config.guid;
    found.status.version = config.version;
    found.status.txg = config.txg;
    found.status.comment = config.label.text("comment").value_or("");
    found.lastHost = config.hostName;
    found.lastHostId = config.hostId;
    found.destroyed = config.state == static_cast<std::uint64_t>(format::PoolState::Destroyed);
    found.active = config.state == static_cast<std::uint64_t>(format::PoolState::Active) &&
                   config.hostId != 0 && config.hostId != hostId;
    for (const auto& [guid, path] : config.paths) {
        found.devices.push_back(path);
    }
    checkTree(config, found);
    lookInside(services, config, found);
    if (found.status.status.empty()) {
        describeHealth(found.status, {});
    }
    return found;
}

} // namespace millpond::api::detail
