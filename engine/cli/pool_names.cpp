// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/pool_names.h"

#include "cli/compat_phrases.h"

#include <set>

namespace millpond::cli {

std::optional<Arguments>
knownPools(Console& console, bus::Client& client, const Arguments& names, int& code)
{
    if (names.empty()) {
        return names;
    }
    const auto document = client.poolStatus({});
    const auto rows = document ? bus::Rows<bus::PoolRow>::of(*document)
                               : Result<bus::Rows<bus::PoolRow>>(fail(document.error()));
    if (!rows) {
        code = complain(console, rows.error());
        return std::nullopt;
    }
    std::set<std::string, std::less<>> imported;
    for (const bus::PoolRow& row : *rows) {
        imported.emplace(row.name);
    }
    std::set<std::string> known;
    for (const std::string& name : names) {
        if (imported.contains(name)) {
            known.insert(name);
        } else {
            code = complain(console,
                            fmt::format(phrases::kCannotOpen, name),
                            Error(ErrorCode::NoSuchPool, std::string(phrases::kNoPool)));
        }
    }
    return known.empty() ? std::nullopt : std::optional(Arguments(known.begin(), known.end()));
}

} // namespace millpond::cli
