// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/dataset_ledger.h"
#include "intent_log/intent_log.h"
#include "object/live_object_set.h"

#include <functional>

namespace millpond::pool {

/// A live dataset of a pool that is written to, while it is in use.
struct LiveHead
{
    dataset::LiveDataset* dataset = nullptr; ///< lives as long as the pool's tree
    std::shared_ptr<object::LiveObjectSet> objset;
    dataset::DatasetLedger ledger;
    // Syncing context only.
    object::WriteSettings settings;
    /// Whether names of more than 255 bytes were given (feature longname); null: no.
    std::function<bool()> usesLongNames;
};

using LiveHeadRef = std::shared_ptr<LiveHead>;

/// What a head is to be synced with from the next txg on: see LiveHead.
struct HeadSettings
{
    LiveHeadRef head;
    object::WriteSettings settings;
    std::function<bool()> usesLongNames;
};

} // namespace millpond::pool
