// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/log.h"

namespace millpond::daemon {

/// What the system helper asks of the kernel for itself: its memory allocations must not wait for
/// the file systems it serves (PR_SET_IO_FLUSHER), and the out-of-memory killer should look
/// elsewhere first. Before any other thread runs, since threads inherit both. A kernel that refuses
/// is logged, not fatal.
void guardProcess(Log& log);

} // namespace millpond::daemon
