// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/compat_phrases.h"
#include "cli/dataset_selection.h"
#include "cli/fs_commands.h"
#include "cli/json.h"
#include "cli/pool_commands.h"
#include "cli/property_table.h"
#include "format/name.h"
#include "format/property.h"

namespace millpond::cli {

namespace {
constexpr std::string_view kUsageText =
    "get [-rHp] [-j [--json-int]] [-d max] [-o \"all\" | field[,...]]\n"
    "\t    [-t type[,...]] [-s source[,...]]\n"
    "\t    <\"all\" | property[,...]> [filesystem|volume|snapshot|bookmark] ...\n";
constexpr std::string_view kColumns = "name,property,value,source";
constexpr std::string_view kAllColumns = "name,property,value,received,source";
constexpr OptionSpec kOptions[] = {{'r'},
                                   {'d', {}, true},
                                   {'H'},
                                   {'p', "parsable"},
                                   {'o', {}, true},
                                   {'s', {}, true},
                                   {'t', {}, true},
                                   {'j', "json"},
                                   {'I', "json-int", false, true}};

std::string shown(const bus::DatasetPropertyRow& row, std::string_view value, bool exact)
{
    if (exact) {
        return std::string(value);
    }
    const auto* property = format::findProperty(format::PropertyScope::Dataset, row.property);
    return property == nullptr ? format::formatSpaceProperty(row.property, value)
                               : format::formatProperty(*property, value);
}

Status checkNames(const std::vector<std::string>& names)
{
    for (const std::string& name : names) {
        const bool known = name == "all" || name.empty() || format::isUserProperty(name) ||
                           format::isSpaceProperty(name) ||
                           format::findProperty(format::PropertyScope::Dataset, name) != nullptr;
        if (!known) {
            return fail(ErrorCode::NoSuchProperty, fmt::format(phrases::kBadPropertyList, name));
        }
    }
    return {};
}

int printJson(Console& console, const Selected& selected, const PropertyOutput& output, bool exact)
{
    Json document = jsonDocument("zfs get");
    Json& datasets = document.member("datasets");
    for (const SelectedDataset& dataset : selected.datasets) {
        std::string type(dataset.type);
        for (char& c : type) {
            c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        }
        Json entry = Json::object();
        entry.set("name", dataset.name).set("type", type);
        entry.set("pool", dataset.name.substr(0, dataset.name.find_first_of("/@#")));
        Json& properties = entry.member("properties");
        for (const bus::DatasetPropertyRow& row : dataset.properties) {
            if (isWanted(output, row.source)) {
                Json value = Json::object();
                value.set("value", shown(row, row.value, exact))
                    .set("source", jsonSource(row.source, row.inheritedFrom));
                properties.set(row.property, std::move(value));
            }
        }
        datasets.set(dataset.name, std::move(entry));
    }
    console.out(document.toText());
    return selected.code;
}
} // namespace

int fsGet(Console& console, const Arguments& arguments)
{
    auto parsed = parseOptions(arguments, kOptions);
    if (!parsed) {
        return usageError(console, parsed.error().what(), kUsageText);
    }
    if (parsed->operands.empty()) {
        return usageError(console, "missing property argument\n", kUsageText);
    }
    const auto output = propertyOutput(*parsed, kColumns, kAllColumns);
    const std::vector<std::string> names = splitList(parsed->operands.front());
    const Status known = checkNames(names);
    auto selection =
        datasetSelection(*parsed, {parsed->operands.begin() + 1, parsed->operands.end()});
    if (!output || !known || !selection) {
        return usageError(console,
                          !output  ? output.error().what()
                          : !known ? known.error().what()
                                   : selection.error().what(),
                          kUsageText);
    }
    std::vector<std::string> types = selection->types;
    if (types.empty()) {
        types = {"filesystem", "volume", "snapshot", "bookmark"};
        if (selection->roots.empty()) {
            types = {"filesystem", "volume", "snapshot"};
        }
    }
    std::vector<std::string> asked;
    for (const std::string& name : names) {
        const auto* property = format::findProperty(format::PropertyScope::Dataset, name);
        if (!name.empty()) {
            asked.emplace_back(property == nullptr ? name : std::string(property->name));
        }
    }
    const auto selected = select(console, *selection, types, asked);
    if (!selected) {
        return complain(console, selected.error());
    }
    const bool exact = parsed->has('p');
    if (parsed->has('j')) {
        return printJson(console, *selected, *output, exact);
    }
    std::vector<PropertyLine> lines;
    for (const SelectedDataset& dataset : selected->datasets) {
        for (const bus::DatasetPropertyRow& row : dataset.properties) {
            if (isWanted(*output, row.source)) {
                lines.push_back({std::string(dataset.name),
                                 std::string(row.property),
                                 shown(row, row.value, exact),
                                 row.received == "-" ? "-" : shown(row, row.received, exact),
                                 std::string(row.source),
                                 std::string(row.inheritedFrom)});
            }
        }
    }
    printProperties(console, lines, *output);
    return selected->code;
}

} // namespace millpond::cli
