// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace millpond::posix {

/// The property aclmode by its values: what becomes of a file's NFSv4 entries when its mode is
/// changed.
enum class AclMode : std::uint8_t
{
    Discard = 0,     ///< only what the mode says is left
    GroupMask = 2,   ///< kept, but allowing no more than the group
    Passthrough = 3, ///< kept
    Restricted = 4,  ///< NotPermitted, unless they say no more than a mode
};

} // namespace millpond::posix
