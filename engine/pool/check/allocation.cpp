// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/check/allocation.h"

#include "pool/mos_space_maps.h"

#include <fmt/format.h>

namespace millpond::pool {

namespace {
/// Leaked ranges that are told one by one; the rest only counted.
constexpr std::size_t kMaxListedLeaks = 1000;

space::Range shifted(space::Range range, std::uint64_t by)
{
    return {range.start + by, range.end + by};
}

/// Adds the ranges of one metaslab to those of its device.
void addShifted(const space::RangeSet& set, std::uint64_t by, space::RangeSet& to)
{
    set.forEach([&](space::Range range) { (void)to.add(shifted(range, by)); });
}

block::Bookmark placeOf(ObjectId map)
{
    return {ObjsetId(), map, Level(), BlockIndex()};
}
} // namespace

Result<std::unique_ptr<Allocation>> Allocation::load(const Pool& pool, Reporter& reporter)
{
    std::unique_ptr<Allocation> allocation(new Allocation);
    auto layouts = metaslabLayouts(pool);
    if (!layouts) {
        reporter.report(layouts.error(), {});
        return allocation;
    }
    for (MetaslabLayout& layout : *layouts) {
        const std::uint32_t id = layout.vdev.value();
        auto vdev = std::make_unique<Vdev>();
        vdev->layout = std::move(layout);
        allocation->m_vdevs.emplace(id, std::move(vdev));
    }
    MP_TRY(allocation->loadMaps(pool, reporter));
    MP_TRY(allocation->loadLogs(pool, reporter));
    for (const auto& [id, vdev] : allocation->m_vdevs) {
        const MutexLock lock(vdev->mutex);
        allocation->m_total += vdev->allocated.total();
        vdev->unclaimed = vdev->allocated;
    }
    return allocation;
}

Status Allocation::loadMaps(const Pool& pool, Reporter& reporter)
{
    MosSpaceMaps store(pool.mos().objset());
    for (const auto& [id, vdev] : m_vdevs) {
        const MutexLock lock(vdev->mutex);
        const MetaslabLayout& layout = vdev->layout;
        for (std::size_t i = 0; i < layout.maps.size(); ++i) {
            MP_TRY(reporter.proceed());
            if (layout.maps[i] == ObjectId()) {
                continue;
            }
            // Entries count from the metaslab's start.
            space::RangeSet set;
            const Status loaded =
                space::forEachEntry(store, layout.maps[i], [&](const format::SpaceMapEntry& entry) {
                    return space::applyEntry(
                        entry, layout.ashift, {0, layout.metaslabBytes()}, set);
                });
            if (!loaded) {
                reporter.report(loaded.error(),
                                placeOf(layout.maps[i]),
                                fmt::format("space map of metaslab {} of vdev {}", i, id));
            }
            const auto header = store.header(layout.maps[i]);
            if (loaded && header && static_cast<std::uint64_t>(header->allocated) != set.total()) {
                reporter.report(CheckFinding::Kind::Accounting,
                                placeOf(layout.maps[i]),
                                fmt::format("space map of metaslab {} of vdev {}: {} bytes are "
                                            "allocated, its header says {}",
                                            i,
                                            id,
                                            set.total(),
                                            header->allocated));
            }
            addShifted(set, i * layout.metaslabBytes(), vdev->allocated);
        }
    }
    return {};
}

Status Allocation::loadLogs(const Pool& pool, Reporter& reporter)
{
    std::vector<MetaslabLayout> layouts;
    std::vector<Vdev*> vdevs;
    for (const auto& [id, vdev] : m_vdevs) {
        layouts.push_back(vdev->layout);
        vdevs.push_back(vdev.get());
    }
    const Status read = forEachLogEntry(pool, layouts, [&](const LogEntry& entry) -> Status {
        Vdev& vdev = *vdevs[entry.layout];
        const MutexLock lock(vdev.mutex);
        const std::uint64_t wrong =
            entry.allocate ? vdev.allocated.add(entry.bytes) : vdev.allocated.remove(entry.bytes);
        if (wrong != 0) {
            reporter.report(
                CheckFinding::Kind::Structure,
                {},
                fmt::format("log space map: {:#x}-{:#x} of vdev {}: {} of what is {} already",
                            entry.bytes.start,
                            entry.bytes.end,
                            vdev.layout.vdev.value(),
                            entry.allocate ? "an allocation" : "a free",
                            entry.allocate ? "allocated" : "free"));
        }
        return {};
    });
    if (!read) {
        reporter.report(read.error(), {}, "log space maps");
    }
    return {};
}

/// Whether this place was claimed before although it is not allocated; now it is.
bool Allocation::isStray(VdevId vdev, space::Range bytes)
{
    const MutexLock lock(m_straysMutex);
    return bytes.size() != 0 && m_strays[vdev.value()].add(bytes) == bytes.size();
}

Allocation::Claim Allocation::claim(VdevId id, space::Range bytes)
{
    const auto found = m_vdevs.find(id.value());
    if (found == m_vdevs.end()) {
        return isStray(id, bytes) ? Claim::Again : Claim::NoSuchPlace;
    }
    Vdev& vdev = *found->second;
    const MutexLock lock(vdev.mutex);
    if (vdev.unclaimed.contains(bytes)) {
        (void)vdev.unclaimed.remove(bytes);
        return Claim::Good;
    }
    const bool allocated = vdev.allocated.contains(bytes);
    (void)vdev.unclaimed.remove(bytes);
    if (allocated || isStray(id, bytes)) {
        return Claim::Again;
    }
    return bytes.end > vdev.layout.maps.size() * vdev.layout.metaslabBytes() ? Claim::NoSuchPlace
                                                                             : Claim::Unallocated;
}

bool Allocation::claimRest(VdevId id, space::Range bytes)
{
    const auto found = m_vdevs.find(id.value());
    if (found == m_vdevs.end()) {
        return false;
    }
    const MutexLock lock(found->second->mutex);
    return found->second->unclaimed.remove(bytes) != bytes.size();
}

void Allocation::reportLeaks(Reporter& reporter)
{
    std::size_t listed = 0;
    std::uint64_t restRanges = 0;
    std::uint64_t restBytes = 0;
    for (const auto& [id, vdev] : m_vdevs) {
        const MutexLock lock(vdev->mutex);
        vdev->unclaimed.forEach([&](space::Range range) {
            if (listed == kMaxListedLeaks) {
                ++restRanges;
                restBytes += range.size();
                return;
            }
            ++listed;
            CheckFinding finding;
            finding.kind = CheckFinding::Kind::Leak;
            finding.offset = range.start;
            finding.size = range.size();
            finding.text =
                fmt::format("{} bytes at {:#x} of vdev {} are allocated, but nothing uses them",
                            range.size(),
                            range.start,
                            id);
            reporter.report(std::move(finding));
        });
    }
    if (restRanges != 0) {
        CheckFinding finding;
        finding.kind = CheckFinding::Kind::Leak;
        finding.size = restBytes;
        finding.text =
            fmt::format("{} more ranges with {} bytes are allocated, but nothing uses them",
                        restRanges,
                        restBytes);
        reporter.report(std::move(finding));
    }
}

} // namespace millpond::pool
