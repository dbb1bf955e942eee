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
#include <optional>
#include <set>
#include <utility>

namespace millpond::cli {

namespace {
constexpr std::string_view kUsageText =
    "list [-Hp] [-j [--json-int]] [-r|-d max] [-o property[,...]] [-s property]...\n"
    "\t    [-S property]... [-t type[,...]] [filesystem|volume|snapshot] ...\n";
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
    bool all = false;   ///< -o all: the columns are known once the datasets are
    bool space = false; ///< -o space
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
    const bus::DatasetPropertyRow* row = findProperty(dataset, property);
    return row == nullptr ? "-" : row->value;
}

/// One cell to sort by: numbers by size, names of values by their number, all else by bytes.
struct SortValue
{
    bool missing = false;
    std::optional<double> ratio; ///< a number with a fraction
    std::optional<std::uint64_t> number;
    std::string_view text;
};

template <class T> std::optional<T> numberIn(std::string_view text)
{
    T value{};
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()
               ? std::optional(value)
               : std::nullopt;
}

SortValue sortValue(const SelectedDataset& dataset, const SortKey& key)
{
    if (key.property == "name") {
        return {.text = dataset.name};
    }
    const bus::DatasetPropertyRow* row = findProperty(dataset, key.property);
    const auto* property = propertyOf(key.property);
    if (row == nullptr || (property != nullptr && row->value == "-")) {
        return {.missing = true};
    }
    SortValue value{.text = row->value};
    if (property != nullptr && property->kind == format::PropertyKind::Index) {
        value.number = format::indexValue(*property, row->value);
    } else if (property == nullptr ? format::isSpaceProperty(key.property)
                                   : property->kind == format::PropertyKind::Number) {
        value.number = numberIn<std::uint64_t>(row->value);
        value.ratio = value.number ? std::nullopt : numberIn<double>(row->value);
    }
    return value;
}

/// Below, equal or above 0; what has no value comes last either way.
int compareBy(const SortValue& left, const SortValue& right, bool descending)
{
    if (left.missing || right.missing) {
        return static_cast<int>(left.missing) - static_cast<int>(right.missing);
    }
    const auto order = [](const auto& a, const auto& b) {
        return a < b ? -1 : static_cast<int>(b < a);
    };
    const int result = left.number && right.number ? order(*left.number, *right.number)
                       : left.ratio && right.ratio ? order(*left.ratio, *right.ratio)
                                                   : order(left.text, right.text);
    return descending ? -result : result;
}

/// select() has put them in the usual order, which decides where the keys do not.
void sortDatasets(std::vector<SelectedDataset>& datasets, const std::vector<SortKey>& keys)
{
    if (keys.empty()) {
        return;
    }
    std::vector<std::pair<std::vector<SortValue>, std::size_t>> rows;
    rows.reserve(datasets.size());
    for (const SelectedDataset& dataset : datasets) {
        auto& row = rows.emplace_back(std::vector<SortValue>(), rows.size());
        for (const SortKey& key : keys) {
            row.first.push_back(sortValue(dataset, key));
        }
    }
    std::sort(rows.begin(), rows.end(), [&keys](const auto& a, const auto& b) {
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const int order = compareBy(a.first[i], b.first[i], keys[i].descending);
            if (order != 0) {
                return order < 0;
            }
        }
        return a.second < b.second;
    });
    std::vector<SelectedDataset> sorted;
    sorted.reserve(datasets.size());
    for (const auto& row : rows) {
        sorted.push_back(std::move(datasets[row.second]));
    }
    datasets = std::move(sorted);
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
        Json entry = datasetJson(dataset, options.jsonInt);
        Json& properties = entry.member("properties");
        for (const std::string& column : options.columns) {
            if (column == "name") {
                continue;
            }
            const bus::DatasetPropertyRow* row = findProperty(dataset, column);
            properties.set(column,
                           jsonProperty(cellOf(dataset, column, options.exact),
                                        row == nullptr ? "-" : row->source,
                                        row == nullptr ? "" : row->inheritedFrom,
                                        options.jsonInt));
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
        std::string heading =
            property == nullptr ? upperCase(name) : std::string(property->heading);
        columns.push_back(
            {std::move(heading),
             property == nullptr ? format::isSpaceProperty(name) : property->rightAligned,
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
    MP_TRY(checkJsonOptions(parsed));
    ListOptions options;
    options.forScripts = parsed.has('H');
    options.exact = parsed.has('p') || parsed.has('I');
    options.json = parsed.has('j');
    options.jsonInt = parsed.has('I');
    options.all = parsed.has('o') && parsed.valueOf('o') == "all";
    options.space = parsed.valueOf('o') == "space";
    if (parsed.has('o') && parsed.valueOf('o').empty()) {
        return fail(ErrorCode::InvalidArgument, std::string(phrases::kNoProperties));
    }
    for (const std::string& name : splitList(options.all       ? std::string("name")
                                             : parsed.has('o') ? parsed.valueOf('o')
                                                               : std::string(kDefaultColumns))) {
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
            auto name = columnName(option.value);
            if (!name) {
                return fail(ErrorCode::NoSuchProperty,
                            fmt::format(phrases::kInvalidProperty, option.value));
            }
            options.sort.push_back({std::move(*name), option.letter == 'S'});
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
    if (options.all) {
        names = {"all"};
    }
    return {names.begin(), names.end()};
}

/// -t and -o space say themselves whether snapshots are listed; else the pool does, for what comes
/// up below another dataset.
bool poolDecides(const ListOptions& options)
{
    return options.selection.types.empty() && !options.space &&
           (options.selection.recurse || options.selection.roots.empty());
}

/// The pools whose property listsnapshots is on.
Result<std::set<std::string, std::less<>>> poolsListingSnapshots(bus::Client& client)
{
    const bus::Document document = MP_TRY(client.poolProperties({}, {"listsnapshots"}));
    std::set<std::string, std::less<>> pools;
    for (const bus::PoolPropertyRow& row : MP_TRY(bus::Rows<bus::PoolPropertyRow>::of(document))) {
        if (row.value == "on") {
            pools.emplace(row.pool);
        }
    }
    return pools;
}

/// Takes out the snapshots of other pools, but for those that were named.
void dropSnapshots(std::vector<SelectedDataset>& datasets,
                   const Arguments& named,
                   const std::set<std::string, std::less<>>& pools)
{
    std::erase_if(datasets, [&](const SelectedDataset& dataset) {
        return dataset.type == "snapshot" &&
               !pools.contains(dataset.name.substr(0, dataset.name.find_first_of("/@"))) &&
               std::find(named.begin(), named.end(), dataset.name) == named.end();
    });
}

/// The columns of -o all: every native property, then the user properties that any dataset has.
std::vector<std::string> allColumns(const std::vector<SelectedDataset>& datasets)
{
    std::vector<std::string> columns = {"name"};
    for (const format::Property& property : format::properties(format::PropertyScope::Dataset)) {
        if (property.visible && property.name != "name" &&
            (property.types & format::PropertyTypes::kDataset) != 0) {
            columns.emplace_back(property.name);
        }
    }
    std::set<std::string_view> own;
    for (const SelectedDataset& dataset : datasets) {
        for (const bus::DatasetPropertyRow& row : dataset.properties) {
            if (format::isUserProperty(row.property)) {
                own.insert(row.property);
            }
        }
    }
    columns.insert(columns.end(), own.begin(), own.end());
    return columns;
}
} // namespace

int fsList(Console& console, const Arguments& arguments)
{
    auto options = parse(arguments);
    if (!options) {
        return usageError(console, options.error().what(), kUsageText);
    }
    std::vector<std::string> types = options->selection.types;
    if (types.empty()) {
        types = {"filesystem", "volume"};
    }
    std::set<std::string, std::less<>> listing;
    if (poolDecides(*options)) {
        const auto client = console.client();
        auto pools = client ? poolsListingSnapshots(**client)
                            : Result<std::set<std::string, std::less<>>>(fail(client.error()));
        if (!pools) {
            return complain(console, pools.error());
        }
        listing = std::move(*pools);
        if (!listing.empty()) {
            types.emplace_back("snapshot");
        }
    }
    auto selected = select(console, options->selection, types, askedFor(*options, types));
    if (!selected) {
        return complain(console, selected.error());
    }
    if (!listing.empty()) {
        dropSnapshots(selected->datasets, options->selection.roots, listing);
    }
    sortDatasets(selected->datasets, options->sort);
    if (options->all) {
        options->columns = allColumns(selected->datasets);
    }
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
