// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace millpond::api::detail {

/// The number of a user or group as this machine knows them; may ask a directory service and wait.
[[nodiscard]] std::optional<std::uint64_t> accountId(std::string_view name, bool isGroup);

} // namespace millpond::api::detail
