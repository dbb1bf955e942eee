// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "dataset/bp_object_writer.h"
#include "dataset/feature_counts.h"
#include "format/dsl.h"
#include "format/feature.h"
#include "object/live_object_set.h"

#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace millpond::dataset {

namespace detail {
struct Limits;
}

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

    [[nodiscard]] static SpaceDelta of(const BlockSums& sums)
    {
        return {static_cast<std::int64_t>(sums.allocated),
                static_cast<std::int64_t>(sums.compressed),
                static_cast<std::int64_t>(sums.uncompressed)};
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
    std::string poolName = {}; ///< for the length of names
};

/// A property as it is stored: numbers (also for names of values: format::indexValue), or text.
struct Setting
{
    std::string name;
    std::variant<std::uint64_t, std::string> value;
};

/// What the pool has room for, in bytes [dsl_pool_adjustedsize, dsl_pool_unreserved_space].
struct PoolRoom
{
    std::uint64_t usable = ~std::uint64_t{0};       ///< slop taken off
    std::uint64_t whileFreeing = ~std::uint64_t{0}; ///< half the slop taken off
    std::uint64_t deferred = 0; ///< taken off already; becomes free by itself in the next txgs
};

/// Transaction groups that are not synced: open, quiescing, syncing; and one to spare.
inline constexpr std::size_t kUnsyncedTxgs = 4;

/// A directory as it is while its pool is written to. Fields are the tree's to change.
struct LiveDirectory
{
    ObjectId object;
    std::string name; ///< last component
    LiveDirectory* parent = nullptr;
    format::DslDirPhys phys;
    Txg originTxg; ///< blocks born later are its own; 0: all
    bool dirty = false;
    /// Bytes that were admitted, by txg modulo kUnsyncedTxgs.
    std::array<std::uint64_t, kUnsyncedTxgs> toWrite{};
};

/// A head dataset or snapshot, likewise.
struct LiveDataset
{
    ObjsetId id;
    LiveDirectory* directory = nullptr;
    format::DslDatasetPhys phys;
    std::uint64_t refQuota = 0, refReservation = 0; ///< 0: none
    /// Per-dataset features that are active for it.
    std::vector<const format::Feature*> features;
    bool dirty = false;
};

class FreeingQueue;
class LiveTree;

/// Room for a change, counted until its txg has synced; see LiveTree::admit(). Given back when this
/// is destroyed before keep().
class [[nodiscard]] Admission
{
public:
    Admission() = default;

    Admission(Admission&& other) noexcept { *this = std::move(other); }

    Admission& operator=(Admission&& other) noexcept
    {
        std::swap(m_tree, other.m_tree);
        std::swap(m_txg, other.m_txg);
        std::swap(m_held, other.m_held);
        return *this;
    }

    ~Admission() { keep(0); }

    /// The change is made and takes at most so many bytes; the rest is given back now.
    void keep(std::uint64_t bytes);

private:
    friend class LiveTree;

    LiveTree* m_tree = nullptr; ///< null: holds nothing
    Txg m_txg;
    std::vector<std::pair<LiveDirectory*, std::uint64_t>> m_held;
};

