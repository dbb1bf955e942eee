// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace millpond::bus {

/// A file system to be made. On the bus: (sa(ss)uuu).
struct NewDataset
{
    std::string name;
    std::vector<std::pair<std::string, std::string>> properties;
    /// Owner and permissions of its root folder. kOwn: the helper's own.
    std::uint32_t uid = kOwn, gid = kOwn, mode = 0755;

    static constexpr std::uint32_t kOwn = 0xFFFF'FFFF;
};

} // namespace millpond::bus
