// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "bus/new_dataset.h"
#include "bus/records.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace millpond::bus {

/// The version of org.millpond.Manager1 that this program speaks. A helper of another version is
/// refused with UnsupportedVersion and a text that says which is which and what to do.
inline constexpr std::uint32_t kInterfaceVersion = 3;

inline constexpr const char* kBusName = "org.millpond.Manager1";
inline constexpr const char* kManagerPath = "/org/millpond/Manager";
inline constexpr const char* kManagerInterface = "org.millpond.Manager1";
inline constexpr const char* kJobInterface = "org.millpond.Job1";
inline constexpr const char* kJobPathPrefix = "/org/millpond/Job/";
inline constexpr const char* kErrorPrefix = "org.millpond.Error.";

enum class HelperMode
{
    Auto,   ///< environment MILLPOND_MODE (system, private), MILLPOND_SOCKET (private, there); else
            ///< system when the system bus knows the service, else private
    System, ///< the system bus; D-Bus activation starts the helper
    Private, ///< a unix socket; started on demand
};

struct ConnectOptions
{
    HelperMode mode = HelperMode::Auto;
    std::string socketPath;  ///< private: empty is $XDG_RUNTIME_DIR/millpond/helper.sock
    std::string helperPath;  ///< private: empty is millpondd beside this program, else in PATH
    bool startHelper = true; ///< private: false fails with ConnectionLost when no helper runs
    bool interactive = true; ///< system: polkit may ask the person for authentication
    std::chrono::milliseconds startDeadline{10'000};
    /// Of a call, unless its function says otherwise. Reached: TimedOut.
    std::chrono::milliseconds callDeadline{120'000};
};

/// Where a private helper listens when nobody says otherwise:
/// $XDG_RUNTIME_DIR/millpond/helper.sock, or /tmp/millpond-UID/helper.sock (a folder of this user
/// alone) where there is no runtime directory.
[[nodiscard]] std::string defaultSocketPath();

/// Makes sure that a private helper listens (starts one, under a lock file, when none does) and
/// returns its socket. For clients that bring their own D-Bus library.
[[nodiscard]] Result<std::string> ensurePrivateHelper(const ConnectOptions& options);

/// Which mode Auto means on this machine now.
[[nodiscard]] HelperMode resolveMode(const ConnectOptions& options);

struct ScanQuery
{
    std::vector<std::string>
        searchPaths; ///< absolute: folders, devices, files; empty: the machine's devices
    bool destroyedToo = false;
};

struct ImportOrder
{
    std::string pool; ///< name or decimal guid
    std::string newName;
    std::vector<std::string> searchPaths;
    std::string altroot;
    std::vector<std::pair<std::string, std::string>> properties; ///< for as long as it is imported
    bool readOnly = true;
    bool force = false;
    bool mount = true;
    bool missingLogOk = false;
};

struct ImportAnswer
{
    std::string name;
    std::uint64_t guid = 0;
    bool changed = true; ///< false: it was imported already
    Document mounts;     ///< MountResultRow
};

struct CreatePoolOrder
{
    std::string name;
    std::vector<std::string> vdevs; ///< words of `zpool create`; paths are absolute
    std::vector<std::pair<std::string, std::string>> properties, fileSystemProperties;
    bool noFeatures = false; ///< only those that `properties` enable
    std::string altroot;
    bool force = false;
    bool mount = true;
    std::string command; ///< for the history, as typed; empty: none
};

struct CreatePoolAnswer
{
    std::uint64_t guid = 0;
    Document mounts; ///< MountResultRow
};

struct RenameOrder
{
    std::string dataset, newName;
    bool force = false; ///< although files are open
    bool mount = true;
    std::string command;
};

struct DatasetPropertyQuery
{
    std::vector<std::string>
        roots; ///< pools, datasets, snapshots, bookmarks; empty: every pool, recursing
    bool recurse = false;
    std::uint64_t depth = kUnknown; ///< of a recursion: 0 the roots themselves; kUnknown: no limit
    std::vector<std::string>
        types; ///< filesystem, volume, snapshot, bookmark; empty: the first two
    std::vector<std::string> properties; ///< names; "all": all that apply
};

struct MountOrder
{
    std::vector<std::string> datasets; ///< empty: every one that mounts by itself
    std::string options;               ///< as after `mount -o`
    bool overlay = false;              ///< also over a folder that is not empty
    bool force = false;
};

struct UnmountOrder
{
    std::vector<std::string> targets; ///< datasets or mountpoints; empty: all
    bool force = false;
};

struct CheckOrder
{
    std::string pool;
    std::vector<std::string> searchPaths;
};

struct JobStatus
{
    std::string path, kind, title, state, unit, errorName, errorText;
    std::uint64_t done = 0, total = 0, rate = 0, secondsLeft = kUnknown, started = 0, ended = 0;

    [[nodiscard]] bool finished() const { return state != "queued" && state != "running"; }
};

struct HelperFacts
{
    std::uint32_t interfaceVersion = 0;
    std::string version;
    std::string mode; ///< "system" or "private"
};

/// What a signal said. `ids` are pool guids (PoolsChanged), dataset names (DatasetsChanged), a
/// job's path.
struct Signal
{
    enum class Kind
    {
        PoolsChanged,
        DatasetsChanged,
        MountsChanged,
        DevicesChanged,
        EventsAdded,
        JobAdded,
        JobChanged,
        JobRemoved,
    };
    Kind kind = Kind::PoolsChanged;
    std::uint64_t generation = 0;
    std::vector<std::string> ids;
};

/// A connection to the helper: blocking calls with deadlines, no Qt. One thread at a time; any
/// number of clients in a process. Every list comes back as a Document: read it with
/// Rows<XxxRow>::of(document). Errors are the helper's own codes; ConnectionLost when it is gone,
/// TimedOut at a deadline, NotAuthorized when polkit or the peer check says no.
class Client
{
public:
    [[nodiscard]] static Result<Client> connect(const ConnectOptions& options);
    Client(Client&&) noexcept;
    Client& operator=(Client&&) noexcept;
    ~Client();

    [[nodiscard]] const HelperFacts& helper() const;

    // Pools. A list of pools may be empty: all that are imported.
    [[nodiscard]] Result<Document> scan(const ScanQuery& query); ///< PoolRow, FoundPoolRow, VdevRow
    [[nodiscard]] Result<ImportAnswer> importPool(const ImportOrder& order);
    [[nodiscard]] Status exportPool(const std::string& pool, bool force);
    [[nodiscard]] Result<CreatePoolAnswer> createPool(const CreatePoolOrder& order);
    [[nodiscard]] Status destroyPool(const std::string& pool, bool force);
    /// What was written so far is on disk when this returns.
    [[nodiscard]] Status sync(const std::vector<std::string>& pools);
    /// PoolPropertyRow. `properties` empty or "all": all, features included.
    [[nodiscard]] Result<Document> poolProperties(const std::vector<std::string>& pools,
                                                  const std::vector<std::string>& properties);
    /// PoolRow, VdevRow, DataErrorRow, DedupRow
    [[nodiscard]] Result<Document> vdevProperties(const std::string& pool,
                                                  const std::vector<std::string>& properties);
    [[nodiscard]] Result<Document> poolStatus(const std::vector<std::string>& pools);
    [[nodiscard]] Result<Document> history(const std::vector<std::string>& pools); ///< HistoryRow
    [[nodiscard]] Result<Document> iostat(const std::vector<std::string>& pools);  ///< IostatRow
    /// EventRow, EventFieldRow of those with an id above `after`.
    [[nodiscard]] Result<Document> events(std::uint64_t after);
    /// Forgets all events; returns how many there were.
    [[nodiscard]] Result<std::uint64_t> clearEvents();
    [[nodiscard]] Result<Document> startPools(); ///< StartPoolRow
    /// Whether an imported pool is opened when the helper starts; true when that is a change.
    [[nodiscard]] Result<bool> setOpenAtStart(const std::string& pool, bool enabled);

    // Datasets.
    /// DatasetRow, DatasetPropertyRow
    [[nodiscard]] Result<Document> datasetProperties(const DatasetPropertyQuery& query);
    // Changes. `command` is for the pool's history, as typed; empty: none. Documents: MountResultRow
    // of what was mounted again.
    /// All of them or none.
    [[nodiscard]] Result<Document> createDatasets(const std::vector<NewDataset>& datasets,
                                                  bool mount,
                                                  const std::string& command);
    /// Exactly these, children before their parents.
    [[nodiscard]] Status destroyDatasets(const std::vector<std::string>& datasets,
                                         bool force,
                                         const std::string& command);
    [[nodiscard]] Result<Document> renameDataset(const RenameOrder& order);
    [[nodiscard]] Result<Document>
    setProperties(const std::vector<std::string>& datasets,
                  const std::vector<std::pair<std::string, std::string>>& properties,
                  bool mount,
                  const std::string& command);
    [[nodiscard]] Result<Document> inheritProperty(const std::vector<std::string>& datasets,
                                                   const std::string& property,
                                                   bool received,
                                                   const std::string& command);
    /// HoldRow
    [[nodiscard]] Result<Document> holds(const std::vector<std::string>& snapshots, bool recursive);
    [[nodiscard]] Result<Document> mount(const MountOrder& order);     ///< MountResultRow
    [[nodiscard]] Result<Document> unmount(const UnmountOrder& order); ///< MountResultRow
    [[nodiscard]] Result<Document> mounts();                           ///< MountRow

    // Devices.
    [[nodiscard]] Result<Document> devices(); ///< DeviceRow

    // Jobs.
    [[nodiscard]] Result<std::string>
    startCheck(const CheckOrder& order);   ///< object path of the job
    [[nodiscard]] Result<Document> jobs(); ///< JobRow
    [[nodiscard]] Result<JobStatus> jobStatus(const std::string& jobPath);
    /// What the job has found so far, rows from `firstRow` on. Check: CheckProblemRow,
    /// CheckSummaryRow. Once it is finished, an answer with the last rows lets the helper forget
    /// the job soon.
    [[nodiscard]] Result<Document> jobOutput(const std::string& jobPath, std::uint64_t firstRow);
    [[nodiscard]] Status cancelJob(const std::string& jobPath);
    /// Waits until it is finished, calling `progress` about twice a second. `progress` returns
    /// false to stop waiting (then Cancelled; the job goes on unless cancelled).
    [[nodiscard]] Result<JobStatus>
    waitForJob(const std::string& jobPath, const std::function<bool(const JobStatus&)>& progress);

    // Signals. They are collected while calls wait, too.
    /// Waits for the next signal; TimedOut when none came.
    [[nodiscard]] Result<Signal> nextSignal(std::chrono::milliseconds wait);
    /// For poll(2) beside other descriptors, after nextSignal(0ms) said TimedOut: readable means
    /// that it may have one.
    [[nodiscard]] int fileDescriptor() const;

private:
    struct State;
    explicit Client(std::unique_ptr<State> state);

    std::unique_ptr<State> m_state;
};

} // namespace millpond::bus
