// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/changes.h"
#include "cli/compat_phrases.h"
#include "cli/option_parser.h"
#include "cli/pool_commands.h"
#include "cli/vdev_names.h"

#include <algorithm>
#include <filesystem>

namespace millpond::cli {

namespace {
constexpr std::string_view kUsageText =
    "import [-d dir | device] ... [-D]\n"
    "\timport [-o property=value] ... [-d dir | device] ... [-DfmN] [-R root] -a\n"
    "\timport [-o property=value] ... [-d dir | device] ... [-DfmN] [-R root] <pool | id> "
    "[newpool]\n";
constexpr std::string_view kExportUsage = "export [-af] <pool> ...\n";

constexpr OptionSpec kOptions[] = {{'a'},
                                   {'d', {}, true},
                                   {'D'},
                                   {'f'},
                                   {'m'},
                                   {'N'},
                                   {'R', {}, true},
                                   {'o', {}, true},
                                   {'s'},
                                   {'l'}};
constexpr OptionSpec kExportOptions[] = {{'a'}, {'f'}, {'F'}};

struct ImportOptions
{
    bool all = false, destroyedToo = false, force = false, missingLogOk = false, mount = true,
         readOnly = false;
    std::string altroot;
    std::vector<std::string> places;
    std::vector<std::pair<std::string, std::string>> properties;
    Arguments operands;
};

Result<ImportOptions> parse(const Arguments& arguments)
{
    auto parsed = MP_TRY(parseOptions(arguments, kOptions));
    ImportOptions options;
    options.all = parsed.has('a');
    options.destroyedToo = parsed.has('D');
    options.force = parsed.has('f');
    options.missingLogOk = parsed.has('m');
    options.mount = !parsed.has('N');
    options.altroot = parsed.valueOf('R');
    for (const std::string& place : parsed.valuesOf('d')) {
        std::error_code error;
        const auto absolute = std::filesystem::absolute(place, error);
        options.places.push_back(error ? place : absolute.lexically_normal().string());
    }
    for (const std::string& text : parsed.valuesOf('o')) {
        for (const std::string& part : splitList(text)) {
            if (part == "ro") {
                options.readOnly = true;
                continue;
            }
            auto property = MP_TRY(assignment(part));
            if (property.first == "readonly") {
                options.readOnly = property.second == "on";
            } else if (property.first !=
                       "cachefile") { // There is no cache file: pools open on request only.
                options.properties.push_back(std::move(property));
            }
        }
    }
    options.operands = std::move(parsed.operands);
    if (options.operands.size() > 2 || (options.all && !options.operands.empty())) {
        return fail(ErrorCode::InvalidArgument, "too many arguments\n");
    }
    return options;
}

std::string actionFor(const bus::FoundPoolRow& found)
{
    if (!found.importable) {
        return fmt::format("The pool cannot be imported: {}.", found.reason);
    }
    if (found.destroyed) {
        return "The pool can be imported despite being destroyed, with '-Df'.";
    }
    if (found.active) {
        return fmt::format("The pool was last used by {} and not exported; if it is in use there "
                           "no more, import it with '-f'.",
                           found.lastHost.empty() ? "another machine"
                                                  : std::string(found.lastHost));
    }
    return "The pool can be imported using its name or numeric identifier.";
}

void printFound(Console& console,
                const bus::FoundPoolRow& found,
                const bus::Rows<bus::PoolRow>& pools,
                const bus::Rows<bus::VdevRow>& vdevs)
{
    std::string text = fmt::format("  pool: {}\n    id: {}\n", found.name, found.guid);
    for (const bus::PoolRow& pool : pools) {
        if (pool.guid == found.guid) {
            text +=
                fmt::format(" state: {}{}\n", pool.state, found.destroyed ? " (DESTROYED)" : "");
            text += pool.status.empty() ? "" : fmt::format("status: {}\n", pool.status);
        }
    }
    text += fmt::format("action: {}\nconfig:\n\n", actionFor(found));
    const auto sections = vdevSections(vdevs, found.guid);
    std::size_t width = 10;
    for (const VdevSection& section : sections) {
        for (const bus::VdevRow& row : section.rows) {
            width = std::max(width, row.depth * 2 + vdevName(row, {}).size());
        }
    }
    for (const VdevSection& section : sections) {
        text += section.heading.empty() ? "" : "\t" + section.heading + "\n";
        for (const bus::VdevRow& row : section.rows) {
            const std::string name = std::string(row.depth * 2, ' ') + vdevName(row, {});
            text += row.isSpare || row.isCache
                        ? "\t" + name
                        : fmt::format("\t{:<{}}  {}", name, width, row.state);
            text += row.aux.empty() ? "" : fmt::format("  {}", row.aux);
            text += "\n";
        }
    }
    console.out(text);
}

int scan(Console& console, const ImportOptions& options, bool importAll);

int importOne(Console& console,
              const ImportOptions& options,
              const std::string& pool,
              const std::string& newName)
{
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    bus::ImportOrder order;
    order.pool = pool;
    order.newName = newName;
    order.searchPaths = options.places;
    order.altroot = options.altroot;
    order.properties = options.properties;
    order.readOnly = options.readOnly;
    order.force = options.force;
    order.mount = options.mount;
    order.missingLogOk = options.missingLogOk;
    auto answer = (*client)->importPool(order);
    if (!answer) {
        const int code = complain(console, fmt::format("cannot import '{}'", pool), answer.error());
        if (!order.readOnly && errorClass(answer.error().code()) == ErrorClass::Unsupported) {
            console.err("It may be possible to import it with '-o readonly=on'.\n");
        }
        return code;
    }
    if (!answer->changed) {
        console.err(
            fmt::format("cannot import '{}': a pool with that name already exists\n", pool));
        return kFailed;
    }
    return reportMounts(console, answer->mounts);
}

int scan(Console& console, const ImportOptions& options, bool importAll)
{
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    auto document =
        (*client)->scan({.searchPaths = options.places, .destroyedToo = options.destroyedToo});
    if (!document) {
        return complain(console, document.error());
    }
    const auto found = bus::Rows<bus::FoundPoolRow>::of(*document);
    const auto pools = bus::Rows<bus::PoolRow>::of(*document);
    const auto vdevs = bus::Rows<bus::VdevRow>::of(*document);
    if (!found || !pools || !vdevs) {
        return complain(console, !found ? found.error() : !pools ? pools.error() : vdevs.error());
    }
    int code = kDone;
    bool first = true;
    for (const bus::FoundPoolRow& row : *found) {
        if (row.imported || (options.destroyedToo && !row.destroyed)) {
            continue;
        }
        if (importAll) {
            code = std::max(code, importOne(console, options, std::to_string(row.guid), {}));
        } else {
            console.out(first ? "" : "\n");
            printFound(console, row, *pools, *vdevs);
        }
        first = false;
    }
    if (first) {
        console.err("no pools available to import\n");
        return importAll ? kDone : kFailed;
    }
    return code;
}
} // namespace

int poolImport(Console& console, const Arguments& arguments)
{
    const auto options = parse(arguments);
    if (!options) {
        return usageError(console, options.error().what(), kUsageText);
    }
    if (options->operands.empty()) {
        return scan(console, *options, options->all);
    }
    return importOne(console,
                     *options,
                     options->operands[0],
                     options->operands.size() > 1 ? options->operands[1] : std::string());
}

int poolExport(Console& console, const Arguments& arguments)
{
    auto parsed = parseOptions(arguments, kExportOptions);
    if (!parsed || (parsed->operands.empty() && !parsed->has('a'))) {
        return usageError(
            console, parsed ? "missing pool argument\n" : parsed.error().what(), kExportUsage);
    }
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    Arguments pools = parsed->operands;
    if (parsed->has('a')) {
        const auto document = (*client)->poolStatus({});
        const auto rows = document ? bus::Rows<bus::PoolRow>::of(*document)
                                   : Result<bus::Rows<bus::PoolRow>>(fail(document.error()));
        if (!rows) {
            return complain(console, rows.error());
        }
        for (const bus::PoolRow& row : *rows) {
            pools.emplace_back(row.name);
        }
    }
    int code = kDone;
    for (const std::string& pool : pools) {
        const Status exported = (*client)->exportPool(pool, parsed->has('f'));
        if (!exported) {
            const bool unknown = exported.error().is(ErrorCode::NoSuchPool);
            const std::string attempt = unknown ? fmt::format(phrases::kCannotOpen, pool)
                                                : fmt::format("cannot export '{}'", pool);
            code = complain(console, attempt, exported.error());
        }
    }
    return code;
}

} // namespace millpond::cli
