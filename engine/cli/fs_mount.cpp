// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/compat_phrases.h"
#include "cli/fs_commands.h"
#include "cli/json.h"
#include "cli/option_parser.h"
#include "cli/pool_commands.h"
#include "cli/table_printer.h"

// mount, unmount and holds.

namespace millpond::cli {

namespace {
constexpr std::string_view kMountUsage =
    "mount [-j]\n\tmount [-flvO] [-o opts] <-a|-R filesystem|filesystem>\n";
constexpr std::string_view kUnmountUsage = "unmount [-fu] <-a | filesystem|mountpoint>\n";
constexpr std::string_view kHoldsUsage = "holds [-rHp] <snapshot> ...\n";
constexpr OptionSpec kMountOptions[] = {
    {'a'}, {'f'}, {'l'}, {'v'}, {'O'}, {'o', {}, true}, {'j', "json"}};
constexpr OptionSpec kUnmountOptions[] = {{'a'}, {'f'}, {'u'}};
constexpr OptionSpec kHoldsOptions[] = {{'r'}, {'H'}, {'p', "parsable"}};

int showMounts(Console& console, bus::Client& client, bool json)
{
    const auto document = client.mounts();
    if (!document) {
        return complain(console, document.error());
    }
    const auto rows = bus::Rows<bus::MountRow>::of(*document);
    if (!rows) {
        return complain(console, rows.error());
    }
    Json list = jsonDocument("zfs mount");
    for (const bus::MountRow& row : *rows) {
        if (json) {
            Json entry = Json::object();
            entry.set("filesystem", row.dataset).set("mountpoint", row.mountpoint);
            list.member("datasets").set(row.dataset, std::move(entry));
        } else {
            console.out(fmt::format("{:<30}  {}\n", row.dataset, row.mountpoint));
        }
    }
    if (json) {
        (void)list.member("datasets");
        console.out(list.toText());
    }
    return kDone;
}

/// `attempt` is "mount" or "unmount". Having been so already is an error only when it was asked for
/// by name.
int reportResults(Console& console,
                  const Result<bus::Document>& document,
                  std::string_view attempt,
                  bool named)
{
    if (!document) {
        return complain(console, document.error());
    }
    const auto rows = bus::Rows<bus::MountResultRow>::of(*document);
    if (!rows) {
        return complain(console, rows.error());
    }
    int code = kDone;
    for (const bus::MountResultRow& row : *rows) {
        const std::string what = fmt::format("cannot {} '{}'", attempt, row.dataset);
        if (!row.errorName.empty()) {
            code = complain(
                console, what, Error(errorCodeFromName(row.errorName), std::string(row.errorText)));
        } else if (named && !row.changed) {
            console.err(fmt::format("{}: {}\n",
                                    what,
                                    attempt == "mount" ? "filesystem already mounted"
                                                       : std::string(phrases::kNotMounted)));
            code = kFailed;
        }
    }
    return code;
}
} // namespace

int fsMount(Console& console, const Arguments& arguments)
{
    const auto parsed = parseOptions(arguments, kMountOptions);
    const bool all = parsed && parsed->has('a');
    if (!parsed || (all && !parsed->operands.empty()) || (parsed && parsed->operands.size() > 1)) {
        return usageError(
            console, parsed ? "too many arguments\n" : parsed.error().what(), kMountUsage);
    }
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    if (!all && parsed->operands.empty()) {
        return showMounts(console, **client, parsed->has('j'));
    }
    const auto document = (*client)->mount({.datasets = parsed->operands,
                                            .options = parsed->valueOf('o'),
                                            .overlay = parsed->has('O'),
                                            .force = parsed->has('f')});
    return reportResults(console, document, "mount", !all);
}

int fsUnmount(Console& console, const Arguments& arguments)
{
    const auto parsed = parseOptions(arguments, kUnmountOptions);
    const bool all = parsed && parsed->has('a');
    if (!parsed || all == !parsed->operands.empty() || parsed->operands.size() > 1) {
        return usageError(console,
                          parsed ? "name one filesystem or mountpoint, or -a\n"
                                 : parsed.error().what(),
                          kUnmountUsage);
    }
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    const auto document =
        (*client)->unmount({.targets = parsed->operands, .force = parsed->has('f')});
    return reportResults(console, document, "unmount", !all);
}

int fsHolds(Console& console, const Arguments& arguments)
{
    const auto parsed = parseOptions(arguments, kHoldsOptions);
    if (!parsed || parsed->operands.empty()) {
        return usageError(
            console, parsed ? "missing snapshot argument\n" : parsed.error().what(), kHoldsUsage);
    }
    for (const std::string& name : parsed->operands) {
        if (name.find('@') == std::string::npos) {
            console.err(fmt::format("'{}' is not a snapshot\n", name));
            return kFailed;
        }
    }
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    const auto document = (*client)->holds(parsed->operands, parsed->has('r'));
    if (!document) {
        return complain(console,
                        fmt::format(phrases::kCannotOpen, fmt::join(parsed->operands, ", ")),
                        document.error());
    }
    const auto rows = bus::Rows<bus::HoldRow>::of(*document);
    if (!rows) {
        return complain(console, rows.error());
    }
    TablePrinter table({{"NAME"}, {"TAG"}, {"TIMESTAMP"}}, parsed->has('H'));
    for (const bus::HoldRow& row : *rows) {
        std::string date = dateText(row.time);
        if (date.size() > 8) {
            date.erase(date.size() - 8, 3); // The seconds are not shown.
        }
        table.add({std::string(row.snapshot),
                   std::string(row.tag),
                   parsed->has('p') ? std::to_string(row.time) : date});
    }
    if (!table.empty()) {
        table.print(console);
    }
    return kDone;
}

} // namespace millpond::cli
