// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "bus/client.h"
#include "daemon/changes.h"
#include "daemon/mounter.h"
#include "daemon/pool_control.h"

#include <string>
#include <vector>

namespace millpond::daemon {

/// Changes of datasets joined with what is mounted of them: what is changed is unmounted before and
/// mounted again after, where it has to be, so that a mount never shows a dataset under a name that
/// it no longer has. Has no state; knows no D-Bus. Calls block and come from the executor.
class DatasetControl
{
public:
    using Texts = std::vector<std::string>;
    using Outcomes = std::vector<MountOutcome>;

    DatasetControl(PoolControl& pools, Mounter& mounter, Changes& changes)
        : m_pools(pools)
        , m_mounter(mounter)
        , m_changes(changes)
    {
    }

    /// Those of one pool in one txg.
    [[nodiscard]] Result<Outcomes> create(const std::vector<bus::NewDataset>& datasets, bool mount);
    /// Children before their parents.
    [[nodiscard]] Status destroy(Texts datasets, bool force);
    [[nodiscard]] Result<Outcomes> rename(const bus::RenameOrder& order);
    [[nodiscard]] Result<Outcomes>
    set(const Texts& datasets, const bus::TextPairs& properties, bool mount);
    [[nodiscard]] Result<Outcomes>
    inherit(const Texts& datasets, const std::string& property, bool received);

    /// The command in the history of every pool that one of `datasets` lies in.
    void note(const Texts& datasets, const std::string& command, std::uint32_t user);

private:
    [[nodiscard]] Result<api::PoolRef> poolOf(const std::string& dataset);
    [[nodiscard]] Texts mountedBelow(const std::string& dataset) const;
    [[nodiscard]] Status unmount(const std::string& dataset, bool force);
    [[nodiscard]] Outcomes mountThose(api::Pool& pool, const Texts& datasets);
    template <class Work>
    [[nodiscard]] Result<Outcomes>
    moving(const Texts& datasets, const Texts& properties, bool mount, Work work);

    PoolControl& m_pools;
    Mounter& m_mounter;
    Changes& m_changes;
};

} // namespace millpond::daemon
