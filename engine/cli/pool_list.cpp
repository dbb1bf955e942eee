// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/compat_phrases.h"
#include "cli/json.h"
#include "cli/option_parser.h"
#include "cli/pool_commands.h"
#include "cli/repeat.h"
#include "cli/table_printer.h"
#include "cli/vdev_names.h"
#include "format/property.h"

#include <map>

namespace millpond::cli {

namespace {
constexpr std::string_view kUsageText =
    "list [-gHLpPv] [-o property[,...]] [-j [--json-int, --json-pool-key-guid]] ...\n"
    "\t    [-T d|u] [pool] [interval [count]]\n";
constexpr std::string_view kDefaultColumns = "name,size,allocated,free,checkpoint,expandsize,"
                                             "fragmentation,capacity,dedupratio,health,altroot";

constexpr OptionSpec kOptions[] = {{'g'},
                                   {'H'},
                                   {'L'},
                                   {'p', "parsable"},
                                   {'P'},
                                   {'v'},
                                   {'j', "json"},
                                   {'o', {}, true},
                                   {'T', {}, true},
                                   {'I', "json-int", false, true},
                                   {'K', "json-pool-key-guid", false, true}};

struct ListOptions
{
    bool forScripts = false, exact = false, vdevs = false, json = false, jsonInt = false,
         keyGuid = false;
    VdevNaming naming;
    std::vector<std::string> columns;
    std::string timestamp;
    Arguments pools;
    Repetition repetition;
};

/// pool -> property -> (value, source)
using Values = std::map<std::string_view, std::map<std::string_view, bus::PoolPropertyRow>>;

std::string shown(const format::Property* property, std::string_view raw, bool exact)
{
    return exact || property == nullptr ? std::string(raw) : format::formatProperty(*property, raw);
}

/// A vdev's row has what the pool's columns mean for it, or "-".
std::string vdevCell(const bus::VdevRow& row, std::string_view column, const ListOptions& options)
{
    const bool top = row.depth == 1;
    const auto bytes = [&](std::uint64_t value) {
        return options.exact ? std::to_string(value) : format::formatBytes(value);
    };
    if (column == "size") {
        return row.size == 0
                   ? "-"
                   : bytes(row.isLeaf && row.physicalSize != 0 ? row.physicalSize : row.size);
    }
    if (column == "health") {
        return std::string(row.state);
    }
    if (!top || row.isSpare) {
        return "-";
    }
    if (column == "allocated") {
        return bytes(row.allocated);
    }
    if (column == "free") {
        return bytes(row.free);
    }
    if (column == "capacity") {
        const std::uint64_t percent = row.size == 0 ? 0 : row.allocated * 100 / row.size;
        return options.exact ? std::to_string(percent) : fmt::format("{}%", percent);
    }
    if (column == "fragmentation") {
        const std::string digits =
            row.fragmentation == bus::kUnknown ? "-" : std::to_string(row.fragmentation);
        return options.exact || digits == "-" ? digits : digits + "%";
    }
    return "-";
}

void addVdevs(TablePrinter& table,
              const bus::Rows<bus::VdevRow>& vdevs,
              std::uint64_t poolGuid,
              const ListOptions& options)
{
    for (const VdevSection& section : vdevSections(vdevs, poolGuid)) {
        if (!section.heading.empty()) {
            std::vector<std::string> cells(options.columns.size(), "-");
            cells[0] = section.heading;
            table.add(std::move(cells));
        }
        for (const bus::VdevRow& row : section.rows) {
            if (row.depth == 0) {
                continue;
            }
            std::vector<std::string> cells;
            for (const std::string& column : options.columns) {
                cells.push_back(
                    column == "name"
                        ? (options.forScripts ? "\t" : std::string(row.depth * 2, ' ')) +
                              vdevName(row, options.naming)
                        : vdevCell(row, column, options));
            }
            table.add(std::move(cells));
        }
    }
}

int printJson(Console& console,
              const ListOptions& options,
              const bus::Document& status,
              const Values& values)
{
    Json document = jsonDocument("zpool list");
    Json& pools = document.member("pools");
    const auto rows = bus::Rows<bus::PoolRow>::of(status);
    if (!rows) {
        return complain(console, rows.error());
    }
    for (const bus::PoolRow& row : *rows) {
        Json pool = Json::object();
        pool.set("name", row.name).set("type", "POOL").set("state", row.state);
        pool.set("pool_guid", jsonNumber(row.guid, options.jsonInt));
        pool.set("txg", jsonNumber(row.txg, options.jsonInt));
        pool.set("spa_version", jsonNumber(row.version, options.jsonInt));
        pool.set("zpl_version", jsonNumber(row.zplVersion, options.jsonInt));
        Json& properties = pool.member("properties");
        for (const std::string& column : options.columns) {
            const auto& mine = values.at(row.name);
            const auto found = mine.find(column);
            if (column == "name" || found == mine.end()) {
                continue;
            }
            const auto* property = format::findProperty(format::PropertyScope::Pool, column);
            Json value = Json::object();
            value.set("value", shown(property, found->second.value, options.exact));
            value.set("source", jsonSource(found->second.source, {}));
            properties.set(column, std::move(value));
        }
        pools.set(options.keyGuid ? std::to_string(row.guid) : std::string(row.name),
                  std::move(pool));
    }
    console.out(document.toText());
    return kDone;
}

int listOnce(Console& console, const ListOptions& options, bool withHeadings)
{
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    auto status = (*client)->poolStatus(options.pools);
    if (!status) {
        return complain(console,
                        fmt::format(phrases::kCannotOpen, fmt::join(options.pools, ", ")),
                        status.error());
    }
    auto answer = (*client)->poolProperties(options.pools, options.columns);
    if (!answer) {
        return complain(console, answer.error());
    }
    const auto rows = bus::Rows<bus::PoolPropertyRow>::of(*answer);
    const auto pools = bus::Rows<bus::PoolRow>::of(*status);
    const auto vdevs = bus::Rows<bus::VdevRow>::of(*status);
    if (!rows || !pools || !vdevs) {
        return complain(console, !rows ? rows.error() : !pools ? pools.error() : vdevs.error());
    }
    Values values;
    for (const bus::PoolPropertyRow& row : *rows) {
        values[row.pool].insert_or_assign(row.property, row);
    }
    if (options.json) {
        return printJson(console, options, *status, values);
    }
    std::vector<TableColumn> columns;
    for (const std::string& name : options.columns) {
        const auto* property = format::findProperty(format::PropertyScope::Pool, name);
        columns.push_back({std::string(property == nullptr ? name : property->heading),
                           property != nullptr && property->rightAligned,
                           property == nullptr ? 0 : format::columnWidth(*property)});
    }
    TablePrinter table(std::move(columns), options.forScripts);
    for (const bus::PoolRow& pool : *pools) {
        std::vector<std::string> cells;
        for (const std::string& name : options.columns) {
            const auto* property = format::findProperty(format::PropertyScope::Pool, name);
            const auto& mine = values[pool.name];
            const auto found = mine.find(name);
            cells.push_back(name == "name" ? std::string(pool.name)
                            : found == mine.end()
                                ? "-"
                                : shown(property, found->second.value, options.exact));
        }
        table.add(std::move(cells));
        if (options.vdevs) {
            addVdevs(table, *vdevs, pool.guid, options);
        }
    }
    if (table.empty()) {
        if (!options.forScripts) {
            console.out(phrases::kNoPools);
        }
        return kDone;
    }
    table.print(console, withHeadings);
    return kDone;
}

Result<ListOptions> parse(const Arguments& arguments)
{
    auto parsed = MP_TRY(parseOptions(arguments, kOptions));
    ListOptions options;
    options.forScripts = parsed.has('H');
    options.exact = parsed.has('p');
    options.vdevs = parsed.has('v');
    options.json = parsed.has('j');
    options.jsonInt = parsed.has('I');
    options.keyGuid = parsed.has('K');
    options.naming = vdevNaming(parsed);
    options.timestamp = parsed.valueOf('T');
    options.repetition = takeRepetition(parsed.operands);
    options.pools = std::move(parsed.operands);
    for (const std::string& name :
         splitList(parsed.has('o') ? parsed.valueOf('o') : kDefaultColumns)) {
        const auto* property = format::findProperty(format::PropertyScope::Pool, name);
        if (property == nullptr && name.find('@') == std::string::npos &&
            name.find(':') == std::string::npos) {
            return fail(ErrorCode::NoSuchProperty, fmt::format(phrases::kBadPropertyList, name));
        }
        options.columns.emplace_back(property == nullptr ? name : property->name);
    }
    return options;
}
} // namespace

int poolList(Console& console, const Arguments& arguments)
{
    const auto options = parse(arguments);
    if (!options) {
        return usageError(console, options.error().what(), kUsageText);
    }
    return repeat(console, options->repetition, [&](bool first) {
        console.out(timestampLine(options->timestamp));
        return listOnce(console, *options, first);
    });
}

} // namespace millpond::cli
