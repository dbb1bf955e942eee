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
    /// Every pointer that is no hole, parents first.
    virtual Status block(const format::BlockPointer& pointer, const block::Bookmark& where) = 0;
    /// Every dnode of the blocks walked, before its blocks; the meta dnode and the accounting
    /// dnodes too.
    virtual Status dnode() = 0;
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
