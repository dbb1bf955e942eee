// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/dataset_tree.h"
#include "dataset/deadlist.h"

namespace millpond::dataset {

/// Bytes written to `now` since its previous snapshot; nothing when there is none (the first
/// snapshot in pools too old to begin with an empty one).
[[nodiscard]] Result<std::optional<std::uint64_t>>
writtenSincePrevious(DatasetTree& tree, const Dataset& now, const ReadContext& context = {});

/// Bytes written to `now` since a snapshot of it, or of what it is a clone of. Nothing when `then`
/// is not among its ancestors. Cost: one deadlist for each snapshot between.
[[nodiscard]] Result<std::optional<std::uint64_t>> writtenSince(DatasetTree& tree,
                                                                const Dataset& then,
                                                                const Dataset& now,
                                                                const ChargedBytes& charged,
                                                                const ReadContext& context = {});
/// The same from a bookmark; nothing also when the bookmark does not carry the sums needed.
[[nodiscard]] Result<std::optional<std::uint64_t>> writtenSince(DatasetTree& tree,
                                                                const Bookmark& then,
                                                                const Dataset& now,
                                                                const ChargedBytes& charged,
                                                                const ReadContext& context = {});

} // namespace millpond::dataset
