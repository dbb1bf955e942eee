// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/dataset_ledger.h"
#include "intent_log/intent_log.h"
#include "object/live_object_set.h"

namespace millpond::pool {

/// A live dataset of a pool that is written to, while it is in use.
struct LiveHead
{
    dataset::LiveDataset* dataset = nullptr; ///< lives as long as the pool's tree
    std::shared_ptr<object::LiveObjectSet> objset;
    dataset::DatasetLedger ledger;
    object::WriteSettings settings; ///< syncing context only
};

using LiveHeadRef = std::shared_ptr<LiveHead>;

} // namespace millpond::pool
