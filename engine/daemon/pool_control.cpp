// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/pool_control.h"

#include "daemon/safe_path.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace millpond::daemon {

namespace {
using std::chrono::milliseconds;

/// How long a forced unmount waits for open files before it detaches lazily.
constexpr milliseconds kForcePatience{2'000};

/// May hold a pool's label, as far as libblkid can tell. What it recognises as something else does
/// not.
bool mayHoldPool(const device::DeviceInfo& device)
{
    const device::Content& content = device.content;
    return device.kind != device::DeviceKind::Optical &&
           (!device.contentKnown || content.ambiguous || content.type.empty() ||
            content.type == "zfs_member");
}

const MountOutcome* firstFailure(const std::vector<MountOutcome>& outcomes)
{
    const auto failed = std::ranges::find_if(
        outcomes, [](const MountOutcome& each) { return each.error.has_value(); });
    return failed == outcomes.end() ? nullptr : &*failed;
}
} // namespace

std::string poolNameOf(const std::string& dataset)
{
    return dataset.substr(0, dataset.find_first_of("/@#"));
}

PoolControl::PoolControl(Parts parts)
    : m_parts(std::move(parts))
{
}

Status PoolControl::addPlace(api::ScanRequest& request, const std::string& path)
{
    const auto covers = [this](const std::string& each) { return m_parts.mounter.covers(each); };
    const std::string resolved = MP_TRY(resolveOutside(path, covers));
    struct stat facts = {};
    if (::stat(resolved.c_str(), &facts) != 0) {
        return fail(systemError(errno, "cannot look at", path));
    }
    // Nothing else is opened on a caller's behalf: opening a tape or a fifo already does something.
    if (S_ISDIR(facts.st_mode)) {
        request.directories.push_back(path);
    } else if (S_ISREG(facts.st_mode) || S_ISBLK(facts.st_mode)) {
        request.devices.push_back(path);
    } else {
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("{} is neither a folder nor a device nor a file", path));
    }
    return {};
}

Status PoolControl::addOwnDevices(api::ScanRequest& request)
{
    const std::vector<device::DeviceInfo> devices = MP_TRY(m_parts.devices());
    for (const device::DeviceInfo& device : devices) {
        if (mayHoldPool(device)) {
            request.devices.push_back(device.byId.empty() ? device.path : device.byId);
        }
    }
    return {};
}

Result<api::ScanRequest> PoolControl::places(const std::vector<std::string>& searchPaths)
{
    api::ScanRequest request;
    for (const std::string& path : searchPaths) {
        MP_TRY(addPlace(request, path));
    }
    if (searchPaths.empty()) {
        MP_TRY(addOwnDevices(request));
    }
    return request;
}

Result<std::vector<api::FoundPool>> PoolControl::scan(const bus::ScanQuery& query)
{
    api::ScanRequest request = MP_TRY(places(query.searchPaths));
    request.destroyedToo = query.destroyedToo;
    return m_parts.engine.scan(request);
}

Result<PoolControl::Imported> PoolControl::importPool(const bus::ImportOrder& order)
{
    if (order.pool.empty()) {
        return fail(ErrorCode::InvalidArgument, "no pool was named");
    }
    if (const Result<api::PoolRef> open = m_parts.engine.find(order.pool);
        open && order.newName.empty()) {
        return Imported{(*open)->name(), (*open)->guid(), false, {}};
    }
    api::ImportRequest request;
    request.pool = order.pool;
    request.newName = order.newName;
    request.where = MP_TRY(places(order.searchPaths));
    request.readOnly = order.readOnly;
    request.force = order.force;
    request.altroot = order.altroot;
    request.properties = order.properties;
    request.missingLogOk = order.missingLogOk;
    const api::PoolRef pool = MP_TRY(m_parts.engine.importPool(request));
    {
        const MutexLock lock(m_mutex);
        m_books[pool->guid().value()] = {
            order.searchPaths, static_cast<std::uint64_t>(m_parts.clock.monotonic().count())};
    }
    m_parts.log.print(LogLevel::Info,
                      "imported {} ({}){}",
                      pool->name(),
                      pool->guid().value(),
                      order.readOnly ? " for reading" : "");
    m_parts.changes.pool(pool->guid());
    m_parts.changes.datasets(pool->name());
    Imported imported{pool->name(), pool->guid(), true, {}};
    if (order.mount) {
        imported.mounts = mountPool(pool, {});
    }
    return imported;
}

