// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "dataset/bp_object_writer.h"
#include "dataset/feature_counts.h"
#include "format/dsl.h"
#include "object/live_object_set.h"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace millpond::dataset {

/// Bytes that come (or go, when negative) in the accounting of a dataset.
struct SpaceDelta
{
    std::int64_t used = 0;         ///< charged: deflated allocation
    std::int64_t compressed = 0;   ///< physical
    std::int64_t uncompressed = 0; ///< logical

    void add(const SpaceDelta& other)
    {
        used += other.used;
        compressed += other.compressed;
        uncompressed += other.uncompressed;
    }

    [[nodiscard]] SpaceDelta negated() const { return {-used, -compressed, -uncompressed}; }

    bool operator==(const SpaceDelta&) const = default;
};

struct LiveTreePorts
{
    object::LiveObjectSet& mos;
    FeatureCounts& features;
    const Clock& clock;
    Random& random;
    std::uint64_t version = 0; ///< of the pool
    ChargedBytes charged;      ///< set
};

/// A directory as it is while its pool is written to. Fields are the tree's to change.
struct LiveDirectory
{
    ObjectId object;
    std::string name; ///< last component
    LiveDirectory* parent = nullptr;
    format::DslDirPhys phys;
    Txg originTxg; ///< blocks born later are its own; 0: all
    bool dirty = false;
};

/// A head dataset or snapshot, likewise.
struct LiveDataset
{
    ObjsetId id;
    LiveDirectory* directory = nullptr;
    format::DslDatasetPhys phys;
    std::uint64_t refQuota = 0, refReservation = 0; ///< 0: none
    bool dirty = false;
};

/// The datasets of a pool that is written to: what DatasetTree is for reading, in syncing context
/// and always up to date. What is changed here reaches the MOS with flush(), and readers with the
/// next synced txg. Theory statement: live_tree.cpp.
///
/// Everything that changes the tree is called in syncing context by the sync thread. admit(),
/// available() and figures may be called by any thread at any time.
class LiveTree
{
public:
    explicit LiveTree(LiveTreePorts ports);
    ~LiveTree();
    LiveTree(const LiveTree&) = delete;
    LiveTree& operator=(const LiveTree&) = delete;

    /// A new pool's: root directory, $MOS, $FREE, $ORIGIN with its snapshot; no datasets else.
    [[nodiscard]] Status create(Txg txg);
    /// From the MOS.
    [[nodiscard]] Status open();

    [[nodiscard]] LiveDirectory& root() { return *m_root; }

    /// "pool/a/b": the first component stands for the root, whatever it is. NoSuchDataset.
    [[nodiscard]] Result<LiveDirectory*> find(std::string_view name);
    [[nodiscard]] Result<LiveDirectory*> directory(ObjectId object);
    [[nodiscard]] Result<LiveDataset*> dataset(ObjsetId id);
    /// The live dataset of a directory. NoSuchDataset for the pool's own directories.
    [[nodiscard]] Result<LiveDataset*> head(LiveDirectory& directory);
    [[nodiscard]] Result<std::vector<std::string>> childNames(LiveDirectory& directory);

    /// AlreadyExists.
    [[nodiscard]] Result<LiveDirectory*>
    createDirectory(LiveDirectory& parent, std::string_view name, Txg txg);
    /// The directory's live dataset, without an object set yet: a clone of the pool's empty origin.
    [[nodiscard]] Result<LiveDataset*> createHead(LiveDirectory& directory, Txg txg);
    /// Bytes that the directory and what is below may still take, quotas of all ancestors and the
    /// pool's size considered [dsl_dir_space_available].
    [[nodiscard]] std::uint64_t available(const LiveDirectory& directory) const;
    /// As statfs shows: with the dataset's own refquota and refreservation.
    [[nodiscard]] std::uint64_t availableToHead(const LiveDataset& dataset) const;
    [[nodiscard]] std::uint64_t referenced(const LiveDataset& dataset) const;
    /// What the root directory may use in all (space::figures, slop taken off): from the pool.
    void setUsable(std::uint64_t bytes);

