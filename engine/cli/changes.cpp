// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/changes.h"

#include "cli/compat_phrases.h"

#include <algorithm>

namespace millpond::cli {

Result<std::pair<std::string, std::string>> assignment(const std::string& text)
{
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        return fail(ErrorCode::InvalidArgument, "missing '=' for property=value argument\n");
    }
    return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Result<Properties> assignments(const std::vector<std::string>& texts)
{
    Properties properties;
    for (const std::string& text : texts) {
        auto property = MP_TRY(assignment(text));
        const bool twice = std::ranges::any_of(
            properties, [&](const auto& each) { return each.first == property.first; });
        if (twice) {
            return fail(ErrorCode::InvalidArgument,
                        fmt::format("property '{}' specified multiple times\n", property.first));
        }
        properties.push_back(std::move(property));
    }
    return properties;
}

std::string typed(const Console& console, std::string_view subcommand, const Arguments& words)
{
    std::string line = fmt::format("{} {}", console.program(), subcommand);
    for (const std::string& word : words) {
        line += ' ';
        line += word;
    }
    return line;
}

int reportMounts(Console& console, const bus::Document& mounts)
{
    const auto rows = bus::Rows<bus::MountResultRow>::of(mounts);
    if (!rows) {
        return complain(console, rows.error());
    }
    int code = kDone;
    for (const bus::MountResultRow& row : *rows) {
        if (!row.errorName.empty()) {
            console.err(fmt::format("cannot mount '{}': {}\n", row.dataset, row.errorText));
            code = kFailed;
        }
    }
    return code;
}

int complainAbout(Console& console,
                  std::string_view attempt,
                  const std::string& dataset,
                  const Error& error)
{
    if (error.is(ErrorCode::NoSuchDataset)) {
        return complain(console, fmt::format(phrases::kCannotOpen, dataset), error);
    }
    const std::string what = fmt::format("cannot {} '{}'", attempt, dataset);
    if (error.is(ErrorCode::AlreadyExists)) {
        return complain(console, what, Error(error.code(), std::string(phrases::kDatasetExists)));
    }
    return complain(console, what, error);
}

Result<std::vector<std::string>>
datasetsBelow(bus::Client& client, const std::string& root, std::uint64_t depth, bool snapshots)
{
    bus::DatasetPropertyQuery query;
    query.roots = {root};
    query.recurse = true;
    query.depth = depth;
    query.types = {"filesystem", "volume"};
    query.properties = {"type"};
    if (snapshots) {
        query.types.emplace_back("snapshot");
    }
    const bus::Document document = MP_TRY(client.datasetProperties(query));
    std::vector<std::string> names;
    for (const bus::DatasetRow& row : MP_TRY(bus::Rows<bus::DatasetRow>::of(document))) {
        names.emplace_back(row.dataset);
    }
    return names;
}

Result<std::vector<std::string>> missingAncestors(bus::Client& client, const std::string& dataset)
{
    std::vector<std::string> missing;
    for (std::size_t slash = dataset.rfind('/'); slash != std::string::npos && slash > 0;
         slash = dataset.rfind('/', slash - 1)) {
        const std::string ancestor = dataset.substr(0, slash);
        const auto there = datasetsBelow(client, ancestor, 0, false);
        if (there) {
            break;
        }
        if (!there.error().is(ErrorCode::NoSuchDataset) ||
            ancestor.find('/') == std::string::npos) {
            return fail(there.error());
        }
        missing.insert(missing.begin(), ancestor);
    }
    return missing;
}

} // namespace millpond::cli