Result<PoolControl::Imported> PoolControl::createPool(const bus::CreatePoolOrder& order)
{
    const auto covers = [this](const std::string& each) { return m_parts.mounter.covers(each); };
    std::vector<std::string> devices;
    for (const std::string& word : order.vdevs) {
        if (word.starts_with('/')) {
            MP_TRY(resolveOutside(word, covers));
            devices.push_back(word);
        }
    }
    api::CreatePoolRequest request;
    request.name = order.name;
    request.vdevs = order.vdevs;
    request.properties = order.properties;
    request.fileSystemProperties = order.fileSystemProperties;
    request.noFeatures = order.noFeatures;
    request.altroot = order.altroot;
    request.force = order.force;
    request.uid = ::geteuid();
    request.gid = ::getegid();
    request.command = order.command;
    const api::PoolRef pool = MP_TRY(m_parts.engine.createPool(request));
    {
        const MutexLock lock(m_mutex);
        m_books[pool->guid().value()] = {
            std::move(devices), static_cast<std::uint64_t>(m_parts.clock.monotonic().count())};
    }
    m_parts.log.print(LogLevel::Info, "created {} ({})", pool->name(), pool->guid().value());
    m_parts.changes.pool(pool->guid());
    m_parts.changes.datasets(pool->name());
    Imported made{pool->name(), pool->guid(), true, {}};
    if (order.mount) {
        made.mounts = mountPool(pool, {});
    }
    return made;
}

Status PoolControl::exportPool(const std::string& name, bool force)
{
    const api::PoolRef pool = MP_TRY(m_parts.engine.find(name));
    MP_TRY(unmountPool(pool, force));
    MP_TRY(m_parts.engine.exportPool(pool->name(), force));
    forget(pool, "exported");
    return {};
}

Status PoolControl::destroyPool(const std::string& name, bool force)
{
    const api::PoolRef pool = MP_TRY(m_parts.engine.find(name));
    if (!pool->isWritable()) {
        return fail(ErrorCode::ReadOnly,
                    fmt::format("pool \"{}\" is imported read-only", pool->name()));
    }
    MP_TRY(unmountPool(pool, force));
    MP_TRY(m_parts.engine.destroyPool(pool->name(), force));
    forget(pool, "destroyed");
    (void)m_parts.startList.remove(pool->guid());
    return {};
}

Status PoolControl::unmountPool(const api::PoolRef& pool, bool force)
{
    const std::vector<MountOutcome> outcomes =
        m_parts.mounter.unmount(pool->name(), {}, force, force ? kForcePatience : milliseconds(0));
    tellMounts(outcomes);
    if (const MountOutcome* failed = firstFailure(outcomes); failed != nullptr && !force) {
        return fail(
            ErrorCode::PoolBusy,
            fmt::format("{} cannot be unmounted: {}", failed->dataset, failed->error->toText()));
    }
    return {};
}

void PoolControl::forget(const api::PoolRef& pool, const char* what)
{
    {
        const MutexLock lock(m_mutex);
        m_books.erase(pool->guid().value());
    }
    m_parts.log.print(LogLevel::Info, "{} {}", what, pool->name());
    m_parts.changes.pool(pool->guid());
    m_parts.changes.datasets(pool->name());
}

Result<bool> PoolControl::setOpenAtStart(const std::string& name, bool enabled)
{
    const Result<api::PoolRef> open = m_parts.engine.find(name);
    if (enabled) {
        if (!open) {
            return fail(open.error());
        }
        StartPool entry{(*open)->guid(), (*open)->name(), {}};
        {
            const MutexLock lock(m_mutex);
            const auto book = m_books.find(entry.guid.value());
            entry.searchPaths =
                book == m_books.end() ? entry.searchPaths : book->second.searchPaths;
        }
        return m_parts.startList.add(std::move(entry));
    }
    for (const StartPool& entry : m_parts.startList.pools()) {
        if (entry.name == name || std::to_string(entry.guid.value()) == name) {
            return m_parts.startList.remove(entry.guid);
        }
    }
    return false;
}

Result<std::vector<api::PoolRef>> PoolControl::pools(const std::vector<std::string>& names)
{
    if (names.empty()) {
        return m_parts.engine.pools();
    }
    std::vector<api::PoolRef> found;
    for (const std::string& name : names) {
        found.push_back(MP_TRY(m_parts.engine.find(name)));
    }
    return found;
}

bool PoolControl::isImported(PoolGuid guid) const
{
    const std::vector<api::PoolRef> open = m_parts.engine.pools();
    return std::ranges::any_of(open,
                               [guid](const api::PoolRef& pool) { return pool->guid() == guid; });
}

