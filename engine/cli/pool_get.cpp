// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/json.h"
#include "cli/pool_commands.h"
#include "cli/pool_names.h"
#include "cli/pool_vdev_get.h"
#include "cli/property_table.h"
#include "format/property.h"

#include <algorithm>
#include <iterator>

namespace millpond::cli {

namespace {
constexpr std::string_view kUsageText =
    "get [-Hp] [-j [--json-int, --json-pool-key-guid]] [-o \"all\" | field[,...]] <\"all\" | "
    "property[,...]>\n\t    [pool ... | pool <\"all-vdevs\" | \"root\" | vdev ...>]\n";
constexpr std::string_view kColumns = "name,property,value,source";
constexpr OptionSpec kOptions[] = {{'H'},
                                   {'p', "parsable"},
                                   {'o', {}, true},
                                   {'j', "json"},
                                   {'I', "json-int", false, true},
                                   {'K', "json-pool-key-guid", false, true}};

std::string shown(const bus::PoolPropertyRow& row, bool exact)
{
    const auto* property = format::findProperty(format::PropertyScope::Pool, row.property);
    return exact || property == nullptr ? std::string(row.value)
                                        : format::formatProperty(*property, row.value);
}

/// What to show, in the order asked for: the helper's rows, and the name, which is no property.
std::vector<bus::PoolPropertyRow> rowsToShow(const bus::Rows<bus::PoolPropertyRow>& rows,
                                             const std::vector<std::string>& names)
{
    const bool all = std::find(names.begin(), names.end(), "all") != names.end();
    std::vector<bus::PoolPropertyRow> shown;
    for (std::size_t begin = 0; begin < rows.size();) {
        std::size_t end = begin;
        while (end < rows.size() && rows[end].pool == rows[begin].pool) {
            if (all) {
                shown.push_back(rows[end]);
            }
            ++end;
        }
        for (const std::string& name : all ? std::vector<std::string>() : names) {
            if (name == "name") {
                shown.push_back({rows[begin].pool, "name", rows[begin].pool, "-"});
            }
            for (std::size_t i = begin; i < end; ++i) {
                if (rows[i].property == name) {
                    shown.push_back(rows[i]);
                    break;
                }
            }
        }
        begin = end;
    }
    return shown;
}

int printJson(Console& console,
              bus::Client& client,
              const std::vector<bus::PoolPropertyRow>& rows,
              const Arguments& names,
              const PropertyOutput& output,
              const ParsedOptions& options)
{
    const auto status = client.poolStatus(names);
    const auto pools = status ? bus::Rows<bus::PoolRow>::of(*status)
                              : Result<bus::Rows<bus::PoolRow>>(fail(status.error()));
    if (!pools) {
        return complain(console, pools.error());
    }
    const bool asInteger = options.has('I');
    Json document = jsonDocument("zpool get");
    Json& list = document.member("pools");
    for (const bus::PoolRow& pool : *pools) {
        Json entry = poolJson(pool, true, asInteger);
        Json properties = Json::object();
        for (const bus::PoolPropertyRow& row : rows) {
            if (row.pool == pool.name && isWanted(output, row.source)) {
                properties.set(
                    row.property,
                    jsonProperty(
                        shown(row, options.has('p') || asInteger), row.source, {}, asInteger));
            }
        }
        entry.set("properties", std::move(properties));
        list.set(options.has('K') ? std::to_string(pool.guid) : std::string(pool.name),
                 std::move(entry));
    }
    console.out(document.toText());
    return kDone;
}

int getOfPools(Console& console, bus::Client& client, const GetWords& words)
{
    const auto properties = propertyNames(words.properties, format::PropertyScope::Pool);
    if (!properties) {
        return usageError(console, properties.error().what(), kUsageText);
    }
    int code = kDone;
    const auto pools = knownPools(console, client, words.targets, code);
    if (!pools) {
        return code;
    }
    // Every pool has this one, so that each has a row.
    std::vector<std::string> asked = {"health"};
    std::copy_if(properties->begin(),
                 properties->end(),
                 std::back_inserter(asked),
                 [](const std::string& name) { return name != "name" && name != "health"; });
    const bool all = std::find(asked.begin(), asked.end(), "all") != asked.end();
    const auto document =
        client.poolProperties(*pools, all ? std::vector<std::string>{"all"} : asked);
    const auto rows = document ? bus::Rows<bus::PoolPropertyRow>::of(*document)
                               : Result<bus::Rows<bus::PoolPropertyRow>>(fail(document.error()));
    if (!rows) {
        return complain(console, rows.error());
    }
    const std::vector<bus::PoolPropertyRow> wanted = rowsToShow(*rows, *properties);
    if (words.options.has('j')) {
        return std::max(code,
                        printJson(console, client, wanted, *pools, words.output, words.options));
    }
    std::vector<PropertyLine> lines;
    for (const bus::PoolPropertyRow& row : wanted) {
        if (isWanted(words.output, row.source)) {
            lines.push_back({std::string(row.pool),
                             std::string(row.property),
                             shown(row, words.options.has('p')),
                             "-",
                             std::string(row.source),
                             {}});
        }
    }
    printProperties(console, lines, words.output);
    return code;
}
} // namespace

int poolGet(Console& console, const Arguments& arguments)
{
    const auto words = getWords(arguments, kOptions, kColumns, kColumns);
    if (!words) {
        return usageError(console, words.error().what(), kUsageText);
    }
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    if (const auto code = getOfVdevs(console, **client, *words, kUsageText)) {
        return *code;
    }
    return getOfPools(console, **client, *words);
}

} // namespace millpond::cli
