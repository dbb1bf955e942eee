// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <sys/types.h>

namespace millpond::test {

/// The process that listens on a unix socket; -1 when none does.
[[nodiscard]] pid_t processBehind(const QString& socket);

/// Asks the helper behind a socket to end, and waits until it has; false when it did not in time.
[[nodiscard]] bool endHelper(const QString& socket);

[[nodiscard]] bool isAlive(pid_t process);

} // namespace millpond::test