    /// Space comes or goes in a directory, for all its ancestors too [dsl_dir_diduse_space].
    void useSpace(LiveDirectory& directory, format::DirUsed kind, const SpaceDelta& delta);
    /// The MOS' own space.
    void useMosSpace(const SpaceDelta& delta);
    /// What is still to be freed in the background.
    void useFreeingSpace(const SpaceDelta& delta);

    void setRoot(LiveDataset& dataset, const format::BlockPointer& root);

    /// What a txg did to a dataset's blocks: see DatasetLedger.
    struct BlockChanges
    {
        SpaceDelta born;
        SpaceDelta killedOwn;               ///< born after the previous snapshot: freed
        SpaceDelta killedShared;            ///< of a snapshot: put on the deadlist
        std::uint64_t uniqueToPrevious = 0; ///< of those, only the previous snapshot's now
        std::uint64_t sharedAfterOrigin = 0;
        std::vector<format::BlockPointer> dead;
    };

    [[nodiscard]] Status apply(LiveDataset& dataset, const BlockChanges& changes, Txg txg);

    /// Writes what has changed into the MOS. Once in each pass.
    [[nodiscard]] Status flush(Txg txg);
    [[nodiscard]] bool isDirty() const;

    [[nodiscard]] ListContext& lists() { return m_lists; }

private:
    [[nodiscard]] Result<LiveDirectory*> loadDirectory(ObjectId object, std::string name);
    [[nodiscard]] Result<LiveDirectory*> child(LiveDirectory& parent, std::string_view name);
    [[nodiscard]] Result<std::string> nameIn(ObjectId parent, ObjectId child);
    [[nodiscard]] Result<ObjectId> makeDirectoryObject(ObjectId parent, Txg txg);
    [[nodiscard]] Result<LiveDataset*>
    createDataset(LiveDirectory& directory, LiveDataset* origin, Txg txg);
    [[nodiscard]] Result<LiveDataset*> snapshotOrigin(LiveDataset& head, Txg txg);
    [[nodiscard]] Status joinOrigin(LiveDataset& dataset, LiveDataset& origin, Txg txg);
    template <class Phys>
    [[nodiscard]] Result<ObjectId> makeObject(format::ObjectType type, const Phys& phys, Txg txg);
    template <class Phys>
    [[nodiscard]] Status writeBonus(ObjectId object, const Phys& phys, Txg txg);
    void markDirty(LiveDirectory& directory) MP_REQUIRES(m_mutex);
    void markDirty(LiveDataset& dataset) MP_REQUIRES(m_mutex);
    void use(LiveDirectory& directory, format::DirUsed kind, const SpaceDelta& delta)
        MP_REQUIRES(m_mutex);
    void
    move(LiveDirectory& directory, std::int64_t bytes, format::DirUsed from, format::DirUsed to)
        MP_REQUIRES(m_mutex);
    void useHead(LiveDataset& dataset, const SpaceDelta& delta) MP_REQUIRES(m_mutex);
    [[nodiscard]] std::uint64_t availableLocked(const LiveDirectory& directory) const
        MP_REQUIRES(m_mutex);
    [[nodiscard]] std::uint64_t nowSeconds() const;

    LiveTreePorts m_ports;
    ListContext m_lists;
    LiveDirectory* m_root = nullptr;
    LiveDirectory* m_mosDirectory = nullptr;
    LiveDirectory* m_freeDirectory = nullptr; ///< null before version 26
    LiveDataset* m_origin = nullptr;          ///< null before version 11

    mutable Mutex m_mutex;
    std::unordered_map<ObjectId, std::unique_ptr<LiveDirectory>>
        m_directories MP_GUARDED_BY(m_mutex);
    std::unordered_map<ObjsetId, std::unique_ptr<LiveDataset>> m_datasets MP_GUARDED_BY(m_mutex);
    std::vector<LiveDirectory*> m_dirtyDirectories MP_GUARDED_BY(m_mutex);
    std::vector<LiveDataset*> m_dirtyDatasets MP_GUARDED_BY(m_mutex);
    std::uint64_t m_usable MP_GUARDED_BY(m_mutex) = ~std::uint64_t{0};
};

} // namespace millpond::dataset
