// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bus/table.h"

#include <array>
#include <concepts>
#include <type_traits>

// Rows of the tables as structures. A record names its table and lists its fields once (fields());
// schema, writing and reading all come from that list. Texts are views: when writing they need only
// live until append() returns, when reading they point into the document, which Rows keeps alive.
// A reader ignores columns it does not know; a missing one is BadMessage.

namespace millpond::bus {

template <class R>
concept Record = requires {
    { R::kTable } -> std::convertible_to<std::string_view>;
};

namespace detail {
template <class T> constexpr ColumnType columnTypeOf()
{
    if constexpr (std::same_as<T, std::string_view>) {
        return ColumnType::Text;
    } else if constexpr (std::same_as<T, std::uint64_t>) {
        return ColumnType::Unsigned;
    } else if constexpr (std::same_as<T, std::int64_t>) {
        return ColumnType::Signed;
    } else {
        static_assert(std::same_as<T, bool>);
        return ColumnType::Flag;
    }
}
} // namespace detail

template <Record R> std::vector<Column> columnsOf()
{
    std::vector<Column> columns;
    R row;
    R::fields(row, [&columns]<class T>(std::string_view name, T&) {
        columns.push_back({name, detail::columnTypeOf<T>()});
    });
    return columns;
}

/// Writes records of one kind into a document.
template <Record R> class RowWriter
{
public:
    explicit RowWriter(DocumentWriter& document)
        : m_table(document.addTable(R::kTable, columnsOf<R>()))
    {
    }

    void append(const R& row)
    {
        R::fields(row, [this](std::string_view, const auto& value) { m_table.add(value); });
    }

private:
    TableWriter& m_table;
};

/// The rows of one table, made one at a time on demand.
template <Record R> class Rows
{
public:
    class Iterator
    {
    public:
        Iterator(const Rows& rows, std::size_t at)
            : m_rows(&rows)
            , m_at(at)
        {
        }

        R operator*() const { return (*m_rows)[m_at]; }

        Iterator& operator++()
        {
            ++m_at;
            return *this;
        }

        bool operator==(const Iterator& other) const { return m_at == other.m_at; }

    private:
        const Rows* m_rows;
        std::size_t m_at;
    };

    /// BadMessage when the document has no such table or the table lacks a column.
    [[nodiscard]] static Result<Rows> of(const Document& document)
    {
        const Table* table = document.find(R::kTable);
        if (table == nullptr) {
            return fail(ErrorCode::BadMessage, "the answer has no table " + std::string(R::kTable));
        }
        Rows rows(document, *table);
        for (const Column& wanted : columnsOf<R>()) {
            const std::optional<std::size_t> index = table->find(wanted.name, wanted.type);
            if (!index) {
                return fail(ErrorCode::BadMessage,
                            "table " + std::string(R::kTable) + " has no column " +
                                std::string(wanted.name));
            }
            rows.m_columns.push_back(*index);
        }
        return rows;
    }

    [[nodiscard]] std::size_t size() const { return m_table->rows(); }

    [[nodiscard]] bool empty() const { return size() == 0; }

    /// index < size()
    [[nodiscard]] R operator[](std::size_t index) const
    {
        R row;
        std::size_t field = 0;
        R::fields(row, [this, index, &field]<class T>(std::string_view, T& value) {
            read(index, m_columns[field++], value);
        });
        return row;
    }

    [[nodiscard]] Iterator begin() const { return {*this, 0}; }

    [[nodiscard]] Iterator end() const { return {*this, size()}; }

    [[nodiscard]] const Document& document() const { return m_document; }

private:
    Rows(const Document& document, const Table& table)
        : m_document(document)
        , m_table(&table)
    {
    }

    void read(std::size_t row, std::size_t column, std::string_view& value) const
    {
        value = m_table->text(row, column);
    }

    void read(std::size_t row, std::size_t column, std::uint64_t& value) const
    {
        value = m_table->unsignedAt(row, column);
    }

    void read(std::size_t row, std::size_t column, std::int64_t& value) const
    {
        value = m_table->signedAt(row, column);
    }

    void read(std::size_t row, std::size_t column, bool& value) const
    {
        value = m_table->flagAt(row, column);
    }

    Document m_document;
    const Table* m_table;
    std::vector<std::size_t> m_columns;
};

// --- pools -------------------------------------------------------------------------------------

/// One pool, imported (Status) or found (Scan). Times are seconds since 1970, sizes bytes.
struct PoolRow
{
    static constexpr std::string_view kTable = "pools";