/// The datasets of a pool that is written to: what DatasetTree is for reading, in syncing context
/// and always up to date. What is changed here reaches the MOS with flush(), and readers with the
/// next synced txg. Theory statement: live_tree.cpp.
///
/// Everything that changes the tree is called in syncing context by the sync thread. admit(),
/// available() and figures may be called by any thread at any time. Pointers are good until the
/// dataset is destroyed: whoever keeps one gives it up before.
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

    /// A dataset to be made, by its full name.
    struct NewDataset
    {
        std::string name;
        std::vector<Setting> settings;
    };

    /// Whether createMany() would make them all. Each may lie below one before it. InvalidName,
    /// NameTooLong, AlreadyExists, NoSuchDataset; what set() may say, all reservations together.
    [[nodiscard]] Status checkMany(std::span<const NewDataset> requests);
    /// Directories with their live datasets and settings, in the order asked for. Changes nothing
    /// when checkMany() objects.
    [[nodiscard]] Result<std::vector<LiveDataset*>> createMany(std::span<const NewDataset> requests,
                                                               Txg txg);

    /// Gone at once; its blocks are freed by the queue, in the background where the pool can.
    /// Its intent log has been freed and nobody uses its object set. DatasetBusy: it has children
    /// or snapshots. InvalidArgument: the root, the pool's own. UnsupportedMethod: the snapshot it
    /// is a clone of waits to be destroyed with it.
    [[nodiscard]] Status destroyHead(LiveDirectory& directory, FreeingQueue& queue, Txg txg);
    /// Whether destroyHead() would.
    [[nodiscard]] Status checkDestroy(LiveDirectory& directory);

    /// To another name, perhaps below another parent, which is no volume. AlreadyExists;
    /// InvalidName; NameTooLong, also of anything below it; InvalidArgument: the root, the pool's
    /// own, a place below itself; NoSpace: the new place has no room for it.
    [[nodiscard]] Status
    rename(LiveDirectory& directory, LiveDirectory& newParent, std::string_view newName, Txg txg);
    [[nodiscard]] Status
    checkRename(LiveDirectory& directory, LiveDirectory& newParent, std::string_view newName);

    enum class SettingSource : std::uint8_t
    {
        Local,    ///< `zfs set`
        Received, ///< came with a stream: local settings win
    };

    /// Stores all of them or none; quota, reservation, refquota and refreservation take effect.
    /// That values make sense in themselves is the caller's to know. NoSpace: a quota below what is
    /// used or reserved, a reservation that can't be granted. NameTooLong, TooLarge (texts have at
    /// most 8191 bytes). UnsupportedVersion, UnsupportedFeature (filesystem_limit and kin).
    [[nodiscard]] Status set(LiveDirectory& directory,
                             std::span<const Setting> settings,
                             Txg txg,
                             SettingSource source = SettingSource::Local);
    [[nodiscard]] Status check(LiveDirectory& directory,
                               std::span<const Setting> settings,
                               SettingSource source = SettingSource::Local);
    /// `zfs inherit`: the parent's value from now on, whatever was received. With `received`
    /// [inherit -S]: back to the received value, if there is one. InvalidArgument for what is not
    /// inherited, unless `received`; NoSpace as set().
    [[nodiscard]] Status
    inherit(LiveDirectory& directory, const std::string& name, bool received, Txg txg);
    /// Notes that settings were received: only then inherit() has to hide any [$hasrecvd].
    [[nodiscard]] Status markReceived(LiveDirectory& directory, Txg txg);

    /// For a pool that is imported: lists of what clones have of their own, which this program
    /// does not keep up, are dropped [livelist]. Before anything is written to a clone.
    [[nodiscard]] Status dropLivelists(Txg txg);

    /// Bytes that the directory and what is below may still take, quotas of all ancestors and the
    /// pool's size considered [dsl_dir_space_available].
    [[nodiscard]] std::uint64_t available(const LiveDirectory& directory) const;
    /// As statfs shows: with the dataset's own refquota and refreservation.
    [[nodiscard]] std::uint64_t availableToHead(const LiveDataset& dataset) const;
    [[nodiscard]] std::uint64_t referenced(const LiveDataset& dataset) const;

    /// What the root directory may use in all (space::figures, slop taken off): from the pool.
    void setUsable(std::uint64_t bytes) { setRoom({.usable = bytes}); }

    void setRoom(const PoolRoom& room);

    /// Whether a change that takes at most `bytes` may begin in `txg`; they then count until the
    /// txg has synced [dsl_dir_tempreserve_space]. `freeing`: in the end it makes room; no quota
    /// stops it, and of the pool only what PoolRoom says. QuotaExceeded, NoSpace; WouldBlock: not
    /// now, but perhaps when what is on its way has been written: wait until a txg is synced, and
    /// call again. Any thread, in the txg's hold.
    [[nodiscard]] Result<Admission>
    admit(const LiveDataset& dataset, std::uint64_t bytes, bool freeing, Txg txg);
    /// What was admitted in `txg` counts no more: it is in the figures.
    void synced(Txg txg);

    /// Space comes or goes in a directory, for all its ancestors too [dsl_dir_diduse_space].
    void useSpace(LiveDirectory& directory, format::DirUsed kind, const SpaceDelta& delta);
    /// The MOS' own space.
    void useMosSpace(const SpaceDelta& delta);
    /// What is still to be freed in the background.
    void useFreeingSpace(const SpaceDelta& delta);

    void setRoot(LiveDataset& dataset, const format::BlockPointer& root);

    /// A bookmark that counts what its dataset gave up since.
    struct BookmarkCount
    {
        std::string name;
        format::BookmarkPhys phys;
        bool changed = false;
    };

    /// What a txg did to a dataset's blocks: see DatasetLedger.
    struct BlockChanges
    {
        SpaceDelta born;
        SpaceDelta killedOwn;               ///< born after the previous snapshot: freed
        SpaceDelta killedShared;            ///< of a snapshot: put on the deadlist
        std::uint64_t uniqueToPrevious = 0; ///< of those, only the previous snapshot's now
        std::uint64_t sharedAfterOrigin = 0;
        std::vector<format::BlockPointer> dead;
        std::vector<const format::Feature*> features; ///< that blocks need; each once
        std::vector<BookmarkCount> bookmarks;
    };

    /// Once the dataset's object set was synced.
    [[nodiscard]] Status apply(LiveDataset& dataset, const BlockChanges& changes, Txg txg);

    /// Writes what has changed into the MOS. Once in each pass.
    [[nodiscard]] Status flush(Txg txg);
    [[nodiscard]] bool isDirty() const;

    /// Turns on a per-dataset feature for a dataset that begins to use it, if it is not on.
    /// UnsupportedFeature: not enabled in the pool.
    [[nodiscard]] Status
    activateFeature(LiveDataset& dataset, const format::Feature& feature, Txg txg);

    [[nodiscard]] ListContext& lists() { return m_lists; }

