// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/space_figures.h"

#include "format/brt.h"
#include "format/dsl.h"
#include "pool/deflation.h"
#include "pool/metaslabs.h"
#include "pool/mos_space_maps.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace millpond::pool {

namespace {
/// How fragmented free space is that comes in runs of 512 bytes, 1 KiB, ... (percent).
/// (OpenZFS module/zfs/metaslab.c: zfs_frag_table.)
constexpr std::array<std::uint64_t, 21> kFragmentation = {
    100, 99, 97, 93, 88, 83, 77, 71, 64, 57, 50, 43, 36, 29, 23, 17, 12, 7, 3, 1, 0};
/// Slop: 1/32 of the pool, between 128 MiB (but no more than half of it) and 128 GiB.
/// (OpenZFS module/zfs/spa_misc.c: spa_get_slop_space.)
constexpr unsigned kSlopShift = 5;
constexpr std::uint64_t kMinSlop = 128 * MiB;
constexpr std::uint64_t kMaxSlop = 128 * GiB;
/// A top-level vdev with so many metaslabs sets one aside for the intent log.
constexpr std::size_t kEmbeddedLogMinMetaslabs = 64;

struct MetaslabFigures
{
    std::int64_t allocated = 0;
    std::optional<std::uint64_t> fragmentation;
};

std::optional<std::uint64_t> fragmentationOf(const format::SpaceMapPhys& map, unsigned unitShift)
{
    if (!map.hasHistogram) {
        return std::nullopt;
    }
    // A percentage: a double is exact enough, and counts from a disk cannot overflow it.
    double total = 0;
    double weighted = 0;
    for (std::size_t i = 0; i < map.histogram.size(); ++i) {
        const auto shift = static_cast<unsigned>(i) + unitShift;
        const std::size_t row =
            std::min<std::size_t>(unitShift - format::kSectorShift + i, kFragmentation.size() - 1);
        const double space =
            std::ldexp(static_cast<double>(map.histogram[i]), static_cast<int>(shift));
        total += space;
        weighted += space * static_cast<double>(kFragmentation[row]);
    }
    return total > 0 ? static_cast<std::uint64_t>(weighted / total) : 0;
}

Result<std::vector<MetaslabFigures>> metaslabFigures(MosSpaceMaps& store,
                                                     const MetaslabLayout& layout)
{
    std::vector<MetaslabFigures> figures;
    for (const ObjectId map : layout.maps) {
        MetaslabFigures& figure = figures.emplace_back();
        if (map == ObjectId()) {
            figure.fragmentation = 0; // All free.
            continue;
        }
        const format::SpaceMapPhys header = MP_TRY(store.header(map));
        figure.allocated = header.allocated;
        figure.fragmentation =
            fragmentationOf(header, std::max(layout.ashift, format::kSectorShift));
    }
    return figures;
}

std::optional<unsigned> groupFragmentation(const std::vector<MetaslabFigures>& figures,
                                           std::uint64_t metaslabBytes)
{
    std::size_t known = 0;
    std::uint64_t free = 0;
    std::uint64_t weighted = 0;
    for (const MetaslabFigures& figure : figures) {
        if (figure.fragmentation) {
            ++known;
            const std::uint64_t sectors =
                (metaslabBytes -
                 static_cast<std::uint64_t>(std::max<std::int64_t>(figure.allocated, 0))) /
                format::kSectorBytes;
            free += sectors;
            weighted += sectors * *figure.fragmentation;
        }
    }
    if (known < (figures.size() + 1) / 2 || free == 0) {
        return std::nullopt;
    }
    return static_cast<unsigned>(weighted / free);
}

class Summing
{
public:
    Summing(const Pool& pool, Deflation deflation)
        : m_pool(pool)
        , m_deflation(std::move(deflation))
        , m_store(pool.mos().objset())
    {
    }

    Result<SpaceFigures> run();

private:
    Status tops();
    Status clones();
    Status dirs();
    void fragmentation();

