// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "base/mutex.h"
#include "fuse/file_systems.h"
#include "fuse/node_numbers.h"

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace millpond::fuse {

/// What mounting needs to know of a filesystem.
struct DatasetInfo
{
    std::string name;
    ObjsetId objset;
    std::uint64_t creationTime = 0; ///< seconds since 1970
    std::string mountpoint;         ///< as the property: a path, "none" or "legacy"
    std::string canMount;           ///< on, off, noauto
    bool setuid = true, devices = true, exec = true;
    bool separateMount = false; ///< millpond:mount=separate
    bool snapdirVisible = false;
    bool encrypted = false; ///< and no key is loaded
};

/// Counts what is open in a dataset and its snapshots.
using OpenCount = std::shared_ptr<std::atomic<std::uint64_t>>;

/// Which datasets one mount shows, and where. Datasets that are not shown themselves but lead to
/// one that is, or to a kernel mount on top of this one, stand in it as folders. Thread-safe; never
/// waits for a device but where said.
class Tree
{
public:
    /// At first nothing is shown: the root is a folder for `root`.
    Tree(api::PoolRef pool, DatasetInfo root);

    /// A place where something of the tree comes or goes: a name in the directory of a dataset.
    struct Change
    {
        ObjsetId parent;
        std::string name;
    };

    /// Shows a dataset at or below the root; `between` are those on the way, from the root down,
    /// both ends aside. The name to invalidate, none for the root.
    std::optional<Change> show(const DatasetInfo& info, const std::vector<DatasetInfo>& between);
    /// Puts a folder for another kernel mount; nothing when there is a place already.
    std::optional<Change> addMountPoint(const DatasetInfo& info,
                                        const std::vector<DatasetInfo>& between);
    std::optional<Change> removeMountPoint(const std::string& name);
    /// Hides a dataset and all shown below it. Nothing is changed when something in it is open,
    /// unless forced (what is open stays usable), or when a kernel mount lies below: DatasetBusy.
    /// NotMounted.
    [[nodiscard]] Result<std::optional<Change>> hide(const std::string& name, bool force);

    [[nodiscard]] bool isShown(const std::string& name) const;
    [[nodiscard]] bool hasPlace(const std::string& name) const;
    [[nodiscard]] std::vector<std::string> shownAtOrBelow(const std::string& name) const;
    [[nodiscard]] bool isEmpty() const; ///< neither datasets nor mount points

    /// What a number of an object set stands for. Nothing when it is not (or no longer) known here.
    struct Place
    {
        std::string name; ///< of the dataset or snapshot
        bool isSnapshot = false;
        bool shown = false; ///< has content, not only a folder
        bool snapdirVisible = false;
        std::uint64_t creationTime = 0;
        ObjsetId parent; ///< a snapshot's dataset, a dataset's parent in the tree; 0: the root
        OpenCount open;
    };

    [[nodiscard]] std::optional<Place> place(ObjsetId objset) const;

    struct Child
    {
        std::string name; ///< the last component
        ObjsetId objset;
    };

    [[nodiscard]] std::optional<ObjsetId> child(ObjsetId parent, std::string_view name) const;
    /// In the order of their object sets, those after `after`.
    [[nodiscard]] std::vector<Child>
    children(ObjsetId parent, ObjsetId after, std::size_t atMost) const;

    /// A dataset's snapshot by its name alone. May wait for a device; under CachedOnly WouldBlock.
    /// NoSuchEntry.
    [[nodiscard]] Result<ObjsetId>
    snapshot(ObjsetId dataset, std::string_view name, const posix::ReadContext& context);

    [[nodiscard]] FileSystems& fileSystems() { return m_fileSystems; }

    [[nodiscard]] NodeNumbers& numbers() { return m_numbers; }

    [[nodiscard]] api::Pool& pool() const { return *m_pool; }

private:
    struct Dataset
    {
        DatasetInfo info;
        Dataset* parent = nullptr;
        bool shown = false;
        bool mountPoint = false;
        OpenCount open = std::make_shared<std::atomic<std::uint64_t>>(0);
        std::map<std::string, std::unique_ptr<Dataset>, std::less<>> children;
        std::map<ObjsetId, Dataset*> byObjset;
    };

    struct Snapshot
    {
        std::string name;
        ObjsetId dataset;
        std::uint64_t creationTime = 0;
    };

    [[nodiscard]] const Dataset* find(std::string_view name) const
        MP_THREAD_ANNOTATION(requires_shared_capability(m_mutex));
    [[nodiscard]] Dataset* find(std::string_view name) MP_REQUIRES(m_mutex);
    Dataset& insert(Dataset& parent, const DatasetInfo& info) MP_REQUIRES(m_mutex);
    std::pair<Dataset*, std::optional<Change>> reach(const DatasetInfo& info,
                                                     const std::vector<DatasetInfo>& between)
        MP_REQUIRES(m_mutex);
    std::optional<Change> prune(Dataset& dataset) MP_REQUIRES(m_mutex);

    const api::PoolRef m_pool;
    mutable SharedMutex m_mutex;
    Dataset m_root MP_GUARDED_BY(m_mutex);
    std::unordered_map<ObjsetId, Dataset*> m_datasets MP_GUARDED_BY(m_mutex);
    std::unordered_map<ObjsetId, Snapshot> m_snapshots MP_GUARDED_BY(m_mutex);
    std::unordered_map<std::string, ObjsetId> m_snapshotNames MP_GUARDED_BY(m_mutex);
    NodeNumbers m_numbers;
    FileSystems m_fileSystems;
};

} // namespace millpond::fuse
