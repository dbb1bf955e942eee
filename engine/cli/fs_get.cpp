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

struct Request
{
    GetWords words;
    std::vector<std::string> properties;
    DatasetSelection selection;
};

Result<Request> parse(const Arguments& arguments)
{
    Request request;
    request.words = MP_TRY(getWords(arguments, kOptions, kColumns, kAllColumns));
    request.properties =
        MP_TRY(propertyNames(request.words.properties, format::PropertyScope::Dataset));
    request.selection = MP_TRY(datasetSelection(request.words.options, request.words.targets));
    return request;
}
} // namespace

int fsGet(Console& console, const Arguments& arguments)
{
    const auto request = parse(arguments);
    if (!request) {
        return usageError(console, request.error().what(), kUsageText);
    }
    const auto& [words, names, selection] = *request;
    std::vector<std::string> types = selection.types;
    if (types.empty()) {
        types = {"filesystem", "volume", "snapshot", "bookmark"};
    }
    const auto selected = select(console, selection, types, askedFor(names));
    if (!selected) {
        return complain(console, selected.error());
    }
    if (words.options.has('j')) {
        return printJson(console, *selected, names, words.output, words.options);
    }
    const bool exact = words.options.has('p');
    std::vector<PropertyLine> lines;
    for (const SelectedDataset& dataset : selected->datasets) {
        for (const bus::DatasetPropertyRow& row : rowsOf(dataset, names)) {
            if (isWanted(words.output, row.source)) {
                lines.push_back({std::string(dataset.name),
                                 std::string(row.property),
                                 shown(row, row.value, exact),
                                 row.received == "-" ? "-" : shown(row, row.received, exact),
                                 std::string(row.source),
                                 std::string(row.inheritedFrom)});
            }
        }
    }
    printProperties(console, lines, words.output);
    return selected->code;
}

} // namespace millpond::cli
