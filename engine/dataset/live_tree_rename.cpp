// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/function_ref.h"
#include "dataset/detail/available.h"
#include "dataset/live_tree.h"
#include "format/name.h"
#include "object/zap.h"
#include "object/zap_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

// Renaming: a directory with all below it gets another name, and perhaps another parent, which then
// counts what the old one did. Sources: OpenZFS module/zfs/dsl_dir.c (dsl_dir_rename_check,
// dsl_dir_rename_sync, dsl_dir_transfer_possible).

namespace millpond::dataset {

using detail::SpaceLevel;
using format::DirUsed;
using format::DslDirPhys;
using object::Zap;
using object::ZapEntry;
using object::ZapWriter;

namespace {

/// How far names below a directory go on, snapshots included.
struct Reach
{
    std::size_t bytes = 0;
    std::size_t depth = 0;
};

std::size_t depthOf(const LiveDirectory& directory)
{
    std::size_t depth = 0;
    for (const LiveDirectory* at = directory.parent; at != nullptr; at = at->parent) {
        ++depth;
    }
    return depth;
}

bool isBelow(const LiveDirectory& directory, const LiveDirectory& above)
{
    const LiveDirectory* at = &directory;
    while (at != nullptr && at != &above) {
        at = at->parent;
    }
    return at != nullptr;
}

/// What is not loaded is not kept: there may be many. `physOf` knows directories as they are now.
Result<Reach>
reachBelow(object::ObjectSet& mos, ObjectId top, FunctionRef<Result<DslDirPhys>(ObjectId)> physOf)
{
    struct Pending
    {
        ObjectId object;
        Reach at;
    };

    Reach longest;
    std::vector<Pending> pending{{top, {}}};
    while (!pending.empty()) {
        const auto [object, at] = pending.back();
        pending.pop_back();
        if (at.depth > format::kMaxDatasetDepth) {
            return fail(Error(ErrorCode::BadDataset, "directories are nested too deep")
                            .at({.object = object}));
        }
        longest.depth = std::max(longest.depth, at.depth);
        const auto eachName = [&](ObjectId table, auto&& each) -> Status {
            const Zap names = MP_TRY(Zap::open(mos, table));
            return names.forEach([&](const ZapEntry& entry) -> Result<bool> {
                const std::size_t bytes = at.bytes + 1 + entry.name.size();
                longest.bytes = std::max(longest.bytes, bytes);
                each(entry, bytes);
                return true;
            });
        };
        const DslDirPhys phys = MP_TRY(physOf(object));
        MP_TRY(eachName(phys.childDirectories, [&](const ZapEntry& entry, std::size_t bytes) {
            pending.push_back({ObjectId(entry.first()), {bytes, at.depth + 1}});
        }));
        const object::DnodeRef live = MP_TRY(mos.dnode(phys.headDataset));
        const auto head = MP_TRY(format::DslDatasetPhys::decode(live->bonus, live->order));
        MP_TRY(eachName(head.snapshotNames, [](const ZapEntry&, std::size_t) {}));
    }
    return longest;
}

std::unexpected<Error> tooLong()
{
    return fail(ErrorCode::NameTooLong, "the name, or one below it, would be too long");
}

} // namespace

std::string LiveTree::fullName(const LiveDirectory& directory) const
{
    std::string name = directory.name;
    for (const LiveDirectory* at = directory.parent; at != nullptr; at = at->parent) {
        name = at->name + "/" + name;
    }
    return name;
}

Status
LiveTree::checkRename(LiveDirectory& directory, LiveDirectory& newParent, std::string_view newName)
{
    if (directory.parent == nullptr || isOwn(directory) || isOwn(newParent)) {
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("\"{}\" cannot be renamed to a place in \"{}\"",
                                directory.name,
                                newParent.name));
    }
    MP_TRY(format::checkComponent(newName));
    if (isBelow(newParent, directory)) {
        return fail(ErrorCode::InvalidArgument, "a dataset cannot be renamed to a place below it");
    }
    const Zap names = MP_TRY(Zap::open(m_ports.mos, newParent.phys.childDirectories));
    if (const auto there = names.lookup(newName)) {
        return fail(ErrorCode::AlreadyExists,
                    fmt::format("a dataset \"{}\" is there already", newName));
    } else if (!there.error().is(ErrorCode::NoSuchEntry)) {
        return fail(there.error());
    }
    const std::size_t bytes = fullName(newParent).size() + 1 + newName.size();
    const std::size_t depth = depthOf(newParent) + 1;
    const bool longer = bytes > fullName(directory).size();
    const bool deeper = depth > depthOf(directory);
    if (longer || deeper) {
        const Reach below = MP_TRY(
            reachBelow(m_ports.mos, directory.object, [this](ObjectId at) -> Result<DslDirPhys> {
                {
                    const MutexLock inTree(m_mutex);
                    if (const auto known = m_directories.find(at); known != m_directories.end()) {
                        return known->second->phys;
                    }
                }
                const object::DnodeRef dnode = MP_TRY(m_ports.mos.dnode(at));
                return DslDirPhys::decode(dnode->bonus, dnode->order);
            }));
        if ((longer && bytes + below.bytes > format::kMaxDatasetNameBytes) ||
            (deeper && depth + below.depth >= format::kMaxDatasetDepth)) {
            return tooLong();
        }
    }
    const MutexLock lock(m_mutex);
    return &newParent == directory.parent ? Status() : roomToMove(directory, newParent);
}

