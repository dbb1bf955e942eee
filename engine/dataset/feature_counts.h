// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/types.h"

#include <string_view>

namespace millpond::dataset {

/// The port to the pool's features: which are enabled, and how many things use each. Names are the
/// short ones ("empty_bpobj"). Reading from any thread, changes in syncing context.
class FeatureCounts
{
public:
    virtual ~FeatureCounts() = default;
    [[nodiscard]] virtual bool isEnabled(std::string_view name) const = 0;
    [[nodiscard]] virtual bool isActive(std::string_view name) const = 0;
    /// The count must not fall below 0: BadConfig.
    [[nodiscard]] virtual Status count(std::string_view name, std::int64_t delta, Txg txg) = 0;
};

} // namespace millpond::dataset
