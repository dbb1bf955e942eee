// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <string>

namespace millpond::daemon {

/// Where this helper keeps what outlives it.
struct StateFolders
{
    std::string config;  ///< /etc/millpond, $XDG_CONFIG_HOME/millpond
    std::string state;   ///< /var/lib/millpond, $XDG_STATE_HOME/millpond
    std::string runtime; ///< /run/millpond, $XDG_RUNTIME_DIR/millpond
    std::string mounts;  ///< /run/millpond (pools that are not this machine's own), $HOME/Millpond

    [[nodiscard]] static StateFolders forSystem();
    /// From the environment.
    [[nodiscard]] static StateFolders forUser();

    /// Makes state and runtime, for this user alone to write.
    [[nodiscard]] Status create() const;
};

} // namespace millpond::daemon
