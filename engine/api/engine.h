// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/dataset_query.h"
#include "api/pool_status.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace millpond::posix {
class FileSystem;
class FileSystemWriter;
} // namespace millpond::posix

namespace millpond::volume {
class Volume;
}

namespace millpond::api {

/// Bounds of one engine; given at start, not changed later.
struct EngineOptions
{
    std::uint64_t cacheBytes =
        128 * MiB; ///< block cache of all pools together; 16 MiB to half of RAM
    std::uint64_t prefetchBytes = 48 * MiB; ///< speculative reads in flight, at most
    unsigned workers = 0;                   ///< CPU and I/O threads; 0: as many as suit the machine
    bool ioUring = true;                    ///< false: pread threads only
    bool directIo = true;                   ///< image files past the page cache where possible
    Log* log = nullptr;                     ///< null: silent; outlives the engine
    std::string hostName;                   ///< empty: this machine's
    std::uint64_t hostId = 0;               ///< 0: /etc/hostid's
};

/// Progress of long work, and the way to stop it. Any thread.
class Progress
{
public:
    void total(std::uint64_t bytes) { m_total.store(bytes, std::memory_order_relaxed); }

    void add(std::uint64_t bytes) { m_done.fetch_add(bytes, std::memory_order_relaxed); }

    [[nodiscard]] std::uint64_t total() const { return m_total.load(std::memory_order_relaxed); }

    [[nodiscard]] std::uint64_t done() const { return m_done.load(std::memory_order_relaxed); }

    void cancel() { m_cancelled.store(true, std::memory_order_relaxed); }

    [[nodiscard]] bool cancelled() const { return m_cancelled.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> m_total = 0, m_done = 0;
    std::atomic<bool> m_cancelled = false;
};

struct ScanRequest
{
    std::vector<std::string> directories; ///< folders of image files or devices; searched flat
    std::vector<std::string> devices;     ///< single devices or files
    bool destroyedToo = false;
    /// True: read-only in spirit and letter; nothing is locked exclusively or written.
};

struct ImportRequest
{
    std::string pool;    ///< name or decimal guid; a name that fits two pools is Ambiguous
    std::string newName; ///< empty: keep
    ScanRequest where;
    bool readOnly = true;
    bool force = false; ///< although another host seems to use it
    std::string altroot;
    std::vector<std::pair<std::string, std::string>> properties; ///< temporary ones
    bool missingLogOk = false;                                   ///< -m
};

/// A pool to be made.
struct CreatePoolRequest
{
    std::string name;
    /// In the words of `zpool create`: "mirror", "/dev/sda", …, "log", … (layout_words.h); paths
    /// are absolute.
    std::vector<std::string> vdevs;
    std::optional<unsigned> ashift; ///< nothing: from the devices
    /// Pool properties: comment, compatibility, ashift, version, feature@NAME (enabled, disabled).
    std::vector<std::pair<std::string, std::string>> properties;
    /// Of the root file system.
    std::vector<std::pair<std::string, std::string>> fileSystemProperties;
    bool noFeatures = false; ///< -d: only those that `properties` enable
    std::string altroot;
    /// Although the devices hold something else; never what is in use.
    bool force = false;
    std::uint32_t uid = 0, gid = 0; ///< owner of the root folder
    std::string command;            ///< for the history, as typed; empty: none
};

/// A file system to be made.
struct NewDataset
{
    std::string name;
    std::vector<std::pair<std::string, std::string>> properties;
    std::uint32_t uid = 0, gid = 0, mode = 0755; ///< of its root folder
};

struct HistoryRecord
{
    std::uint64_t time = 0;
    std::string command; ///< of a command record
    bool internal = false;
    Txg txg;
    std::string operation, dataset, text; ///< of an internal record
    std::uint64_t datasetId = 0;
    std::string user, host, zone;
    std::uint64_t uid = 0;
};

struct Event
{
    std::uint64_t id = 0; ///< counts up
    Wall time{};
    std::string eventClass; ///< "sysevent.fs.zfs.pool_import", "ereport.fs.zfs.checksum", ...
    std::vector<std::pair<std::string, std::string>> fields;
};

/// How long requests took and how large they were. Bucket n counts 2^n to 2^(n+1)-1 nanoseconds or
/// bytes, the last one all the rest.
struct RequestHistograms
{
    std::vector<std::uint64_t> latency;
    std::vector<std::uint64_t> size, joinedSize; ///< for one block, for several neighbours
};

/// Counters since import; the caller subtracts two snapshots. A parent's are the sum of its
/// leaves'.
struct IostatRow
{
    unsigned depth = 0;
    std::string name;
    VdevGuid guid;
    std::string type, allocClass, openedAs; ///< as in VdevRow
    bool isLeaf = false, wholeDisk = false;
    std::uint64_t allocated = 0, free = 0;
    std::uint64_t readOps = 0, writeOps = 0, readBytes = 0, writeBytes = 0;
    std::uint64_t readTimeNs = 0, writeTimeNs = 0;
    std::uint64_t readsActive = 0, writesActive = 0; ///< now, not since import
    RequestHistograms reads, writes;
};

struct PoolProperty
{
    std::string name, value;
    SourceKind source = SourceKind::None;
};

/// Of one vdev, as `zpool get POOL VDEV` has them.
struct VdevProperties
{
    VdevGuid guid;
    std::vector<PoolProperty> properties; ///< in the order asked for
};

struct CheckRequest
{
    std::string pool; ///< name or guid
    ScanRequest where;
};

struct CheckProblem
{
    enum class Kind : std::uint8_t
    {
        Device,      ///< a device or its labels
        Checksum,    ///< a copy or column that is not what its checksum says
        Parity,      ///< parity that is not what the data gives
        Unreadable,  ///< no copy left
        Leak,        ///< allocated, but nothing reaches it
        DoubleUse,   ///< reached twice
        Unallocated, ///< reached, but free according to the space maps
        Accounting,  ///< a count or size that does not add up
        Structure,   ///< a table, list or object that makes no sense
        Directory,   ///< an entry to nothing, an object without entry
        LinkCount
    };
    Kind kind = Kind::Structure;
    std::string dataset, path; ///< empty: pool-wide
    std::string device;        ///< leaf, where one is to blame
    ObjsetId objset;
    ObjectId object;
    std::uint64_t level = 0, block = 0, offset = 0, size = 0;
    std::string text; ///< one line, complete in itself
};

[[nodiscard]] std::string_view checkProblemKindText(CheckProblem::Kind kind);

struct CheckReport
{
    std::string pool;
    PoolGuid guid;
    Txg txg;
    std::vector<CheckProblem> problems; ///< at most kMaxProblems, the rest counted
    std::uint64_t problemCount = 0;
    std::uint64_t awaitingResilver = 0; ///< bytes of ranges a device has missed: not damage
    std::uint64_t datasets = 0, snapshots = 0, objects = 0, blocks = 0, copies = 0;
    std::uint64_t bytesRead = 0, allocated = 0;
    std::uint64_t milliseconds = 0;
    static constexpr std::size_t kMaxProblems = 10'000;
};

/// One imported pool. Thread-safe. Kept alive by whoever holds it; Engine::exportPool() refuses
/// while a file system or volume of it is open (unless forced), and calls after an export fail with
/// NoSuchPool.
class Pool
{
public:
    virtual ~Pool() = default;