    const Pool& m_pool;
    Deflation m_deflation;
    MosSpaceMaps m_store;
    SpaceFigures m_sum;
    Capacity m_capacity;
    std::uint64_t m_normalSize = 0;
};

Status Summing::tops()
{
    const std::vector<MetaslabLayout> layouts = MP_TRY(metaslabLayouts(m_pool));
    std::vector<std::vector<MetaslabFigures>> figures;
    for (const MetaslabLayout& layout : layouts) {
        figures.push_back(MP_TRY(metaslabFigures(m_store, layout)));
    }
    MP_TRY(forEachLogEntry(m_pool, layouts, [&](const LogEntry& entry) -> Status {
        const auto bytes = static_cast<std::int64_t>(entry.bytes.size());
        figures[entry.layout][entry.metaslab].allocated += entry.allocate ? bytes : -bytes;
        return {};
    }));
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        const MetaslabLayout& layout = layouts[i];
        VdevSpace& space = m_sum.tops[layout.vdev.value()];
        space.allocationClass = layout.allocationClass;
        space.size = layout.maps.size() * layout.metaslabBytes();
        for (const MetaslabFigures& figure : figures[i]) {
            space.allocated += static_cast<std::uint64_t>(figure.allocated);
        }
        space.deflated = m_deflation.bytes(layout.vdev, space.size);
        space.deflatedAllocated = m_deflation.bytes(layout.vdev, space.allocated);
        space.fragmentationPercent = groupFragmentation(figures[i], layout.metaslabBytes());
        if (layout.checkpointMap != ObjectId()) {
            const auto header = MP_TRY(m_store.header(layout.checkpointMap));
            // A checkpoint's map records frees only: what it holds is counted as a negative sum.
            space.checkpoint =
                static_cast<std::uint64_t>(std::max<std::int64_t>(-header.allocated, 0));
        }
        m_sum.checkpoint += m_deflation.bytes(layout.vdev, space.checkpoint);
        if (layout.allocationClass != vdev::AllocationClass::Log) {
            m_sum.size += space.size;
            m_sum.allocated += space.allocated;
        }
        if (layout.allocationClass == vdev::AllocationClass::Normal) {
            m_capacity.add(space.deflated,
                           layout.maps.size(),
                           m_deflation.bytes(layout.vdev, layout.metaslabBytes()));
            m_normalSize += space.size;
        }
    }
    return {};
}

Status Summing::clones()
{
    for (const auto& [vdev, space] : m_sum.tops) {
        const auto object = MP_TRY(
            m_pool.mos().number(format::brtObjectName(VdevId(static_cast<std::uint32_t>(vdev)))));
        if (!object) {
            continue;
        }
        const object::DnodeRef dnode = MP_TRY(m_pool.mos().objset().dnode(ObjectId(*object)));
        const auto header = MP_TRY(format::BrtVdevPhys::decode(dnode->bonus, dnode->order));
        m_sum.cloneUsed += header.usedSpace;
        m_sum.cloneSaved += header.savedSpace;
    }
    return {};
}

Status Summing::dirs()
{
    for (const auto& directory : MP_TRY(m_pool.datasets().allChildren(m_pool.datasets().root()))) {
        if (directory->leafName() == format::kFreeDirectory) {
            m_sum.freeing = directory->phys.usedBytes;
        } else if (directory->leafName() == format::kLeakDirectory) {
            m_sum.leaked = directory->phys.usedBytes;
        }
    }
    return {};
}

void Summing::fragmentation()
{
    std::uint64_t weighted = 0;
    for (const auto& [vdev, space] : m_sum.tops) {
        if (space.allocationClass == vdev::AllocationClass::Normal) {
            if (!space.fragmentationPercent) {
                return;
            }
            weighted += *space.fragmentationPercent * (space.size >> format::kSectorShift);
        }
    }
    if (m_normalSize != 0) {
        m_sum.fragmentationPercent =
            static_cast<unsigned>(weighted / (m_normalSize >> format::kSectorShift));
    }
}

Result<SpaceFigures> Summing::run()
{
    MP_TRY(tops());
    m_sum.dedup = MP_TRY(dedupStatistics(m_pool.mos(), m_deflation));
    MP_TRY(clones());
    MP_TRY(dirs());
    fragmentation();
    std::uint64_t deferred = 0;
    if (const auto object = MP_TRY(m_pool.mos().number(format::kPoolSyncBpObject))) {
        const object::DnodeRef dnode = MP_TRY(m_pool.mos().objset().dnode(ObjectId(*object)));
        deferred = MP_TRY(format::BpObjectPhys::decode(dnode->bonus, dnode->order)).bytes;
    }
    const DedupBucket& dedup = m_sum.dedup.total;
    m_capacity.saved = m_sum.cloneSaved + dedup.referencedDeflated -
                       std::min(dedup.referencedDeflated, dedup.deflated);
    m_capacity.held = m_sum.checkpoint + deferred;
    m_sum.slop = m_capacity.slop();
    m_sum.usable = m_capacity.usable();
    return std::move(m_sum);
}
} // namespace

void Capacity::add(std::uint64_t size, std::size_t metaslabs, std::uint64_t metaslabSize)
{
    const std::uint64_t log = metaslabs >= kEmbeddedLogMinMetaslabs ? metaslabSize : 0;
    embeddedLog += log;
    normal += size - log;
}

std::uint64_t Capacity::slop() const
{
    std::uint64_t slop = std::min(normal >> kSlopShift, kMaxSlop);
    slop -= std::min(embeddedLog, slop / 2);
    return std::max(slop, std::min(normal / 2, kMinSlop));
}

std::uint64_t Capacity::usable() const
{
    const std::uint64_t space = normal + saved;
    const std::uint64_t kept = held + slop();
    return space > kept ? space - kept : 0;
}

Result<SpaceFigures> spaceFigures(const Pool& pool)
{
    return Summing(pool, MP_TRY(Deflation::of(pool.mos(), pool.vdevs()))).run();
}

} // namespace millpond::pool
