// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/property_table.h"

#include "cli/table_printer.h"

#include <algorithm>

namespace millpond::cli {

namespace {
std::string headingOf(std::string_view column)
{
    std::string heading(column);
    std::transform(heading.begin(), heading.end(), heading.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return heading;
}

std::string cellOf(const PropertyLine& line, std::string_view column)
{
    if (column == "name") {
        return line.name;
    }
    if (column == "property") {
        return line.property;
    }
    if (column == "value") {
        return line.value;
    }
    if (column == "received") {
        return line.received;
    }
    return sourceText(line.source, line.inheritedFrom);
}
} // namespace

std::string sourceText(std::string_view source, std::string_view inheritedFrom)
{
    return source == "inherited" ? fmt::format("inherited from {}", inheritedFrom)
                                 : std::string(source);
}

Result<PropertyOutput>
propertyOutput(const ParsedOptions& options, std::string_view usual, std::string_view all)
{
    PropertyOutput output;
    output.forScripts = options.has('H');
    const std::string asked = options.has('o') ? options.valueOf('o') : std::string(usual);
    output.columns = splitList(asked == "all" ? all : std::string_view(asked));
    const std::vector<std::string> known = splitList(all);
    for (const std::string& column : output.columns) {
        if (std::find(known.begin(), known.end(), column) == known.end()) {
            return fail(ErrorCode::InvalidArgument,
                        fmt::format("invalid column name '{}'\n", column));
        }
    }
    if (options.has('s')) {
        output.sources = splitList(options.valueOf('s'));
        for (std::string& source : output.sources) {
            constexpr std::string_view kKnown[] = {
                "local", "default", "inherited", "received", "temporary", "none"};
            if (std::find(std::begin(kKnown), std::end(kKnown), source) == std::end(kKnown)) {
                return fail(ErrorCode::InvalidArgument,
                            fmt::format("invalid source '{}'\n", source));
            }
            source = source == "none" ? "-" : source;
        }
    }
    return output;
}

bool isWanted(const PropertyOutput& output, std::string_view source)
{
    return output.sources.empty() ||
           std::find(output.sources.begin(), output.sources.end(), source) != output.sources.end();
}

void printProperties(Console& console,
                     const std::vector<PropertyLine>& lines,
                     const PropertyOutput& output)
{
    if (lines.empty()) {
        return;
    }
    std::vector<TableColumn> columns;
    for (const std::string& column : output.columns) {
        columns.push_back({headingOf(column)});
    }
    TablePrinter table(std::move(columns), output.forScripts);
    for (const PropertyLine& line : lines) {
        std::vector<std::string> cells;
        for (const std::string& column : output.columns) {
            cells.push_back(cellOf(line, column));
        }
        table.add(std::move(cells));
    }
    table.print(console);
}

} // namespace millpond::cli
