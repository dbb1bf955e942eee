// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/dataset/live_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace millpond::test {

using dataset::DatasetTree;
using dataset::DirectoryRef;
using dataset::LiveDirectory;
using dataset::LiveTree;

dataset::LiveTreePorts LivePool::ports()
{
    return {*mos, features, clock, random, version, [](const format::BlockPointer& pointer) {
                return pointer.allocatedSize().value();
            }};
}

Status LivePool::make()
{
    MP_TRY(MosInMemory::make());
    tree = std::make_unique<LiveTree>(ports());
    MP_TRY(tree->create(Txg(4)));
    MP_TRY(tree->createHead(tree->root(), Txg(4)));
    return {};
}

Status LivePool::sync(Txg txg)
{
    MP_TRY(tree->flush(txg));
    MP_TRY(MosInMemory::sync(txg));
    tree->synced(txg);
    return {};
}

Result<std::shared_ptr<DatasetTree>> LivePool::reader()
{
    auto set = MP_TRY(object::ObjectSet::open(storage, root, ObjsetId(0)));
    return DatasetTree::open(std::move(set), "pool");
}

Status LivePool::reopen(Txg txg)
{
    MP_TRY(sync(txg));
    tree.reset();
    mos = MP_TRY(object::LiveObjectSet::open(storage, root, ObjsetId(0)));
    tree = std::make_unique<LiveTree>(ports());
    return tree->open();
}

Result<LiveDirectory*> LivePool::add(LiveDirectory& parent, const std::string& name, Txg txg)
{
    LiveDirectory* made = MP_TRY(tree->createDirectory(parent, name, txg));
    MP_TRY(tree->createHead(*made, txg));
    return made;
}

Status LivePool::grow(LiveDirectory& directory, std::int64_t bytes, Txg txg)
{
    LiveTree::BlockChanges changes;
    const std::int64_t size = std::abs(bytes);
    (bytes < 0 ? changes.killedOwn : changes.born) = {size, size / 2, size * 2};
    return tree->apply(*MP_TRY(tree->head(directory)), changes, txg);
}

Result<std::size_t> LivePool::objects() const
{
    std::size_t count = 0;
    for (auto at = MP_TRY(mos->nextObject(ObjectId(0))); at; at = MP_TRY(mos->nextObject(*at))) {
        ++count;
    }
    return count;
}

namespace {

// NOLINTNEXTLINE(misc-no-recursion)
void compareFigures(DatasetTree& tree, const DirectoryRef& directory, std::string& wrong)
{
    const format::DslDirPhys& phys = directory->phys;
    const auto complain = [&](std::string_view what, std::uint64_t is, std::uint64_t expected) {
        if (is != expected) {
            wrong += fmt::format("{}: {} is {}, not {}; ", directory->name, what, is, expected);
        }
    };
    complain(
        "the breakdown's sum",
        std::accumulate(phys.usedBreakdown.begin(), phys.usedBreakdown.end(), std::uint64_t{0}),
        phys.usedBytes);
    const auto children = tree.allChildren(directory);
    if (!children) {
        wrong += children.error().toText();
        return;
    }
    std::uint64_t used = 0;
    std::uint64_t reserved = 0;
    for (const DirectoryRef& child : *children) {
        used += child->phys.usedBytes;
        reserved += child->phys.reserved - std::min(child->phys.reserved, child->phys.usedBytes);
        compareFigures(tree, child, wrong);
    }
    complain("used by children", phys.usedBreakdown[2], used);
    complain("reserved for children", phys.usedBreakdown[3], reserved);
}

} // namespace

std::string wrongFigures(DatasetTree& tree)
{
    std::string wrong;
    compareFigures(tree, tree.root(), wrong);
    return wrong;
}

} // namespace millpond::test
