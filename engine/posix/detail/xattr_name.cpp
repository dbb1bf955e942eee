// SPDX-License-Identifier: GPL-3.0-or-later
#include "posix/detail/xattr_name.h"

#include <algorithm>

namespace millpond::posix::detail {

namespace {

constexpr std::string_view kUser = "user.";
constexpr std::string_view kTrusted = "trusted.";
constexpr std::string_view kSecurity = "security.";
constexpr std::string_view kSystem = "system.";
constexpr std::string_view kFreeBsd = "freebsd:";

bool startsWithAny(std::string_view name, std::initializer_list<std::string_view> prefixes)
{
    return std::ranges::any_of(prefixes,
                               [&](std::string_view prefix) { return name.starts_with(prefix); });
}

} // namespace

std::optional<std::string> shownXattrName(std::string_view stored)
{
    if (stored.empty() || stored == kAccessAclName || stored == kDefaultAclName ||
        stored.starts_with(kFreeBsd)) {
        return std::nullopt;
    }
    if (startsWithAny(stored, {kUser, kTrusted, kSecurity})) {
        return std::string(stored);
    }
    return std::string(kUser).append(stored);
}

std::vector<std::string> storedXattrNames(std::string_view asked)
{
    if (startsWithAny(asked, {kTrusted, kSecurity})) {
        return {std::string(asked)};
    }
    if (!asked.starts_with(kUser) || asked.size() == kUser.size()) {
        return {};
    }
    const std::string_view bare = asked.substr(kUser.size());
    // "user.trusted.x" must not reach "trusted.x".
    if (startsWithAny(bare, {kFreeBsd, kSecurity, kSystem, kTrusted, kUser})) {
        return {};
    }
    return {std::string(asked), std::string(bare)};
}

} // namespace millpond::posix::detail