    [[nodiscard]] virtual std::string name() const = 0;
    [[nodiscard]] virtual PoolGuid guid() const = 0;
    [[nodiscard]] virtual Result<PoolStatus> status() = 0;
    /// `names` empty: all that `zpool get all` shows, feature@... included.
    [[nodiscard]] virtual Result<std::vector<PoolProperty>>
    properties(const std::vector<std::string>& names) = 0;
    /// Of every vdev of the tree, the root first; spares and cache devices have none. `names`
    /// empty: all of each.
    [[nodiscard]] virtual Result<std::vector<VdevProperties>>
    vdevProperties(const std::vector<std::string>& names) = 0;
    [[nodiscard]] virtual Result<std::vector<HistoryRecord>> history() = 0;
    /// The tree as in PoolStatus, cache devices included.
    [[nodiscard]] virtual std::vector<IostatRow> iostat() = 0;
    /// Roots must lie in this pool. Rows come parents before children, siblings by name, a
    /// dataset's snapshots in order of creation right after it, then bookmarks.
    [[nodiscard]] virtual Result<std::vector<DatasetRow>> datasets(const DatasetQuery& query) = 0;
    [[nodiscard]] virtual Result<std::vector<Hold>> holds(const std::string& snapshot) = 0;
    /// "pool/fs" or "pool/fs@snap". Encrypted, NoSuchDataset, InvalidArgument (a volume).
    [[nodiscard]] virtual Result<std::shared_ptr<posix::FileSystem>>
    fileSystem(const std::string& dataset) = 0;
    [[nodiscard]] virtual Result<std::shared_ptr<volume::Volume>>
    volume(const std::string& dataset) = 0;

    /// What the mount server needs to know of a dataset without a full query.
    struct DatasetFacts
    {
        std::string name;
        DatasetKind kind = DatasetKind::Filesystem;
        ObjsetId objset;
        Txg created;
        std::uint64_t creationTime = 0;
        std::uint64_t referenced = 0, available = 0, quotaTotal = 0, files = 0;
        std::string mountpoint; ///< as the property: a path, "none" or "legacy"
        SourceKind mountpointSource = SourceKind::None;
        std::string canMount; ///< on, off, noauto
        bool devices = true, exec = true, setuid = true, readOnly = true, atime = false;
        bool snapdirVisible = false;
        std::string aclType; ///< off, posix, nfsv4
        bool xattrs = true;
        bool separateMount = false; ///< millpond:mount=separate
        bool encrypted = false;
    };

