// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/types.h"

#include <string>

namespace millpond::device {

/// What is on a device, as libblkid sees it.
struct Content
{
    std::string type;           ///< "ext4", "zfs_member", "LVM2_member"; empty: nothing found
    std::string label;          ///< of a zfs_member the pool's name
    std::string uuid;           ///< of a zfs_member the pool's guid in decimal
    std::string usage;          ///< "filesystem", "raid", "crypto", "other"
    std::string partitionTable; ///< "gpt", "dos"; empty: none
    /// Two or more signatures that contradict each other: as good as unknown content.
    bool ambiguous = false;

    [[nodiscard]] bool empty() const
    {
        return type.empty() && partitionTable.empty() && !ambiguous;
    }
};

/// Reads a few hundred KiB. Errors: NoSuchDevice, NotPermitted, DeviceIo.
[[nodiscard]] Result<Content> probeContent(const std::string& path);

} // namespace millpond::device
