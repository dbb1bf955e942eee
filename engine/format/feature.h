// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace millpond::format {

/// How far this program goes with a feature that is active in a pool.
enum class FeatureSupport : std::uint8_t
{
    None,     ///< refused by name, unless it is read-only compatible and the import read-only
    ReadOnly, ///< read; a pool that uses it is not imported for writing
    Write,
};

/// A feature flag: the catalogue has all of OpenZFS 2.3.
struct Feature
{
    std::string_view guid; ///< "com.delphix:async_destroy"
    std::string_view name; ///< "async_destroy"
    std::string_view description;
    bool readOnlyCompatible = false; ///< a program without it may read the pool
    bool mos = false;                ///< needed to read the pool's own objects
    bool perDataset = false;
    bool activateOnEnable = false;
    FeatureSupport support = FeatureSupport::None;
    std::span<const std::string_view> depends; ///< names
};

[[nodiscard]] std::span<const Feature> features(); ///< in the order `zpool get all` prints them
[[nodiscard]] const Feature* featureByGuid(std::string_view guid); ///< null: unknown
[[nodiscard]] const Feature* featureByName(std::string_view name); ///< null: unknown

inline constexpr std::uint64_t kPoolVersionFeatures = 5000;
inline constexpr std::uint64_t kPoolVersionNewestNumbered = 28;

struct PoolVersion
{
    std::uint64_t version;
    std::string_view description; ///< what it brought
};

[[nodiscard]] std::span<const PoolVersion> poolVersions();       ///< 1 to 28
[[nodiscard]] std::span<const PoolVersion> filesystemVersions(); ///< 1 to 5

/// 1 to 28 and 5000.
[[nodiscard]] constexpr bool isSupportedPoolVersion(std::uint64_t version)
{
    return (version >= 1 && version <= kPoolVersionNewestNumbered) ||
           version == kPoolVersionFeatures;
}

/// Pool versions at which the layout of what we read changes.
inline constexpr std::uint64_t kVersionDitto = 2;
inline constexpr std::uint64_t kVersionRaidz2 = 3;
inline constexpr std::uint64_t kVersionDeflate = 3; ///< space is counted without parity
inline constexpr std::uint64_t kVersionOrigin = 11;
inline constexpr std::uint64_t kVersionUsedBreakdown = 13;
inline constexpr std::uint64_t kVersionUserSpace = 15;
inline constexpr std::uint64_t kVersionDedup = 21;
inline constexpr std::uint64_t kVersionSlimZil = 23;
inline constexpr std::uint64_t kVersionSystemAttributes = 24;
inline constexpr std::uint64_t kVersionDeadlists = 26;

} // namespace millpond::format
