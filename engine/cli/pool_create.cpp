// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/changes.h"
#include "cli/compat_phrases.h"
#include "cli/pool_commands.h"

#include <algorithm>
#include <array>
#include <filesystem>

// create and destroy of pools.

namespace millpond::cli {

namespace {
constexpr std::string_view kCreateUsage = "create [-fnd] [-o property=value] ...\n"
                                          "\t    [-O file-system-property=value] ...\n"
                                          "\t    [-m mountpoint] [-R root] <pool> <vdev> ...\n";
constexpr std::string_view kDestroyPoolUsage = "destroy [-f] <pool>\n";
constexpr OptionSpec kCreateOptions[] = {
    {'f'}, {'n'}, {'d'}, {'P'}, {'o', {}, true}, {'O', {}, true}, {'m', {}, true}, {'R', {}, true}};
constexpr OptionSpec kDestroyOptions[] = {{'f'}};

/// Words that begin a group of devices, or a class of them.
constexpr std::array<std::string_view, 5> kClassWords = {
    "log", "cache", "spare", "special", "dedup"};

bool isClassWord(std::string_view word)
{
    return std::ranges::find(kClassWords, word) != kClassWords.end();
}

bool isGroupWord(std::string_view word)
{
    return word == "mirror" || word.starts_with("raidz") || word.starts_with("draid");
}

/// A full path, or the short name of a device.
Result<std::string> devicePath(const std::string& word)
{
    if (word.starts_with('/')) {
        return word;
    }
    std::error_code ignored;
    for (const char* folder : {"/dev/",
                               "/dev/disk/by-vdev/",
                               "/dev/disk/by-id/",
                               "/dev/disk/by-path/",
                               "/dev/mapper/"}) {
        if (std::filesystem::is_block_file(folder + word, ignored)) {
            return folder + word;
        }
    }
    const auto absolute = std::filesystem::absolute(word, ignored);
    if (!std::filesystem::exists(absolute, ignored)) {
        return fail(ErrorCode::NoSuchDevice,
                    fmt::format("cannot open '{}': no such device in /dev\n"
                                "must be a full path or shorthand device name\n",
                                word));
    }
    return absolute.lexically_normal().string();
}

Result<Arguments> vdevWords(std::span<const std::string> words)
{
    Arguments result;
    for (const std::string& word : words) {
        result.push_back(isClassWord(word) || isGroupWord(word) ? word : MP_TRY(devicePath(word)));
    }
    return result;
}

std::string shownName(const std::string& word, bool fullPaths)
{
    const std::filesystem::path path(word);
    return !fullPaths && word.starts_with("/dev/") ? path.filename().string() : word;
}

/// What `-n` shows: the pool, then each class under its heading, as zpool prints them.
std::string layoutText(const std::string& pool, const Arguments& words, bool fullPaths)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kHeadings = {
        {{"", ""},
         {"dedup", "dedup"},
         {"special", "special"},
         {"log", "logs"},
         {"cache", "cache"},
         {"spare", "spares"}}};
    std::string text =
        fmt::format("would create '{}' with the following layout:\n\n\t{}\n", pool, pool);
    for (const auto& [wanted, heading] : kHeadings) {
        std::string current;
        std::string lines;
        bool inGroup = false;
        for (const std::string& word : words) {
            if (isClassWord(word)) {
                current = word;
                inGroup = false;
                continue;
            }
            if (isGroupWord(word)) {
                inGroup = true;
            }
            if (current == wanted) {
                const bool group = isGroupWord(word);
                lines += fmt::format("\t{}{}\n",
                                     inGroup && !group ? "    " : "  ",
                                     word == "raidz" ? "raidz1" : shownName(word, fullPaths));
            }
        }
        if (!lines.empty()) {
            text += heading.empty() ? lines : fmt::format("\t{}\n{}", heading, lines);
        }
    }
    return text;
}

struct CreateWords
{
    bus::CreatePoolOrder order;
    bool preview = false, fullPaths = false;
    Arguments devices;
};

Result<CreateWords> parseCreate(const Arguments& arguments)
{
    auto parsed = MP_TRY(parseOptions(arguments, kCreateOptions));
    CreateWords words;
    bus::CreatePoolOrder& order = words.order;
    order.force = parsed.has('f');
    order.noFeatures = parsed.has('d');
    order.altroot = parsed.valueOf('R');
    order.fileSystemProperties = MP_TRY(assignments(parsed.valuesOf('O')));
    const Properties properties = MP_TRY(assignments(parsed.valuesOf('o')));
    for (const auto& [name, value] : properties) {
        if (name == "altroot") {
            order.altroot = value;
        } else if (name != "cachefile") { // There is none: pools open on request only.
            order.properties.emplace_back(name, value);
        }
    }
    if (parsed.has('m')) {
        order.fileSystemProperties.emplace_back("mountpoint", parsed.valueOf('m'));
    }
    words.preview = parsed.has('n');
    words.fullPaths = parsed.has('P');
    if (parsed.operands.empty()) {
        return fail(ErrorCode::InvalidArgument, "missing pool name argument\n");
    }
    if (parsed.operands.size() == 1) {
        return fail(ErrorCode::InvalidArgument, "missing vdev specification\n");
    }
    order.name = parsed.operands.front();
    words.devices = {parsed.operands.begin() + 1, parsed.operands.end()};
    return words;
}

int complainAboutCreate(Console& console, const bus::CreatePoolOrder& order, const Error& error)
{
    if (error.is(ErrorCode::DeviceBusy)) {
        console.err(fmt::format("invalid vdev specification\n{}{}\n",
                                order.force ? "the following errors must be manually repaired:\n"
                                            : "use '-f' to override the following errors:\n",
                                error.what()));
        return kFailed;
    }
    const std::string attempt = fmt::format("cannot create '{}'", order.name);
    if (error.is(ErrorCode::AlreadyExists)) {
        return complain(console, attempt, Error(error.code(), std::string(phrases::kPoolExists)));
    }
    return complain(console, attempt, error);
}
} // namespace

int poolCreate(Console& console, const Arguments& arguments)
{
    auto words = parseCreate(arguments);
    if (!words) {
        return usageError(console, words.error().what(), kCreateUsage);
    }
    auto vdevs = vdevWords(words->devices);
    if (!vdevs) {
        console.err(vdevs.error().what());
        return kFailed;
    }
    if (words->preview) {
        console.out(layoutText(words->order.name, *vdevs, words->fullPaths));
        return kDone;
    }
    words->order.vdevs = std::move(*vdevs);
    words->order.command = typed(console, "create", arguments);
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    const auto answer = (*client)->createPool(words->order);
    return answer ? reportMounts(console, answer->mounts)
                  : complainAboutCreate(console, words->order, answer.error());
}

int poolDestroy(Console& console, const Arguments& arguments)
{
    const auto parsed = parseOptions(arguments, kDestroyOptions);
    if (!parsed || parsed->operands.size() != 1) {
        return usageError(console,
                          !parsed                    ? parsed.error().what()
                          : parsed->operands.empty() ? "missing pool argument\n"
                                                     : "too many arguments\n",
                          kDestroyPoolUsage);
    }
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    const std::string& pool = parsed->operands.front();
    const Status destroyed = (*client)->destroyPool(pool, parsed->has('f'));
    if (destroyed) {
        return kDone;
    }
    return complain(console,
                    destroyed.error().is(ErrorCode::NoSuchPool)
                        ? fmt::format(phrases::kCannotOpen, pool)
                        : fmt::format("cannot destroy '{}'", pool),
                    destroyed.error());
}

} // namespace millpond::cli
