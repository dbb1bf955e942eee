// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "object/object_set.h"
#include "space/space_map.h"

namespace millpond::pool {

/// Space maps kept as objects of the pool's own object set.
class MosSpaceMaps final : public space::SpaceMapStore
{
public:
    explicit MosSpaceMaps(object::ObjectSet& mos)
        : m_mos(mos)
    {
    }

    [[nodiscard]] Result<format::SpaceMapPhys> header(ObjectId map) override;
    [[nodiscard]] Result<std::uint64_t> blockBytes(ObjectId map) override;
    [[nodiscard]] Result<Block> block(ObjectId map, BlockIndex index) override;

private:
    object::ObjectSet& m_mos;
};

} // namespace millpond::pool
