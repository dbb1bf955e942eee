// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/detail/device_guard.h"

#include "device/device_list.h"

#include <fmt/format.h>

#include <filesystem>

namespace millpond::api::detail {

namespace {
using device::DeviceUse;

/// Bytes that nobody uses now.
bool isContent(DeviceUse::Kind kind)
{
    return kind == DeviceUse::Kind::PoolMember || kind == DeviceUse::Kind::RaidMember ||
           kind == DeviceUse::Kind::Partitioned || kind == DeviceUse::Kind::Content;
}

Status guardBlockDevice(const std::string& path, bool force)
{
    const device::DeviceInfo info = MP_TRY(device::findDevice(path));
    for (const DeviceUse& use : info.uses) {
        if (!isContent(use.kind) || !force) {
            return fail(ErrorCode::DeviceBusy,
                        fmt::format("{} is {}{}",
                                    path,
                                    use.toText(),
                                    isContent(use.kind) ? " (-f overwrites it)" : ""));
        }
    }
    return {};
}

Status guardImage(const std::string& path, bool force)
{
    const device::Content content = MP_TRY(device::probeContent(path));
    if (content.empty() || force) {
        return {};
    }
    const std::string what = content.type == "zfs_member"
                                 ? fmt::format("part of pool '{}'", content.label)
                             : content.type.empty() ? std::string("not empty")
                                                    : fmt::format("a {}", content.type);
    return fail(ErrorCode::DeviceBusy, fmt::format("{} is {} (-f overwrites it)", path, what));
}
} // namespace

Status guardDevices(std::span<const std::string> paths, bool force)
{
    for (const std::string& path : paths) {
        std::error_code ignored;
        MP_TRY(std::filesystem::is_block_file(path, ignored) ? guardBlockDevice(path, force)
                                                             : guardImage(path, force));
    }
    return {};
}

} // namespace millpond::api::detail
