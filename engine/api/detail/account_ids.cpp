// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/detail/account_ids.h"

#include <cerrno>
#include <grp.h>
#include <pwd.h>
#include <string>
#include <vector>

namespace millpond::api::detail {

namespace {
/// A group with many members needs room; more than this is no answer worth having.
constexpr std::size_t kFirstBuffer = 16384, kLargestBuffer = std::size_t{1} << 20U;

template <class Entry, class Lookup> bool lookUp(Entry& entry, Lookup lookup)
{
    for (std::size_t size = kFirstBuffer; size <= kLargestBuffer; size *= 4) {
        std::vector<char> buffer(size);
        Entry* found = nullptr;
        const int error = lookup(&entry, buffer.data(), buffer.size(), &found);
        if (error != ERANGE) {
            return error == 0 && found != nullptr;
        }
    }
    return false;
}
} // namespace

std::optional<std::uint64_t> accountId(std::string_view name, bool isGroup)
{
    const std::string text(name);
    if (isGroup) {
        group entry{};
        const bool found =
            lookUp(entry, [&text](auto... rest) { return getgrnam_r(text.c_str(), rest...); });
        return found ? std::optional<std::uint64_t>(entry.gr_gid) : std::nullopt;
    }
    passwd entry{};
    const bool found =
        lookUp(entry, [&text](auto... rest) { return getpwnam_r(text.c_str(), rest...); });
    return found ? std::optional<std::uint64_t>(entry.pw_uid) : std::nullopt;
}

} // namespace millpond::api::detail
