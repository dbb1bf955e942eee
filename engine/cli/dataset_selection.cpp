// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/dataset_selection.h"

#include "cli/compat_phrases.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace millpond::cli {

namespace {
struct TypeName
{
    std::string_view name, full;
};

constexpr TypeName kTypes[] = {{"filesystem", "filesystem"},
                               {"fs", "filesystem"},
                               {"volume", "volume"},
                               {"vol", "volume"},
                               {"snapshot", "snapshot"},
                               {"snap", "snapshot"},
                               {"bookmark", "bookmark"}};

Status addType(const std::string& name, std::vector<std::string>& types)
{
    const auto add = [&types](std::string_view type) {
        if (std::find(types.begin(), types.end(), type) == types.end()) {
            types.emplace_back(type);
        }
    };
    if (name == "all") {
        for (const TypeName& type : kTypes) {
            add(type.full);
        }
        return {};
    }
    const auto* found = std::find_if(std::begin(kTypes),
                                     std::end(kTypes),
                                     [&name](const TypeName& type) { return type.name == name; });
    if (found == std::end(kTypes)) {
        return fail(ErrorCode::InvalidArgument, fmt::format(phrases::kInvalidType, name));
    }
    add(found->full);
    return {};
}

bool isPointInTime(std::string_view name)
{
    return name.find_first_of("@#") != std::string_view::npos;
}

/// "/tank/home/x" and "./x" stand for the dataset that is mounted there.
Result<std::string> datasetOf(bus::Client& client, const std::string& name)
{
    if (!name.starts_with('/') && !name.starts_with("./") && name != ".") {
        return name;
    }
    std::error_code error;
    const auto path = std::filesystem::weakly_canonical(std::filesystem::path(name), error);
    const auto document = MP_TRY(client.mounts());
    std::string best, dataset;
    for (const bus::MountRow& row : MP_TRY(bus::Rows<bus::MountRow>::of(document))) {
        const std::string below = std::string(row.mountpoint) + (row.mountpoint == "/" ? "" : "/");
        const bool inside = path == row.mountpoint || path.string().starts_with(below);
        if (inside && row.mountpoint.size() >= best.size()) {
            best = row.mountpoint;
            dataset = row.dataset;
        }
    }
    return dataset.empty()
               ? Result<std::string>(fail(ErrorCode::NoSuchDataset, "no dataset is mounted there"))
               : Result<std::string>(std::move(dataset));
}

bool has(const std::vector<std::string>& types, std::string_view type)
{
    return std::find(types.begin(), types.end(), type) != types.end();
}

/// What is asked of the helper for one root.
bus::DatasetPropertyQuery queryFor(const std::string& root,
                                   const DatasetSelection& selection,
                                   const std::vector<std::string>& types,
                                   const std::vector<std::string>& properties)
{
    bus::DatasetPropertyQuery query;
    query.roots = {root};
    query.recurse = selection.recurse;
    query.depth = selection.depth;
    query.types = types;
    query.properties = properties;
    // Asked for the snapshots, or the bookmarks, of a dataset without -r: those are one level
    // below.
    const bool below = types.size() == 1 && (types[0] == "snapshot" || types[0] == "bookmark");
    if (!selection.recurse && below && !isPointInTime(root)) {
        query.recurse = true;
        query.depth = 1;
    }
    return query;
}

/// Whether that root, with what was found at it, may be asked for these types.
bool isRightType(const std::string& root,
                 const bus::DatasetPropertyQuery& query,
                 const bus::Document& document)
{
    if (const std::size_t mark = root.find_first_of("@#"); mark != std::string::npos) {
        return has(query.types, root[mark] == '@' ? "snapshot" : "bookmark");
    }
    const bus::Table* rows = document.find(bus::DatasetRow::kTable);
    return query.recurse || (rows != nullptr && rows->rows() != 0);
}

Status take(const bus::Document& document, std::vector<SelectedDataset>& datasets)
{
    const auto rows = MP_TRY(bus::Rows<bus::DatasetRow>::of(document));
    const auto properties = MP_TRY(bus::Rows<bus::DatasetPropertyRow>::of(document));
    for (const bus::DatasetRow& row : rows) {
        SelectedDataset& dataset = datasets.emplace_back();
        dataset.name = row.dataset;
        dataset.type = row.type;
        for (std::uint64_t i = 0;
             i < row.propertyCount && row.firstProperty + i < properties.size();
             ++i) {
            dataset.properties.push_back(
                properties[static_cast<std::size_t>(row.firstProperty + i)]);
        }
        if (const bus::DatasetPropertyRow* created = findProperty(dataset, "createtxg")) {
            const std::string_view text = created->value;
            std::from_chars(text.data(), text.data() + text.size(), dataset.createdTxg);
        }
    }
    return {};
}

void putInOrder(std::vector<SelectedDataset>& datasets)
{
    std::sort(datasets.begin(), datasets.end(), isBefore);
    const auto same = [](const SelectedDataset& a, const SelectedDataset& b) {
        return a.name == b.name;
    };
    datasets.erase(std::unique(datasets.begin(), datasets.end(), same), datasets.end());
}
} // namespace

