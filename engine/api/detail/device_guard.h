// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <span>
#include <string>

namespace millpond::api::detail {

/// Whether what is on these devices and image files may be lost. DeviceBusy, naming device and use:
/// mounted, swap, part of something, …; also for mere content, unless `force`. NoSuchDevice,
/// NotPermitted, DeviceIo.
[[nodiscard]] Status guardDevices(std::span<const std::string> paths, bool force);

} // namespace millpond::api::detail
