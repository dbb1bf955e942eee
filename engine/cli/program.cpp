// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/program.h"

#include "cli/json.h"
#include "cli/option_parser.h"
#include "cli/pool_commands.h"

#include <filesystem>

namespace millpond::cli {

namespace {
constexpr OptionSpec kVersionOptions[] = {{'j', "json"}};

std::string usageText(const Console& console, std::span<const Command> commands)
{
    std::string text =
        fmt::format("usage: {} [--system | --private | --socket path] command args ...\n"
                    "where 'command' is one of the following:\n\n",
                    console.program());
    for (const Command& command : commands) {
        if (command.run != nullptr) {
            text += fmt::format("\t{}\n", command.name);
        }
    }
    return text + fmt::format("\nThe manual page {}(8) describes them.\n", console.program());
}

/// Takes the options before the subcommand; false when they make no sense.
bool takeHelperOptions(Arguments& words, bus::ConnectOptions& options)
{
    while (!words.empty() && words.front().starts_with("--")) {
        const std::string word = words.front();
        words.erase(words.begin());
        if (word == "--system") {
            options.mode = bus::HelperMode::System;
        } else if (word == "--private") {
            options.mode = bus::HelperMode::Private;
        } else if (word == "--socket" && !words.empty()) {
            options.mode = bus::HelperMode::Private;
            options.socketPath = words.front();
            words.erase(words.begin());
        } else if (word == "--version" || word == "--help") {
            words.insert(words.begin(), word.substr(2));
            return true;
        } else {
            return false;
        }
    }
    return true;
}
} // namespace

int usageError(Console& console, std::string_view what, std::string_view usage)
{
    console.err(fmt::format("{}usage:\n\t{}", what, usage));
    return kUsage;
}

int showVersion(Console& console, const Arguments& arguments)
{
    const auto parsed = parseOptions(arguments, kVersionOptions);
    if (!parsed) {
        return usageError(console, parsed.error().what(), "version [-j]\n");
    }
    const std::string userland = fmt::format("millpond-{}", MILLPOND_VERSION);
    // There is no kernel module; the helper stands in its place, and need not run for this answer.
    if (parsed->has('j')) {
        Json document = jsonDocument(console.program() + " version");
        document.member("zfs_version").set("userland", userland).set("kernel", userland);
        console.out(document.toText());
        return kDone;
    }
    console.out(userland + "\n");
    return kDone;
}

int runProgram(int argumentCount, char** arguments, std::span<const Command> commands)
{
    Console console(
        std::filesystem::path(argumentCount > 0 ? arguments[0] : "").filename().string());
    Arguments words(arguments + std::min(argumentCount, 1), arguments + argumentCount);
    bus::ConnectOptions options;
    if (!takeHelperOptions(words, options) || words.empty()) {
        console.err("missing command\n" + usageText(console, commands));
        return kUsage;
    }
    console.choose(std::move(options));
    std::string name = words.front();
    words.erase(words.begin());
    if (name == "-V") {
        name = "version";
    }
    if (name == "-?" || name == "help") {
        console.out(usageText(console, commands));
        console.flush();
        return kDone;
    }
    for (const Command& command : commands) {
        if (command.name != name) {
            continue;
        }
        if (command.run == nullptr) {
            const std::string text =
                fmt::format("{}: '{}' is not available in this version\n", console.program(), name);
            if (words.empty() && !command.usage.empty()) {
                return usageError(console, text, command.usage);
            }
            console.err(text);
            return kFailed;
        }
        const int code = command.run(console, words);
        console.flush();
        return code;
    }
    console.err(fmt::format("unrecognized command '{}'\n", name) + usageText(console, commands));
    return kUsage;
}

} // namespace millpond::cli