    std::string_view name;
    std::uint64_t guid = 0;
    std::string_view state; ///< ONLINE, DEGRADED, FAULTED, UNAVAIL, OFFLINE, SUSPENDED
    std::uint64_t version = 0, zplVersion = 0, txg = 0;
    std::string_view messageId;      ///< "ZFS-8000-2Q"; empty when all is well
    std::string_view status, action; ///< the paragraphs; empty when there is nothing to say
    std::string_view scanKind;       ///< "none", "scrub", "resilver"
    std::string_view scanState;      ///< "none", "running", "finished", "cancelled"
    std::uint64_t scanStarted = 0, scanEnded = 0, scanToExamine = 0, scanExamined = 0,
                  scanIssued = 0, scanProcessed = 0, scanErrors = 0, scanSkipped = 0;
    std::string_view checkpointState; ///< "none", "exists", "discarding"
    std::uint64_t checkpointCreated = 0, checkpointBytes = 0;
    /// The last removal of a top-level vdev; states as of a scan.
    std::string_view removalState, removalName;
    std::uint64_t removalVdev = 0, removalStarted = 0, removalEnded = 0, removalToCopy = 0,
                  removalCopied = 0;
    std::uint64_t dedupDiskBytes = 0, dedupMemoryBytes = 0; ///< of the tables themselves
    std::uint64_t errorCount = 0; ///< data errors the pool knows of; table "errors" may hold fewer
    bool readOnly = false;
    std::string_view altroot, comment;

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("name", row.name);
        visit("guid", row.guid);
        visit("state", row.state);
        visit("version", row.version);
        visit("zpl_version", row.zplVersion);
        visit("txg", row.txg);
        visit("message_id", row.messageId);
        visit("status", row.status);
        visit("action", row.action);
        visit("scan_kind", row.scanKind);
        visit("scan_state", row.scanState);
        visit("scan_started", row.scanStarted);
        visit("scan_ended", row.scanEnded);
        visit("scan_to_examine", row.scanToExamine);
        visit("scan_examined", row.scanExamined);
        visit("scan_issued", row.scanIssued);
        visit("scan_processed", row.scanProcessed);
        visit("scan_errors", row.scanErrors);
        visit("scan_skipped", row.scanSkipped);
        visit("checkpoint_state", row.checkpointState);
        visit("checkpoint_created", row.checkpointCreated);
        visit("checkpoint_bytes", row.checkpointBytes);
        visit("removal_state", row.removalState);
        visit("removal_name", row.removalName);
        visit("removal_vdev", row.removalVdev);
        visit("removal_started", row.removalStarted);
        visit("removal_ended", row.removalEnded);
        visit("removal_to_copy", row.removalToCopy);
        visit("removal_copied", row.removalCopied);
        visit("dedup_disk_bytes", row.dedupDiskBytes);
        visit("dedup_memory_bytes", row.dedupMemoryBytes);
        visit("error_count", row.errorCount);
        visit("read_only", row.readOnly);
        visit("altroot", row.altroot);
        visit("comment", row.comment);
    }
};

/// What a scan knows beyond PoolRow; row i belongs to row i of "pools".
struct FoundPoolRow
{
    static constexpr std::string_view kTable = "found";

    std::string_view name;
    std::uint64_t guid = 0;
    bool importable = false;
    bool readOnlyOnly = false;        ///< importable, but only for reading
    std::string_view reason;          ///< when not importable
    std::string_view missingFeatures; ///< separated by spaces
    std::string_view lastHost;
    std::uint64_t lastHostId = 0;
    bool active = false; ///< not exported: may be in use by lastHost
    bool destroyed = false;
    bool imported = false;    ///< by this helper, now
    std::string_view devices; ///< leaves found, one a line

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("name", row.name);
        visit("guid", row.guid);
        visit("importable", row.importable);
        visit("read_only_only", row.readOnlyOnly);
        visit("reason", row.reason);
        visit("missing_features", row.missingFeatures);
        visit("last_host", row.lastHost);
        visit("last_host_id", row.lastHostId);
        visit("active", row.active);
        visit("destroyed", row.destroyed);
        visit("imported", row.imported);
        visit("devices", row.devices);
    }
};

