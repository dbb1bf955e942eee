// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "daemon/changes.h"
#include "daemon/jobs.h"
#include "daemon/method.h"
#include "daemon/mounter.h"
#include "daemon/pool_control.h"
#include "daemon/start_list.h"

#include <atomic>

namespace millpond::daemon {

/// What the methods work on; outlives the table.
struct MethodParts
{
    api::Engine& engine;
    PoolControl& pools;
    Mounter& mounter;
    StartList& startList;
    Changes& changes;
    const Clock& clock;
    DeviceLister devices;
    std::function<JobRegistry&()> jobs;        ///< loop thread
    std::atomic<std::uint64_t>& eventsCleared; ///< id of the last event that was cleared
};

void addPoolMethods(MethodTable& table, const MethodParts& parts);
void addDatasetMethods(MethodTable& table, const MethodParts& parts);
void addChangeMethods(MethodTable& table, const MethodParts& parts);
void addJobMethods(MethodTable& table, const MethodParts& parts);

} // namespace millpond::daemon
