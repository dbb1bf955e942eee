// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "posix/file_system.h"

namespace millpond::posix::detail {

/// Decodes the value of system.posix_acl_access or _default, as Linux lays it out and OpenZFS
/// stores it: version 2 (32), then entries of tag (16), permissions (16), id (32), always
/// little-endian. BadAttributes.
[[nodiscard]] Result<std::vector<AclEntry>> decodePosixAcl(Bytes value);
/// The other way, in the order given.
[[nodiscard]] std::vector<std::byte> encodePosixAcl(std::span<const AclEntry> acl);

/// As Linux demands it of ACLs that are set [acl_valid(3)]: one entry each of owner, group and
/// others; named ones only once and with a mask. In the order Linux stores them: by kind, named
/// ones by id. InvalidArgument.
[[nodiscard]] Result<std::vector<AclEntry>> canonicalPosixAcl(std::span<const AclEntry> acl);
/// It has entries that a mode has not. Of a valid ACL.
[[nodiscard]] bool exceedsMode(std::span<const AclEntry> acl);
/// The nine permission bits that go with a valid ACL: the mask is shown as the group's.
[[nodiscard]] std::uint32_t modeOfPosixAcl(std::span<const AclEntry> acl);
/// What chmod makes of a valid ACL.
void applyMode(std::span<AclEntry> acl, std::uint32_t mode);

} // namespace millpond::posix::detail
