// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace millpond::format {

namespace {

/// A pool's name must leave room for its hidden datasets: "/$ORIGIN@$ORIGIN".
constexpr std::size_t kMaxPoolNameBytes = 239;
constexpr std::size_t kMaxUserPropertyBytes = 255;
constexpr std::array<std::string_view, 3> kReservedPoolNames = {"mirror", "raidz", "draid"};
/// Beginnings of names that mean something else on a command line of zpool.
constexpr std::array<std::string_view, 4> kReservedPoolPrefixes = {
    "mirror", "raidz", "draid", "spare"};

std::unexpected<Error> invalid(std::string what)
{
    return fail(ErrorCode::InvalidName, std::move(what));
}

std::unexpected<Error> tooLong()
{
    return fail(ErrorCode::NameTooLong, "name is too long");
}

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool isAllowed(char c)
{
    return isLetter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == ':' ||
           c == ' ';
}

Status checkCharacters(std::string_view name, bool percent, std::string_view what = "name")
{
    for (const char c : name) {
        // A percent sign marks the temporary clones of a receive.
        if (!isAllowed(c) && !(percent && c == '%')) {
            return invalid(fmt::format("invalid character '{}' in {}", c, what));
        }
    }
    return {};
}

Status checkPathComponent(std::string_view component)
{
    if (component.empty()) {
        return invalid("empty component or misplaced '@' or '#' delimiter in name");
    }
    MP_TRY(checkCharacters(component, true));
    if (component == ".") {
        return invalid("self reference, '.' is found in name");
    }
    if (component == "..") {
        return invalid("parent reference, '..' is found in name");
    }
    return {};
}

Status checkPath(std::string_view path)
{
    if (path.starts_with('/')) {
        return invalid("leading slash in name");
    }
    if (path.ends_with('/')) {
        return invalid("trailing slash in name");
    }
    std::size_t depth = 0;
    for (std::string_view rest = path;; ++depth) {
        const std::size_t slash = rest.find('/');
        MP_TRY(checkPathComponent(rest.substr(0, slash)));
        if (slash == std::string_view::npos) {
            break;
        }
        rest.remove_prefix(slash + 1);
    }
    return depth < kMaxDatasetDepth ? Status() : tooLong();
}

Status checkTail(std::string_view tail)
{
    if (tail.find_first_of("@#") != std::string_view::npos) {
        return invalid("multiple '@' and/or '#' delimiters in name");
    }
    if (tail.find('/') != std::string_view::npos) {
        return invalid("trailing slash in name");
    }
    if (tail.empty()) {
        return invalid("empty component or misplaced '@' or '#' delimiter in name");
    }
    return checkCharacters(tail, true);
}

} // namespace

Status checkPoolName(std::string_view name)
{
    if (name.size() >= kMaxPoolNameBytes) {
        return tooLong();
    }
    if (name.empty() || !isLetter(name.front())) {
        return invalid("name must begin with a letter");
    }
    MP_TRY(checkCharacters(name, false, "pool name"));
    if (std::ranges::find(kReservedPoolNames, name) != kReservedPoolNames.end()) {
        return invalid("name is reserved");
    }
    return {};
}

Status checkNewPoolName(std::string_view name)
{
    const bool reserved =
        std::ranges::any_of(kReservedPoolPrefixes,
                            [name](std::string_view prefix) { return name.starts_with(prefix); });
    return reserved || name == "log" ? Status(invalid("name is reserved")) : checkPoolName(name);
}

Status checkDatasetName(std::string_view name)
{
    if (name.size() > kMaxDatasetNameBytes) {
        return tooLong();
    }
    const std::size_t delimiter = name.find_first_of("@#");
    MP_TRY(checkPath(name.substr(0, delimiter)));
    return delimiter == std::string_view::npos ? Status() : checkTail(name.substr(delimiter + 1));
}

Status checkName(std::string_view name, NameKind kind)
{
    MP_TRY(checkDatasetName(name));
    const NameParts parts = NameParts::of(name);
    if (parts.kind() == kind) {
        return {};
    }
    switch (kind) {
    case NameKind::Filesystem:
        return invalid(fmt::format("{} delimiter '{}' is not expected here",
                                   parts.kind() == NameKind::Snapshot ? "snapshot" : "bookmark",
                                   parts.kind() == NameKind::Snapshot ? '@' : '#'));
    case NameKind::Snapshot:
        return invalid("missing '@' delimiter in snapshot name");
    case NameKind::Bookmark:
        return invalid("missing '#' delimiter in bookmark name");
    }
    return {};
}

Status checkComponent(std::string_view name)
{
    if (name.size() > kMaxDatasetNameBytes) {
        return tooLong();
    }
    if (name.empty()) {
        return invalid("empty component or misplaced '@' or '#' delimiter in name");
    }
    return checkCharacters(name, false);
}

bool isUserProperty(std::string_view name)
{
    return name.find(':') != std::string_view::npos && checkUserPropertyName(name).has_value();
}

Status checkUserPropertyName(std::string_view name)
{
    if (name.size() > kMaxUserPropertyBytes) {
        return tooLong();
    }
    if (name.find(':') == std::string_view::npos) {
        return invalid("a user property has a colon in its name");
    }
    for (const char c : name) {
        const bool ok = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                        c == '.' || c == ':';
        if (!ok) {
            return invalid(fmt::format("invalid character '{}' in property name", c));
        }
    }
    return {};
}

NameParts NameParts::of(std::string_view name)
{
    NameParts parts;
    const std::size_t delimiter = name.find_first_of("@#");
    parts.dataset = name.substr(0, delimiter);
    parts.pool = parts.dataset.substr(0, parts.dataset.find('/'));
    if (delimiter != std::string_view::npos) {
        (name[delimiter] == '@' ? parts.snapshot : parts.bookmark) = name.substr(delimiter + 1);
    }
    return parts;
}

NameKind NameParts::kind() const
{
    if (!snapshot.empty()) {
        return NameKind::Snapshot;
    }
    return bookmark.empty() ? NameKind::Filesystem : NameKind::Bookmark;
}

std::string_view parentName(std::string_view name)
{
    const std::size_t delimiter = name.find_first_of("@#");
    if (delimiter != std::string_view::npos) {
        return name.substr(0, delimiter);
    }
    const std::size_t slash = name.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

} // namespace millpond::format
