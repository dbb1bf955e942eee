// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/dataset_tree.h"
#include "dataset/live_tree.h"
#include "engine/dataset/mos_in_memory.h"
#include "support/seed.h"

#include <memory>
#include <string>

namespace millpond::test {

/// A pool's datasets while it is written to, in memory: a new tree, made in txg 4. Blocks count for
/// what they are allocated.
struct LivePool : MosInMemory
{
    runtime::ManualClock clock;
    SeededRandom random{testSeed()};
    std::uint64_t version = 5000;
    std::unique_ptr<dataset::LiveTree> tree;

    [[nodiscard]] dataset::LiveTreePorts ports();
    /// With the root's live dataset.
    [[nodiscard]] Status make();
    [[nodiscard]] Status sync(Txg txg);
    /// Of what was synced last.
    [[nodiscard]] Result<std::shared_ptr<dataset::DatasetTree>> reader();
    /// Writes everything and opens it anew.
    [[nodiscard]] Status reopen(Txg txg);
    [[nodiscard]] Result<dataset::LiveDirectory*>
    add(dataset::LiveDirectory& parent, const std::string& name, Txg txg);
    /// A number of bytes that is born (or goes, when negative) in a dataset.
    [[nodiscard]] Status grow(dataset::LiveDirectory& directory, std::int64_t bytes, Txg txg);
    [[nodiscard]] Result<std::size_t> objects() const; ///< in the MOS
};

/// What does not fit in the figures of all directories: a breakdown is its directory's sum, and
/// what a directory counts for children and their reservations is what its children say. Empty
/// when all fits.
[[nodiscard]] std::string wrongFigures(dataset::DatasetTree& tree);

} // namespace millpond::test
