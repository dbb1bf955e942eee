// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <functional>
#include <string>
#include <thread>

namespace millpond::runtime::detail {

/// Starts a named thread with all signals blocked: they are for the program's main thread. System
/// when the machine has no thread to give. The name is cut to what the kernel keeps.
[[nodiscard]] Result<std::thread> startThread(std::string name, std::function<void()> body);

} // namespace millpond::runtime::detail