/// The vdev tree in the order `zpool status` prints it, with its depth; kUnknown where a number is
/// not known. Rows of all pools asked for stand in one table.
struct VdevRow
{
    static constexpr std::string_view kTable = "vdevs";

    std::string_view pool;
    std::uint64_t poolGuid = 0;
    std::uint64_t depth = 0; ///< 0: the pool itself, or the heading of a section (guid 0)
    std::string_view name;   ///< "raidz1-0", "/dev/sda1", "logs"
    std::string_view type;   ///< root mirror raidz draid disk file replacing spare missing hole log
    std::string_view path;   ///< of a leaf, as the label has it
    std::string_view openedAs; ///< of a leaf, where this machine found it; empty when missing
    std::uint64_t guid = 0, parity = 0;
    std::string_view allocClass; ///< normal log special dedup spare l2cache
    std::string_view state;      ///< ONLINE, UNAVAIL, ...
    std::string_view aux;        ///< why it is not online
    std::string_view notes;      ///< "was /dev/sdb1", "(resilvering)"
    std::uint64_t readErrors = 0, writeErrors = 0, checksumErrors = 0, slowIos = 0;
    bool isLog = false, isLeaf = false, isSpare = false, isCache = false;
    bool wholeDisk = false; ///< of a partition: the disk was given whole
    std::uint64_t size = 0, allocated = 0, free = 0, physicalSize = 0, ashift = 0, deviceSize = 0;
    std::uint64_t checkpointSpace = 0;
    std::uint64_t fragmentation = kUnknown; ///< percent
    /// Work on a leaf: "none", "active", "cancelled", "suspended", "complete"; since when
    /// (seconds); bytes.
    std::string_view initializeState, trimState;
    std::uint64_t initializeTime = 0, initializeDone = 0, initializeTotal = 0;
    std::uint64_t trimTime = 0, trimDone = 0, trimTotal = 0;

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("pool", row.pool);
        visit("pool_guid", row.poolGuid);
        visit("depth", row.depth);
        visit("name", row.name);
        visit("type", row.type);
        visit("path", row.path);
        visit("opened_as", row.openedAs);
        visit("guid", row.guid);
        visit("parity", row.parity);
        visit("class", row.allocClass);
        visit("state", row.state);
        visit("aux", row.aux);
        visit("notes", row.notes);
        visit("read_errors", row.readErrors);
        visit("write_errors", row.writeErrors);
        visit("checksum_errors", row.checksumErrors);
        visit("slow_ios", row.slowIos);
        visit("is_log", row.isLog);
        visit("is_leaf", row.isLeaf);
        visit("is_spare", row.isSpare);
        visit("is_cache", row.isCache);
        visit("whole_disk", row.wholeDisk);
        visit("size", row.size);
        visit("allocated", row.allocated);
        visit("free", row.free);
        visit("physical_size", row.physicalSize);
        visit("ashift", row.ashift);
        visit("device_size", row.deviceSize);
        visit("checkpoint_space", row.checkpointSpace);
        visit("fragmentation", row.fragmentation);
        visit("initialize_state", row.initializeState);
        visit("initialize_time", row.initializeTime);
        visit("initialize_done", row.initializeDone);
        visit("initialize_total", row.initializeTotal);
        visit("trim_state", row.trimState);
        visit("trim_time", row.trimTime);
        visit("trim_done", row.trimDone);
        visit("trim_total", row.trimTotal);
    }
};

/// A block the pool knows to be damaged.
struct DataErrorRow
{
    static constexpr std::string_view kTable = "errors";

    std::string_view pool;
    std::uint64_t objset = 0, object = 0, level = 0, block = 0;
    std::string_view dataset; ///< empty when it is gone
    std::string_view path;    ///< of the file, or empty

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("pool", row.pool);
        visit("objset", row.objset);
        visit("object", row.object);
        visit("level", row.level);
        visit("block", row.block);
        visit("dataset", row.dataset);
        visit("path", row.path);
    }
};

/// Blocks in the dedup tables of a pool with about the same number of references. Sizes in bytes.
struct DedupRow
{
    static constexpr std::string_view kTable = "dedup";

