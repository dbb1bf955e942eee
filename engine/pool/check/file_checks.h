// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pool/check/dataset_checks.h"
#include "pool/check/reporter.h"

namespace millpond::pool {

/// The content of one chain's filesystems, snapshots too: directory entries against objects, link
/// counts, sizes of directories, structure of ZAPs, and what users, groups and projects are said to
/// use. Theory: file_checks.cpp. Damage is reported. `atMost`: blocks the pool can have, which
/// bounds what pointers that go in circles may cost.
[[nodiscard]] Status
checkFiles(const Pool& pool, Reporter& reporter, const Chain& chain, std::uint64_t atMost);

/// The structure of every ZAP of an object set that is no filesystem: the pool's own.
[[nodiscard]] Status checkZaps(object::ObjectSet& objset, Reporter& reporter);

} // namespace millpond::pool