private:
    friend class Admission;

    /// Datasets and snapshots below a directory, its own snapshots included.
    struct Counts
    {
        std::uint64_t filesystems = 0, snapshots = 0;
    };

    class Places;

    // Finding.
    [[nodiscard]] Result<LiveDirectory*> loadDirectory(ObjectId object, std::string name);
    [[nodiscard]] Result<LiveDirectory*> child(LiveDirectory& parent, std::string_view name);
    [[nodiscard]] Result<std::string> nameIn(ObjectId parent, ObjectId child);
    [[nodiscard]] Status readFeatures(LiveDataset& dataset);
    [[nodiscard]] std::string fullName(const LiveDirectory& directory) const;
    [[nodiscard]] bool isOwn(const LiveDirectory& directory) const;

    // Creating.
    [[nodiscard]] Result<ObjectId> makeDirectoryObject(ObjectId parent, Txg txg);
    [[nodiscard]] Result<LiveDataset*>
    createDataset(LiveDirectory& directory, LiveDataset* origin, Txg txg);
    [[nodiscard]] Result<LiveDataset*> snapshotOrigin(LiveDataset& head, Txg txg);
    [[nodiscard]] Status joinOrigin(LiveDataset& dataset, LiveDataset& origin, Txg txg);
    template <class Phys>
    [[nodiscard]] Result<ObjectId> makeObject(format::ObjectType type, const Phys& phys, Txg txg);
    template <class Phys>
    [[nodiscard]] Status writeBonus(ObjectId object, const Phys& phys, Txg txg);
    /// How many datasets and snapshots there are below: kept where somebody set a limit.
    [[nodiscard]] Status
    countBelow(LiveDirectory& directory, std::string_view field, std::int64_t delta, Txg txg);
    [[nodiscard]] Status beginCounting(LiveDirectory& directory, Txg txg);
    [[nodiscard]] Status moveCounts(LiveDirectory& directory, LiveDirectory& newParent, Txg txg);
    [[nodiscard]] Result<Counts> counted(LiveDirectory& directory, Txg txg);

    [[nodiscard]] Status
    writeBookmarks(LiveDataset& dataset, std::span<const BookmarkCount> bookmarks, Txg txg);

    // Destroying.
    [[nodiscard]] Status leaveOrigin(LiveDataset& dataset, Txg txg);
    [[nodiscard]] Status destroyDataset(LiveDataset& dataset, FreeingQueue& queue, Txg txg);
    [[nodiscard]] Status destroyDirectory(LiveDirectory& directory, Txg txg);
    [[nodiscard]] Status destroyBookmarks(LiveDataset& dataset, Txg txg);
    [[nodiscard]] Status dropLivelist(LiveDirectory& directory, Txg txg);
    [[nodiscard]] Status forgetEverywhere(ObjsetId dataset, Txg txg);
    void bury(LiveDirectory& directory, LiveDataset& dataset, Txg txg);

    // Settings.
    [[nodiscard]] Result<detail::Limits> limitsOf(LiveDirectory& directory);
    [[nodiscard]] static detail::Limits limitsAmong(std::span<const Setting> settings);
    [[nodiscard]] Status checkForms(std::span<const Setting> settings) const;
    [[nodiscard]] Status checkLimits(LiveDirectory& directory, const detail::Limits& next);
    [[nodiscard]] Status applyLimits(LiveDirectory& directory, const detail::Limits& next);
    [[nodiscard]] Result<detail::Limits>
    withSettings(LiveDirectory& directory, std::span<const Setting> settings, SettingSource source);
    [[nodiscard]] Status
    put(LiveDirectory& directory, std::span<const Setting> settings, Txg txg, SettingSource source);

    // Figures.
    void markDirty(LiveDirectory& directory) MP_REQUIRES(m_mutex);
    void markDirty(LiveDataset& dataset) MP_REQUIRES(m_mutex);
    void use(LiveDirectory& directory, format::DirUsed kind, const SpaceDelta& delta)
        MP_REQUIRES(m_mutex);
    void
    move(LiveDirectory& directory, std::int64_t bytes, format::DirUsed from, format::DirUsed to)
        MP_REQUIRES(m_mutex);
    void useHead(LiveDataset& dataset, const SpaceDelta& delta) MP_REQUIRES(m_mutex);
    void setReservation(LiveDirectory& directory, std::uint64_t bytes) MP_REQUIRES(m_mutex);
    void setRefReservation(LiveDataset& dataset, std::uint64_t bytes) MP_REQUIRES(m_mutex);
    [[nodiscard]] std::uint64_t availableLocked(const LiveDirectory& directory) const
        MP_REQUIRES(m_mutex);
    struct Demand;
    [[nodiscard]] Status demandOfHead(const LiveDataset& dataset,
                                      bool freeing,
                                      Demand& demand) const MP_REQUIRES(m_mutex);
    [[nodiscard]] Status checkLevel(const LiveDirectory& directory,
                                    bool freeing,
                                    const Demand& demand) const MP_REQUIRES(m_mutex);
    void giveBack(const Admission& admission, std::uint64_t kept);
    [[nodiscard]] Status roomToMove(const LiveDirectory& directory,
                                    const LiveDirectory& newParent) const MP_REQUIRES(m_mutex);
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
    /// Those with something in toWrite, by txg.
    std::array<std::vector<LiveDirectory*>, kUnsyncedTxgs> m_admitted MP_GUARDED_BY(m_mutex);

    /// Destroyed in a txg; admissions of later ones may still know them.
    struct Grave
    {
        std::unique_ptr<LiveDirectory> directory;
        std::unique_ptr<LiveDataset> dataset;
    };

    std::multimap<Txg, Grave> m_buried MP_GUARDED_BY(m_mutex);
    PoolRoom m_room MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::dataset
