// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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
    std::vector<bus::DatasetPropertyRow> properties; ///< in the order asked for
};

struct Selected
{
    std::vector<bus::Document> documents; ///< what the views point into
    std::vector<SelectedDataset> datasets;
    int code = kDone; ///< kFailed when a name could not be opened: it was complained about
};

/// Asks for each root by itself, so that one that is not there does not hide the others.
[[nodiscard]] Result<Selected> select(Console& console,
                                      const DatasetSelection& selection,
                                      std::vector<std::string> types,
                                      const std::vector<std::string>& properties);

} // namespace millpond::cli
