// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/mos_space_maps.h"

namespace millpond::pool {

Result<format::SpaceMapPhys> MosSpaceMaps::header(ObjectId map)
{
    const object::DnodeRef dnode = MP_TRY(m_mos.dnode(map));
    return format::SpaceMapPhys::decode(dnode->bonus, dnode->order);
}

Result<std::uint64_t> MosSpaceMaps::blockBytes(ObjectId map)
{
    return std::uint64_t{MP_TRY(m_mos.dnode(map))->dataBlockBytes};
}

Result<space::SpaceMapStore::Block> MosSpaceMaps::block(ObjectId map, BlockIndex index)
{
    const object::DnodeRef dnode = MP_TRY(m_mos.dnode(map));
    object::ObjectSet::Block block = MP_TRY(m_mos.readBlock(*dnode, index));
    return Block{std::move(block.data), block.order};
}

} // namespace millpond::pool