    std::string_view pool;
    std::uint64_t references = 0; ///< a power of two: so many, less than twice as many
    std::uint64_t blocks = 0, logical = 0, physical = 0, deflated = 0;
    /// The same, each block as often as it is referred to.
    std::uint64_t referencedBlocks = 0, referencedLogical = 0, referencedPhysical = 0,
                  referencedDeflated = 0;

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("pool", row.pool);
        visit("references", row.references);
        visit("blocks", row.blocks);
        visit("logical", row.logical);
        visit("physical", row.physical);
        visit("deflated", row.deflated);
        visit("referenced_blocks", row.referencedBlocks);
        visit("referenced_logical", row.referencedLogical);
        visit("referenced_physical", row.referencedPhysical);
        visit("referenced_deflated", row.referencedDeflated);
    }
};

struct PoolPropertyRow
{
    static constexpr std::string_view kTable = "pool_properties";

    std::string_view pool, property, value; ///< value as `zpool get -p` prints it
    std::string_view source;                ///< "-", "default", "local"

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("pool", row.pool);
        visit("property", row.property);
        visit("value", row.value);
        visit("source", row.source);
    }
};

/// Of the vdev with this guid.
struct VdevPropertyRow
{
    static constexpr std::string_view kTable = "vdev_properties";

    std::uint64_t guid = 0;           ///< VdevRow::guid
    std::string_view property, value; ///< value as `zpool get -p` prints it
    std::string_view source;          ///< "-", "default", "local"

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("guid", row.guid);
        visit("property", row.property);
        visit("value", row.value);
        visit("source", row.source);
    }
};

struct HistoryRow
{
    static constexpr std::string_view kTable = "history";

    std::string_view pool;
    std::uint64_t time = 0;
    bool internal = false;
    std::string_view command; ///< of a command record
    std::uint64_t txg = 0;
    std::string_view operation, dataset, text; ///< of an internal record
    std::uint64_t datasetId = 0;
    std::string_view user, host, zone;
    std::uint64_t uid = kUnknown;

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("pool", row.pool);
        visit("time", row.time);
        visit("internal", row.internal);
        visit("command", row.command);
        visit("txg", row.txg);
        visit("operation", row.operation);
        visit("dataset", row.dataset);
        visit("text", row.text);
        visit("dataset_id", row.datasetId);
        visit("user", row.user);
        visit("host", row.host);
        visit("zone", row.zone);
        visit("uid", row.uid);
    }
};

struct EventRow
{
    static constexpr std::string_view kTable = "events";

    std::uint64_t id = 0;        ///< counts up
    std::uint64_t time = 0;      ///< nanoseconds since 1970
    std::string_view eventClass; ///< "sysevent.fs.zfs.pool_import", ...

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("id", row.id);
        visit("time", row.time);
        visit("class", row.eventClass);
    }
};

/// A member of an event, in order, beside "events".
struct EventFieldRow
{
    static constexpr std::string_view kTable = "event_fields";

    std::uint64_t event = 0; ///< EventRow::id
    std::string_view name, value;

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("event", row.event);
        visit("name", row.name);
        visit("value", row.value);
    }
};

/// Counters since import; subtract two answers.
struct IostatRow
{
    static constexpr std::string_view kTable = "iostat";

    std::string_view pool;
    std::uint64_t depth = 0;
    std::string_view name;
    std::uint64_t guid = 0;
    std::string_view type, allocClass, openedAs; ///< as in VdevRow
    bool isLeaf = false, wholeDisk = false;
    std::uint64_t allocated = 0, free = 0;
    std::uint64_t readOps = 0, writeOps = 0, readBytes = 0, writeBytes = 0, readTimeNs = 0,
                  writeTimeNs = 0;
    std::uint64_t readsActive = 0, writesActive = 0; ///< now, not since import
    std::uint64_t takenAt = 0;    ///< nanoseconds of a clock that never goes back
    std::uint64_t importedAt = 0; ///< of the same clock

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("pool", row.pool);
        visit("depth", row.depth);
        visit("name", row.name);
        visit("guid", row.guid);
        visit("type", row.type);
        visit("class", row.allocClass);
        visit("opened_as", row.openedAs);
        visit("is_leaf", row.isLeaf);
        visit("whole_disk", row.wholeDisk);
        visit("allocated", row.allocated);
        visit("free", row.free);
        visit("read_ops", row.readOps);
        visit("write_ops", row.writeOps);
        visit("read_bytes", row.readBytes);
        visit("write_bytes", row.writeBytes);
        visit("read_time_ns", row.readTimeNs);
        visit("write_time_ns", row.writeTimeNs);
        visit("reads_active", row.readsActive);
        visit("writes_active", row.writesActive);
        visit("taken_at", row.takenAt);
        visit("imported_at", row.importedAt);
    }
};

