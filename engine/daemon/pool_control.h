// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "bus/client.h"
#include "daemon/changes.h"
#include "daemon/mounter.h"
#include "daemon/start_list.h"
#include "device/device_list.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace millpond::daemon {

using DeviceLister = std::function<Result<std::vector<device::DeviceInfo>>()>;

/// What pools mean to this helper: the engine's import and export joined with mounts, the list of
/// pools to open at start, and the rule that a path below an own mount is never looked at. Knows no
/// D-Bus. Calls block and come from the executor; thread-safe.
class PoolControl
{
public:
    struct Parts
    {
        api::Engine& engine;
        Mounter& mounter;
        StartList& startList;
        Changes& changes;
        const Clock& clock;
        Log& log;
        DeviceLister devices;
    };

    explicit PoolControl(Parts parts);

    struct Imported
    {
        std::string name;
        PoolGuid guid;
        bool changed = false;
        std::vector<MountOutcome> mounts;
    };

    [[nodiscard]] Result<std::vector<api::FoundPool>> scan(const bus::ScanQuery& query);
    [[nodiscard]] Result<Imported> importPool(const bus::ImportOrder& order);
    /// Owned by the helper's own user, which in private mode is the caller's.
    [[nodiscard]] Result<Imported> createPool(const bus::CreatePoolOrder& order);
    [[nodiscard]] Status destroyPool(const std::string& pool, bool force);
    [[nodiscard]] Status exportPool(const std::string& pool, bool force);
    [[nodiscard]] Result<bool> setOpenAtStart(const std::string& pool, bool enabled);
    /// Where to look, for a scan, an import or a check.
    [[nodiscard]] Result<api::ScanRequest> places(const std::vector<std::string>& searchPaths);

    /// Names empty: all that are imported. NoSuchPool for one that is not.
    [[nodiscard]] Result<std::vector<api::PoolRef>> pools(const std::vector<std::string>& names);
    [[nodiscard]] bool isImported(PoolGuid guid) const;
    /// Monotonic time of the import; 0 when it is not imported.
    [[nodiscard]] std::uint64_t importedAt(PoolGuid guid) const MP_EXCLUDES(m_mutex);

    [[nodiscard]] std::vector<MountOutcome> mount(const bus::MountOrder& order);
    [[nodiscard]] std::vector<MountOutcome> unmount(const bus::UnmountOrder& order);

    /// Opens the pools of the start list; what fails is logged and left out.
    void openStartPools();
    /// The end: unmounts everything, lazily after `patience`, and exports every pool.
    void settle(std::chrono::milliseconds patience);

private:
    struct Book
    {
        std::vector<std::string> searchPaths;
        std::uint64_t importedAt = 0;
    };

    [[nodiscard]] Status unmountPool(const api::PoolRef& pool, bool force);
    void forget(const api::PoolRef& pool, const char* what);
    [[nodiscard]] Status addPlace(api::ScanRequest& request, const std::string& path);
    [[nodiscard]] Status addOwnDevices(api::ScanRequest& request);
    [[nodiscard]] std::vector<std::string> placesNow(const std::vector<std::string>& remembered);
    [[nodiscard]] std::vector<MountOutcome> mountPool(const api::PoolRef& pool,
                                                      MountRequest request);
    void tellMounts(const std::vector<MountOutcome>& outcomes);

    Parts m_parts;
    mutable Mutex m_mutex;
    std::map<std::uint64_t, Book> m_books MP_GUARDED_BY(m_mutex); ///< by pool guid
};

/// "tank" of "tank/home@monday"
[[nodiscard]] std::string poolNameOf(const std::string& dataset);

} // namespace millpond::daemon
