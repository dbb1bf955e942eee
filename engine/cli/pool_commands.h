// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/console.h"

// The subcommands of mpzpool. Each takes the words behind its name and returns the exit code.

namespace millpond::cli {

int poolList(Console& console, const Arguments& arguments);
int poolStatus(Console& console, const Arguments& arguments);
int poolGet(Console& console, const Arguments& arguments);
int poolImport(Console& console, const Arguments& arguments);
int poolExport(Console& console, const Arguments& arguments);
int poolHistory(Console& console, const Arguments& arguments);
int poolEvents(Console& console, const Arguments& arguments);
int poolIostat(Console& console, const Arguments& arguments);
int poolCheck(Console& console, const Arguments& arguments);
int poolCreate(Console& console, const Arguments& arguments);
int poolDestroy(Console& console, const Arguments& arguments);
int poolSync(Console& console, const Arguments& arguments);
int poolWait(Console& console, const Arguments& arguments);

/// Both programs' `version`.
int showVersion(Console& console, const Arguments& arguments);

/// Fails with kUsage after saying what is wrong with the words and how they should be.
int usageError(Console& console, std::string_view what, std::string_view usage);

} // namespace millpond::cli
