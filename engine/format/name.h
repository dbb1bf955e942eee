// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace millpond::format {

inline constexpr std::size_t kMaxDatasetNameBytes = 255; ///< without NUL
inline constexpr std::size_t kMaxDatasetDepth = 50;      ///< levels below the pool

enum class NameKind : std::uint8_t
{
    Filesystem, ///< or volume: pool/a/b
    Snapshot,   ///< pool/a@b
    Bookmark,   ///< pool/a#b
};

/// InvalidName or NameTooLong; what() says why in words for people, in the phrases programs match
/// on.
[[nodiscard]] Status checkPoolName(std::string_view name);
/// A pool to be made: also refuses names beginning like words of the command line (mirror, raidz,
/// spare, ...).
[[nodiscard]] Status checkNewPoolName(std::string_view name);
/// A dataset of any kind. Depth is checked too.
[[nodiscard]] Status checkDatasetName(std::string_view name);
[[nodiscard]] Status checkName(std::string_view name, NameKind kind);
/// What stands behind @ or #, or between slashes.
[[nodiscard]] Status checkComponent(std::string_view name);
/// A user property: has a colon, lower case letters, digits and "-_.:"; 256 bytes at most.
[[nodiscard]] Status checkUserPropertyName(std::string_view name);
[[nodiscard]] bool isUserProperty(std::string_view name);

/// "pool/a/b@s" taken apart; views into the name.
struct NameParts
{
    std::string_view pool;
    std::string_view dataset; ///< without @ or #
    std::string_view snapshot;
    std::string_view bookmark;

    [[nodiscard]] static NameParts of(std::string_view name);
    [[nodiscard]] NameKind kind() const;
};

/// The parent of a filesystem or volume, or the dataset of a snapshot or bookmark; empty for a
/// pool.
[[nodiscard]] std::string_view parentName(std::string_view name);

} // namespace millpond::format
