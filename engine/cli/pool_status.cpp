// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/compat_phrases.h"
#include "cli/pool_commands.h"
#include "cli/pool_names.h"
#include "cli/repeat.h"
#include "cli/status_report.h"
#include "cli/table_printer.h"

#include <algorithm>

namespace millpond::cli {

namespace {
constexpr std::string_view kUsageText = "status [--power] [-j [--json-int, --json-flat-vdevs, ...\n"
                                        "\t    --json-pool-key-guid]] [-DdegiLPpstvx] "
                                        "[-T d|u] [pool] ...\n"
                                        "\t    [interval [count]]\n";

constexpr OptionSpec kOptions[] = {{'D'},
                                   {'d'},
                                   {'e'},
                                   {'g'},
                                   {'i'},
                                   {'L'},
                                   {'P'},
                                   {'p'},
                                   {'s'},
                                   {'t'},
                                   {'v'},
                                   {'x'},
                                   {'j', "json"},
                                   {'T', {}, true},
                                   {'I', "json-int", false, true},
                                   {'F', "json-flat-vdevs", false, true},
                                   {'K', "json-pool-key-guid", false, true},
                                   {'W', "power", false, true}};

/// For -x: something is wrong, other than that the pool could be upgraded.
bool hasProblem(const bus::PoolRow& pool, const StatusAnswer& answer)
{
    if (pool.state != "ONLINE" || pool.errorCount != 0 || !pool.messageId.empty() ||
        (pool.scanState == "running" && pool.scanKind == "resilver")) {
        return true;
    }
    const std::vector<VdevSection> sections = vdevSections(answer.vdevs, pool.guid);
    return std::ranges::any_of(sections, [](const VdevSection& section) {
        const std::vector<VdevNode> trees = vdevTrees(section.rows);
        return std::ranges::any_of(
            trees, [](const VdevNode& node) { return !isHealthy(node, StatusOptions{}); });
    });
}

void printJson(Console& console, const StatusAnswer& answer, const StatusOptions& options)
{
    Json document = jsonDocument("zpool status");
    Json& pools = document.member("pools");
    for (const bus::PoolRow& pool : answer.pools) {
        if (!options.onlyUnhealthy || hasProblem(pool, answer)) {
            pools.set(options.keyGuid ? std::to_string(pool.guid) : std::string(pool.name),
                      statusJson(pool, answer, options));
        }
    }
    addTimestamp(document, options.timestamp, options.jsonInt);
    console.out(document.toText());
}

void printAll(Console& console, const StatusAnswer& answer, const StatusOptions& options)
{
    bool first = true;
    for (const bus::PoolRow& pool : answer.pools) {
        if (options.onlyUnhealthy && !hasProblem(pool, answer)) {
            if (!options.pools.empty()) {
                console.out(fmt::format(phrases::kHealthy, pool.name));
                first = false;
            }
            continue;
        }
        console.out(first ? "" : "\n");
        first = false;
        console.out(statusText(pool, answer, options));
    }
    if (answer.pools.empty()) {
        console.err(phrases::kNoPools);
    } else if (first && options.onlyUnhealthy) {
        console.out(phrases::kAllHealthy);
    }
}

int statusOnce(Console& console, const StatusOptions& options)
{
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    int code = kDone;
    const auto names = knownPools(console, **client, options.pools, code);
    if (!names) {
        return code;
    }
    const auto document = (*client)->poolStatus(*names);
    if (!document) {
        return complain(console, document.error());
    }
    auto pools = bus::Rows<bus::PoolRow>::of(*document);
    auto vdevs = bus::Rows<bus::VdevRow>::of(*document);
    auto errors = bus::Rows<bus::DataErrorRow>::of(*document);
    auto dedup = bus::Rows<bus::DedupRow>::of(*document);
    if (!pools || !vdevs || !errors || !dedup) {
        return complain(console,
                        !pools    ? pools.error()
                        : !vdevs  ? vdevs.error()
                        : !errors ? errors.error()
                                  : dedup.error());
    }
    const StatusAnswer answer{
        std::move(*pools), std::move(*vdevs), std::move(*errors), std::move(*dedup)};
    if (options.json) {
        printJson(console, answer, options);
    } else {
        printAll(console, answer, options);
    }
    return code;
}
} // namespace

int poolStatus(Console& console, const Arguments& arguments)
{
    auto parsed = parseOptions(arguments, kOptions);
    const Status json = parsed ? checkJsonOptions(*parsed) : Status();
    if (!parsed || !json) {
        return usageError(
            console, parsed ? json.error().what() : parsed.error().what(), kUsageText);
    }
    StatusOptions options;
    options.onlyUnhealthy = parsed->has('x');
    options.files = parsed->has('v');
    options.exact = parsed->has('p') || parsed->has('I');
    options.slow = parsed->has('s');
    options.directErrors = parsed->has('d');
    options.power = parsed->has('W');
    options.onlyBadVdevs = parsed->has('e');
    options.initialize = parsed->has('i');
    options.trim = parsed->has('t');
    options.dedup = parsed->has('D');
    options.json = parsed->has('j');
    options.jsonInt = parsed->has('I');
    options.flat = parsed->has('F');
    options.keyGuid = parsed->has('K');
    options.naming = vdevNaming(*parsed);
    options.timestamp = parsed->valueOf('T');
    options.repetition = takeRepetition(parsed->operands);
    options.pools = parsed->operands;
    return repeat(console, options.repetition, [&](bool) {
        console.out(options.json ? std::string() : timestampLine(options.timestamp));
        return statusOnce(console, options);
    });
}

} // namespace millpond::cli
