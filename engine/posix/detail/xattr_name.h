// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace millpond::posix::detail {

inline constexpr std::string_view kAccessAclName = "system.posix_acl_access";
inline constexpr std::string_view kDefaultAclName = "system.posix_acl_default";
inline constexpr std::string_view kCapabilityName = "security.capability";

/// How Linux lists a stored name: names with a Linux namespace as they are, names of other systems
/// as "user."; nothing for what it hides (FreeBSD's system namespace) and for POSIX ACLs.
[[nodiscard]] std::optional<std::string> shownXattrName(std::string_view stored);
/// The stored names to try, in order, for a name asked for. Empty: there can be none.
[[nodiscard]] std::vector<std::string> storedXattrNames(std::string_view asked);

} // namespace millpond::posix::detail
