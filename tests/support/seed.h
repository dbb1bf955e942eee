// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace millpond::test {

/// The seed of this run: MILLPOND_SEED, or a new one. Printed once per process, so that a failure
/// can be repeated with MILLPOND_SEED=<n>.
[[nodiscard]] std::uint64_t testSeed();

} // namespace millpond::test
