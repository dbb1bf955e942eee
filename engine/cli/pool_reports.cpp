// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/compat_phrases.h"
#include "cli/option_parser.h"
#include "cli/pool_commands.h"
#include "cli/pool_names.h"
#include "cli/repeat.h"
#include "cli/table_printer.h"
#include "cli/vdev_names.h"
#include "format/property.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <pwd.h>
#include <thread>

// history, events and iostat.

namespace millpond::cli {

namespace {
constexpr std::string_view kHistoryUsage = "history [-il] [<pool>] ...\n";
constexpr std::string_view kEventsUsage = "events [-vHf [pool] | -c]\n";
constexpr std::string_view kIostatUsage =
    "iostat [[-lq]] [-T d | u] [-ghHLpPvy] [[pool ...]] [[-n] interval [count]]\n";
constexpr OptionSpec kHistoryOptions[] = {{'i'}, {'l'}};
constexpr OptionSpec kEventsOptions[] = {{'v'}, {'H'}, {'f'}, {'c'}};
constexpr OptionSpec kIostatOptions[] = {
    {'v'}, {'H'}, {'p'}, {'P'}, {'L'}, {'g'}, {'y'}, {'n'}, {'l'}, {'q'}, {'T', {}, true}};
constexpr std::uint64_t kNanoseconds = 1'000'000'000;

std::string formatTime(std::uint64_t seconds, const char* format)
{
    const auto time = static_cast<std::time_t>(seconds);
    std::tm local{};
    char text[64];
    localtime_r(&time, &local);
    return {text, std::strftime(text, sizeof(text), format, &local)};
}

/// As this machine knows that user; empty when it does not.
std::string userName(std::uint64_t uid)
{
    passwd entry{};
    passwd* found = nullptr;
    std::vector<char> buffer(16384);
    const int error =
        getpwuid_r(static_cast<uid_t>(uid), &entry, buffer.data(), buffer.size(), &found);
    return error == 0 && found != nullptr ? found->pw_name : std::string();
}

std::string historyLine(const bus::HistoryRow& row, bool longFormat)
{
    std::string line = formatTime(row.time, "%Y-%m-%d.%H:%M:%S");
    if (!row.internal) {
        line += " " + std::string(row.command);
    } else {
        line += fmt::format(" [txg:{}] {}", row.txg, row.operation);
        line += row.dataset.empty() ? "" : fmt::format(" {} ({})", row.dataset, row.datasetId);
        line += row.text.empty() ? "" : " " + std::string(row.text);
    }
    if (longFormat) {
        line += " [";
        if (row.uid != bus::kUnknown) {
            line += fmt::format("user {} ", row.uid);
            const std::string user = row.user.empty() ? userName(row.uid) : std::string(row.user);
            line += user.empty() ? "" : fmt::format("({}) ", user);
        }
        line += row.host.empty() ? "" : fmt::format("on {}", row.host);
        line += row.zone.empty() ? "" : fmt::format(":{}", row.zone);
        line += "]";
    }
    return line + "\n";
}

/// "name = 0x12" for numbers, "name = \"text\"" else.
std::string fieldLine(std::string_view name, std::string_view value)
{
    const bool number =
        value.starts_with("0x") ||
        (!value.empty() && value.find_first_not_of("0123456789") == std::string_view::npos);
    return number ? fmt::format("        {} = {}\n", name, value)
                  : fmt::format("        {} = \"{}\"\n", name, value);
}

int printEvents(Console& console,
                bus::Client& client,
                const ParsedOptions& options,
                std::uint64_t& after)
{
    auto document = client.events(after);
    if (!document) {
        return complain(console, document.error());
    }
    const auto events = bus::Rows<bus::EventRow>::of(*document);
    const auto fields = bus::Rows<bus::EventFieldRow>::of(*document);
    if (!events || !fields) {
        return complain(console, !events ? events.error() : fields.error());
    }
    std::multimap<std::uint64_t, std::pair<std::string_view, std::string_view>> byEvent;
    for (const bus::EventFieldRow& field : *fields) {
        byEvent.emplace(field.event, std::pair(field.name, field.value));
    }
    for (const bus::EventRow& event : *events) {
        after = std::max(after, event.id);
        const auto [begin, end] = byEvent.equal_range(event.id);
        const auto ofPool = [&] {
            return std::any_of(begin, end, [&](const auto& field) {
                return field.second.first == "pool" &&
                       field.second.second == options.operands.front();
            });
        };
        if (!options.operands.empty() && !ofPool()) {
            continue;
        }
        const std::string time =
            fmt::format("{}.{:09}",
                        formatTime(event.time / kNanoseconds, "%b %e %Y %H:%M:%S"),
                        event.time % kNanoseconds);
        console.out(options.has('H') ? fmt::format("{}\t{}\n", time, event.eventClass)
                                     : fmt::format("{} {}\n", time, event.eventClass));
        if (options.has('v')) {
            for (auto field = begin; field != end; ++field) {
                console.out(fieldLine(field->second.first, field->second.second));
            }
            console.out("\n");
        }
    }
    console.flush();
    return kDone;
}

struct IostatOptions
{
    bool forScripts = false, exact = false, vdevs = false, latency = false, skipFirst = false,
         guids = false;
    std::string timestamp;
    Arguments pools;
    Repetition repetition;
};

using Counters = std::map<std::uint64_t, bus::IostatRow>;

std::vector<std::string>
iostatCells(const bus::IostatRow& now, const bus::IostatRow* before, const IostatOptions& options)
{
    const std::uint64_t since = before == nullptr ? now.importedAt : before->takenAt;
    const double seconds =
        std::max(1e-9, static_cast<double>(now.takenAt - std::min(now.takenAt, since)) / 1e9);
    const auto rate = [&](std::uint64_t value, std::uint64_t old) {
        const auto perSecond =
            static_cast<std::uint64_t>(static_cast<double>(value - std::min(value, old)) / seconds);
        return options.exact ? std::to_string(perSecond) : format::formatCount(perSecond);
    };
    const auto size = [&](std::uint64_t value) {
        return options.exact ? std::to_string(value) : format::formatCount(value);
    };
    const bool hasSpace = now.allocated + now.free != 0;
    const bus::IostatRow zero{};
    const bus::IostatRow& old = before == nullptr ? zero : *before;
    std::vector<std::string> cells = {hasSpace ? size(now.allocated) : "-",
                                      hasSpace ? size(now.free) : "-",
                                      rate(now.readOps, old.readOps),
                                      rate(now.writeOps, old.writeOps),
                                      rate(now.readBytes, old.readBytes),
                                      rate(now.writeBytes, old.writeBytes)};
    if (options.latency) {
        const auto wait = [&](std::uint64_t time,
                              std::uint64_t oldTime,
                              std::uint64_t operations,
                              std::uint64_t oldOperations) {
            const std::uint64_t count = operations - std::min(operations, oldOperations);
            const std::uint64_t mean = count == 0 ? 0 : (time - std::min(time, oldTime)) / count;
            return options.exact ? std::to_string(mean) : format::formatDuration(mean);
        };
        cells.push_back(wait(now.readTimeNs, old.readTimeNs, now.readOps, old.readOps));
        cells.push_back(wait(now.writeTimeNs, old.writeTimeNs, now.writeOps, old.writeOps));
    }
    return cells;
}

void printIostat(Console& console,
                 const bus::Rows<bus::IostatRow>& rows,
                 const Counters& before,
                 const IostatOptions& options,
                 bool withHeadings)
{
    constexpr std::size_t kCell = 5;
    std::size_t width = 10;
    std::vector<std::pair<std::string, std::vector<std::string>>> lines;
    for (const bus::IostatRow& row : rows) {
        if (row.depth != 0 && !options.vdevs) {
            continue;
        }
        const auto old = before.find(row.guid);
        std::string name = options.forScripts ? "" : std::string(row.depth * 2, ' ');
        name += options.guids && row.depth != 0 ? std::to_string(row.guid) : std::string(row.name);
        width = std::max(width, name.size());
        lines.emplace_back(std::move(name),
                           iostatCells(row, old == before.end() ? nullptr : &old->second, options));
    }
    if (options.forScripts) {
        for (const auto& [name, cells] : lines) {
            console.out(fmt::format("{}\t{}\n", name, fmt::join(cells, "\t")));
        }
        return;
    }
    const std::string rule = std::string(width, '-') +
                             "  -----  -----  -----  -----  -----  -----" +
                             (options.latency ? "  -----  -----" : "") + "\n";
    if (withHeadings) {
        console.out(fmt::format("{:{}}    capacity     operations     bandwidth {}\n",
                                "",
                                width,
                                options.latency ? "     total_wait" : ""));
        console.out(fmt::format("{:<{}}  alloc   free   read  write   read  write{}\n",
                                "pool",
                                width,
                                options.latency ? "   read  write" : ""));
        console.out(rule);
    }
    for (const auto& [name, cells] : lines) {
        std::string line = fmt::format("{:<{}}", name, width);
        for (const std::string& cell : cells) {
            line += fmt::format("  {:>{}}", cell, kCell);
        }
        console.out(line + "\n");
    }
    if (options.vdevs) {
        console.out(rule);
    }
}
} // namespace

int poolHistory(Console& console, const Arguments& arguments)
{
    auto parsed = parseOptions(arguments, kHistoryOptions);
    if (!parsed) {
        return usageError(console, parsed.error().what(), kHistoryUsage);
    }
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    int code = kDone;
    const auto pools = knownPools(console, **client, parsed->operands, code);
    if (!pools) {
        return code;
    }
    const auto document = (*client)->history(*pools);
    if (!document) {
        return complain(console, document.error());
    }
    const auto rows = bus::Rows<bus::HistoryRow>::of(*document);
    if (!rows) {
        return complain(console, rows.error());
    }
    std::string_view current;
    for (const bus::HistoryRow& row : *rows) {
        if (row.pool != current) {
            console.out(
                fmt::format("{}History for '{}':\n", current.empty() ? "" : "\n", row.pool));
            current = row.pool;
        }
        if (!row.internal || parsed->has('i')) {
            console.out(historyLine(row, parsed->has('l')));
        }
    }
    console.out(current.empty() ? "" : "\n");
    return code;
}

int poolEvents(Console& console, const Arguments& arguments)
{
    const auto parsed = parseOptions(arguments, kEventsOptions);
    if (!parsed || parsed->operands.size() > 1) {
        return usageError(
            console, parsed ? "too many arguments\n" : parsed.error().what(), kEventsUsage);
    }
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    if (parsed->has('c')) {
        const auto cleared = (*client)->clearEvents();
        if (!cleared) {
            return complain(console, cleared.error());
        }
        console.out(fmt::format("cleared {} events\n", *cleared));
        return kDone;
    }
    if (!parsed->has('H')) {
        console.out(fmt::format("{:<30} {}\n", "TIME", "CLASS"));
    }
    std::uint64_t after = 0;
    int code = printEvents(console, **client, *parsed, after);
    while (code == kDone && parsed->has('f')) {
        const auto signal = (*client)->nextSignal(std::chrono::seconds(1));
        if (!signal && !signal.error().is(ErrorCode::TimedOut)) {
            return complain(console, signal.error());
        }
        code = printEvents(console, **client, *parsed, after);
    }
    return code;
}

int poolIostat(Console& console, const Arguments& arguments)
{
    auto parsed = parseOptions(arguments, kIostatOptions);
    if (!parsed) {
        return usageError(console, parsed.error().what(), kIostatUsage);
    }
    IostatOptions options;
    options.forScripts = parsed->has('H');
    options.exact = parsed->has('p');
    options.vdevs = parsed->has('v');
    options.latency = parsed->has('l');
    options.skipFirst = parsed->has('y');
    options.guids = parsed->has('g');
    options.timestamp = parsed->valueOf('T');
    options.repetition = takeRepetition(parsed->operands);
    options.pools = parsed->operands;
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    int code = kDone;
    const auto pools = knownPools(console, **client, options.pools, code);
    if (!pools) {
        return code;
    }
    Counters before;
    bool skip = options.skipFirst && options.repetition.interval > 0;
    if (skip && options.repetition.count != 0) {
        ++options.repetition.count; // The report that is left out does not count.
    }
    const int end = repeat(console, options.repetition, [&](bool first) -> int {
        const auto document = (*client)->iostat(*pools);
        if (!document) {
            return complain(console, document.error());
        }
        const auto rows = bus::Rows<bus::IostatRow>::of(*document);
        if (!rows) {
            return complain(console, rows.error());
        }
        if (!skip) {
            console.out(timestampLine(options.timestamp));
            printIostat(console, *rows, before, options, first || options.skipFirst);
        }
        skip = false;
        before.clear();
        for (bus::IostatRow row : *rows) {
            row.name = {}; // The text lives in the document.
            row.pool = {};
            before.emplace(row.guid, row);
        }
        return kDone;
    });
    return std::max(code, end);
}

} // namespace millpond::cli
