// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/property_table.h"

#include "cli/compat_phrases.h"
#include "cli/table_printer.h"
#include "format/name.h"

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

/// Names beside those of the catalogue.
bool isOpenName(const std::string& name, format::PropertyScope scope)
{
    switch (scope) {
    case format::PropertyScope::Dataset:
        return format::isUserProperty(name) || format::isSpaceProperty(name);
    case format::PropertyScope::Pool:
        return name == "name" || name.starts_with("feature@") || name.starts_with("unsupported@") ||
               name.find(':') != std::string::npos;
    case format::PropertyScope::Vdev:
        return name == "name" || format::isUserProperty(name);
    }
    return false;
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

Result<GetWords> getWords(const Arguments& arguments,
                          std::span<const OptionSpec> options,
                          std::string_view usual,
                          std::string_view all)
{
    GetWords words;
    words.options = MP_TRY(parseOptions(arguments, options));
    Arguments& operands = words.options.operands;
    if (operands.empty()) {
        return fail(ErrorCode::InvalidArgument, "missing property argument\n");
    }
    MP_TRY(checkJsonOptions(words.options));
    words.output = MP_TRY(propertyOutput(words.options, usual, all));
    words.properties = operands.front();
    words.targets.assign(operands.begin() + 1, operands.end());
    return words;
}

Result<std::vector<std::string>> propertyNames(std::string_view list, format::PropertyScope scope)
{
    if (list.empty()) {
        return fail(ErrorCode::InvalidArgument, std::string(phrases::kNoProperties));
    }
    std::vector<std::string> names;
    for (const std::string& name : splitList(list)) {
        if (const auto* property = format::findProperty(scope, name)) {
            names.emplace_back(property->name);
        } else if (name == "all" || isOpenName(name, scope)) {
            names.push_back(name);
        } else {
            return fail(ErrorCode::NoSuchProperty, fmt::format(phrases::kBadPropertyList, name));
        }
    }
    return names;
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
