// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace millpond::api::detail {

/// This machine's host id as OpenZFS takes it: the four bytes of the file, in host order; 0 when
/// there is no file. (OpenZFS lib/libspl/os/linux/gethostid.c)
[[nodiscard]] std::uint64_t machineHostId(const std::string& path);

} // namespace millpond::api::detail
