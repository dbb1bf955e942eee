// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "format/dsl.h"
#include "object/object_set.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace millpond::dataset {

using block::ReadContext;

enum class Kind : std::uint8_t
{
    Filesystem = 1,
    Volume = 2,
    Snapshot = 4,
    Bookmark = 8
};

struct Directory;
struct Dataset;
using DirectoryRef = std::shared_ptr<const Directory>;
using DatasetRef = std::shared_ptr<const Dataset>;

/// A place in the tree [dsl_dir]: a filesystem or volume with its settings, children and snapshots.
/// Immutable; keeps its ancestors alive.
struct Directory
{
    ObjectId object;
    std::string name;    ///< full: "pool/a/b"
    DirectoryRef parent; ///< null: the pool's root
    unsigned depth = 0;  ///< 0: the pool's root
    format::DslDirPhys phys;
    // Fields kept beside phys in newer pools.
    std::optional<std::uint64_t> filesystemCount;  ///< below this one
    std::optional<std::uint64_t> snapshotCount;    ///< of this one and below
    std::optional<std::uint64_t> snapshotsChanged; ///< seconds since 1970
    std::optional<ObjectId> cryptoKey;             ///< encrypted: the object that holds its key
    std::optional<ObjectId> livelist;

    [[nodiscard]] std::string_view leafName() const;
};

/// One object set in the tree [dsl_dataset]: the live filesystem or volume of a directory, or a
/// snapshot of it. Immutable.
struct Dataset
{
    ObjsetId id; ///< its object number in the MOS
    DirectoryRef directory;
    std::string snapshot; ///< name behind the '@'; empty: the live one
    format::DslDatasetPhys phys;
    bool extensible = false; ///< the object is a ZAP as well, with fields of newer features

    [[nodiscard]] bool isSnapshot() const { return phys.isSnapshot(); }

    [[nodiscard]] std::string name() const; ///< "pool/a" or "pool/a@snap"
};

struct Bookmark
{
    DirectoryRef directory;
    std::string bookmark; ///< name behind the '#'
    format::BookmarkPhys phys;

    [[nodiscard]] std::string name() const;
};

/// What a name stands for.
struct Node
{
    Kind kind = Kind::Filesystem;
    /// What the object set holds: Filesystem or Volume, also of a snapshot. Filesystem for
    /// bookmarks.
    Kind content = Kind::Filesystem;
    DirectoryRef directory;
    DatasetRef dataset;               ///< null for a bookmark
    std::optional<Bookmark> bookmark; ///< only for a bookmark

    [[nodiscard]] std::string name() const;
};

struct Hold
{
    std::string tag;
    std::uint64_t time = 0; ///< seconds since 1970
};

/// The tree of datasets of one pool at one txg. Nothing is read before it is asked for; what was
/// read is kept, directories for good, datasets up to a bound. Thread-safe. Every call may fail
/// with WouldBlock under Wait::CachedOnly.
class DatasetTree
{
public:
    /// `mos` is the pool's meta object set. BadDataset when it names no root.
    [[nodiscard]] static Result<std::shared_ptr<DatasetTree>>
    open(std::shared_ptr<object::ObjectSet> mos,
         std::string poolName,
         const ReadContext& context = {});
    ~DatasetTree();
    DatasetTree(const DatasetTree&) = delete;
    DatasetTree& operator=(const DatasetTree&) = delete;

    [[nodiscard]] object::ObjectSet& mos() const { return *m_mos; }

    [[nodiscard]] const std::string& poolName() const { return m_poolName; }

    [[nodiscard]] DirectoryRef root() const { return m_root; }

