// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/compat_phrases.h"
#include "cli/json.h"
#include "cli/pool_commands.h"
#include "cli/pool_names.h"
#include "cli/property_table.h"
#include "format/property.h"

#include <algorithm>

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
        } else if (name == "all" || name.starts_with("feature@") ||
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
              const bus::Rows<bus::PoolPropertyRow>& rows,
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
    const auto document = (*client)->poolProperties(*pools, *properties);
    const auto rows = document ? bus::Rows<bus::PoolPropertyRow>::of(*document)
                               : Result<bus::Rows<bus::PoolPropertyRow>>(fail(document.error()));
    if (!rows) {
        return complain(console, rows.error());
    }
    if (parsed->has('j')) {
        return std::max(code, printJson(console, **client, *rows, *pools, *output, *parsed));
    }
    std::vector<PropertyLine> lines;
    for (const bus::PoolPropertyRow& row : *rows) {
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
