// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/function_ref.h"
#include "block/block_reader.h"
#include "format/gang.h"
#include "space/allocator.h"

namespace millpond::block {

/// A piece of a top-level vdev that one block takes, parity and padding included.
using Extent = space::Extent;

using ExtentVisitor = FunctionRef<void(const Extent&)>;

/// Every extent of every copy of a block; of a gang block each header and each member, which are
/// read for that. Embedded blocks and holes have none. Errors: BadGang when no copy of a gang
/// header can be read, or gangs nest too deep.
[[nodiscard]] Status forEachExtent(const VdevMap& vdevs,
                                   const format::BlockPointer& pointer,
                                   const ExtentVisitor& visit);

/// The header that a gang pointer leads to, from any of its copies. BadGang when none can be read.
[[nodiscard]] Result<format::GangHeader> readGangHeader(const VdevMap& vdevs,
                                                        const format::BlockPointer& pointer);

} // namespace millpond::block
