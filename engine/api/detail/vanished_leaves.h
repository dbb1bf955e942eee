// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "vdev/vdev.h"

#include <string>
#include <vector>

namespace millpond::api::detail {

struct VanishedLeaf
{
    VdevGuid guid;
    std::string path;
    vdev::VdevState before = vdev::VdevState::Unknown;
};

/// Gives up the leaves whose device is not there any more: pulled out, or cut off below us. A
/// device whose name is gone but that still answers, such as a deleted file, stays: it may hold the
/// last copy. Cheap where all is well: no device is asked. Not from two threads at once.
[[nodiscard]] std::vector<VanishedLeaf> giveUpVanished(vdev::VdevTree& tree);

} // namespace millpond::api::detail
