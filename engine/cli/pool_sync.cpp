// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/compat_phrases.h"
#include "cli/option_parser.h"
#include "cli/pool_commands.h"
#include "cli/pool_names.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

// sync and wait.

namespace millpond::cli {

namespace {
constexpr std::string_view kSyncUsage = "sync [pool] ...\n";
constexpr std::string_view kWaitUsage = "wait [-t <activity>[,...]] <pool>\n";
constexpr OptionSpec kWaitOptions[] = {{'t', {}, true}};
constexpr std::chrono::milliseconds kLookEvery{100};
/// Of these, only freeing goes on behind a command's back here.
constexpr std::array<std::string_view, 9> kActivities = {"discard",
                                                         "free",
                                                         "initialize",
                                                         "replace",
                                                         "remove",
                                                         "resilver",
                                                         "scrub",
                                                         "trim",
                                                         "raidz_expand"};

Result<bool> isFreeing(bus::Client& client, const std::string& pool)
{
    const bus::Document document = MP_TRY(client.poolProperties({pool}, {"freeing"}));
    for (const bus::PoolPropertyRow& row : MP_TRY(bus::Rows<bus::PoolPropertyRow>::of(document))) {
        if (row.property == "freeing") {
            return row.value != "0" && row.value != "-";
        }
    }
    return false;
}
} // namespace

int poolSync(Console& console, const Arguments& arguments)
{
    const auto parsed = parseOptions(arguments, {});
    if (!parsed) {
        return usageError(console, parsed.error().what(), kSyncUsage);
    }
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    int code = kDone;
    const auto pools = knownPools(console, **client, parsed->operands, code);
    if (!pools) {
        return code;
    }
    const Status synced = (*client)->sync(*pools);
    return synced ? code : complain(console, "cannot sync", synced.error());
}

int poolWait(Console& console, const Arguments& arguments)
{
    const auto parsed = parseOptions(arguments, kWaitOptions);
    if (!parsed || parsed->operands.size() != 1) {
        return usageError(console,
                          !parsed                    ? parsed.error().what()
                          : parsed->operands.empty() ? "missing 'pool' argument\n"
                                                     : "too many arguments\n",
                          kWaitUsage);
    }
    bool free = !parsed->has('t');
    for (const std::string& list : parsed->valuesOf('t')) {
        for (const std::string& activity : splitList(list)) {
            if (std::ranges::find(kActivities, activity) == kActivities.end()) {
                return usageError(
                    console, fmt::format("invalid activity '{}'\n", activity), kWaitUsage);
            }
            free = free || activity == "free";
        }
    }
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    const std::string& pool = parsed->operands.front();
    while (true) {
        const auto freeing = isFreeing(**client, pool);
        if (!freeing) {
            return complain(console, fmt::format(phrases::kCannotOpen, pool), freeing.error());
        }
        if (!free || !*freeing) {
            return kDone;
        }
        std::this_thread::sleep_for(kLookEvery);
    }
}

} // namespace millpond::cli
