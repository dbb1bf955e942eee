// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/log.h"
#include "pool/pool_config.h"
#include "runtime/executor.h"

#include <string>
#include <vector>

namespace millpond::pool {

/// Where to look. Folders are searched flat: every regular file and block device in them (symbolic
/// links followed) that is large enough to be a leaf. What is named in `devices` may also be a
/// folder.
struct ScanPlaces
{
    std::vector<std::string> directories;
    std::vector<std::string> devices;
};

struct ScanResult
{
    std::vector<PoolConfig> pools;
    std::vector<std::string>
        complaints; ///< devices with damaged labels, folders that can't be read
};

/// Reads the labels of everything in those places, several at a time. Opens for probing only:
/// nothing is held or written. Errors only for a named place that does not exist or can't be read;
/// a device without labels is no error.
[[nodiscard]] Result<ScanResult> scanForPools(const ScanPlaces& places,
                                              runtime::Executor& executor);

} // namespace millpond::pool
