// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/compat_phrases.h"
#include "cli/json.h"
#include "cli/pool_commands.h"
#include "cli/pool_names.h"
#include "cli/property_table.h"
#include "format/property.h"

#include <algorithm>
#include <iterator>

namespace millpond::cli {

namespace {
constexpr std::string_view kUsageText =
    "get [-Hp] [-j [--json-int, --json-pool-key-guid]] [-o \"all\" | field[,...]] <\"all\" | "
    "property[,...]> <pool> ...\n";
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

/// The full names of the properties of a list.
Result<std::vector<std::string>> propertyNames(const std::string& list)
{
    if (list.empty()) {
        return fail(ErrorCode::InvalidArgument, std::string(phrases::kNoProperties));
    }
    std::vector<std::string> names;
    for (const std::string& name : splitList(list)) {
        const auto* property = format::findProperty(format::PropertyScope::Pool, name);
        if (property != nullptr) {
            names.emplace_back(property->name);
        } else if (name == "all" || name == "name" || name.starts_with("feature@") ||
                   name.starts_with("unsupported@") || name.find(':') != std::string::npos) {
            names.push_back(name);
        } else {
            return fail(ErrorCode::NoSuchProperty, fmt::format(phrases::kBadPropertyList, name));
        }
    }
    return names;
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
} // namespace

int poolGet(Console& console, const Arguments& arguments)
{
    auto parsed = parseOptions(arguments, kOptions);
    if (!parsed) {
        return usageError(console, parsed.error().what(), kUsageText);
    }
    if (parsed->operands.empty()) {
        return usageError(console, "missing property argument\n", kUsageText);
    }
    const Status json = checkJsonOptions(*parsed);
    const auto output = propertyOutput(*parsed, kColumns, kColumns);
    const auto properties = propertyNames(parsed->operands.front());
    if (!json || !output || !properties) {
        return usageError(console,
                          !json     ? json.error().what()
                          : !output ? output.error().what()
                                    : properties.error().what(),
                          kUsageText);
    }
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    int code = kDone;
    const auto pools =
        knownPools(console, **client, {parsed->operands.begin() + 1, parsed->operands.end()}, code);
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
        (*client)->poolProperties(*pools, all ? std::vector<std::string>{"all"} : asked);
    const auto rows = document ? bus::Rows<bus::PoolPropertyRow>::of(*document)
                               : Result<bus::Rows<bus::PoolPropertyRow>>(fail(document.error()));
    if (!rows) {
        return complain(console, rows.error());
    }
    const std::vector<bus::PoolPropertyRow> wanted = rowsToShow(*rows, *properties);
    if (parsed->has('j')) {
        return std::max(code, printJson(console, **client, wanted, *pools, *output, *parsed));
    }
    std::vector<PropertyLine> lines;
    for (const bus::PoolPropertyRow& row : wanted) {
        if (isWanted(*output, row.source)) {
            lines.push_back({std::string(row.pool),
                             std::string(row.property),
                             shown(row, parsed->has('p')),
                             "-",
                             std::string(row.source),
                             {}});
        }
    }
    printProperties(console, lines, *output);
    return code;
}

} // namespace millpond::cli
