// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "posix/file_system.h"

namespace millpond::posix::detail {

/// Decodes the value of system.posix_acl_access or _default, as Linux lays it out and OpenZFS
/// stores it: version 2 (32), then entries of tag (16), permissions (16), id (32), always
/// little-endian. BadAttributes.
[[nodiscard]] Result<std::vector<AclEntry>> decodePosixAcl(Bytes value);

} // namespace millpond::posix::detail