    /// "pool/a", "pool/a@snap" or "pool/a#bookmark". NoSuchDataset, InvalidName.
    [[nodiscard]] Result<Node> find(std::string_view name, const ReadContext& context = {});
    [[nodiscard]] Result<DirectoryRef> findDirectory(std::string_view name,
                                                     const ReadContext& context = {});
    /// Visible children in order of their names' bytes. Names that begin with '$' or hold '%' are
    /// the pool's own and are left out.
    [[nodiscard]] Result<std::vector<DirectoryRef>> children(const DirectoryRef& directory,
                                                             const ReadContext& context = {});
    /// Every child, the pool's own ($MOS, $FREE, $ORIGIN, name/%recv) too: for the offline check.
    [[nodiscard]] Result<std::vector<DirectoryRef>> allChildren(const DirectoryRef& directory,
                                                                const ReadContext& context = {});
    /// The live dataset of a directory. NoSuchDataset for the few directories of the pool's own
    /// that have none.
    [[nodiscard]] Result<DatasetRef> head(const DirectoryRef& directory,
                                          const ReadContext& context = {});
    /// In order of creation; hidden ones (a '%' in the name) left out.
    [[nodiscard]] Result<std::vector<DatasetRef>> snapshots(const DirectoryRef& directory,
                                                            const ReadContext& context = {});
    [[nodiscard]] Result<std::vector<DatasetRef>> allSnapshots(const DirectoryRef& directory,
                                                               const ReadContext& context = {});
    /// NoSuchDataset.
    [[nodiscard]] Result<DatasetRef>
    snapshot(const DirectoryRef& directory, std::string_view name, const ReadContext& context = {});
    /// In order of their names' bytes.
    [[nodiscard]] Result<std::vector<Bookmark>> bookmarks(const DirectoryRef& directory,
                                                          const ReadContext& context = {});
    /// By tag. Empty for what is not a snapshot.
    [[nodiscard]] Result<std::vector<Hold>> holds(const Dataset& snapshot,
                                                  const ReadContext& context = {});
    /// The snapshot a clone was made of; null for what is no clone.
    [[nodiscard]] Result<DatasetRef> origin(const Directory& directory,
                                            const ReadContext& context = {});
    /// Names of the clones made of a snapshot, in the order the pool keeps them. Empty for pools
    /// too old to keep that (before version 11).
    [[nodiscard]] Result<std::vector<std::string>> clones(const Dataset& snapshot,
                                                          const ReadContext& context = {});

    /// By the object set's number, as errors and logs carry it. NoSuchDataset.
    [[nodiscard]] Result<DatasetRef> dataset(ObjsetId id, const ReadContext& context = {});
    /// What is stored for a dataset, without its name, which takes longer to find. NoSuchDataset.
    [[nodiscard]] Result<format::DslDatasetPhys> stored(ObjsetId id,
                                                        const ReadContext& context = {});
    /// By a directory's object number.
    [[nodiscard]] Result<DirectoryRef> directory(ObjectId object, const ReadContext& context = {});

    /// Filesystem or Volume; also of a snapshot.
    [[nodiscard]] Result<Kind> content(const Dataset& dataset, const ReadContext& context = {});
    [[nodiscard]] Result<Node> node(const DatasetRef& dataset, const ReadContext& context = {});
    /// Opens the object set. BadDataset when it has none (a receive that never began).
    [[nodiscard]] Result<std::shared_ptr<object::ObjectSet>>
    openObjset(const Dataset& dataset, const ReadContext& context = {});

private:
    using ClonesByOrigin = std::unordered_map<ObjsetId, std::vector<std::string>>;

    DatasetTree(std::shared_ptr<object::ObjectSet> mos, std::string poolName);

    struct Place
    {
        DirectoryRef parent;       ///< null: the root
        std::string_view leafName; ///< the pool's name for the root
    };

    [[nodiscard]] Result<DirectoryRef>
    loadDirectory(ObjectId object, const Place& place, const ReadContext& context);
    [[nodiscard]] Result<DatasetRef> loadDataset(ObjsetId id,
                                                 const DirectoryRef& directory,
                                                 std::string_view snapshotName,
                                                 const ReadContext& context);
    [[nodiscard]] Result<DirectoryRef>
    directoryAt(ObjectId object, unsigned depth, const ReadContext& context);
    [[nodiscard]] Result<std::string>
    snapshotNameOf(const DirectoryRef& directory, ObjsetId id, const ReadContext& context);
    [[nodiscard]] Result<Node>
    findSnapshot(const DirectoryRef& directory, std::string_view name, const ReadContext& context);
    [[nodiscard]] Result<Node>
    findBookmark(const DirectoryRef& directory, std::string_view name, const ReadContext& context);
    [[nodiscard]] Result<std::optional<std::vector<std::string>>>
    recordedClones(const Dataset& snapshot, const ReadContext& context);
    [[nodiscard]] Result<std::shared_ptr<const ClonesByOrigin>>
    clonesBySearch(const ReadContext& context);

    [[nodiscard]] DirectoryRef cachedDirectory(ObjectId object) const;
    [[nodiscard]] DatasetRef cachedDataset(ObjsetId id) const;

    std::shared_ptr<object::ObjectSet> m_mos;
    std::string m_poolName;
    DirectoryRef m_root;

    mutable Mutex m_mutex;
    std::unordered_map<ObjectId, DirectoryRef> m_directories MP_GUARDED_BY(m_mutex);
    std::unordered_map<ObjsetId, DatasetRef> m_datasets MP_GUARDED_BY(m_mutex);
    std::unordered_map<ObjectId, Kind> m_contents MP_GUARDED_BY(m_mutex); ///< by directory
    std::shared_ptr<const ClonesByOrigin> m_clones MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::dataset
