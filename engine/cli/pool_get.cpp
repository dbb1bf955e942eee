// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/compat_phrases.h"
#include "cli/json.h"
#include "cli/pool_commands.h"
#include "cli/property_table.h"
#include "format/property.h"

namespace millpond::cli {

namespace {
constexpr std::string_view kUsageText =
    "get [-Hp] [-j [--json-int, --json-pool-key-guid]] [-o \"all\" | field[,...]] <\"all\" | "
    "property[,...]> <pool> ...\n";
constexpr std::string_view kColumns = "name,property,value,source";
constexpr OptionSpec kOptions[] = {{'H'},
                                   {'p', "parsable"},
                                   {'o', {}, true},
                                   {'s', {}, true},
                                   {'j', "json"},
                                   {'I', "json-int", false, true},
                                   {'K', "json-pool-key-guid", false, true}};

std::string shown(const bus::PoolPropertyRow& row, bool exact)
{
    const auto* property = format::findProperty(format::PropertyScope::Pool, row.property);
    return exact || property == nullptr ? std::string(row.value)
                                        : format::formatProperty(*property, row.value);
}

Status checkNames(const std::vector<std::string>& names)
{
    for (const std::string& name : names) {
        const bool known = name == "all" || name.find('@') != std::string::npos ||
                           name.find(':') != std::string::npos ||
                           format::findProperty(format::PropertyScope::Pool, name) != nullptr;
        if (!known) {
            return fail(ErrorCode::NoSuchProperty, fmt::format(phrases::kBadPropertyList, name));
        }
    }
    return {};
}

int printJson(Console& console,
              const bus::Rows<bus::PoolPropertyRow>& rows,
              const PropertyOutput& output,
              bool exact)
{
    Json document = jsonDocument("zpool get");
    Json& pools = document.member("pools");
    for (const bus::PoolPropertyRow& row : rows) {
        if (!isWanted(output, row.source)) {
            continue;
        }
        Json value = Json::object();
        value.set("value", shown(row, exact)).set("source", jsonSource(row.source, {}));
        pools.member(row.pool).member("properties").set(row.property, std::move(value));
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
    const auto output = propertyOutput(*parsed, kColumns, kColumns);
    const std::vector<std::string> names = splitList(parsed->operands.front());
    const Status known = checkNames(names);
    if (!output || !known) {
        return usageError(
            console, !output ? output.error().what() : known.error().what(), kUsageText);
    }
    const Arguments pools(parsed->operands.begin() + 1, parsed->operands.end());
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    auto document = (*client)->poolProperties(pools, names);
    if (!document) {
        return complain(
            console, fmt::format(phrases::kCannotOpen, fmt::join(pools, ", ")), document.error());
    }
    const auto rows = bus::Rows<bus::PoolPropertyRow>::of(*document);
    if (!rows) {
        return complain(console, rows.error());
    }
    const bool exact = parsed->has('p');
    if (parsed->has('j')) {
        return printJson(console, *rows, *output, exact);
    }
    std::vector<PropertyLine> lines;
    for (const bus::PoolPropertyRow& row : *rows) {
        if (isWanted(*output, row.source)) {
            lines.push_back({std::string(row.pool),
                             std::string(row.property),
                             shown(row, exact),
                             "-",
                             std::string(row.source),
                             {}});
        }
    }
    printProperties(console, lines, *output);
    return kDone;
}

} // namespace millpond::cli
