// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/console.h"

#include <span>
#include <string_view>

namespace millpond::cli {

using CommandFunction = int (*)(Console&, const Arguments&);

struct Command
{
    std::string_view name;
    CommandFunction run = nullptr; ///< null: OpenZFS has it, this version does not
    /// Of a command without `run`: what it takes, for programs that look for words in it.
    std::string_view usage = {};
};

/// Runs one of the programs: options that choose the helper, then a subcommand.
int runProgram(int argumentCount, char** arguments, std::span<const Command> commands);

} // namespace millpond::cli