/// A bucket of a vdev's histograms that is not empty, beside "iostat". Bucket n counts 2^n to
/// 2^(n+1)-1 nanoseconds ("read_latency", "write_latency") or bytes ("read_size",
/// "joined_read_size", "write_size", "joined_write_size": joined requests are for several
/// neighbouring blocks).
struct IostatBucketRow
{
    static constexpr std::string_view kTable = "iostat_histograms";

    std::uint64_t guid = 0; ///< IostatRow::guid
    std::string_view histogram;
    std::uint64_t bucket = 0, count = 0;

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("guid", row.guid);
        visit("histogram", row.histogram);
        visit("bucket", row.bucket);
        visit("count", row.count);
    }
};

/// A pool of the list to open at start.
struct StartPoolRow
{
    static constexpr std::string_view kTable = "start_pools";

    std::string_view name;
    std::uint64_t guid = 0;
    std::string_view searchPaths; ///< one a line; empty: the machine's devices

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("name", row.name);
        visit("guid", row.guid);
        visit("search_paths", row.searchPaths);
    }
};

// --- datasets ----------------------------------------------------------------------------------

/// One property of one dataset. Rows of a dataset follow each other, in the order of the properties
/// asked for; datasets come parents before children, siblings by name, a dataset's snapshots in
/// order of creation right after it, then bookmarks. A property that does not apply has no row.
struct DatasetPropertyRow
{
    static constexpr std::string_view kTable = "dataset_properties";

    std::string_view dataset;
    std::string_view type;            ///< filesystem, volume, snapshot, bookmark
    std::string_view property, value; ///< value as `zfs get -p` prints it
    std::string_view source; ///< "-", "default", "local", "inherited", "received", "temporary"
    std::string_view inheritedFrom;
    std::string_view received; ///< the received value, or "-"

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("dataset", row.dataset);
        visit("type", row.type);
        visit("property", row.property);
        visit("value", row.value);
        visit("source", row.source);
        visit("inherited_from", row.inheritedFrom);
        visit("received", row.received);
    }
};

/// Beside "dataset_properties": each dataset once, in the same order, also when no property
/// applies.
struct DatasetRow
{
    static constexpr std::string_view kTable = "datasets";

    std::string_view dataset, type;
    std::uint64_t firstProperty = 0, propertyCount = 0; ///< rows of "dataset_properties"

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("dataset", row.dataset);
        visit("type", row.type);
        visit("first_property", row.firstProperty);
        visit("property_count", row.propertyCount);
    }
};

struct HoldRow
{
    static constexpr std::string_view kTable = "holds";

    std::string_view snapshot, tag;
    std::uint64_t time = 0;

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("snapshot", row.snapshot);
        visit("tag", row.tag);
        visit("time", row.time);
    }
};

struct MountRow
{
    static constexpr std::string_view kTable = "mounts";

    std::string_view dataset, mountpoint;
    bool own = false; ///< a mount of its own; false: shown inside the mount of an ancestor
    std::string_view options;

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("dataset", row.dataset);
        visit("mountpoint", row.mountpoint);
        visit("own", row.own);
        visit("options", row.options);
    }
};

/// What Mount, Unmount, and Import (of its mounts) did to each dataset.
struct MountResultRow
{
    static constexpr std::string_view kTable = "mount_results";

    std::string_view dataset, mountpoint;
    bool changed = false;       ///< false and no error: it was so already
    std::string_view errorName; ///< name of an ErrorCode; empty: done
    std::string_view errorText;

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("dataset", row.dataset);
        visit("mountpoint", row.mountpoint);
        visit("changed", row.changed);
        visit("error_name", row.errorName);
        visit("error_text", row.errorText);
    }
};

// --- devices -----------------------------------------------------------------------------------

/// A disk or partition of this machine.
struct DeviceRow
{
    static constexpr std::string_view kTable = "devices";

