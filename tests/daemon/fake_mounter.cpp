// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/mutex.h"
#include "bus/unique_fd.h"
#include "daemon/fake_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mount.h>

namespace millpond::test {

namespace {
using daemon::MountEntry;
using daemon::MountOutcome;

class FakeMounter final : public daemon::Mounter
{
public:
    explicit FakeMounter(daemon::MountPolicy policy)
        : m_policy(std::move(policy))
    {
    }

    std::vector<MountOutcome> mount(const api::PoolRef& pool,
                                    const daemon::MountRequest& request) override
    {
        std::vector<MountOutcome> outcomes;
        std::vector<std::string> datasets = request.datasets;
        if (datasets.empty()) {
            datasets = {pool->name(), pool->name() + "/home"};
        }
        const MutexLock lock(m_mutex);
        for (const std::string& dataset : datasets) {
            outcomes.push_back(mountOne(dataset, request.trusted));
        }
        return outcomes;
    }

    std::vector<MountOutcome> unmount(const std::string& pool,
                                      const std::vector<std::string>& targets,
                                      bool force,
                                      std::chrono::milliseconds) override
    {
        const MutexLock lock(m_mutex);
        std::vector<MountOutcome> outcomes;
        std::vector<MountEntry> kept;
        for (const MountEntry& mount : m_mounts) {
            const bool wanted =
                targets.empty()
                    ? pool.empty() || mount.dataset == pool || mount.dataset.starts_with(pool + "/")
                    : std::ranges::count(targets, mount.dataset) +
                              std::ranges::count(targets, mount.mountpoint) >
                          0;
            MountOutcome outcome{mount.dataset, mount.mountpoint, true, {}};
            if (wanted && mount.dataset.ends_with("/busy") && !force) {
                outcome.changed = false;
                outcome.error = Error(ErrorCode::DatasetBusy, "dataset is busy");
            }
            if (!wanted || outcome.error) {
                kept.push_back(mount);
            }
            if (wanted) {
                outcomes.push_back(std::move(outcome));
            }
        }
        m_mounts = std::move(kept);
        if (m_mounts.empty()) {
            unmountKernel();
        }
        return outcomes;
    }

    std::vector<MountEntry> mounts() const override
    {
        const MutexLock lock(m_mutex);
        return m_mounts;
    }

    bool covers(const std::string& path) const override
    {
        const MutexLock lock(m_mutex);
        return std::ranges::any_of(m_mounts, [&path](const MountEntry& mount) {
            return path == mount.mountpoint || path.starts_with(mount.mountpoint + "/");
        });
    }

    void onChange(std::function<void()>) override {}

private:
    MountOutcome mountOne(const std::string& dataset, bool trusted) MP_REQUIRES(m_mutex)
    {
        const std::string& root =
            m_policy.system && !trusted ? m_policy.foreignRoot : m_policy.privateRoot;
        MountOutcome outcome{dataset, root + "/" + dataset, false, {}};
        if (std::ranges::find(m_mounts, dataset, &MountEntry::dataset) == m_mounts.end()) {
            outcome.changed = true;
            m_mounts.push_back({dataset, outcome.mountpoint, true, "ro"});
            mountKernel();
        }
        return outcome;
    }

    /// A mount that is never served: whoever looks at it waits, or gets ENOTCONN once we are dead.
    void mountKernel()
    {
        const char* folder = std::getenv("MILLPOND_FAKE_MOUNT");
        if (folder == nullptr || m_fuse.valid()) {
            return;
        }
        m_kernelMount = folder;
        m_policy.watch->added(m_kernelMount);
        m_fuse = bus::UniqueFd(::open("/dev/fuse", O_RDWR | O_CLOEXEC));
        const std::string options =
            fmt::format("fd={},rootmode=40000,user_id=0,group_id=0", m_fuse.get());
        (void)::mount("fake", folder, "fuse.zfs", MS_NOSUID | MS_NODEV, options.c_str());
    }

    void unmountKernel()
    {
        if (m_fuse.valid()) {
            (void)::umount2(m_kernelMount.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
            m_fuse.reset();
            m_policy.watch->removed(m_kernelMount);
        }
    }

    daemon::MountPolicy m_policy;
    bus::UniqueFd m_fuse;
    std::string m_kernelMount;
    mutable Mutex m_mutex;
    std::vector<MountEntry> m_mounts MP_GUARDED_BY(m_mutex);
};
} // namespace

Result<std::unique_ptr<daemon::Mounter>> createFakeMounter(const daemon::MountPolicy& policy)
{
    return std::unique_ptr<daemon::Mounter>(std::make_unique<FakeMounter>(policy));
}

} // namespace millpond::test