Result<DatasetSelection> datasetSelection(const ParsedOptions& options, Arguments roots)
{
    DatasetSelection selection;
    selection.roots = std::move(roots);
    selection.recurse = options.has('r') || options.has('d');
    if (options.has('d')) {
        const std::string text = options.valueOf('d');
        const auto parsed =
            std::from_chars(text.data(), text.data() + text.size(), selection.depth);
        if (text.starts_with('-')) {
            return fail(ErrorCode::InvalidArgument, "Depth can not be negative.\n");
        }
        if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
            return fail(ErrorCode::InvalidArgument, fmt::format("{} is not an integer\n", text));
        }
    }
    for (const std::string& list : options.valuesOf('t')) {
        for (const std::string& name : splitList(list)) {
            MP_TRY(addType(name, selection.types));
        }
    }
    return selection;
}

Result<Selected> select(Console& console,
                        const DatasetSelection& selection,
                        std::vector<std::string> types,
                        const std::vector<std::string>& properties)
{
    bus::Client* client = MP_TRY(console.client());
    Selected selected;
    if (selection.roots.empty()) {
        bus::DatasetPropertyQuery query;
        query.recurse = true;
        query.depth = selection.depth;
        query.types = std::move(types);
        query.properties = properties;
        selected.documents.push_back(MP_TRY(client->datasetProperties(query)));
        MP_TRY(take(selected.documents.back(), selected.datasets));
        putInOrder(selected.datasets);
        return selected;
    }
    for (const std::string& name : selection.roots) {
        const auto resolved = datasetOf(*client, name);
        if (!resolved) {
            console.err(fmt::format("cannot open '{}': {}\n", name, resolved.error().what()));
            selected.code = kFailed;
            continue;
        }
        const std::string& root = *resolved;
        // A snapshot or bookmark named outright is meant, whatever the usual types are.
        std::vector<std::string> mine = types;
        if (selection.types.empty() && isPointInTime(root)) {
            mine = {"snapshot", "bookmark"};
        }
        const bus::DatasetPropertyQuery query = queryFor(root, selection, mine, properties);
        auto document = client->datasetProperties(query);
        if (!document) {
            selected.code =
                complain(console, fmt::format(phrases::kCannotOpen, root), document.error());
            continue;
        }
        if (!isRightType(root, query, *document)) {
            selected.code =
                complain(console,
                         fmt::format(phrases::kCannotOpen, root),
                         Error(ErrorCode::InvalidArgument, std::string(phrases::kWrongType)));
            continue;
        }
        selected.documents.push_back(std::move(*document));
        MP_TRY(take(selected.documents.back(), selected.datasets));
    }
    putInOrder(selected.datasets);
    return selected;
}

const bus::DatasetPropertyRow* findProperty(const SelectedDataset& dataset, std::string_view name)
{
    const auto found =
        std::find_if(dataset.properties.begin(),
                     dataset.properties.end(),
                     [name](const bus::DatasetPropertyRow& row) { return row.property == name; });
    return found == dataset.properties.end() ? nullptr : &*found;
}

bool isBefore(const SelectedDataset& a, const SelectedDataset& b)
{
    const std::size_t leftMark = a.name.find('@'), rightMark = b.name.find('@');
    const std::string_view left = a.name.substr(0, leftMark), right = b.name.substr(0, rightMark);
    if (left != right) {
        return left < right;
    }
    const bool leftSnapshot = leftMark != std::string_view::npos;
    const bool rightSnapshot = rightMark != std::string_view::npos;
    if (!leftSnapshot || !rightSnapshot) {
        return !leftSnapshot && rightSnapshot;
    }
    return a.createdTxg != b.createdTxg ? a.createdTxg < b.createdTxg : a.name < b.name;
}

Json datasetJson(const SelectedDataset& dataset, bool asInteger)
{
    Json entry = Json::object();
    entry.set("name", dataset.name).set("type", upperCase(dataset.type));
    entry.set("pool", dataset.name.substr(0, dataset.name.find_first_of("/@#")));
    entry.set("createtxg", jsonNumber(dataset.createdTxg, asInteger));
    if (const std::size_t at = dataset.name.find('@'); at != std::string_view::npos) {
        entry.set("dataset", dataset.name.substr(0, at));
        entry.set("snapshot_name", dataset.name.substr(at + 1));
    }
    return entry;
}

} // namespace millpond::cli
