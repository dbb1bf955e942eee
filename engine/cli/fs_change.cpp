// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/changes.h"
#include "cli/compat_phrases.h"
#include "cli/fs_commands.h"
#include "cli/pool_commands.h"

#include <algorithm>

// destroy, rename, set and inherit.

namespace millpond::cli {

namespace {
constexpr std::string_view kRenameUsage = "rename [-f] <filesystem|volume> <filesystem|volume>\n"
                                          "\trename [-f] -p <filesystem|volume> "
                                          "<filesystem|volume>\n"
                                          "\trename -u [-f] <filesystem> <filesystem>\n";
constexpr std::string_view kSetUsage =
    "set [-u] <property=value> ... <filesystem|volume|snapshot> ...\n";
constexpr std::string_view kInheritUsage =
    "inherit [-rS] <property> <filesystem|volume|snapshot> ...\n";
constexpr OptionSpec kDestroyOptions[] = {{'f'}, {'n'}, {'p'}, {'R'}, {'r'}, {'v'}, {'d'}};
constexpr OptionSpec kRenameOptions[] = {{'f'}, {'p'}, {'u'}, {'r'}};
constexpr OptionSpec kSetOptions[] = {{'u'}};
constexpr OptionSpec kInheritOptions[] = {{'r'}, {'S'}};

/// Of a command line whose words were refused by name: a snapshot or bookmark where this version
/// takes file systems only.
bool refuseSnapshot(Console& console, std::string_view attempt, const std::string& name)
{
    if (name.find_first_of("@#") == std::string::npos) {
        return false;
    }
    console.err(fmt::format(
        "cannot {} '{}': this version changes no snapshots or bookmarks\n", attempt, name));
    return true;
}

/// Which datasets go. False when that was refused, and why was said.
bool checkDestroy(Console& console,
                  const ParsedOptions& options,
                  const std::string& name,
                  std::vector<std::string>& names)
{
    const bool isPool = name.find('/') == std::string::npos;
    const bool recursive = options.has('r') || options.has('R');
    if (isPool && !recursive) {
        console.err(fmt::format("cannot destroy '{0}': operation does not apply to pools\n"
                                "use 'zfs destroy -r {0}' to destroy all datasets in the pool\n"
                                "use 'zpool destroy {0}' to destroy the pool itself\n",
                                name));
        return false;
    }
    if (!recursive && names.size() > 1) {
        console.err(fmt::format("cannot destroy '{}': filesystem has children\n"
                                "use '-r' to destroy the following datasets:\n",
                                name));
        for (const std::string& each : names) {
            console.err(each == name ? std::string() : each + "\n");
        }
        return false;
    }
    if (isPool) {
        std::erase(names, name);
    }
    for (const std::string& each : names) {
        if (each.find('@') != std::string::npos) {
            return !refuseSnapshot(console, "destroy", each);
        }
    }
    return true;
}
} // namespace

int fsDestroy(Console& console, const Arguments& arguments)
{
    const auto parsed = parseOptions(arguments, kDestroyOptions);
    if (!parsed || parsed->operands.size() != 1) {
        return usageError(console,
                          !parsed                    ? parsed.error().what()
                          : parsed->operands.empty() ? "missing dataset argument\n"
                                                     : "too many arguments\n",
                          phrases::kDestroyUsage);
    }
    const std::string& name = parsed->operands.front();
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    if (refuseSnapshot(console, "destroy", name)) {
        return kFailed;
    }
    auto names = datasetsBelow(**client, name, bus::kUnknown, true);
    if (!names) {
        return complainAbout(console, "destroy", name, names.error());
    }
    if (!checkDestroy(console, *parsed, name, *names)) {
        return kFailed;
    }
    std::reverse(names->begin(), names->end()); // children first, as they are destroyed
    if (parsed->has('v') || parsed->has('p')) {
        for (const std::string& each : *names) {
            const std::string_view words = parsed->has('p')   ? "destroy\t"
                                           : parsed->has('n') ? "would destroy "
                                                              : "will destroy ";
            console.out(fmt::format("{}{}\n", words, each));
        }
    }
    if (parsed->has('n') || names->empty()) {
        return kDone;
    }
    const Status destroyed =
        (*client)->destroyDatasets(*names, parsed->has('f'), typed(console, "destroy", arguments));
    return destroyed ? kDone : complainAbout(console, "destroy", name, destroyed.error());
}

int fsRename(Console& console, const Arguments& arguments)
{
    const auto parsed = parseOptions(arguments, kRenameOptions);
    if (!parsed || parsed->operands.size() != 2) {
        return usageError(console,
                          !parsed                         ? parsed.error().what()
                          : parsed->operands.empty()      ? "missing source dataset argument\n"
                          : parsed->operands.size() == 1U ? "missing target dataset argument\n"
                                                          : "too many arguments\n",
                          kRenameUsage);
    }
    const std::string& from = parsed->operands[0];
    const std::string& to = parsed->operands[1];
    if (refuseSnapshot(console, "rename", from)) {
        return kFailed;
    }
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    if (parsed->has('p')) {
        const auto missing = missingAncestors(**client, to);
        if (!missing) {
            return complainAbout(console, "create", to, missing.error());
        }
        std::vector<bus::NewDataset> parents;
        for (const std::string& each : *missing) {
            parents.push_back({.name = each, .properties = {}});
        }
        if (!parents.empty()) {
            const auto made = (*client)->createDatasets(parents, !parsed->has('u'), {});
            if (!made) {
                return complainAbout(console, "create", to, made.error());
            }
        }
    }
    const auto mounts = (*client)->renameDataset(
        {from, to, parsed->has('f'), !parsed->has('u'), typed(console, "rename", arguments)});
    return mounts ? reportMounts(console, *mounts)
                  : complainAbout(console, "rename", from, mounts.error());
}

int fsSet(Console& console, const Arguments& arguments)
{
    const auto parsed = parseOptions(arguments, kSetOptions);
    if (!parsed) {
        return usageError(console, parsed.error().what(), kSetUsage);
    }
    const Arguments& words = parsed->operands;
    const auto first = std::ranges::find_if(
        words, [](const std::string& word) { return word.find('=') == std::string::npos; });
    if (first == words.begin() || first == words.end()) {
        return usageError(console,
                          first == words.begin() ? "missing property=value argument(s)\n"
                                                 : "missing dataset name(s)\n",
                          kSetUsage);
    }
    const auto properties = assignments({words.begin(), first});
    if (!properties) {
        return usageError(console, properties.error().what(), kSetUsage);
    }
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    int code = kDone;
    const std::string line = typed(console, "set", arguments);
    for (const std::string& dataset : Arguments(first, words.end())) {
        const auto mounts =
            (*client)->setProperties({dataset}, *properties, !parsed->has('u'), line);
        code =
            std::max(code,
                     mounts ? reportMounts(console, *mounts)
                            : complainAbout(console, "set property for", dataset, mounts.error()));
    }
    return code;
}

int fsInherit(Console& console, const Arguments& arguments)
{
    const auto parsed = parseOptions(arguments, kInheritOptions);
    if (!parsed || parsed->operands.size() < 2) {
        return usageError(console,
                          !parsed                    ? parsed.error().what()
                          : parsed->operands.empty() ? "missing property argument\n"
                                                     : "missing dataset argument\n",
                          kInheritUsage);
    }
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    const std::string& property = parsed->operands.front();
    const std::string line = typed(console, "inherit", arguments);
    int code = kDone;
    for (auto each = parsed->operands.begin() + 1; each != parsed->operands.end(); ++each) {
        auto names = parsed->has('r') ? datasetsBelow(**client, *each, bus::kUnknown, false)
                                      : Result<std::vector<std::string>>(Arguments{*each});
        if (!names) {
            code = complainAbout(console, "inherit property for", *each, names.error());
            continue;
        }
        const auto mounts = (*client)->inheritProperty(*names, property, parsed->has('S'), line);
        code = std::max(
            code,
            mounts ? reportMounts(console, *mounts)
                   : complainAbout(console, "inherit property for", *each, mounts.error()));
    }
    return code;
}

} // namespace millpond::cli
