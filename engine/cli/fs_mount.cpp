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
    {'a'}, {'R'}, {'f'}, {'l'}, {'v'}, {'O'}, {'o', {}, true}, {'j', "json"}};
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

/// `attempt` is "mount" or "unmount"; `names` what was asked for by name. Having been so already is
/// an error only then, and not below a recursion.
int reportResults(Console& console,
                  const Result<bus::Document>& document,
                  std::string_view attempt,
                  const Arguments& names,
                  bool recursive)
{
    if (!document) {
        const bool unknown = !names.empty() && document.error().is(ErrorCode::NoSuchDataset);
        return names.empty() ? complain(console, document.error())
               : unknown     ? complain(console,
                                    fmt::format(phrases::kCannotOpen, names.front()),
                                    document.error())
                             : complain(console,
                                    fmt::format("cannot {} '{}'", attempt, names.front()),
                                    document.error());
    }
    const auto rows = bus::Rows<bus::MountResultRow>::of(*document);
    if (!rows) {
        return complain(console, rows.error());
    }
    int code = kDone;
    for (const bus::MountResultRow& row : *rows) {
        const std::string what = fmt::format("cannot {} '{}'", attempt, row.dataset);
        const ErrorCode error =
            row.errorName.empty() ? ErrorCode::InvalidArgument : errorCodeFromName(row.errorName);
        if (!row.errorName.empty()) {
            code = complain(console,
                            error == ErrorCode::NoSuchDataset
                                ? fmt::format(phrases::kCannotOpen, row.dataset)
                                : what,
                            Error(error, std::string(row.errorText)));
        } else if (!names.empty() && !recursive && !row.changed) {
            console.err(
                fmt::format("{}: {}\n",
                            what,
                            attempt == "mount" ? phrases::kAlreadyMounted : phrases::kNotMounted));
            code = kFailed;
        }
    }
    return code;
}

/// A dataset that is not there is not mounted either; people want to know which it is.
Result<bus::Document> unmountOne(bus::Client& client, const bus::UnmountOrder& order)
{
    if (order.targets.size() == 1 && !order.targets.front().starts_with('/')) {
        MP_TRY(client.datasetProperties({.roots = order.targets, .properties = {"type"}}));
    }
    return client.unmount(order);
}

/// All -o of a line as one list.
std::string optionList(const ParsedOptions& options)
{
    return fmt::format("{}", fmt::join(options.valuesOf('o'), ","));
}

/// For -R: the filesystems from `root` down that mount by themselves.
Result<std::vector<std::string>> mountableBelow(bus::Client& client, const std::string& root)
{
    const auto document =
        MP_TRY(client.datasetProperties({.roots = {root},
                                         .recurse = true,
                                         .types = {"filesystem"},
                                         .properties = {"canmount", "mountpoint"}}));
    const auto rows = MP_TRY(bus::Rows<bus::DatasetRow>::of(document));
    const auto properties = MP_TRY(bus::Rows<bus::DatasetPropertyRow>::of(document));
    std::vector<std::string> names;
    for (const bus::DatasetRow& row : rows) {
        bool mounts = true;
        for (std::uint64_t i = 0; i < row.propertyCount; ++i) {
            const auto property = properties[static_cast<std::size_t>(row.firstProperty + i)];
            const bool place = property.property == "mountpoint";
            mounts = mounts && (place ? property.value != "none" && property.value != "legacy"
                                      : property.value == "on");
        }
        if (mounts) {
            names.emplace_back(row.dataset);
        }
    }
    return names;
}

Status addHolds(TablePrinter& table,
                bus::Client& client,
                const std::string& snapshot,
                const ParsedOptions& options)
{
    const auto document = MP_TRY(client.holds({snapshot}, options.has('r')));
    for (const bus::HoldRow& row : MP_TRY(bus::Rows<bus::HoldRow>::of(document))) {
        std::string date = dateText(row.time);
        if (date.size() > 8) {
            date.erase(date.size() - 8, 3); // The seconds are not shown.
        }
        table.add({std::string(row.snapshot),
                   std::string(row.tag),
                   options.has('p') ? std::to_string(row.time) : date});
    }
    return {};
}
} // namespace

int fsMount(Console& console, const Arguments& arguments)
{
    const auto parsed = parseOptions(arguments, kMountOptions);
    if (!parsed) {
        return usageError(console, parsed.error().what(), kMountUsage);
    }
    const bool all = parsed->has('a');
    const bool recursive = parsed->has('R');
    const std::size_t count = parsed->operands.size();
    if ((all && count != 0) || count > 1 || (parsed->has('j') && count != 0)) {
        return usageError(console, "too many arguments\n", kMountUsage);
    }
    if (recursive && count == 0) {
        return usageError(console, "no dataset provided\n", kMountUsage);
    }
    if (!all && count == 0 && parsed->has('o')) {
        return usageError(
            console, "missing filesystem argument (specify -a for all)\n", kMountUsage);
    }
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    if (!all && count == 0) {
        return showMounts(console, **client, parsed->has('j'));
    }
    bus::MountOrder order{.datasets = parsed->operands,
                          .options = optionList(*parsed),
                          .overlay = parsed->has('O'),
                          .force = parsed->has('f')};
    if (recursive) {
        auto datasets = mountableBelow(**client, parsed->operands.front());
        if (!datasets) {
            return complain(console,
                            fmt::format(phrases::kCannotOpen, parsed->operands.front()),
                            datasets.error());
        }
        if (datasets->empty()) {
            return kDone;
        }
        order.datasets = std::move(*datasets);
    }
    return reportResults(console, (*client)->mount(order), "mount", parsed->operands, recursive);
}

int fsUnmount(Console& console, const Arguments& arguments)
{
    const auto parsed = parseOptions(arguments, kUnmountOptions);
    const bool all = parsed && parsed->has('a');
    if (!parsed || all == !parsed->operands.empty() || parsed->operands.size() > 1) {
        return usageError(console,
                          !parsed                    ? parsed.error().what()
                          : parsed->operands.empty() ? "missing filesystem argument\n"
                                                     : "too many arguments\n",
                          kUnmountUsage);
    }
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    const auto document =
        unmountOne(**client, {.targets = parsed->operands, .force = parsed->has('f')});
    return reportResults(console, document, "unmount", parsed->operands, false);
}

int fsHolds(Console& console, const Arguments& arguments)
{
    const auto parsed = parseOptions(arguments, kHoldsOptions);
    if (!parsed || parsed->operands.empty()) {
        return usageError(
            console, parsed ? "missing snapshot argument\n" : parsed.error().what(), kHoldsUsage);
    }
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    int code = kDone;
    bool opened = false;
    TablePrinter table({{"NAME"}, {"TAG"}, {"TIMESTAMP"}}, parsed->has('H'));
    for (const std::string& name : parsed->operands) {
        if (name.find('@') == std::string::npos) {
            console.err(fmt::format("'{}' is not a snapshot\n", name));
            code = kFailed;
            continue;
        }
        const Status added = addHolds(table, **client, name, *parsed);
        if (!added) {
            code = complain(console, fmt::format(phrases::kCannotOpen, name), added.error());
        }
        opened = opened || added.has_value();
    }
    table.print(console);
    if (!opened) {
        console.err(phrases::kNoDatasets);
    }
    return code;
}

} // namespace millpond::cli
