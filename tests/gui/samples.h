// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/state/dataset_table.h"
#include "gui/state/pool.h"

// Made-up pools for the tests and pictures of the window.

namespace millpond::test {

/// "pond": raidz1 of three image files, imported read-only, all well.
[[nodiscard]] state::Pool healthyPool();
/// "tank": a mirror with a missing half, a log, a spare; found, not imported.
[[nodiscard]] state::Pool degradedPool();
/// "vault": cannot be imported, for a feature.
[[nodiscard]] state::Pool refusedPool();

/// The datasets of a small pool.
[[nodiscard]] state::DatasetTable smallTable(const std::string& pool);
/// `users` datasets below POOL/home, with numbers that differ.
[[nodiscard]] state::DatasetTable manyUsers(const std::string& pool, std::size_t users);
[[nodiscard]] state::DatasetTable snapshotTable(const std::string& dataset, int count);

} // namespace millpond::test
