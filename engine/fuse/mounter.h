// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "base/log.h"
#include "base/result.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace millpond::fuse {

/// Told of every kernel mount, so that somebody can unmount it when this process dies. Any thread.
class MountWatch
{
public:
    virtual ~MountWatch() = default;
    /// Before the mount is made: a crash in between is then covered, too.
    virtual void added(const std::string& path) = 0;
    /// After it is gone.
    virtual void removed(const std::string& path) = 0;
};

/// Where and how this helper mounts; given to the mounter at its creation.
struct MountPolicy
{
    bool system = false;     ///< true: root, default_permissions, mount(2); false: fusermount3
    std::string privateRoot; ///< private mode: every pool below here ($HOME/Millpond)
    std::string foreignRoot; ///< system mode: pools that are not this machine's own (/run/millpond)
    unsigned threads = 0;    ///< FUSE threads of a mount; 0: as many as suit the machine
    Log* log = nullptr;      ///< outlives the mounter
    MountWatch* watch = nullptr; ///< outlives the mounter
};

/// What became of one dataset.
struct MountOutcome
{
    std::string dataset, mountpoint;
    bool changed = false; ///< false without an error: it was so already
    std::optional<Error> error;
};

struct MountEntry
{
    std::string dataset, mountpoint;
    bool own = false;    ///< a kernel mount of its own; false: shown inside an ancestor's
    std::string options; ///< "ro,nosuid,nodev"
};

struct MountRequest
{
    std::vector<std::string>
        datasets;         ///< of the pool; empty: all that mount by themselves (canmount=on)
    std::string options;  ///< as after `mount -o`
    bool overlay = false; ///< also over a folder that is not empty
    bool force = false;
    bool trusted =
        false; ///< the pool is on this machine's own list: its properties say where it mounts
};

/// The port to the FUSE server: one kernel mount a tree of datasets (DESIGN decision 4), decided
/// from the pool's properties, the policy and the request. Thread-safe; calls block and are made on
/// the helper's executor, never on its bus thread. A dataset that fails does not stop the others.
class Mounter
{
public:
    virtual ~Mounter() = default;

    [[nodiscard]] virtual std::vector<MountOutcome> mount(const api::PoolRef& pool,
                                                          const MountRequest& request) = 0;
    /// Targets are datasets or mountpoints; empty: everything of the pool, or of all pools when
    /// `pool` is empty, too. Without force a dataset with open files is DatasetBusy. Forced or not,
    /// unmounting waits `patience` at most for what is in use, then detaches lazily if `force` says
    /// so.
    [[nodiscard]] virtual std::vector<MountOutcome> unmount(const std::string& pool,
                                                            const std::vector<std::string>& targets,
                                                            bool force,
                                                            std::chrono::milliseconds patience) = 0;
    [[nodiscard]] virtual std::vector<MountEntry> mounts() const = 0;
    /// True when `path` (absolute, taken literally) is at or below one of its mounts: nobody in
    /// this process may open or stat it, for that would wait for ourselves.
    [[nodiscard]] virtual bool covers(const std::string& path) const = 0;
    /// Called (any thread) when a mount went away without unmount(), by umount(8) say. Null to
    /// stop.
    virtual void onChange(std::function<void()> observer) = 0;
};

/// The mounter over libfuse. Theory statement: mounter.cpp. System when it cannot start its
/// threads.
[[nodiscard]] Result<std::unique_ptr<Mounter>> createMounter(const MountPolicy& policy);

} // namespace millpond::fuse
