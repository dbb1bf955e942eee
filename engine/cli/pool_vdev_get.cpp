// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/pool_vdev_get.h"

#include "cli/pool_commands.h"
#include "cli/vdev_json.h"
#include "cli/vdev_names.h"

#include <algorithm>
#include <map>

namespace millpond::cli {

namespace {
constexpr std::string_view kRootName = "root-0"; ///< as OpenZFS calls it here

using PropertyRows = std::vector<bus::VdevPropertyRow>;

struct NamedVdev
{
    std::string name;
    VdevNode node;
};

/// The tree of one pool, in order; spares and cache devices have no properties.
std::vector<NamedVdev> treeOf(const bus::Rows<bus::VdevRow>& rows, std::string_view pool)
{
    std::vector<NamedVdev> vdevs;
    std::string_view topClass;
    for (const bus::VdevRow& row : rows) {
        if (row.pool != pool || row.guid == 0 || row.isSpare || row.isCache) {
            continue;
        }
        topClass = row.depth <= 1 ? row.allocClass : topClass;
        vdevs.push_back(
            {row.depth == 0 ? std::string(kRootName) : vdevName(row, {}), {row, topClass, {}}});
    }
    return vdevs;
}

/// Those that the words name, under these names; nothing after saying which one there is not.
std::optional<std::vector<NamedVdev>> named(Console& console,
                                            const std::vector<NamedVdev>& tree,
                                            const Arguments& words,
                                            std::string_view pool)
{
    if (words.size() == 1 && words.front() == "all-vdevs") {
        return tree;
    }
    std::vector<NamedVdev> found;
    std::string unknown;
    for (const std::string& word : words) {
        const bool isRoot = word == kRootName || (words.size() == 1 && word == "root");
        const auto vdev = std::ranges::find_if(tree, [&](const NamedVdev& each) {
            return isRoot ? each.node.row.depth == 0 : isCalled(each.node.row, word);
        });
        if (vdev == tree.end()) {
            unknown += fmt::format("\t{}\n", word);
        } else {
            found.push_back({isRoot ? std::string(kRootName) : word, vdev->node});
        }
    }
    if (unknown.empty()) {
        return found;
    }
    console.err(fmt::format("Expected a list of vdevs in \"{}\", but got:\n{}\n", pool, unknown));
    return std::nullopt;
}

std::string shown(const bus::VdevPropertyRow& row, bool exact)
{
    const auto* property = format::findProperty(format::PropertyScope::Vdev, row.property);
    return exact || property == nullptr ? std::string(row.value)
                                        : format::formatProperty(*property, row.value);
}

void printLines(Console& console,
                const std::vector<NamedVdev>& vdevs,
                const std::map<std::uint64_t, PropertyRows>& properties,
                const GetWords& words)
{
    std::vector<PropertyLine> lines;
    for (const NamedVdev& vdev : vdevs) {
        const auto rows = properties.find(vdev.node.row.guid);
        for (const bus::VdevPropertyRow& row :
             rows == properties.end() ? PropertyRows() : rows->second) {
            lines.push_back({vdev.name,
                             std::string(row.property),
                             shown(row, words.options.has('p')),
                             "-",
                             std::string(row.source),
                             {}});
        }
    }
    printProperties(console, lines, words.output);
}

void printJson(Console& console,
               const bus::PoolRow& pool,
               const std::vector<NamedVdev>& vdevs,
               const std::map<std::uint64_t, PropertyRows>& properties,
               const GetWords& words)
{
    const bool asInteger = words.options.has('I');
    const bool exact = words.options.has('p') || asInteger;
    Json document = jsonDocument("zpool get");
    document.set("pool", poolJson(pool, false, asInteger));
    Json& list = document.member("vdevs");
    for (const NamedVdev& vdev : vdevs) {
        Json entry = vdevJson(vdev.node, vdev.name, {exact, asInteger});
        Json& values = entry.member("properties");
        const auto rows = properties.find(vdev.node.row.guid);
        for (const bus::VdevPropertyRow& row :
             rows == properties.end() ? PropertyRows() : rows->second) {
            values.set(row.property, jsonProperty(shown(row, exact), row.source, {}, asInteger));
        }
        list.set(vdev.name, std::move(entry));
    }
    console.out(document.toText());
}

std::optional<bus::PoolRow> poolCalled(const bus::Rows<bus::PoolRow>& pools, std::string_view name)
{
    for (const bus::PoolRow& pool : pools) {
        if (pool.name == name) {
            return pool;
        }
    }
    return std::nullopt;
}
} // namespace

std::optional<int>
getOfVdevs(Console& console, bus::Client& client, const GetWords& words, std::string_view usage)
{
    if (words.targets.size() < 2) {
        return std::nullopt;
    }
    const auto status = client.poolStatus({});
    if (!status) {
        return complain(console, status.error());
    }
    const auto pools = bus::Rows<bus::PoolRow>::of(*status);
    const auto rows = bus::Rows<bus::VdevRow>::of(*status);
    if (!pools || !rows) {
        return complain(console, !pools ? pools.error() : rows.error());
    }
    const auto pool = poolCalled(*pools, words.targets.front());
    const bool onlyPools = std::ranges::all_of(words.targets, [&](const std::string& word) {
        return poolCalled(*pools, word).has_value();
    });
    if (!pool || onlyPools) {
        return std::nullopt;
    }
    const auto vdevs = named(console,
                             treeOf(*rows, pool->name),
                             {words.targets.begin() + 1, words.targets.end()},
                             pool->name);
    if (!vdevs) {
        return usageError(console, "", usage);
    }
    const auto names = propertyNames(words.properties, format::PropertyScope::Vdev);
    if (!names) {
        return usageError(console, names.error().what(), usage);
    }
    const auto document = client.vdevProperties(std::string(pool->name), *names);
    const auto answer = document ? bus::Rows<bus::VdevPropertyRow>::of(*document)
                                 : Result<bus::Rows<bus::VdevPropertyRow>>(fail(document.error()));
    if (!answer) {
        return complain(console, answer.error());
    }
    std::map<std::uint64_t, PropertyRows> properties;
    for (const bus::VdevPropertyRow& row : *answer) {
        properties[row.guid].push_back(row);
    }
    if (words.options.has('j')) {
        printJson(console, *pool, *vdevs, properties, words);
    } else {
        printLines(console, *vdevs, properties, words);
    }
    return kDone;
}

} // namespace millpond::cli
