// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/dataset_selection.h"

#include "cli/compat_phrases.h"

#include <algorithm>
#include <charconv>

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
    const auto has = [&](std::string_view type) {
        return std::find(types.begin(), types.end(), type) != types.end();
    };
    // Asked for the snapshots of a filesystem without -r: those are one level below it.
    const bool below = has("snapshot") || has("bookmark");
    if (!selection.recurse && !selection.types.empty() && below && !has("filesystem") &&
        !has("volume") && !isPointInTime(root)) {
        query.recurse = true;
        query.depth = 1;
    }
    return query;
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
    }
    return {};
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
        return selected;
    }
    for (const std::string& root : selection.roots) {
        // A snapshot or bookmark named outright is meant, whatever the usual types are.
        std::vector<std::string> mine = types;
        if (selection.types.empty() && isPointInTime(root)) {
            mine = {"snapshot", "bookmark"};
        }
        auto document = client->datasetProperties(queryFor(root, selection, mine, properties));
        if (!document) {
            selected.code =
                complain(console, fmt::format(phrases::kCannotOpen, root), document.error());
            continue;
        }
        selected.documents.push_back(std::move(*document));
        MP_TRY(take(selected.documents.back(), selected.datasets));
    }
    return selected;
}

} // namespace millpond::cli
