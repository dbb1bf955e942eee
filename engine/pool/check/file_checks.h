// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pool/check/reporter.h"

namespace millpond::pool {

/// The content of one live filesystem: directory entries against objects, link counts, sizes of
/// directories, structure of its ZAPs, and what its users, groups and projects are said to use.
/// Damage is reported.
[[nodiscard]] Status
checkFiles(const Pool& pool, Reporter& reporter, const dataset::Dataset& dataset);

/// The structure of every ZAP of an object set that is no filesystem: the pool's own.
[[nodiscard]] Status checkZaps(object::ObjectSet& objset, Reporter& reporter);

} // namespace millpond::pool