    [[nodiscard]] virtual Result<DatasetFacts> facts(const std::string& dataset) = 0;
    /// Names (without the parent's) of child filesystems and volumes; of snapshots.
    [[nodiscard]] virtual Result<std::vector<std::string>> children(const std::string& dataset) = 0;
    [[nodiscard]] virtual Result<std::vector<std::string>>
    snapshots(const std::string& dataset) = 0;

    // Changes. Of a pool that is open for reading only, all fail with ReadOnly. They return when
    // they are on disk, whole or not at all.

    [[nodiscard]] virtual bool isWritable() const { return false; }

    /// The one writer of a file system: null when the dataset or the pool can only be read (a
    /// snapshot, a volume, readonly=on). Held like what fileSystem() gives.
    [[nodiscard]] virtual Result<std::shared_ptr<posix::FileSystemWriter>>
    writer(const std::string& dataset);
    /// What was written through `writer` up to its txg `group` is on disk when this returns.
    [[nodiscard]] virtual Status waitSynced(Txg group);
    /// Properties of the pool: comment, those kept in the pool, feature@NAME=enabled.
    [[nodiscard]] virtual Status
    setPoolProperties(const std::vector<std::pair<std::string, std::string>>& properties);
    /// Enables all features this program knows [zpool upgrade]; those of these names only.
    [[nodiscard]] virtual Status upgrade(const std::vector<std::string>& features);
    [[nodiscard]] virtual Status newGuid();
    /// Tells the devices which space is free; takes long. Cancelled.
    [[nodiscard]] virtual Status trim(Progress& progress);
    /// A command for the pool's history, as `user` typed it; before what it did or after.
    virtual void note(const std::string& command, std::uint64_t user);
    /// Everything is on disk [zpool sync].
    [[nodiscard]] virtual Status sync();

    /// In one txg. Each may lie below one before it.
    [[nodiscard]] virtual Status createDatasets(std::span<const NewDataset> requests);
    [[nodiscard]] virtual Status destroyDataset(const std::string& dataset);
    [[nodiscard]] virtual Status renameDataset(const std::string& dataset,
                                               const std::string& newName);
    [[nodiscard]] virtual Status
    setProperties(const std::string& dataset,
                  const std::vector<std::pair<std::string, std::string>>& properties);
    /// `received` as LiveTree::inherit().
    [[nodiscard]] virtual Status
    inheritProperty(const std::string& dataset, const std::string& name, bool received);
};

using PoolRef = std::shared_ptr<Pool>;

/// The engine. No globals: several may live in one process. Thread-safe.
class Engine
{
public:
    [[nodiscard]] static Result<std::unique_ptr<Engine>> create(EngineOptions options);
    virtual ~Engine() = default;

    [[nodiscard]] virtual Result<std::vector<FoundPool>> scan(const ScanRequest& request) = 0;
    [[nodiscard]] virtual Result<PoolRef> importPool(const ImportRequest& request) = 0;
    /// NotPermitted, DeviceBusy: a device is in use, or holds something and `force` is not set.
    [[nodiscard]] virtual Result<PoolRef> createPool(const CreatePoolRequest& request) = 0;
    [[nodiscard]] virtual Status exportPool(const std::string& name, bool force) = 0;
    /// Erases the labels of a device or image file that is in no pool here [zpool labelclear].
    /// DeviceBusy: it is in use, or its label says that a pool may be; `force` overrides the label.
    [[nodiscard]] virtual Status clearLabel(const std::string& path, bool force) = 0;
    /// Exported for good: its labels say so.
    [[nodiscard]] virtual Status destroyPool(const std::string& name, bool force) = 0;
    [[nodiscard]] virtual std::vector<PoolRef> pools() const = 0;
    [[nodiscard]] virtual Result<PoolRef> find(const std::string& nameOrGuid) const = 0;
    /// Verifies a pool that is not imported here.
    [[nodiscard]] virtual Result<CheckReport>
    check(const CheckRequest& request,
          Progress& progress,
          const std::function<void(const CheckProblem&)>& found) = 0;
    /// Events since import or start, newest last; `after` is the last id already seen.
    [[nodiscard]] virtual std::vector<Event> events(std::uint64_t after) const = 0;
    /// Called from an engine thread after each new event; pass null to stop.
    virtual void onEvent(std::function<void(const Event&)> observer) = 0;
};

} // namespace millpond::api
