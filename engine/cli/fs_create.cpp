// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/changes.h"
#include "cli/compat_phrases.h"
#include "cli/fs_commands.h"
#include "cli/pool_commands.h"

namespace millpond::cli {

namespace {
constexpr std::string_view kUsageText = "create [-Pnpuv] [-o property=value] ... <filesystem>\n";
constexpr OptionSpec kOptions[] = {
    {'P'}, {'n'}, {'p'}, {'u'}, {'v'}, {'o', {}, true}, {'V', {}, true}, {'s'}, {'b', {}, true}};

int create(Console& console,
           const ParsedOptions& options,
           const Properties& properties,
           const std::string& command)
{
    const std::string& name = options.operands.front();
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    std::vector<bus::NewDataset> wanted;
    if (options.has('p')) {
        if (datasetsBelow(**client, name, 0, false)) {
            return kDone; // it is there already
        }
        const auto missing = missingAncestors(**client, name);
        if (!missing) {
            return complainAbout(console, "create", name, missing.error());
        }
        for (const std::string& ancestor : *missing) {
            wanted.push_back({.name = ancestor, .properties = {}});
        }
    }
    wanted.push_back({.name = name, .properties = properties});
    if (options.has('n') || options.has('v')) {
        const bool parsable = options.has('P');
        const std::string_view words = parsable           ? "create\t"
                                       : options.has('n') ? "would create "
                                                          : "create ";
        console.out(fmt::format("{}{}\n", words, name));
        for (const auto& [property, value] : properties) {
            console.out(parsable ? fmt::format("property\t{}\t{}\n", property, value)
                                 : fmt::format("\t{}={}\n", property, value));
        }
    }
    if (options.has('n')) {
        return kDone;
    }
    const auto mounts = (*client)->createDatasets(wanted, !options.has('u'), command);
    if (mounts) {
        const int code = reportMounts(console, *mounts);
        if (code != kDone) {
            console.err("filesystem successfully created, but not mounted\n");
        }
        return code;
    }
    if (mounts.error().is(ErrorCode::NoSuchDataset)) {
        const std::string attempt = fmt::format("cannot create '{}'", name);
        const std::string pool = name.substr(0, name.find('/'));
        const bool noPool = !datasetsBelow(**client, pool, 0, false);
        return complain(console,
                        attempt,
                        Error(ErrorCode::InvalidArgument,
                              noPool ? fmt::format("{} '{}'", phrases::kNoPool, pool)
                                     : std::string(phrases::kNoParent)));
    }
    return complainAbout(console, "create", name, mounts.error());
}
} // namespace

int fsCreate(Console& console, const Arguments& arguments)
{
    const auto parsed = parseOptions(arguments, kOptions);
    if (!parsed || parsed->operands.size() != 1) {
        return usageError(console,
                          !parsed                    ? parsed.error().what()
                          : parsed->operands.empty() ? "missing filesystem argument\n"
                                                     : "too many arguments\n",
                          kUsageText);
    }
    if (parsed->has('V')) {
        console.err(
            fmt::format("{}: volumes cannot be created in this version\n", console.program()));
        return kFailed;
    }
    const auto properties = assignments(parsed->valuesOf('o'));
    if (!properties) {
        return usageError(console, properties.error().what(), kUsageText);
    }
    return create(console, *parsed, *properties, typed(console, "create", arguments));
}

} // namespace millpond::cli
