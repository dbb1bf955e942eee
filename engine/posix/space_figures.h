// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/properties.h"
#include "posix/file_system.h"

namespace millpond::posix {

/// What statfs(2) answers for a dataset, as OpenZFS on Linux computes it. `recordSize` is the
/// property, a power of two (anything else counts as 128 KiB).
[[nodiscard]] SpaceFigures spaceFigures(const dataset::Space& space, ByteCount recordSize);

} // namespace millpond::posix
