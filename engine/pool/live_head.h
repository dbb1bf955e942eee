// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "dataset/dataset_ledger.h"
#include "object/live_object_set.h"

#include <functional>

namespace millpond::pool {

/// A live dataset of a pool that is written to, while it is in use.
struct LiveHead
{
    LiveHead(dataset::LiveDataset& of,
             std::shared_ptr<object::LiveObjectSet> opened,
             dataset::ChargedBytes charged,
             const object::WriteSettings& usual)
        : dataset(&of)
        , objset(std::move(opened))
        , ledger(std::move(charged))
        , settings(usual)
    {
    }

    dataset::LiveDataset* dataset; ///< lives as long as the pool's tree
    std::shared_ptr<object::LiveObjectSet> objset;
    dataset::DatasetLedger ledger;
    Mutex mutex; ///< of what follows
    object::WriteSettings settings MP_GUARDED_BY(mutex);
    /// Whether names of more than 255 bytes were given (feature longname); null: no.
    std::function<bool()> usesLongNames MP_GUARDED_BY(mutex);
};

using LiveHeadRef = std::shared_ptr<LiveHead>;

} // namespace millpond::pool
