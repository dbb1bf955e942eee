// SPDX-License-Identifier: GPL-3.0-or-later
// Words that programs read; they are those of OpenZFS 2.3 [cmd/zpool/zpool_main.c,
// lib/libzfs/libzfs_pool.c].
#include "vdev/vdev_state.h"

namespace millpond::vdev {

std::string_view stateText(VdevState state, VdevAux aux)
{
    switch (state) {
    case VdevState::Closed:
    case VdevState::Offline:
        return "OFFLINE";
    case VdevState::Removed:
        return "REMOVED";
    case VdevState::CannotOpen:
        if (aux == VdevAux::CorruptData || aux == VdevAux::BadLog) {
            return "FAULTED";
        }
        return aux == VdevAux::SplitPool ? "SPLIT" : "UNAVAIL";
    case VdevState::Faulted:
        return "FAULTED";
    case VdevState::Degraded:
        return "DEGRADED";
    case VdevState::Healthy:
        return "ONLINE";
    case VdevState::Unknown:
        break;
    }
    return "UNKNOWN";
}

std::string_view auxText(VdevAux aux)
{
    switch (aux) {
    case VdevAux::None:
        return {};
    case VdevAux::OpenFailed:
        return "cannot open";
    case VdevAux::NoReplicas:
        return "insufficient replicas";
    case VdevAux::BadGuidSum:
        return "missing device";
    case VdevAux::BadLabel:
        return "invalid label";
    case VdevAux::VersionNewer:
        return "newer version";
    case VdevAux::UnsupportedFeature:
        return "unsupported feature(s)";
    case VdevAux::Spared:
    case VdevAux::Active:
        return "currently in use";
    case VdevAux::TooManyErrors:
        return "too many errors";
    case VdevAux::IoFailure:
        return "experienced I/O failures";
    case VdevAux::BadLog:
        return "bad intent log";
    case VdevAux::External:
    case VdevAux::ExternalPersist:
        return "external device fault";
    case VdevAux::SplitPool:
        return "split into new pool";
    case VdevAux::ChildrenOffline:
        return "all children offline";
    case VdevAux::AshiftTooBig:
        return "unsupported minimum blocksize";
    case VdevAux::CorruptData:
    case VdevAux::TooSmall:
    case VdevAux::VersionOlder:
    case VdevAux::BadAshift:
        break;
    }
    return "corrupted data";
}

} // namespace millpond::vdev
