// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/detail/status_rows.h"

#include "format/feature.h"
#include "vdev/vdev_state.h"

#include <algorithm>

// What is wrong with a pool and what to do, worst first. The message ids are OpenZFS' (they name
// pages of its documentation, and programs look for them); the texts are ours.

namespace millpond::api::detail {

namespace {
struct Finding
{
    std::string_view messageId, status, action;
    bool (*holds)(const PoolStatus&, const HealthFacts&);
};

bool anyLeaf(const PoolStatus& status, VdevState state, std::string_view aux = {})
{
    return std::any_of(status.vdevs.begin(), status.vdevs.end(), [&](const VdevRow& row) {
        return row.isLeaf && !row.isSpare && !row.isCache && row.state == state &&
               (aux.empty() || row.aux == aux);
    });
}

bool isUnusable(const PoolStatus& status)
{
    return status.state == VdevState::Unavailable || status.state == VdevState::Faulted;
}

bool hasErrors(const PoolStatus& status)
{
    return std::any_of(status.vdevs.begin(), status.vdevs.end(), [](const VdevRow& row) {
        return row.readErrors + row.writeErrors + row.checksumErrors != 0;
    });
}

using S = const PoolStatus&;
using F = const HealthFacts&;

constexpr Finding kFindings[] = {
    {"ZFS-8000-3C",
     "Devices are missing, and the copies that are left are not enough to read the pool.",
     "Connect the missing devices and try again.",
     [](S s, F) { return isUnusable(s); }},
    {"ZFS-8000-8A",
     "Some files are damaged and could not be rebuilt from any copy.",
     "Restore the files listed below from a backup, or delete them.",
     [](S s, F) { return s.errorCount != 0; }},
    {"",
     "A device is being rebuilt. Until that is done the pool has less redundancy.",
     "Wait for the resilver to finish.",
     [](S s, F) {
         return s.scan.kind == ScanInfo::Kind::Resilver && s.scan.state == ScanInfo::State::Running;
     }},
    {"ZFS-8000-4J",
     "A device has no usable label. The other copies are enough to read everything.",
     "Replace the device.",
     [](S s, F) {
         return anyLeaf(s, VdevState::Unavailable, vdev::auxText(vdev::VdevAux::BadLabel));
     }},
    {"ZFS-8000-2Q",
     "A device could not be opened. The other copies are enough to read everything.",
     "Connect the device, or replace it.",
     [](S s, F) { return anyLeaf(s, VdevState::Unavailable); }},
    {"",
     "A device was switched off by an administrator. The other copies are enough to read "
     "everything.",
     "Bring the device back online, or replace it.",
     [](S s, F) { return anyLeaf(s, VdevState::Offline); }},
    {"",
     "A device was taken out. The other copies are enough to read everything.",
     "Put the device back, or replace it.",
     [](S s, F) { return anyLeaf(s, VdevState::Removed); }},
    {"ZFS-8000-K4",
     "A device had too many errors and is no longer used.",
     "Replace the device, or clear its errors if it is sound.",
     [](S s, F) { return anyLeaf(s, VdevState::Faulted) || anyLeaf(s, VdevState::Degraded); }},
    {"ZFS-8000-9P",
     "A device returned errors. Everything was rebuilt from other copies.",
     "Check the device and its cable; replace it if errors come back.",
     [](S s, F) { return hasErrors(s); }},
    {"",
     "The pool has an old on-disk version. It works, without what newer versions brought.",
     "Nothing needs to be done. An upgrade shuts out software that knows no feature flags.",
     [](S s, F) { return s.version < format::kPoolVersionFeatures; }},
    {"",
     "Some features that this program knows are not enabled. The pool works without them.",
     "Nothing needs to be done. An upgrade shuts out software that lacks those features.",
     [](S, F f) { return f.lacksFeatures; }},
};
} // namespace

void describeHealth(PoolStatus& status, const HealthFacts& facts)
{
    for (const Finding& finding : kFindings) {
        if (finding.holds(status, facts)) {
            status.messageId = finding.messageId;
            status.status = finding.status;
            status.action = finding.action;
            return;
        }
    }
}

} // namespace millpond::api::detail
