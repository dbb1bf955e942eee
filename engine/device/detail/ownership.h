// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "device/detail/unique_fd.h"
#include "device/file_device.h"

#include <string>
#include <sys/stat.h>

namespace millpond::device::detail {

/// What keeps other owners away for as long as it lives.
struct Claim
{
    UniqueFd lock;      ///< carries the open-file-description lock
    UniqueFd exclusive; ///< block device opened O_EXCL, when we are the one who holds it
};

/// Claims the file or block device that `file` is, as `access` asks. DeviceBusy names the holder as
/// far as it can be found.
[[nodiscard]] Result<Claim>
claim(const std::string& path, const struct stat& status, Access access, int file);

} // namespace millpond::device::detail
