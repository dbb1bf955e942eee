// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/scanner.h"

#include "base/mutex.h"
#include "device/file_device.h"
#include "format/label.h"
#include "runtime/task_group.h"
#include "vdev/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>

namespace millpond::pool {

namespace {
namespace fs = std::filesystem;

/// More than any machine's folder of disks; a folder with more entries is the wrong one.
constexpr std::size_t kMaxCandidates = 100'000;

bool mayBeLeaf(const fs::path& path)
{
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (error) {
        return false;
    }
    if (fs::is_block_file(status)) {
        return true;
    }
    return fs::is_regular_file(status) && fs::file_size(path, error) >= format::kMinDeviceBytes &&
           !error;
}

Status addFolder(const std::string& folder, std::set<std::string>& candidates)
{
    std::error_code error;
    fs::directory_iterator entries(folder, error);
    while (!error && entries != fs::directory_iterator()) {
        if (mayBeLeaf(entries->path())) {
            candidates.insert(entries->path().string());
        }
        if (candidates.size() > kMaxCandidates) {
            return fail(ErrorCode::TooMany,
                        fmt::format("more than {} files to look at", kMaxCandidates),
                        {.path = folder});
        }
        entries.increment(error);
    }
    return error ? Status(fail(systemError(error.value(), "reading the folder", folder)))
                 : Status();
}

Result<std::set<std::string>> candidatesOf(const ScanPlaces& places)
{
    std::set<std::string> candidates;
    for (const std::string& folder : places.directories) {
        MP_TRY(addFolder(folder, candidates));
    }
    for (const std::string& device : places.devices) {
        std::error_code error;
        const fs::file_status status = fs::status(device, error);
        if (error || !fs::exists(status)) {
            return fail(systemError(error ? error.value() : ENOENT, "looking for pools", device));
        }
        if (fs::is_directory(status)) {
            MP_TRY(addFolder(device, candidates));
        } else {
            candidates.insert(device);
        }
    }
    return candidates;
}

/// Several names of one device (by-id links beside sda) are one leaf: the shortest name stays.
std::vector<std::string> withoutAliases(const std::set<std::string>& candidates)
{
    std::map<std::string, std::string> byRealPath;
    for (const std::string& candidate : candidates) {
        std::error_code error;
        const std::string real = fs::canonical(candidate, error).string();
        std::string& name = byRealPath[error ? candidate : real];
        if (name.empty() || candidate.size() < name.size()) {
            name = candidate;
        }
    }
    std::vector<std::string> names;
    for (auto& [real, name] : byRealPath) {
        names.push_back(std::move(name));
    }
    return names;
}

struct Look
{
    std::optional<Sighting> sighting;
    std::string complaint;
};

Look lookAt(const std::string& path)
{
    Look look;
    auto device = device::openFileDevice(path, {.access = device::Access::Probe});
    if (!device) {
        look.complaint = device.error().toText();
        return look;
    }
    auto labels = vdev::readLabels(**device);
    if (!labels || labels->config() == nullptr) {
        if (!labels && !labels.error().is(ErrorCode::BadLabel)) {
            look.complaint = labels.error().toText();
        }
        return look;
    }
    Sighting& sighting = look.sighting.emplace();
    sighting.path = path;
    sighting.size = (*device)->size().value();
    sighting.label = *labels->config();
    if (const format::Uberblock* best = labels->best()) {
        sighting.uberblock = *best;
    }
    return look;
}
} // namespace

Result<ScanResult> scanForPools(const ScanPlaces& places, runtime::Executor& executor)
{
    const std::vector<std::string> paths = withoutAliases(MP_TRY(candidatesOf(places)));
    std::vector<Look> looks(paths.size());
    MP_TRY(runtime::parallelFor(executor, paths.size(), [&](std::size_t i) -> Status {
        looks[i] = lookAt(paths[i]);
        return {};
    }));
    ScanResult result;
    std::vector<Sighting> sightings;
    for (Look& look : looks) {
        if (look.sighting) {
            sightings.push_back(std::move(*look.sighting));
        }
        if (!look.complaint.empty()) {
            result.complaints.push_back(std::move(look.complaint));
        }
    }
    result.pools = assemblePools(sightings, result.complaints);
    return result;
}

} // namespace millpond::pool
