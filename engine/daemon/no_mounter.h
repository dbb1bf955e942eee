// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "daemon/mounter.h"

namespace millpond::daemon {

/// For a machine on which nothing can be mounted (no /dev/fuse): pools are imported all the same,
/// and every mount says why not.
class NoMounter final : public Mounter
{
public:
    explicit NoMounter(std::string reason)
        : m_reason(std::move(reason))
    {
    }

    [[nodiscard]] std::vector<MountOutcome> mount(const api::PoolRef& pool,
                                                  const MountRequest& request) override
    {
        std::vector<MountOutcome> outcomes;
        const std::vector<std::string> datasets =
            request.datasets.empty() ? std::vector{pool->name()} : request.datasets;
        for (const std::string& dataset : datasets) {
            outcomes.push_back({dataset, "", false, Error(ErrorCode::UnsupportedMethod, m_reason)});
        }
        return outcomes;
    }

    [[nodiscard]] std::vector<MountOutcome> unmount(const std::string&,
                                                    const std::vector<std::string>& targets,
                                                    bool,
                                                    std::chrono::milliseconds) override
    {
        std::vector<MountOutcome> outcomes;
        for (const std::string& target : targets) {
            outcomes.push_back(
                {target, "", false, Error(ErrorCode::NotMounted, "not currently mounted")});
        }
        return outcomes;
    }

    [[nodiscard]] std::vector<MountEntry> mounts() const override { return {}; }

    [[nodiscard]] bool covers(const std::string&) const override { return false; }

    void onChange(std::function<void()>) override {}

private:
    std::string m_reason;
};

} // namespace millpond::daemon
