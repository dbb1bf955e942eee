// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuse/placement.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::fuse {

namespace {
bool isAtOrBelow(std::string_view name, std::string_view ancestor)
{
    return name.starts_with(ancestor) &&
           (name.size() == ancestor.size() || name[ancestor.size()] == '/');
}
} // namespace

bool isDatasetAtOrBelow(std::string_view name, std::string_view ancestor)
{
    return isAtOrBelow(name, ancestor);
}

bool isPathAtOrBelow(std::string_view path, std::string_view folder)
{
    return folder == "/" || isAtOrBelow(path, folder);
}

Result<KernelOptions> parseMountOptions(std::string_view text, bool readOnlyPool)
{
    static constexpr std::string_view kMeaningless[] = {"",
                                                        "rw",
                                                        "defaults",
                                                        "suid",
                                                        "setuid",
                                                        "dev",
                                                        "devices",
                                                        "exec",
                                                        "atime",
                                                        "noatime",
                                                        "relatime",
                                                        "norelatime",
                                                        "diratime",
                                                        "nodiratime",
                                                        "xattr",
                                                        "strictatime",
                                                        "nostrictatime",
                                                        "zfsutil"};
    KernelOptions options{.readOnly = readOnlyPool};
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view word = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        if (word == "nosuid" || word == "nosetuid") {
            options.noSuid = true;
        } else if (word == "nodev" || word == "nodevices") {
            options.noDevices = true;
        } else if (word == "noexec") {
            options.noExec = true;
        } else if (word == "ro") {
            options.readOnly = true;
        } else if (word == "rw" && readOnlyPool) {
            return fail(ErrorCode::ReadOnly, "the pool is imported for reading only");
        } else if (std::ranges::find(kMeaningless, word) == std::end(kMeaningless)) {
            return fail(ErrorCode::InvalidArgument, fmt::format("no such mount option: {}", word));
        }
    }
    return options;
}

Result<std::string> placeOf(const DatasetInfo& info, const PlacementRules& rules)
{
    const auto refuse = [&info](ErrorCode code, std::string text) {
        return fail(code, std::move(text), {.dataset = info.name});
    };
    if (info.canMount == "off") {
        return refuse(ErrorCode::InvalidArgument, "'canmount' property is set to 'off'");
    }
    if (info.encrypted) {
        return refuse(ErrorCode::Encrypted, "encryption key not loaded");
    }
    if (!rules.base.empty()) {
        const std::size_t pool = std::min(info.name.find('/'), info.name.size());
        return rules.base + info.name.substr(pool);
    }
    if (info.mountpoint == "none" || info.mountpoint == "legacy") {
        return refuse(ErrorCode::InvalidArgument,
                      info.mountpoint == "none" ? "no mountpoint set" : "legacy mountpoint");
    }
    if (!info.mountpoint.starts_with('/')) {
        return refuse(ErrorCode::BadDataset, "the mountpoint is no absolute path");
    }
    return info.mountpoint;
}

KernelOptions kernelOptionsOf(const DatasetInfo& info, const PlacementRules& rules)
{
    // A dataset that is read-only says so itself.
    return {.readOnly = rules.readOnly || rules.asked.readOnly,
            .noSuid = !info.setuid || rules.restricted || rules.asked.noSuid,
            .noDevices = !info.devices || rules.restricted || rules.asked.noDevices,
            .noExec = !info.exec || rules.asked.noExec};
}

std::string pathBelow(const std::string& path, const std::string& root, const std::string& dataset)
{
    const std::string rest = dataset.substr(root.size());
    return path == "/" && !rest.empty() ? rest : path + rest;
}

PlaceKind placeKind(const DatasetInfo& info,
                    const std::string& path,
                    const PlacementRules& rules,
                    const MountSite* site)
{
    if (site == nullptr || path != pathBelow(site->path, site->root, info.name)) {
        return PlaceKind::Own;
    }
    if (rules.oneMountOnly && NodeNumbers::fits(info.objset)) {
        return PlaceKind::Inside;
    }
    const bool fits = !info.separateMount && NodeNumbers::fits(info.objset) &&
                      kernelOptionsOf(info, rules) == site->options;
    return fits ? PlaceKind::Inside : PlaceKind::Nested;
}

} // namespace millpond::fuse
