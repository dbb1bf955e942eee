// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/function_ref.h"
#include "pool/check/reporter.h"

namespace millpond::pool {

/// What a walk meets.
class WalkVisitor
{
public:
    virtual ~WalkVisitor() = default;
    /// Every pointer that is no hole, parents first. `object` is null for the object set's own
    /// block.
    virtual Status block(const format::BlockPointer& pointer,
                         const block::Bookmark& where,
                         const object::Dnode* object) = 0;
    /// Every dnode of the blocks walked, before its blocks; the meta dnode and the accounting
    /// dnodes too. `whole`: none of its blocks is left out.
    virtual Status dnode(const object::Dnode& dnode, bool whole) = 0;
};

/// Visits the blocks of one object set that were born after a txg: those before belong to an
/// earlier snapshot, and with a pointer everything below it is as old or older. Blocks that can't
/// be read are reported and passed over. Errors only from the visitor, and Cancelled.
[[nodiscard]] Status walkObjectSet(const Pool& pool,
                                   Reporter& reporter,
                                   const format::BlockPointer& root,
                                   ObjsetId objset,
                                   Txg bornAfter,
                                   WalkVisitor& visitor);

} // namespace millpond::pool
