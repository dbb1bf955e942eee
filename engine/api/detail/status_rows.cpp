// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/detail/status_rows.h"

#include "api/detail/pool_work.h"
#include "format/label.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace millpond::api::detail {

namespace {
/// Sectors of 64 KiB: more is nonsense.
constexpr std::uint64_t kMaxAshift = 16;

bool isLeafKind(vdev::VdevKind kind)
{
    return kind == vdev::VdevKind::Disk || kind == vdev::VdevKind::File;
}

/// A leaf is called by where it was found: what the label says is where another machine had it.
std::string pathOf(const vdev::VdevStatus& row)
{
    return row.openedAs.empty() ? row.path : row.openedAs;
}

std::string nameOf(const vdev::VdevStatus& row, const std::string& poolName)
{
    if (row.depth == 0) {
        return poolName;
    }
    if (row.notPresent) {
        return std::to_string(row.guid.value());
    }
    return isLeafKind(row.kind) ? pathOf(row) : row.name;
}

VdevRow rowOf(const vdev::VdevStatus& from, const std::string& poolName)
{
    VdevRow row;
    row.depth = from.depth;
    row.name = nameOf(from, poolName);
    row.type = vdev::kindText(from.kind);
    row.path = pathOf(from);
    row.openedAs = from.openedAs;
    row.guid = from.guid;
    row.parity = from.parity;
    row.allocClass = vdev::classText(from.allocationClass);
    row.state = vdevState(from.state);
    row.aux = vdev::auxText(from.aux);
    row.notes = from.notPresent ? "was " + from.path : "";
    row.readErrors = from.errors.read;
    row.writeErrors = from.errors.write;
    row.checksumErrors = from.errors.checksum;
    row.isLog = from.allocationClass == vdev::AllocationClass::Log;
    row.isLeaf = isLeafKind(from.kind);
    row.wholeDisk = from.wholeDisk;
    row.ashift = from.ashift;
    row.physicalSize = from.deviceSize;
    row.deviceSize = row.isLeaf ? from.asize : 0;
    return row;
}

/// A leaf's own asize stands in its top-level vdev's configuration; what a leaf offers is its size
/// less labels, in whole 256 KiB.
std::uint64_t usableBytes(std::uint64_t deviceBytes)
{
    const std::uint64_t whole = format::labelledSize(deviceBytes);
    const std::uint64_t labels = format::kLabelStartBytes + format::kLabelEndBytes;
    return whole > labels ? whole - labels : 0;
}

void addSpace(const pool::Pool& pool, const pool::SpaceFigures& space, std::vector<VdevRow>& rows)
{
    const std::vector<vdev::VdevStatus> status = pool.vdevs().status();
    for (std::size_t i = 0; i < rows.size() && i < status.size(); ++i) {
        VdevRow& row = rows[i];
        if (row.depth == 0) {
            row.size = space.size;
            row.allocated = space.allocated;
            row.fragmentationPercent = space.fragmentationPercent;
        } else if (const auto top = space.tops.find(status[i].id);
                   row.depth == 1 && top != space.tops.end()) {
            row.size = top->second.size;
            row.allocated = top->second.allocated;
            row.fragmentationPercent = top->second.fragmentationPercent;
            row.checkpointSpace = top->second.checkpoint;
        }
        if (row.isLeaf && row.size == 0) {
            row.size = row.physicalSize; // As `zpool list -v` shows the disks of a mirror.
        }
        row.free = row.size - std::min(row.size, row.allocated);
    }
}

VdevRow auxiliaryRow(const pool::AuxiliaryDevice& device, std::string_view allocationClass)
{
    VdevRow row;
    row.depth = 1;
    row.path = device.openedAs.empty() ? device.path : device.openedAs;
    row.name = row.path;
    row.type = device.config.text("type").value_or("disk");
    row.openedAs = device.openedAs;
    row.guid = device.guid;
    row.allocClass = allocationClass;
    row.isLeaf = true;
    row.wholeDisk = device.config.u64("whole_disk").value_or(0) != 0;
    row.ashift = device.config.u64("ashift").value_or(0);
    row.physicalSize = device.size;
    row.deviceSize = usableBytes(device.size);
    return row;
}

void addAuxiliary(const pool::Pool& pool, std::vector<VdevRow>& rows)
{
    for (const pool::AuxiliaryDevice& device : pool.caches()) {
        VdevRow row = auxiliaryRow(device, "l2cache");
        row.isCache = true;
        row.state = device.openedAs.empty() ? VdevState::Unavailable : VdevState::Online;
        // A header, in whole sectors, comes before what is cached.
        const std::uint64_t header = std::uint64_t{1} << std::clamp<std::uint64_t>(
                                         row.ashift, format::kSectorShift, kMaxAshift);
        row.size = row.free = row.deviceSize - std::min(row.deviceSize, header);
        rows.push_back(std::move(row));
    }
    for (const pool::AuxiliaryDevice& device : pool.spares()) {
        VdevRow row = auxiliaryRow(device, "spare");
        row.isSpare = true;
        const bool inUse = std::any_of(rows.begin(), rows.end(), [&](const VdevRow& other) {
            return other.guid == row.guid && !other.isSpare;
        });
        row.state = inUse                     ? VdevState::InUse
                    : device.openedAs.empty() ? VdevState::Unavailable
                                              : VdevState::Available;
        row.aux = inUse ? vdev::auxText(vdev::VdevAux::Spared) : "";
        rows.push_back(std::move(row));
    }
}
} // namespace

VdevState vdevState(vdev::VdevState state)
{
    switch (state) {
    case vdev::VdevState::Unknown:
        return VdevState::Unknown;
    case vdev::VdevState::Closed:
        return VdevState::Closed;
    case vdev::VdevState::Offline:
        return VdevState::Offline;
    case vdev::VdevState::Removed:
        return VdevState::Removed;
    case vdev::VdevState::CannotOpen:
        return VdevState::Unavailable;
    case vdev::VdevState::Faulted:
        return VdevState::Faulted;
    case vdev::VdevState::Degraded:
        return VdevState::Degraded;
    case vdev::VdevState::Healthy:
        return VdevState::Online;
    }
    return VdevState::Unknown;
}

std::vector<VdevRow> vdevRows(const vdev::VdevTree& tree, const std::string& poolName)
{
    std::vector<VdevRow> rows;
    for (const vdev::VdevStatus& status : tree.status()) {
        rows.push_back(rowOf(status, poolName));
    }
    return rows;
}

std::vector<VdevRow> vdevRows(const pool::Pool& pool, const pool::SpaceFigures* space)
{
    std::vector<VdevRow> rows = vdevRows(pool.vdevs(), pool.name());
    if (space != nullptr) {
        addSpace(pool, *space, rows);
    }
    const std::vector<vdev::VdevStatus> status = pool.vdevs().status();
    for (std::size_t i = 0; i < rows.size() && i < status.size(); ++i) {
        if (rows[i].isLeaf && status[i].config != nullptr) {
            readLeafWork(pool.mos(), *status[i].config, rows[i]);
        }
    }
    // A hole keeps the numbers of the others and is nothing to see.
    std::erase_if(
        rows, [](const VdevRow& row) { return row.type == vdev::kindText(vdev::VdevKind::Hole); });
    addAuxiliary(pool, rows);
    return rows;
}

} // namespace millpond::api::detail
