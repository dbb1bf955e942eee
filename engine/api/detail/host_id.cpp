// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/detail/host_id.h"

#include <cstring>
#include <fstream>

namespace millpond::api::detail {

std::uint64_t machineHostId(const std::string& path)
{
    char bytes[sizeof(std::uint32_t)];
    std::ifstream file(path, std::ios::binary);
    if (!file.read(bytes, sizeof(bytes))) {
        return 0;
    }
    std::uint32_t id = 0;
    std::memcpy(&id, bytes, sizeof(id));
    return id;
}

} // namespace millpond::api::detail
