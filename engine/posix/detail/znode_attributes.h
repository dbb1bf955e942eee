// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "object/attribute_writer.h"
#include "posix/detail/znode.h"

#include <vector>

namespace millpond::posix::detail {

// From decoded attributes back to system attributes, in host byte order. What comes from the dnode
// (block size, blocks) and hasAccessAcl are not stored; owners are taken from rawUid and rawGid.

void setOwner(Znode& znode, std::uint32_t uid);
void setGroup(Znode& znode, std::uint32_t gid);
/// Content or entries were changed: both times, and the flags that go with them.
void stampModified(Znode& znode, Time now);
/// Only attributes were changed.
void stampChanged(Znode& znode, Time now);
/// Replaces the ACL by the one that says no more than the mode; sets the flags that go with it.
void setTrivialAcl(Znode& znode);

/// Everything, in the order OpenZFS gives new objects: it finds owner and project by their place.
[[nodiscard]] std::vector<object::AttributeChange> allAttributes(const Znode& znode);
/// What differs.
[[nodiscard]] std::vector<object::AttributeChange> changedAttributes(const Znode& before,
                                                                     const Znode& now);
/// The project is new: all attributes must be written in order.
[[nodiscard]] bool movesAttributes(const Znode& before, const Znode& now);

} // namespace millpond::posix::detail