std::uint64_t PoolControl::importedAt(PoolGuid guid) const
{
    const MutexLock lock(m_mutex);
    const auto book = m_books.find(guid.value());
    return book == m_books.end() ? 0 : book->second.importedAt;
}

std::vector<MountOutcome> PoolControl::mountPool(const api::PoolRef& pool, MountRequest request)
{
    request.trusted = m_parts.startList.contains(pool->guid());
    std::vector<MountOutcome> outcomes = m_parts.mounter.mount(pool, request);
    for (const MountOutcome& outcome : outcomes) {
        if (outcome.error) {
            m_parts.log.print(
                LogLevel::Warning, "cannot mount {}: {}", outcome.dataset, outcome.error->toText());
        }
    }
    tellMounts(outcomes);
    return outcomes;
}

void PoolControl::tellMounts(const std::vector<MountOutcome>& outcomes)
{
    std::vector<std::string> changed;
    for (const MountOutcome& outcome : outcomes) {
        if (outcome.changed) {
            changed.push_back(outcome.dataset);
        }
    }
    if (!changed.empty()) {
        m_parts.changes.mounts(changed);
    }
}

std::vector<MountOutcome> PoolControl::mount(const bus::MountOrder& order)
{
    std::vector<MountOutcome> outcomes;
    std::map<std::string, MountRequest> requests; ///< by pool
    for (const std::string& dataset : order.datasets) {
        requests[poolNameOf(dataset)].datasets.push_back(dataset);
    }
    if (order.datasets.empty()) {
        for (const api::PoolRef& pool : m_parts.engine.pools()) {
            requests[pool->name()] = {};
        }
    }
    for (auto& [name, request] : requests) {
        request.options = order.options;
        request.overlay = order.overlay;
        request.force = order.force;
        const Result<api::PoolRef> pool = m_parts.engine.find(name);
        if (!pool) {
            for (const std::string& dataset : request.datasets) {
                outcomes.push_back({dataset,
                                    "",
                                    false,
                                    Error(ErrorCode::NoSuchDataset, "dataset does not exist")});
            }
            continue;
        }
        std::vector<MountOutcome> more = mountPool(*pool, std::move(request));
        std::ranges::move(more, std::back_inserter(outcomes));
    }
    return outcomes;
}

std::vector<MountOutcome> PoolControl::unmount(const bus::UnmountOrder& order)
{
    std::vector<MountOutcome> outcomes = m_parts.mounter.unmount(
        "", order.targets, order.force, order.force ? kForcePatience : milliseconds(0));
    tellMounts(outcomes);
    return outcomes;
}

/// Devices and files may have other names by now: they are looked for beside where they were.
std::vector<std::string> PoolControl::placesNow(const std::vector<std::string>& remembered)
{
    std::set<std::string> there;
    for (const std::string& path : remembered) {
        api::ScanRequest looked;
        if (addPlace(looked, path)) {
            there.insert(path);
        }
        const std::string folder = std::filesystem::path(path).parent_path();
        if (looked.directories.empty() && addPlace(looked, folder)) {
            there.insert(folder);
        }
    }
    return there.empty() ? remembered : std::vector<std::string>(there.begin(), there.end());
}

void PoolControl::openStartPools()
{
    for (const StartPool& entry : m_parts.startList.pools()) {
        bus::ImportOrder order;
        order.pool = std::to_string(entry.guid.value());
        order.searchPaths = placesNow(entry.searchPaths);
        order.readOnly = false;
        Result<Imported> imported = importPool(order);
        if (!imported && errorClass(imported.error().code()) == ErrorClass::Unsupported) {
            order.readOnly = true; // rather to be seen than not at all
            imported = importPool(order);
        }
        if (!imported) {
            m_parts.log.print(LogLevel::Error,
                              "cannot open {} at start: {}",
                              entry.name,
                              imported.error().toText());
            continue;
        }
        const MutexLock lock(m_mutex);
        m_books[entry.guid.value()].searchPaths = entry.searchPaths;
    }
}

void PoolControl::settle(milliseconds patience)
{
    for (const MountOutcome& outcome : m_parts.mounter.unmount("", {}, true, patience)) {
        if (outcome.error) {
            m_parts.log.print(LogLevel::Warning,
                              "{} stays mounted: {}",
                              outcome.dataset,
                              outcome.error->toText());
        }
    }
    for (const api::PoolRef& pool : m_parts.engine.pools()) {
        if (const Status exported = m_parts.engine.exportPool(pool->name(), true); !exported) {
            m_parts.log.print(
                LogLevel::Error, "cannot export {}: {}", pool->name(), exported.error().toText());
        }
    }
}

} // namespace millpond::daemon
