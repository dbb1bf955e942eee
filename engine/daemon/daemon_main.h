// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "daemon/helper.h"

namespace millpond::daemon {

/// All of millpondd but the choice of its ports. Returns the exit code: 0 after a clean end, 1 when
/// it could not start or run, 2 for a wrong command line.
[[nodiscard]] int daemonMain(int argc, const char* const* argv, HelperPorts ports);

} // namespace millpond::daemon
