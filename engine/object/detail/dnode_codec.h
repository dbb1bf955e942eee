// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "object/object_set.h"

#include <string>

namespace millpond::object::detail {

/// Decodes and checks what begins at `bytes` (which reach to the end of the dnode's block).
[[nodiscard]] Result<DnodeRef>
makeDnode(Bytes bytes, ByteOrder order, ObjsetId objset, ObjectId id);
/// The dnode of an object in its dnode block. NoSuchObject when its slot is free or inside another
/// dnode.
[[nodiscard]] Result<DnodeRef>
dnodeInBlock(Bytes block, ByteOrder order, ObjsetId objset, ObjectId id);
/// Slots taken by what begins at `slot` of a dnode block.
[[nodiscard]] std::size_t slotsAt(Bytes block, std::size_t slot);
/// Writes all slots of a dnode (`out` has just their bytes) in its own byte order.
void encodeDnode(const Dnode& dnode, MutableBytes out);
/// The dnodes in a dnode block: what its pointer's fill count says.
[[nodiscard]] std::uint64_t countDnodes(Bytes block);

[[nodiscard]] std::unexpected<Error> noSuchObject(ObjsetId objset, ObjectId id, std::string why);

} // namespace millpond::object::detail