    std::string_view path;   ///< "/dev/sda1"
    std::string_view byId;   ///< stable name below /dev/disk, or empty
    std::string_view parent; ///< path of the whole disk of a partition, or empty
    std::string_view kind;   ///< disk, partition, loop, raid, crypt, lvm, rom, other
    std::string_view model, vendor, serial, wwn, bus;
    std::uint64_t size = 0, logicalSector = 0, physicalSector = 0;
    bool rotational = false, removable = false, readOnly = false;
    std::string_view content; ///< what libblkid finds: "ext4", "zfs_member", "gpt"; empty: nothing
    std::string_view label;   ///< of that content
    std::string_view use;     ///< why it may not be written ("mounted on /home"); empty: free
    std::string_view pool;    ///< name of the pool it belongs to, or empty
    std::uint64_t poolGuid = 0;

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("path", row.path);
        visit("by_id", row.byId);
        visit("parent", row.parent);
        visit("kind", row.kind);
        visit("model", row.model);
        visit("vendor", row.vendor);
        visit("serial", row.serial);
        visit("wwn", row.wwn);
        visit("bus", row.bus);
        visit("size", row.size);
        visit("logical_sector", row.logicalSector);
        visit("physical_sector", row.physicalSector);
        visit("rotational", row.rotational);
        visit("removable", row.removable);
        visit("read_only", row.readOnly);
        visit("content", row.content);
        visit("label", row.label);
        visit("use", row.use);
        visit("pool", row.pool);
        visit("pool_guid", row.poolGuid);
    }
};

// --- jobs --------------------------------------------------------------------------------------

struct JobRow
{
    static constexpr std::string_view kTable = "jobs";

    std::string_view path;             ///< object path
    std::string_view kind;             ///< "check"
    std::string_view title;            ///< "check of tank"
    std::string_view state;            ///< "queued", "running", "done", "failed", "cancelled"
    std::uint64_t done = 0, total = 0; ///< total 0: not known yet
    std::string_view unit;             ///< "bytes"
    std::uint64_t rate = 0;            ///< units a second
    std::uint64_t secondsLeft = kUnknown;
    std::uint64_t started = 0, ended = 0;  ///< seconds since 1970; ended 0: not yet
    std::uint64_t owner = 0;               ///< uid
    std::string_view errorName, errorText; ///< of a failed job

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("path", row.path);
        visit("kind", row.kind);
        visit("title", row.title);
        visit("state", row.state);
        visit("done", row.done);
        visit("total", row.total);
        visit("unit", row.unit);
        visit("rate", row.rate);
        visit("seconds_left", row.secondsLeft);
        visit("started", row.started);
        visit("ended", row.ended);
        visit("owner", row.owner);
        visit("error_name", row.errorName);
        visit("error_text", row.errorText);
    }
};

/// A problem that a check found.
struct CheckProblemRow
{
    static constexpr std::string_view kTable = "problems";

    std::string_view kind; ///< device, checksum, parity, ... (api::checkProblemKindText)
    std::string_view dataset, path, device;
    std::uint64_t objset = 0, object = 0, level = 0, block = 0, offset = 0, size = 0;
    std::string_view text; ///< one line, complete in itself

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("kind", row.kind);
        visit("dataset", row.dataset);
        visit("path", row.path);
        visit("device", row.device);
        visit("objset", row.objset);
        visit("object", row.object);
        visit("level", row.level);
        visit("block", row.block);
        visit("offset", row.offset);
        visit("size", row.size);
        visit("text", row.text);
    }
};

/// The summary of a check: one row once it is done, none before.
struct CheckSummaryRow
{
    static constexpr std::string_view kTable = "summary";

    std::string_view pool;
    std::uint64_t guid = 0, txg = 0;
    std::uint64_t problemCount = 0; ///< may be more than there are rows
    std::uint64_t awaitingResilver = 0;
    std::uint64_t datasets = 0, snapshots = 0, objects = 0, blocks = 0, copies = 0;
    std::uint64_t bytesRead = 0, allocated = 0, milliseconds = 0;

    template <class Row, class Visit> static void fields(Row& row, Visit visit)
    {
        visit("pool", row.pool);
        visit("guid", row.guid);
        visit("txg", row.txg);
        visit("problem_count", row.problemCount);
        visit("awaiting_resilver", row.awaitingResilver);
        visit("datasets", row.datasets);
        visit("snapshots", row.snapshots);
        visit("objects", row.objects);
        visit("blocks", row.blocks);
        visit("copies", row.copies);
        visit("bytes_read", row.bytesRead);
        visit("allocated", row.allocated);
        visit("milliseconds", row.milliseconds);
    }
};

} // namespace millpond::bus
