// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <functional>
#include <string>

namespace millpond::daemon {

/// Follows a path a caller gave, link by link, without ever touching a place that `covers` claims:
/// the helper serves its own mounts, so looking below one would be waiting for itself. Returns the
/// path without links. Errors: InvalidArgument (not absolute, or it leads onto a mount of ours),
/// NoSuchEntry, NotAuthorized, NotDirectory, TooMany (links).
[[nodiscard]] Result<std::string>
resolveOutside(const std::string& path, const std::function<bool(const std::string&)>& covers);

} // namespace millpond::daemon
