// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "object/detail/dnode_cache.h"
#include "object/object_set.h"

namespace millpond::object {

/// What is known of an object set from its root block.
struct ObjectSet::Parts
{
    block::BlockSource* source = nullptr;
    ObjsetId id;
    format::ObjsetPhys header;
    DnodeRef meta;
    DnodeRef userUsed;
    DnodeRef groupUsed;
    DnodeRef projectUsed;
    detail::DnodeCache dnodes;

    /// The dnode behind a special object number; null for all others.
    [[nodiscard]] DnodeRef special(ObjectId object) const
    {
        if (object == format::kMetaDnodeObject) {
            return meta;
        }
        if (object == format::kUserUsedObject) {
            return userUsed;
        }
        if (object == format::kGroupUsedObject) {
            return groupUsed;
        }
        return object == format::kProjectUsedObject ? projectUsed : nullptr;
    }
};

} // namespace millpond::object
