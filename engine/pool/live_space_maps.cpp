// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/live_space_maps.h"

#include "pool/mos_space_maps.h"

// Sources: OpenZFS module/zfs/space_map.c (space_map_alloc, space_map_truncate), vdev.c
// (vdev_sync), metaslab.c (zfs_metaslab_sm_blksz_no_log).

namespace millpond::pool {

using format::ObjectType;
using format::SpaceMapPhys;
using space::MetaslabId;

namespace {
constexpr std::string_view kHistogram = "spacemap_histogram";
/// Maps get many small appends, each of which writes a whole block.
constexpr std::uint32_t kMapBlockBytes = 16 * 1024;
} // namespace

Result<ObjectId> LiveSpaceMaps::createArray(
    VdevId vdev, unsigned metaslabShift, unsigned ashift, std::size_t count, Txg txg)
{
    const ObjectId array = MP_TRY(m_mos.allocateObject(
        txg, object::ObjectSpec{.type = format::number(ObjectType::ObjectArray), .bonus = {}}));
    addArray({vdev, metaslabShift, ashift, array, std::vector<ObjectId>(count)});
    return array;
}

void LiveSpaceMaps::addArray(MetaslabArray array)
{
    const MutexLock lock(m_mutex);
    m_arrays.insert_or_assign(array.vdev, std::move(array));
}

void LiveSpaceMaps::addLogged(const MetaslabId& metaslab, bool allocate, space::Range bytes)
{
    const MutexLock lock(m_mutex);
    m_logged[metaslab].push_back({allocate, bytes});
}

Status LiveSpaceMaps::enter(const MetaslabId& metaslab, ObjectId map)
{
    ObjectId array;
    {
        const MutexLock lock(m_mutex);
        MetaslabArray& known = m_arrays.at(metaslab.vdev);
        known.maps.at(metaslab.index) = map;
        array = known.array;
    }
    std::array<std::byte, sizeof(std::uint64_t)> word{};
    store<std::uint64_t>(word, 0, map.value(), ByteOrder::Little);
    return m_mos.write(m_txg, array, ByteOffset(metaslab.index * word.size()), word);
}

Result<space::SpaceMapSink::Map> LiveSpaceMaps::createMap(const MetaslabId& metaslab)
{
    const bool histogram = m_features.isEnabled(kHistogram);
    const std::vector<std::byte> bonus(histogram ? SpaceMapPhys::kBytes : SpaceMapPhys::kBytesV0);
    const ObjectId map = MP_TRY(m_mos.allocateObject(
        m_txg,
        object::ObjectSpec{.type = format::number(ObjectType::SpaceMap),
                           .bonusType = format::number(ObjectType::SpaceMapHeader),
                           .bonus = bonus,
                           .dataBlockBytes = kMapBlockBytes}));
    if (histogram) {
        MP_TRY(m_features.count(kHistogram, 1, m_txg));
    }
    MP_TRY(enter(metaslab, map));
    return Map{map, kMapBlockBytes, histogram};
}

Result<space::SpaceMapSink::Map> LiveSpaceMaps::truncateMap(const MetaslabId& metaslab,
                                                            ObjectId map)
{
    {
        const MutexLock lock(m_mutex);
        m_logged.erase(metaslab);
    }
    const object::DnodeRef dnode = MP_TRY(m_mos.dnode(map));
    const bool histogram = dnode->bonus.size() >= SpaceMapPhys::kBytes;
    if (dnode->order != ByteOrder::Little || (!histogram && m_features.isEnabled(kHistogram))) {
        MP_TRY(m_mos.freeObject(m_txg, map));
        if (histogram) {
            MP_TRY(m_features.count(kHistogram, -1, m_txg));
        }
        return createMap(metaslab);
    }
    MP_TRY(m_mos.freeRange(m_txg, map, ByteOffset(0), object::LiveObjectSet::kToEnd));
    return Map{map, dnode->dataBlockBytes, histogram};
}

Status LiveSpaceMaps::append(ObjectId map, ByteOffset at, Bytes words)
{
    return m_mos.write(m_txg, map, at, words);
}

Status LiveSpaceMaps::setHeader(ObjectId map, const SpaceMapPhys& header)
{
    const object::DnodeRef dnode = MP_TRY(m_mos.dnode(map));
    SpaceMapPhys phys = header;
    phys.object = map;
    phys.hasHistogram = dnode->bonus.size() >= SpaceMapPhys::kBytes;
    std::vector<std::byte> bonus(phys.hasHistogram ? SpaceMapPhys::kBytes : SpaceMapPhys::kBytesV0);
    phys.encode(bonus, dnode->order);
    return m_mos.setBonus(m_txg, map, dnode->bonusType, bonus);
}

Result<space::RangeSet> LiveSpaceMaps::allocated(const MetaslabId& metaslab, ObjectId map)
{
    unsigned shift = 0;
    unsigned ashift = 0;
    std::vector<Logged> logged;
    {
        const MutexLock lock(m_mutex);
        const MetaslabArray& array = m_arrays.at(metaslab.vdev);
        shift = array.metaslabShift;
        ashift = array.ashift;
        if (const auto found = m_logged.find(metaslab); found != m_logged.end()) {
            logged = found->second;
        }
    }
    const space::Range bounds{0, std::uint64_t{1} << shift};
    space::RangeSet set;
    if (map.value() != 0) {
        MosSpaceMaps store(m_mos);
        set = MP_TRY(space::loadSpaceMap(store, map, ashift, bounds));
    }
    for (const Logged& change : logged) {
        const format::SpaceMapEntry entry{.type = change.allocate
                                                      ? format::SpaceMapEntry::Type::Allocate
                                                      : format::SpaceMapEntry::Type::Free,
                                          .offset = change.bytes.start,
                                          .run = change.bytes.size(),
                                          .vdev = {}};
        MP_TRY(space::applyEntry(entry, 0, bounds, set));
    }
    return set;
}

} // namespace millpond::pool
