// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/properties.h"
#include "posix/file_system.h"

namespace millpond::posix {

/// From the properties acltype, xattr and snapdir of a filesystem or a snapshot of one.
[[nodiscard]] Result<ShowOptions> showOptions(dataset::Properties& properties,
                                              const dataset::Node& node,
                                              const ReadContext& context = {});

} // namespace millpond::posix
