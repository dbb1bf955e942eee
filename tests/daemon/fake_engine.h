// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "daemon/mounter.h"

#include <memory>

// A helper's engine and mounts without pools or FUSE: what tests of the helper itself need. Folders
// "hold" the pools whose names are those of files NAME.fakepool in them.

namespace millpond::test {

/// Pool "big" has 10,000 datasets with 70 properties each. A check of pool "slow" takes until it is
/// cancelled, of any other a moment; it finds three problems.
[[nodiscard]] Result<std::unique_ptr<api::Engine>> createFakeEngine(api::EngineOptions options);

/// Mounts are only remembered; but when MILLPOND_FAKE_MOUNT names a folder (and this is root),
/// importing a pool makes a kernel FUSE mount there that nobody serves. A dataset "busy" cannot be
/// unmounted unforced.
[[nodiscard]] Result<std::unique_ptr<daemon::Mounter>>
createFakeMounter(const daemon::MountPolicy& policy);

} // namespace millpond::test
