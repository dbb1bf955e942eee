// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/compat_phrases.h"
#include "cli/fs_commands.h"
#include "cli/pool_commands.h"
#include "cli/program.h"

namespace {
using namespace millpond::cli;

constexpr Command kCommands[] = {
    {"version", showVersion},
    {"list", fsList},
    {"get", fsGet},
    {"mount", fsMount},
    {"unmount", fsUnmount},
    {"umount", fsUnmount},
    {"holds", fsHolds},
    {"create", fsCreate},
    {"destroy", fsDestroy},
    {"snapshot"},
    {"snap"},
    {"rollback"},
    {"clone"},
    {"promote"},
    {"rename", fsRename},
    {"bookmark"},
    {"diff"},
    {"set", fsSet},
    {"inherit", fsInherit},
    {"provision", fsProvision},
    {"upgrade"},
    {"userspace"},
    {"groupspace"},
    {"projectspace"},
    {"project"},
    {"share"},
    {"unshare"},
    {"send", nullptr, phrases::kSendUsage},
    {"receive", nullptr, phrases::kReceiveUsage},
    {"recv", nullptr, phrases::kReceiveUsage},
    {"redact"},
    {"allow"},
    {"unallow"},
    {"hold"},
    {"release"},
    {"load-key", nullptr, phrases::kLoadKeyUsage},
    {"unload-key"},
    {"change-key"},
    {"program"},
    {"wait"},
};
} // namespace

int main(int argc, char** argv)
{
    return runProgram(argc, argv, kCommands);
}