/// What it takes away below the closest common ancestor is room there.
Status LiveTree::roomToMove(const LiveDirectory& directory, const LiveDirectory& newParent) const
{
    const std::uint64_t space = std::max(directory.phys.usedBytes, directory.phys.reserved);
    std::uint64_t freed = space;
    const LiveDirectory* ancestor = directory.parent;
    for (; !isBelow(newParent, *ancestor); ancestor = ancestor->parent) {
        const DslDirPhys& phys = ancestor->phys;
        freed = std::max(phys.usedBytes, phys.reserved) -
                std::max(phys.usedBytes - freed, phys.reserved);
    }
    std::vector<SpaceLevel> upwards;
    for (const LiveDirectory* at = &newParent; at != nullptr; at = at->parent) {
        SpaceLevel level = SpaceLevel::of(at->phys);
        level.used += std::accumulate(at->toWrite.begin(), at->toWrite.end(), std::uint64_t{0});
        level.freed = at == ancestor ? freed : 0;
        upwards.push_back(level);
    }
    if (detail::availableAt(upwards, m_room.usable) < space) {
        return fail(
            ErrorCode::NoSpace,
            fmt::format("there is no room for \"{}\" in \"{}\"", directory.name, newParent.name));
    }
    return {};
}

Status LiveTree::rename(LiveDirectory& directory,
                        LiveDirectory& newParent,
                        std::string_view newName,
                        Txg txg)
{
    MP_TRY(checkRename(directory, newParent, newName));
    LiveDirectory& oldParent = *directory.parent;
    if (&newParent != &oldParent) {
        MP_TRY(moveCounts(directory, newParent, txg));
    }
    ZapWriter zaps(m_ports.mos, txg);
    MP_TRY(zaps.remove(oldParent.phys.childDirectories, directory.name));
    MP_TRY(zaps.add(newParent.phys.childDirectories, newName, directory.object.value()));
    const MutexLock lock(m_mutex);
    if (&newParent != &oldParent) {
        const DslDirPhys& phys = directory.phys;
        const SpaceDelta used =
            SpaceDelta::of({phys.usedBytes, phys.compressedBytes, phys.uncompressedBytes});
        const SpaceDelta reserved{.used = static_cast<std::int64_t>(
                                      phys.reserved - std::min(phys.reserved, phys.usedBytes))};
        use(oldParent, DirUsed::Children, used.negated());
        use(newParent, DirUsed::Children, used);
        if (reserved.used != 0) {
            use(oldParent, DirUsed::ChildReservations, reserved.negated());
            use(newParent, DirUsed::ChildReservations, reserved);
        }
    }
    directory.name = newName;
    directory.parent = &newParent;
    directory.phys.parent = newParent.object;
    markDirty(directory);
    return {};
}

Status LiveTree::moveCounts(LiveDirectory& directory, LiveDirectory& newParent, Txg txg)
{
    if (!m_ports.features.isActive("filesystem_limits")) {
        return {};
    }
    const Counts counts = MP_TRY(counted(directory, txg));
    const auto datasets = static_cast<std::int64_t>(counts.filesystems + 1);
    const auto snapshots = static_cast<std::int64_t>(counts.snapshots);
    MP_TRY(countBelow(*directory.parent, format::kDirFilesystemCount, -datasets, txg));
    MP_TRY(countBelow(newParent, format::kDirFilesystemCount, datasets, txg));
    MP_TRY(countBelow(*directory.parent, format::kDirSnapshotCount, -snapshots, txg));
    return countBelow(newParent, format::kDirSnapshotCount, snapshots, txg);
}

} // namespace millpond::dataset
