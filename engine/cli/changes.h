// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/console.h"
#include "cli/option_parser.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

// What the subcommands that write have in common.

namespace millpond::cli {

using Properties = std::vector<std::pair<std::string, std::string>>;

/// "name=value"; InvalidArgument with the text to show.
[[nodiscard]] Result<std::pair<std::string, std::string>> assignment(const std::string& text);
/// Each "name=value"; a name that comes twice is refused.
[[nodiscard]] Result<Properties> assignments(const std::vector<std::string>& texts);

/// The line as it was typed, for the pool's history.
[[nodiscard]] std::string
typed(const Console& console, std::string_view subcommand, const Arguments& words);

/// Says which datasets could not be mounted; kFailed when there is one.
int reportMounts(Console& console, const bus::Document& mounts);

/// Says why a change of `dataset` failed: "cannot ATTEMPT 'DATASET': REASON", or that it is not
/// there.
int complainAbout(Console& console,
                  std::string_view attempt,
                  const std::string& dataset,
                  const Error& error);

/// File systems and volumes at and below `root`, parents first; `snapshots` too if wanted.
[[nodiscard]] Result<std::vector<std::string>>
datasetsBelow(bus::Client& client, const std::string& root, std::uint64_t depth, bool snapshots);

/// The ancestors of `dataset` that are missing, parents first, for -p.
[[nodiscard]] Result<std::vector<std::string>> missingAncestors(bus::Client& client,
                                                                const std::string& dataset);

} // namespace millpond::cli
