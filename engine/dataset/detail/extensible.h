// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/bp_object_writer.h"

#include <optional>
#include <string_view>

// Objects of directories and datasets that became ZAPs as well, beside their bonus buffers, to hold
// fields of newer features [dmu_object_zapify]. The feature extensible_dataset counts them.
// Syncing context, one thread.

namespace millpond::dataset::detail {

[[nodiscard]] Result<bool> isExtensible(ListContext& context, ObjectId object);
/// Makes it one, unless it is.
[[nodiscard]] Status makeExtensible(ListContext& context, ObjectId object, Txg txg);
/// Frees the object, whether it is one or not.
[[nodiscard]] Status freeExtensible(ListContext& context, ObjectId object, Txg txg);

/// A field; nothing when there is none, or the object is not extensible.
[[nodiscard]] Result<std::optional<std::uint64_t>>
field(ListContext& context, ObjectId object, std::string_view name);

/// A number in a ZAP; nothing when it has no such entry, or `zap` is 0.
[[nodiscard]] Result<std::optional<std::uint64_t>>
numberIn(ListContext& context, ObjectId zap, std::string_view name);

/// Removes an entry if it is there.
[[nodiscard]] Status
removeIfThere(ListContext& context, ObjectId zap, std::string_view name, Txg txg);

} // namespace millpond::dataset::detail
