// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/compat_phrases.h"
#include "cli/dataset_selection.h"
#include "cli/fs_commands.h"
#include "cli/json.h"
#include "cli/pool_commands.h"
#include "cli/table_printer.h"
#include "format/name.h"
#include "format/property.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace millpond::cli {

namespace {
constexpr std::string_view kUsageText =
    "list [-dHjp] [--json-int] [-d max] [-o property[,...]] [-s property]...\n"
    "\t    [-S property]... [-t type[,...]] [filesystem|volume|snapshot|path] ...\n";
constexpr std::string_view kDefaultColumns = "name,used,available,referenced,mountpoint";
constexpr OptionSpec kOptions[] = {{'r'},
                                   {'d', {}, true},
                                   {'H'},
                                   {'p', "parsable"},
                                   {'o', {}, true},
                                   {'s', {}, true},
                                   {'S', {}, true},
                                   {'t', {}, true},
                                   {'j', "json"},
                                   {'I', "json-int", false, true}};

struct SortKey
{
    std::string property;
    bool descending = false;
};

struct ListOptions
{
    bool forScripts = false, exact = false, json = false, jsonInt = false;
    std::vector<std::string> columns;
    std::vector<SortKey> sort;
    DatasetSelection selection;
};

const format::Property* propertyOf(std::string_view name)
{
    return format::findProperty(format::PropertyScope::Dataset, name);
}

std::string_view valueOf(const SelectedDataset& dataset, std::string_view property)
{
    for (const bus::DatasetPropertyRow& row : dataset.properties) {
        if (row.property == property) {
            return row.value;
        }
    }
    return "-";
}

std::optional<std::uint64_t> numberIn(std::string_view text)
{
    std::uint64_t value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()
               ? std::optional(value)
               : std::nullopt;
}

/// As OpenZFS orders: by the dataset's name, a dataset before its snapshots, those by creation.
bool usualOrder(const SelectedDataset& a, const SelectedDataset& b)
{
    const std::string_view left = a.name.substr(0, a.name.find('@'));
    const std::string_view right = b.name.substr(0, b.name.find('@'));
    if (left != right) {
        return left < right;
    }
    const bool leftSnapshot = left.size() != a.name.size();
    const bool rightSnapshot = right.size() != b.name.size();
    if (!leftSnapshot || !rightSnapshot) {
        return !leftSnapshot && rightSnapshot;
    }
    const auto leftTxg = numberIn(valueOf(a, "createtxg")).value_or(0);
    const auto rightTxg = numberIn(valueOf(b, "createtxg")).value_or(0);
    return leftTxg != rightTxg ? leftTxg < rightTxg : a.name < b.name;
}

/// -1, 0 or 1; what has no value comes last.
int compareBy(const SelectedDataset& a, const SelectedDataset& b, const SortKey& key)
{
    const std::string_view left = key.property == "name" ? a.name : valueOf(a, key.property);
    const std::string_view right = key.property == "name" ? b.name : valueOf(b, key.property);
    if (left == right) {
        return 0;
    }
    if (left == "-" || right == "-") {
        return left == "-" ? 1 : -1;
    }
    const auto leftNumber = numberIn(left);
    const auto rightNumber = numberIn(right);
    const bool less = leftNumber && rightNumber ? *leftNumber < *rightNumber : left < right;
    return less != key.descending ? -1 : 1;
}

void sortDatasets(std::vector<SelectedDataset>& datasets, const std::vector<SortKey>& keys)
{
    std::stable_sort(datasets.begin(), datasets.end(), [&keys](const auto& a, const auto& b) {
        for (const SortKey& key : keys) {
            if (const int order = compareBy(a, b, key); order != 0) {
                return order < 0;
            }
        }
        return usualOrder(a, b);
    });
}

std::string shown(std::string_view name, std::string_view raw, bool exact)
{
    if (exact) {
        return std::string(raw);
    }
    if (const auto* property = propertyOf(name)) {
        return format::formatProperty(*property, raw);
    }
    return format::formatSpaceProperty(name, raw);
}

std::string cellOf(const SelectedDataset& dataset, std::string_view column, bool exact)
{
    return column == "name" ? std::string(dataset.name)
                            : shown(column, valueOf(dataset, column), exact);
}

int printJson(Console& console, const Selected& selected, const ListOptions& options)
{
    Json document = jsonDocument("zfs list");
    Json& datasets = document.member("datasets");
    for (const SelectedDataset& dataset : selected.datasets) {
        std::string type(dataset.type);
        std::transform(type.begin(), type.end(), type.begin(), [](char c) {
            return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        });
        Json entry = Json::object();
        entry.set("name", dataset.name).set("type", type);
        entry.set("pool", dataset.name.substr(0, dataset.name.find_first_of("/@#")));
        const auto txg = numberIn(valueOf(dataset, "createtxg")).value_or(0);
        entry.set("createtxg", jsonNumber(txg, options.jsonInt));
        Json& properties = entry.member("properties");
        for (const std::string& column : options.columns) {
            for (const bus::DatasetPropertyRow& row : dataset.properties) {
                if (row.property == column) {
                    Json value = Json::object();
                    value.set("value", shown(column, row.value, options.exact));
                    value.set("source", jsonSource(row.source, row.inheritedFrom));
                    properties.set(column, std::move(value));
                    break;
                }
            }
        }
        datasets.set(dataset.name, std::move(entry));
    }
    console.out(document.toText());
    return selected.code;
}

void printTable(Console& console, const Selected& selected, const ListOptions& options)
{
    std::vector<TableColumn> columns;
    for (const std::string& name : options.columns) {
        const auto* property = propertyOf(name);
        std::string heading(property == nullptr ? name : std::string(property->heading));
        if (property == nullptr) {
            std::transform(heading.begin(), heading.end(), heading.begin(), [](char c) {
                return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
            });
        }
        columns.push_back({std::move(heading),
                           property != nullptr && property->rightAligned,
                           property == nullptr ? 0 : format::columnWidth(*property)});
    }
    TablePrinter table(std::move(columns), options.forScripts);
    for (const SelectedDataset& dataset : selected.datasets) {
        std::vector<std::string> cells;
        for (const std::string& name : options.columns) {
            cells.push_back(cellOf(dataset, name, options.exact));
        }
        table.add(std::move(cells));
    }
    table.print(console);
}

Result<std::string> columnName(const std::string& name)
{
    if (const auto* property = propertyOf(name)) {
        return std::string(property->name);
    }
    if (format::isUserProperty(name) || format::isSpaceProperty(name)) {
        return name;
    }
    return fail(ErrorCode::NoSuchProperty, fmt::format(phrases::kBadPropertyList, name));
}

Result<ListOptions> parse(const Arguments& arguments)
{
    auto parsed = MP_TRY(parseOptions(arguments, kOptions));
    ListOptions options;
    options.forScripts = parsed.has('H');
    options.exact = parsed.has('p');
    options.json = parsed.has('j');
    options.jsonInt = parsed.has('I');
    for (const std::string& name :
         splitList(parsed.has('o') ? parsed.valueOf('o') : std::string(kDefaultColumns))) {
        if (name == "space") {
            for (const char* column : {"name",
                                       "available",
                                       "used",
                                       "usedbysnapshots",
                                       "usedbydataset",
                                       "usedbyrefreservation",
                                       "usedbychildren"}) {
                options.columns.emplace_back(column);
            }
            continue;
        }
        options.columns.push_back(MP_TRY(columnName(name)));
    }
    for (const Option& option : parsed.options) {
        if (option.letter == 's' || option.letter == 'S') {
            options.sort.push_back({MP_TRY(columnName(option.value)), option.letter == 'S'});
        }
    }
    options.selection = MP_TRY(datasetSelection(parsed, std::move(parsed.operands)));
    return options;
}

/// What must be asked for: what is shown, and what is sorted by.
std::vector<std::string> askedFor(const ListOptions& options, const std::vector<std::string>& types)
{
    std::set<std::string> names(options.columns.begin(), options.columns.end());
    for (const SortKey& key : options.sort) {
        names.insert(key.property);
    }
    const bool snapshots = std::find(types.begin(), types.end(), "snapshot") != types.end();
    if (snapshots || options.json) {
        names.insert("createtxg");
    }
    names.erase("name");
    return {names.begin(), names.end()};
}
} // namespace

int fsList(Console& console, const Arguments& arguments)
{
    const auto options = parse(arguments);
    if (!options) {
        return usageError(console, options.error().what(), kUsageText);
    }
    std::vector<std::string> types = options->selection.types;
    if (types.empty()) {
        types = {"filesystem", "volume"};
    }
    auto selected = select(console, options->selection, types, askedFor(*options, types));
    if (!selected) {
        return complain(console, selected.error());
    }
    sortDatasets(selected->datasets, options->sort);
    if (options->json) {
        return printJson(console, *selected, *options);
    }
    if (selected->datasets.empty()) {
        if (selected->code == kDone && !options->forScripts) {
            console.err(phrases::kNoDatasets);
        }
        return selected->code;
    }
    printTable(console, *selected, *options);
    return selected->code;
}

} // namespace millpond::cli
