// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "posix/file_system.h"

namespace millpond::fuse {

/// The value of system.posix_acl_access and system.posix_acl_default (linux/posix_acl_xattr.h):
/// what the kernel checks by and getfacl prints.
[[nodiscard]] std::vector<std::byte> posixAclValue(const std::vector<posix::AclEntry>& entries);

/// The way back. InvalidArgument. Entries need not make sense together.
[[nodiscard]] Result<std::vector<posix::AclEntry>> posixAclEntries(Bytes value);

inline constexpr std::string_view kAccessAclName = "system.posix_acl_access";
inline constexpr std::string_view kDefaultAclName = "system.posix_acl_default";

} // namespace millpond::fuse
