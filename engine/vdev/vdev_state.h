// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace millpond::vdev {

/// Numbers as in OpenZFS' vdev statistics; the order is that of health.
enum class VdevState : std::uint8_t
{
    Unknown = 0,
    Closed = 1,
    Offline = 2,
    Removed = 3,
    CannotOpen = 4,
    Faulted = 5,
    Degraded = 6,
    Healthy = 7,
};

/// Why a vdev is not healthy.
enum class VdevAux : std::uint8_t
{
    None,
    OpenFailed,
    CorruptData,
    NoReplicas,
    BadGuidSum,
    TooSmall,
    BadLabel,
    VersionNewer,
    VersionOlder,
    UnsupportedFeature,
    Spared,
    TooManyErrors,
    IoFailure,
    BadLog,
    External,
    SplitPool,
    BadAshift,
    ExternalPersist,
    Active,
    ChildrenOffline,
    AshiftTooBig,
};

/// ONLINE, DEGRADED, FAULTED, OFFLINE, REMOVED, UNAVAIL, SPLIT: the words of `zpool status`.
[[nodiscard]] std::string_view stateText(VdevState state, VdevAux aux);
/// "cannot open", "insufficient replicas", …: the words behind the counters in `zpool status`.
/// Empty for None.
[[nodiscard]] std::string_view auxText(VdevAux aux);

} // namespace millpond::vdev
