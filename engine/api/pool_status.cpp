// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/pool_status.h"

#include "api/engine.h"

namespace millpond::api {

std::string_view vdevStateText(VdevState state)
{
    switch (state) {
    case VdevState::Unknown:
        return "UNKNOWN";
    case VdevState::Closed:
        return "CLOSED";
    case VdevState::Offline:
        return "OFFLINE";
    case VdevState::Removed:
        return "REMOVED";
    case VdevState::Unavailable:
        return "UNAVAIL";
    case VdevState::Faulted:
        return "FAULTED";
    case VdevState::Degraded:
        return "DEGRADED";
    case VdevState::Online:
        return "ONLINE";
    case VdevState::Available:
        return "AVAIL";
    case VdevState::InUse:
        return "INUSE";
    }
    return "UNKNOWN";
}

std::string_view checkProblemKindText(CheckProblem::Kind kind)
{
    switch (kind) {
    case CheckProblem::Kind::Device:
        return "device";
    case CheckProblem::Kind::Checksum:
        return "checksum";
    case CheckProblem::Kind::Parity:
        return "parity";
    case CheckProblem::Kind::Unreadable:
        return "unreadable";
    case CheckProblem::Kind::Leak:
        return "leak";
    case CheckProblem::Kind::DoubleUse:
        return "double-use";
    case CheckProblem::Kind::Unallocated:
        return "unallocated";
    case CheckProblem::Kind::Accounting:
        return "accounting";
    case CheckProblem::Kind::Structure:
        return "structure";
    case CheckProblem::Kind::Directory:
        return "directory";
    case CheckProblem::Kind::LinkCount:
        return "link-count";
    }
    return "unknown";
}

} // namespace millpond::api
