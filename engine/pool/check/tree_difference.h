// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/function_ref.h"
#include "object/object_set.h"

namespace millpond::pool {

/// An object as one object set has it.
struct ObjectVersion
{
    object::ObjectSet* objset = nullptr;
    object::DnodeRef dnode; ///< null: there is no such object there
};

/// A level 0 block that the two versions do not share. False: a hole there, or the same block as in
/// the other, told already.
struct BlockDifference
{
    BlockIndex index;
    bool inOld = false, inNew = false;
};

/// Tells every level 0 block in which two versions of an object differ, by comparing their pointers
/// from the top down: what they share is not read, nor anything below it. Errors of reading, and
/// the visitor's. TooMany when there are more than `atMost`: pointers that go in circles.
[[nodiscard]] Status forEachDifference(const ObjectVersion& before,
                                       const ObjectVersion& now,
                                       std::uint64_t atMost,
                                       FunctionRef<Status(const BlockDifference&)> visit);

} // namespace millpond::pool
