// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/compat_phrases.h"
#include "cli/dataset_selection.h"
#include "cli/fs_commands.h"
#include "cli/json.h"
#include "cli/pool_commands.h"
#include "cli/property_table.h"
#include "format/name.h"
#include "format/property.h"

#include <algorithm>

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

/// The full names of the properties of a list.
Result<std::vector<std::string>> propertyNames(const std::string& list)
{
    if (list.empty()) {
        return fail(ErrorCode::InvalidArgument, std::string(phrases::kNoProperties));
    }
    std::vector<std::string> names;
    for (const std::string& name : splitList(list)) {
        const auto* property = format::findProperty(format::PropertyScope::Dataset, name);
        if (property != nullptr) {
            names.emplace_back(property->name);
        } else if (name == "all" || format::isUserProperty(name) || format::isSpaceProperty(name)) {
            names.push_back(name);
        } else {
            return fail(ErrorCode::NoSuchProperty, fmt::format(phrases::kBadPropertyList, name));
        }
    }
    return names;
}

/// The rows to show of a dataset. A property asked for by name shows "-" where it does not apply.
std::vector<bus::DatasetPropertyRow> rowsOf(const SelectedDataset& dataset,
                                            const std::vector<std::string>& names)
{
    if (std::find(names.begin(), names.end(), "all") != names.end()) {
        return dataset.properties;
    }
    std::vector<bus::DatasetPropertyRow> rows;
    for (const std::string& name : names) {
        bus::DatasetPropertyRow row;
        row.property = name;
        row.value = name == "name" ? dataset.name : "-";
        row.source = "-";
        row.received = "-";
        const bus::DatasetPropertyRow* found = findProperty(dataset, name);
        rows.push_back(found == nullptr ? row : *found);
    }
    return rows;
}

int printJson(Console& console,
              const Selected& selected,
              const std::vector<std::string>& names,
              const PropertyOutput& output,
              const ParsedOptions& options)
{
    const bool asInteger = options.has('I');
    Json document = jsonDocument("zfs get");
    Json& datasets = document.member("datasets");
    for (const SelectedDataset& dataset : selected.datasets) {
        Json properties = Json::object();
        for (const bus::DatasetPropertyRow& row : rowsOf(dataset, names)) {
            if (isWanted(output, row.source)) {
                properties.set(row.property,
                               jsonProperty(shown(row, row.value, options.has('p') || asInteger),
                                            row.source,
                                            row.inheritedFrom,
                                            asInteger));
            }
        }
        Json entry = datasetJson(dataset, asInteger);
        entry.set("properties", std::move(properties));
        datasets.set(dataset.name, std::move(entry));
    }
    console.out(document.toText());
    return selected.code;
}

/// createtxg is asked for, too: by it snapshots are put in order.
std::vector<std::string> askedFor(const std::vector<std::string>& names)
{
    std::vector<std::string> asked;
    for (const std::string& name : names) {
        if (name != "name" && std::find(asked.begin(), asked.end(), name) == asked.end()) {
            asked.push_back(name);
        }
    }
    if (std::find(asked.begin(), asked.end(), "createtxg") == asked.end()) {
        asked.emplace_back("createtxg");
    }
    return asked;
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
    const Status json = checkJsonOptions(*parsed);
    const auto output = propertyOutput(*parsed, kColumns, kAllColumns);
    const auto names = propertyNames(parsed->operands.front());
    const auto selection =
        datasetSelection(*parsed, {parsed->operands.begin() + 1, parsed->operands.end()});
    if (!json || !output || !names || !selection) {
        return usageError(console,
                          !json     ? json.error().what()
                          : !output ? output.error().what()
                          : !names  ? names.error().what()
                                    : selection.error().what(),
                          kUsageText);
    }
    std::vector<std::string> types = selection->types;
    if (types.empty()) {
        types = {"filesystem", "volume", "snapshot", "bookmark"};
    }
    const auto selected = select(console, *selection, types, askedFor(*names));
    if (!selected) {
        return complain(console, selected.error());
    }
    if (parsed->has('j')) {
        return printJson(console, *selected, *names, *output, *parsed);
    }
    const bool exact = parsed->has('p');
    std::vector<PropertyLine> lines;
    for (const SelectedDataset& dataset : selected->datasets) {
        for (const bus::DatasetPropertyRow& row : rowsOf(dataset, *names)) {
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
