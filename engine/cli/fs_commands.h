// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/console.h"

// The subcommands of mpzfs. Each takes the words behind its name and returns the exit code.

namespace millpond::cli {

int fsList(Console& console, const Arguments& arguments);
int fsGet(Console& console, const Arguments& arguments);
int fsMount(Console& console, const Arguments& arguments);
int fsUnmount(Console& console, const Arguments& arguments);
int fsHolds(Console& console, const Arguments& arguments);
int fsCreate(Console& console, const Arguments& arguments);
int fsDestroy(Console& console, const Arguments& arguments);
int fsRename(Console& console, const Arguments& arguments);
int fsSet(Console& console, const Arguments& arguments);
int fsInherit(Console& console, const Arguments& arguments);
int fsProvision(Console& console, const Arguments& arguments);

} // namespace millpond::cli
