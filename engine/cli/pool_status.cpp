// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/compat_phrases.h"
#include "cli/json.h"
#include "cli/option_parser.h"
#include "cli/pool_commands.h"
#include "cli/pool_names.h"
#include "cli/repeat.h"
#include "cli/table_printer.h"
#include "cli/vdev_names.h"
#include "format/property.h"

#include <algorithm>

namespace millpond::cli {

namespace {
constexpr std::string_view kUsageText = "status [-DdegiLPpstvx] [-T d|u] [-j [--json-int, "
                                        "--json-flat-vdevs, --json-pool-key-guid]] ...\n"
                                        "\t    [pool] ... [interval [count]]\n";

constexpr std::string_view kMoreInformation = "https://openzfs.github.io/openzfs-docs/msg/{}";

constexpr OptionSpec kOptions[] = {{'D'},
                                   {'d'},
                                   {'e'},
                                   {'g'},
                                   {'i'},
                                   {'L'},
                                   {'P'},
                                   {'p'},
                                   {'s'},
                                   {'t'},
                                   {'v'},
                                   {'x'},
                                   {'j', "json"},
                                   {'T', {}, true},
                                   {'I', "json-int", false, true},
                                   {'F', "json-flat-vdevs", false, true},
                                   {'K', "json-pool-key-guid", false, true}};

struct StatusOptions
{
    bool onlyUnhealthy = false, files = false, exact = false, slow = false, onlyBadVdevs = false,
         json = false, jsonInt = false, flat = false, keyGuid = false;
    VdevNaming naming;
    std::string timestamp;
    Arguments pools;
    Repetition repetition;
};

struct Answer
{
    bus::Rows<bus::PoolRow> pools;
    bus::Rows<bus::VdevRow> vdevs;
    bus::Rows<bus::DataErrorRow> errors;
};

std::string count(std::uint64_t value, const StatusOptions& options)
{
    return options.exact ? std::to_string(value) : format::formatCount(value);
}

std::string duration(std::uint64_t seconds)
{
    const std::uint64_t days = seconds / 86400;
    return fmt::format("{}{:02}:{:02}:{:02}",
                       days == 0 ? "" : fmt::format("{} days ", days),
                       seconds / 3600 % 24,
                       seconds / 60 % 60,
                       seconds % 60);
}

/// A paragraph behind its heading, further lines indented by a tab.
std::string paragraph(std::string_view heading, std::string_view text)
{
    constexpr std::size_t kWidth = 72;
    std::string out(heading);
    std::size_t column = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string_view word = text.substr(at, end - at);
        if (column != 0 && column + 1 + word.size() > kWidth) {
            out += "\n\t";
            column = 0;
        }
        out += (column == 0 ? "" : " ") + std::string(word);
        column += word.size() + (column == 0 ? 0 : 1);
        at = end + 1;
    }
    return out + "\n";
}

std::string scanText(const bus::PoolRow& pool)
{
    const std::string size = format::formatBytes(pool.scanProcessed);
    const bool scrub = pool.scanKind == "scrub";
    if (pool.scanState == "finished") {
        return fmt::format("  scan: {} {} in {} with {} errors on {}\n",
                           scrub ? "scrub repaired" : "resilvered",
                           size,
                           duration(pool.scanEnded - std::min(pool.scanEnded, pool.scanStarted)),
                           pool.scanErrors,
                           dateText(pool.scanEnded));
    }
    if (pool.scanState == "cancelled") {
        return fmt::format("  scan: {} canceled on {}\n", pool.scanKind, dateText(pool.scanEnded));
    }
    if (pool.scanState != "running") {
        return {};
    }
    const std::uint64_t total = std::max<std::uint64_t>(pool.scanToExamine, 1);
    return fmt::format("  scan: {} in progress since {}\n\t{} / {} scanned, {} / {} issued\n\t{} "
                       "{}, {:.2f}% done, no estimated "
                       "completion time\n",
                       pool.scanKind,
                       dateText(pool.scanStarted),
                       format::formatBytes(pool.scanExamined),
                       format::formatBytes(pool.scanToExamine),
                       format::formatBytes(pool.scanIssued),
                       format::formatBytes(pool.scanToExamine),
                       size,
                       scrub ? "repaired" : "resilvered",
                       100.0 * static_cast<double>(pool.scanIssued) / static_cast<double>(total));
}

bool isBad(const bus::VdevRow& row)
{
    const bool fine = row.state == "ONLINE" || row.state == "AVAIL" || row.state == "INUSE";
    return !fine || row.readErrors + row.writeErrors + row.checksumErrors != 0;
}

std::string vdevLine(const bus::VdevRow& row, std::size_t width, const StatusOptions& options)
{
    const std::size_t indent = row.depth * 2;
    std::string line = fmt::format("\t{:{}}{:<{}}  {:<8}",
                                   "",
                                   indent,
                                   vdevName(row, options.naming),
                                   width - indent,
                                   row.state);
    if (!row.isSpare) {
        line += fmt::format(" {:>5} {:>5} {:>5}",
                            count(row.readErrors, options),
                            count(row.writeErrors, options),
                            count(row.checksumErrors, options));
        if (options.slow) {
            line += fmt::format(" {:>5}", row.isLeaf ? count(row.slowIos, options) : "-");
        }
    }
    for (const std::string_view note : {row.notes, row.aux}) {
        line += note.empty() ? "" : "  " + std::string(note);
    }
    return line + "\n";
}

std::string configText(const std::vector<VdevSection>& sections, const StatusOptions& options)
{
    std::size_t width = 10;
    for (const VdevSection& section : sections) {
        for (const bus::VdevRow& row : section.rows) {
            width = std::max(width, row.depth * 2 + vdevName(row, options.naming).size());
        }
    }
    std::string text = fmt::format("config:\n\n\t{:<{}}  {:<8} {:>5} {:>5} {:>5}{}\n",
                                   "NAME",
                                   width,
                                   "STATE",
                                   "READ",
                                   "WRITE",
                                   "CKSUM",
                                   options.slow ? "  SLOW" : "");
    for (const VdevSection& section : sections) {
        if (!section.heading.empty()) {
            // Classes are printed by a routine that ends the heading with a tab; cache and spares
            // are not.
            const bool tab = section.heading != "cache" && section.heading != "spares";
            text += "\t" + section.heading + (tab ? "\t" : "") + "\n";
        }
        for (const bus::VdevRow& row : section.rows) {
            if (!options.onlyBadVdevs || row.depth == 0 || isBad(row)) {
                text += vdevLine(row, width, options);
            }
        }
    }
    return text + "\n";
}

std::string errorName(const bus::DataErrorRow& row)
{
    if (row.dataset.empty()) {
        return fmt::format("<{:#x}>:<{:#x}>", row.objset, row.object);
    }
    return row.path.empty() ? fmt::format("{}:<{:#x}>", row.dataset, row.object)
                            : fmt::format("{}:{}", row.dataset, row.path);
}

std::string errorsText(const bus::PoolRow& pool, const Answer& answer, const StatusOptions& options)
{
    if (pool.errorCount == 0) {
        return std::string(phrases::kNoErrors);
    }
    if (!options.files) {
        return fmt::format("errors: {} data errors, use '-v' for a list\n", pool.errorCount);
    }
    std::string text = "errors: Permanent errors have been detected in the following files:\n\n";
    for (const bus::DataErrorRow& row : answer.errors) {
        if (row.pool == pool.name) {
            text += "        " + errorName(row) + "\n";
        }
    }
    return text;
}

void printPool(Console& console,
               const bus::PoolRow& pool,
               const Answer& answer,
               const StatusOptions& options)
{
    std::string text = fmt::format("  pool: {}\n state: {}\n", pool.name, pool.state);
    if (!pool.status.empty()) {
        text += paragraph("status: ", pool.status) + paragraph("action: ", pool.action);
    }
    if (!pool.messageId.empty()) {
        text += fmt::format("   see: {}\n", fmt::format(kMoreInformation, pool.messageId));
    }
    text += scanText(pool);
    text += configText(vdevSections(answer.vdevs, pool.guid), options);
    text += errorsText(pool, answer, options);
    console.out(text);
}

/// `topClass` is the class of the top-level device that this one is part of.
Json vdevJson(const bus::VdevRow& row, std::string_view topClass, const StatusOptions& options)
{
    Json vdev = Json::object();
    vdev.set("name", vdevName(row, options.naming)).set("vdev_type", row.type);
    vdev.set("guid", jsonNumber(row.guid, options.jsonInt));
    if (!row.path.empty()) {
        vdev.set("path", row.path);
    }
    // Parts of a log have no class of their own in what OpenZFS prints; parts of the others do.
    const bool inherits = topClass == "special" || topClass == "dedup";
    vdev.set("class", inherits ? topClass : row.allocClass).set("state", row.state);
    if (row.isSpare) {
        return vdev;
    }
    const auto sized = [&](std::string_view key, std::uint64_t value) {
        if (value != 0 && value != bus::kUnknown) {
            vdev.set(key,
                     options.exact ? jsonNumber(value, options.jsonInt)
                                   : Json::text(format::formatBytes(value)));
        }
    };
    const auto counted = [&](std::string_view key, std::uint64_t value) {
        vdev.set(key,
                 options.exact ? jsonNumber(value, options.jsonInt)
                               : Json::text(format::formatCount(value)));
    };
    sized("alloc_space", row.allocated);
    sized("total_space", row.depth <= 1 ? row.size : 0);
    sized("rep_dev_size", row.deviceSize);
    sized("phys_space", deviceBytes(row));
    counted("read_errors", row.readErrors);
    counted("write_errors", row.writeErrors);
    counted("checksum_errors", row.checksumErrors);
    if (row.isLeaf) {
        counted("slow_ios", row.slowIos);
    }
    if (!row.aux.empty()) {
        vdev.set("aux", row.aux);
    }
    return vdev;
}

/// Rows are parents before children: each goes into the last one of the depth above it.
void addNested(Json& pool,
               std::string_view key,
               const std::vector<bus::VdevRow>& rows,
               const StatusOptions& options)
{
    std::vector<std::string> path;
    std::string_view topClass;
    for (const bus::VdevRow& row : rows) {
        const std::size_t depth = key == "vdevs" ? row.depth : row.depth - 1;
        path.resize(std::min<std::size_t>(path.size(), depth));
        Json* parent = &pool.member(key);
        for (const std::string& name : path) {
            parent = &parent->member(name).member("vdevs");
        }
        const std::string name = vdevName(row, options.naming);
        topClass = row.depth == 1 ? row.allocClass : topClass;
        parent->set(name, vdevJson(row, topClass, options));
        path.push_back(name);
    }
}

/// All beside each other, each with the name of what it is part of.
void addFlat(Json& pool, const std::vector<bus::VdevRow>& rows, const StatusOptions& options)
{
    Json& vdevs = pool.member("vdevs");
    std::vector<std::string> path;
    std::string_view topClass;
    for (const bus::VdevRow& row : rows) {
        path.resize(std::min<std::size_t>(path.size(), row.depth));
        std::string name = vdevName(row, options.naming);
        topClass = row.depth == 1 ? row.allocClass : topClass;
        Json vdev = vdevJson(row, topClass, options);
        if (!path.empty()) {
            vdev.set("parent", path.back());
        }
        vdevs.set(name, std::move(vdev));
        path.push_back(std::move(name));
    }
}

Json scanJson(const bus::PoolRow& row, const StatusOptions& options)
{
    const auto time = [&](std::uint64_t seconds) {
        return options.jsonInt ? Json::number(seconds) : Json::text(dateText(seconds));
    };
    const auto bytes = [&](std::uint64_t value) {
        return options.exact ? jsonNumber(value, options.jsonInt)
                             : Json::text(format::formatBytes(value));
    };
    const std::string_view state = row.scanState == "running"    ? "SCANNING"
                                   : row.scanState == "finished" ? "FINISHED"
                                                                 : "CANCELED";
    Json scan = Json::object();
    scan.set("function", upperCase(row.scanKind)).set("state", state);
    scan.set("start_time", time(row.scanStarted)).set("end_time", time(row.scanEnded));
    scan.set("to_examine", bytes(row.scanToExamine)).set("examined", bytes(row.scanExamined));
    scan.set("skipped", bytes(row.scanSkipped)).set("processed", bytes(row.scanProcessed));
    scan.set("errors", jsonNumber(row.scanErrors, options.jsonInt));
    scan.set("issued", bytes(row.scanIssued));
    return scan;
}

Json statusJson(const bus::PoolRow& row, const Answer& answer, const StatusOptions& options)
{
    Json pool = poolJson(row, false, options.jsonInt);
    if (!row.status.empty()) {
        pool.set("status", row.status).set("action", row.action);
    }
    if (!row.messageId.empty()) {
        pool.set("msgid", row.messageId)
            .set("moreinfo", fmt::format(kMoreInformation, row.messageId));
    }
    if (row.scanState != "none" && !row.scanState.empty()) {
        pool.set("scan_stats", scanJson(row, options));
    }
    for (const VdevSection& section : vdevSections(answer.vdevs, row.guid)) {
        const std::string_view key = section.heading.empty() ? "vdevs"
                                     : section.heading == "cache"
                                         ? "l2cache"
                                         : std::string_view(section.heading);
        if (options.flat) {
            addFlat(pool, section.rows, options);
        } else {
            addNested(pool, key, section.rows, options);
        }
    }
    pool.set("error_count", jsonNumber(row.errorCount, options.jsonInt));
    return pool;
}

/// For -x: something is wrong, other than that the pool could be upgraded.
bool hasProblem(const bus::PoolRow& pool, const Answer& answer)
{
    if (pool.state != "ONLINE" || pool.errorCount != 0 || !pool.messageId.empty() ||
        (pool.scanState == "running" && pool.scanKind == "resilver")) {
        return true;
    }
    for (const bus::VdevRow& row : answer.vdevs) {
        if (row.poolGuid == pool.guid && row.depth != 0 && isBad(row)) {
            return true;
        }
    }
    return false;
}

void printJson(Console& console, const Answer& answer, const StatusOptions& options)
{
    Json document = jsonDocument("zpool status");
    Json& pools = document.member("pools");
    for (const bus::PoolRow& pool : answer.pools) {
        if (!options.onlyUnhealthy || hasProblem(pool, answer)) {
            pools.set(options.keyGuid ? std::to_string(pool.guid) : std::string(pool.name),
                      statusJson(pool, answer, options));
        }
    }
    console.out(document.toText());
}

void printAll(Console& console, const Answer& answer, const StatusOptions& options)
{
    bool first = true;
    for (const bus::PoolRow& pool : answer.pools) {
        if (options.onlyUnhealthy && !hasProblem(pool, answer)) {
            if (!options.pools.empty()) {
                console.out(fmt::format(phrases::kHealthy, pool.name));
                first = false;
            }
            continue;
        }
        console.out(first ? "" : "\n");
        first = false;
        printPool(console, pool, answer, options);
    }
    if (answer.pools.empty()) {
        console.err(phrases::kNoPools);
    } else if (first && options.onlyUnhealthy) {
        console.out(phrases::kAllHealthy);
    }
}

int statusOnce(Console& console, const StatusOptions& options)
{
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    int code = kDone;
    const auto names = knownPools(console, **client, options.pools, code);
    if (!names) {
        return code;
    }
    const auto document = (*client)->poolStatus(*names);
    if (!document) {
        return complain(console, document.error());
    }
    auto pools = bus::Rows<bus::PoolRow>::of(*document);
    auto vdevs = bus::Rows<bus::VdevRow>::of(*document);
    auto errors = bus::Rows<bus::DataErrorRow>::of(*document);
    if (!pools || !vdevs || !errors) {
        return complain(console, !pools ? pools.error() : !vdevs ? vdevs.error() : errors.error());
    }
    const Answer answer{std::move(*pools), std::move(*vdevs), std::move(*errors)};
    if (options.json) {
        printJson(console, answer, options);
    } else {
        printAll(console, answer, options);
    }
    return code;
}
} // namespace

int poolStatus(Console& console, const Arguments& arguments)
{
    auto parsed = parseOptions(arguments, kOptions);
    const Status json = parsed ? checkJsonOptions(*parsed) : Status();
    if (!parsed || !json) {
        return usageError(
            console, parsed ? json.error().what() : parsed.error().what(), kUsageText);
    }
    StatusOptions options;
    options.onlyUnhealthy = parsed->has('x');
    options.files = parsed->has('v');
    options.exact = parsed->has('p') || parsed->has('I');
    options.slow = parsed->has('s');
    options.onlyBadVdevs = parsed->has('e');
    options.json = parsed->has('j');
    options.jsonInt = parsed->has('I');
    options.flat = parsed->has('F');
    options.keyGuid = parsed->has('K');
    options.naming = vdevNaming(*parsed);
    options.timestamp = parsed->valueOf('T');
    options.repetition = takeRepetition(parsed->operands);
    options.pools = parsed->operands;
    return repeat(console, options.repetition, [&](bool) {
        console.out(options.json ? std::string() : timestampLine(options.timestamp));
        return statusOnce(console, options);
    });
}

} // namespace millpond::cli
