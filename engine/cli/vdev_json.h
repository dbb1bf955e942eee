// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/json.h"
#include "cli/vdev_names.h"

namespace millpond::cli {

/// The numbers of a document: integers, exact digits as text, or as people read them.
struct JsonNumbers
{
    bool exact = false, integers = false; ///< integers are exact

    [[nodiscard]] Json plain(std::uint64_t value) const; ///< digits at least
    [[nodiscard]] Json count(std::uint64_t value) const; ///< 1.5K
    [[nodiscard]] Json bytes(std::uint64_t value) const; ///< 1.5K, 512B
    [[nodiscard]] Json time(std::uint64_t seconds) const;
};

/// What every document has of a vdev in front of what was asked for: name, type, guid, path, class,
/// state.
[[nodiscard]] Json
vdevJson(const VdevNode& node, const VdevNaming& naming, const JsonNumbers& numbers);
/// The same under a name of the caller's, with "type": "VDEV".
[[nodiscard]] Json
vdevJson(const VdevNode& node, std::string_view name, const JsonNumbers& numbers);
/// The key under which the vdevs of a section stand: "vdevs", "l2cache", "logs", ...
[[nodiscard]] std::string_view sectionKey(const VdevSection& section);

} // namespace millpond::cli
