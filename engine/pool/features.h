// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "pool/mos.h"

#include <map>
#include <string>
#include <vector>

namespace millpond::pool {

/// The features a pool has enabled, by guid, with how many things use each (0: enabled only).
struct FeatureState
{
    std::map<std::string, std::uint64_t> forRead;  ///< without them the pool can't be read
    std::map<std::string, std::uint64_t> forWrite; ///< without them it can be read
    std::map<std::string, std::string> descriptions;

    [[nodiscard]] bool isEnabled(std::string_view guid) const;
    [[nodiscard]] bool isActive(std::string_view guid) const;
};

/// Empty for numbered versions.
[[nodiscard]] Result<FeatureState> readFeatures(const Mos& mos);

struct MissingFeature
{
    std::string guid;
    std::string description; ///< the pool's own words for it where it has any
    bool readOnlyCompatible = false;

    [[nodiscard]] std::string toText() const; ///< "org.x:y (what it does)"
};

/// Active features this program does not have: those that keep it from reading come first.
[[nodiscard]] std::vector<MissingFeature> missingFeatures(const FeatureState& state);

/// The labels list the features needed to read the pool's own objects: the first look, before
/// anything of the pool is read.
[[nodiscard]] std::vector<MissingFeature> missingFeatures(const format::NvList& label);

/// UnsupportedFeature naming the active features that this program does not keep up in a pool it
/// writes to.
[[nodiscard]] Status refuseIfUnwritable(const FeatureState& state);

/// UnsupportedFeature naming all of them; fine when there are none that keep from reading.
[[nodiscard]] Status refuseIfUnreadable(const std::vector<MissingFeature>& missing);

} // namespace millpond::pool
