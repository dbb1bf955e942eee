// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/json.h"
#include "cli/option_parser.h"

#include <string>
#include <vector>

namespace millpond::cli {

/// Which datasets `list` and `get` mean: -r, -d, -t and the names.
struct DatasetSelection
{
    Arguments roots; ///< empty: all pools
    bool recurse = false;
    std::uint64_t depth = bus::kUnknown;
    std::vector<std::string> types; ///< in full: "filesystem"; empty: not said
};

/// InvalidArgument with the text to show.
[[nodiscard]] Result<DatasetSelection> datasetSelection(const ParsedOptions& options,
                                                        Arguments roots);

/// One dataset of an answer with its rows.
struct SelectedDataset
{
    std::string_view name, type;
    std::uint64_t createdTxg = 0;                    ///< where createtxg was asked for
    std::vector<bus::DatasetPropertyRow> properties; ///< in the order asked for
};

struct Selected
{
    std::vector<bus::Document> documents; ///< what the views point into
    std::vector<SelectedDataset> datasets;
    int code = kDone; ///< kFailed when a name could not be opened: it was complained about
};

/// Asks for each root by itself, so that one that is not there does not hide the others. In the
/// order of OpenZFS: names by bytes, a dataset before its snapshots, those as they were created;
/// each once. `properties` must have createtxg where snapshots are among the types.
[[nodiscard]] Result<Selected> select(Console& console,
                                      const DatasetSelection& selection,
                                      std::vector<std::string> types,
                                      const std::vector<std::string>& properties);

[[nodiscard]] const bus::DatasetPropertyRow* findProperty(const SelectedDataset& dataset,
                                                          std::string_view name);
/// True when a is in front of b in the order of OpenZFS.
[[nodiscard]] bool isBefore(const SelectedDataset& a, const SelectedDataset& b);
/// What every JSON document has of a dataset in front of what was asked for.
[[nodiscard]] Json datasetJson(const SelectedDataset& dataset, bool asInteger);

} // namespace millpond::cli
