// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "fuse/mounter.h"

namespace millpond::daemon {

// The port is the mount server's own, one layer down; here it goes by these names.
using fuse::MountEntry;
using fuse::Mounter;
using fuse::MountOutcome;
using fuse::MountPolicy;
using fuse::MountRequest;
using fuse::MountWatch;

} // namespace millpond::daemon
