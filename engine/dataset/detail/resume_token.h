// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/dataset_tree.h"

namespace millpond::dataset::detail {

/// The token `zfs send -t` goes on from, when a dataset is the half-received end of a stream.
/// Nothing otherwise.
[[nodiscard]] Result<std::optional<std::string>>
resumeToken(DatasetTree& tree, const Dataset& dataset, const ReadContext& context);

} // namespace millpond::dataset::detail
