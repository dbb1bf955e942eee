// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/console.h"
#include "cli/json.h"
#include "cli/option_parser.h"
#include "format/property.h"

#include <span>
#include <string>
#include <vector>

namespace millpond::cli {

/// One line of `get`.
struct PropertyLine
{
    std::string name, property, value, received;
    std::string source, inheritedFrom; ///< the words of the bus: "inherited", ...
};

/// "inherited from tank", "local", "-".
[[nodiscard]] std::string sourceText(std::string_view source, std::string_view inheritedFrom);

struct PropertyOutput
{
    bool forScripts = false;
    std::vector<std::string> columns; ///< name, property, value, received, source
    std::vector<std::string> sources; ///< lines of other sources are left out; empty: all are shown
};

/// Fills `output` from -H, -o and -s; InvalidArgument with the text to show. `all` are the columns
/// that -o all means, `usual` those without -o.
[[nodiscard]] Result<PropertyOutput>
propertyOutput(const ParsedOptions& options, std::string_view usual, std::string_view all);

/// The words of a `get`: properties, then what to ask.
struct GetWords
{
    ParsedOptions options;
    PropertyOutput output;
    std::string properties; ///< a list, not looked at yet
    Arguments targets;
};

/// What both programs' `get` begin with; InvalidArgument with the text to show.
[[nodiscard]] Result<GetWords> getWords(const Arguments& arguments,
                                        std::span<const OptionSpec> options,
                                        std::string_view usual,
                                        std::string_view all);

/// The full names of the properties of a list; InvalidArgument or NoSuchProperty with the text to
/// show.
[[nodiscard]] Result<std::vector<std::string>> propertyNames(std::string_view list,
                                                             format::PropertyScope scope);

[[nodiscard]] bool isWanted(const PropertyOutput& output, std::string_view source);
void printProperties(Console& console,
                     const std::vector<PropertyLine>& lines,
                     const PropertyOutput& output);

} // namespace millpond::cli
