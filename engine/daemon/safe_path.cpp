// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/safe_path.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <climits>
#include <deque>
#include <sys/stat.h>
#include <unistd.h>

namespace millpond::daemon {

namespace {
constexpr int kMaxLinks = 40; // the kernel's own limit

/// Puts the components of `path` in front of `rest`.
void prepend(std::deque<std::string>& rest, std::string_view path)
{
    std::deque<std::string> parts;
    while (!path.empty()) {
        const std::size_t slash = path.find('/');
        const std::string_view part = path.substr(0, slash);
        if (!part.empty() && part != ".") {
            parts.emplace_back(part);
        }
        path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    }
    rest.insert(rest.begin(), parts.begin(), parts.end());
}

std::string parentOf(const std::string& path)
{
    return path.substr(0, path.rfind('/'));
}
} // namespace

Result<std::string> resolveOutside(const std::string& path,
                                   const std::function<bool(const std::string&)>& covers)
{
    if (!path.starts_with('/')) {
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("\"{}\" is not an absolute path", path));
    }
    std::deque<std::string> rest;
    prepend(rest, path);
    std::string done;
    int links = 0;
    while (!rest.empty()) {
        const std::string part = std::move(rest.front());
        rest.pop_front();
        if (part == "..") {
            done = parentOf(done);
            continue;
        }
        const std::string next = done + '/' + part;
        if (covers(next)) {
            return fail(ErrorCode::InvalidArgument,
                        fmt::format("{} lies on a mount of Millpond's own", path));
        }
        struct stat facts = {};
        if (::lstat(next.c_str(), &facts) != 0) {
            return fail(systemError(errno, "cannot look at", next));
        }
        if (!S_ISLNK(facts.st_mode)) {
            done = next;
            continue;
        }
        std::array<char, PATH_MAX> target{};
        const ssize_t length = ::readlink(next.c_str(), target.data(), target.size());
        if (length < 0) {
            return fail(systemError(errno, "readlink", next));
        }
        if (++links > kMaxLinks) {
            return fail(ErrorCode::TooMany, fmt::format("{}: too many links", path));
        }
        if (target[0] == '/') {
            done.clear();
        }
        prepend(rest, {target.data(), static_cast<std::size_t>(length)});
    }
    return done.empty() ? std::string("/") : done;
}

} // namespace millpond::daemon
