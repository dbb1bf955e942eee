// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/pool_commands.h"
#include "cli/program.h"

namespace {
using namespace millpond::cli;

constexpr Command kCommands[] = {
    {"version", showVersion},
    {"list", poolList},
    {"status", poolStatus},
    {"get", poolGet},
    {"import", poolImport},
    {"export", poolExport},
    {"history", poolHistory},
    {"events", poolEvents},
    {"iostat", poolIostat},
    {"check", poolCheck},
    {"create", poolCreate},
    {"destroy", poolDestroy},
    {"add"},
    {"remove"},
    {"labelclear"},
    {"checkpoint"},
    {"prefetch"},
    {"online"},
    {"offline"},
    {"clear"},
    {"attach"},
    {"detach"},
    {"replace"},
    {"split"},
    {"initialize"},
    {"resilver"},
    {"scrub"},
    {"trim"},
    {"upgrade"},
    {"reguid"},
    {"reopen"},
    {"set"},
    {"sync", poolSync},
    {"wait", poolWait},
    {"ddtprune"},
};
} // namespace

int main(int argc, char** argv)
{
    return runProgram(argc, argv, kCommands);
}
