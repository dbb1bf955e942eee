// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/compat_phrases.h"
#include "cli/option_parser.h"
#include "cli/pool_commands.h"
#include "cli/pool_names.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <pwd.h>
#include <thread>

// history and events.

namespace millpond::cli {

namespace {
constexpr std::string_view kHistoryUsage = "history [-il] [<pool>] ...\n";
constexpr std::string_view kEventsUsage = "events [-vHf [pool] | -c]\n";
constexpr OptionSpec kHistoryOptions[] = {{'i'}, {'l'}};
constexpr OptionSpec kEventsOptions[] = {{'v'}, {'H'}, {'f'}, {'c'}};
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

} // namespace millpond::cli
