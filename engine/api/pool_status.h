// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/types.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace millpond::api {

using Wall = std::chrono::nanoseconds; ///< since 1970

/// The words of `zpool status`.
enum class VdevState : std::uint8_t
{
    Unknown,
    Closed,
    Offline,
    Removed,
    Unavailable, ///< printed UNAVAIL
    Faulted,
    Degraded,
    Online,
    Available, ///< a spare nobody uses: AVAIL
    InUse      ///< a spare in use: INUSE
};

[[nodiscard]] std::string_view vdevStateText(VdevState state);

/// Initializing or trimming a leaf: what `zpool status -i` and `-t` tell.
struct LeafWork
{
    enum class State : std::uint8_t
    {
        None,
        Active,
        Cancelled,
        Suspended,
        Complete
    };
    State state = State::None;
    Wall since{};                      ///< of its last change
    std::uint64_t done = 0, total = 0; ///< bytes
};

/// One row of the vdev tree, in the order `zpool status` prints, with its depth.
struct VdevRow
{
    unsigned depth = 0;   ///< 0: the pool itself, or the heading of a section
    std::string name;     ///< as printed: "raidz1-0", "/dev/sda1", "mirror-1"
    std::string type;     ///< root mirror raidz disk file replacing spare missing hole log ...
    std::string path;     ///< of a leaf, as the label has it
    std::string openedAs; ///< of a leaf, where this machine found it; empty when missing
    VdevGuid guid;
    std::uint64_t parity = 0;
    std::string allocClass; ///< normal, log, special, dedup, spare, l2cache
    VdevState state = VdevState::Unknown;
    std::string aux;   ///< why it is not online, in the words of status; empty if it is
    std::string notes; ///< "was /dev/sdb1", "(resilvering)", ...
    std::uint64_t readErrors = 0, writeErrors = 0, checksumErrors = 0, slowIos = 0;
    bool isLog = false, isLeaf = false, isSpare = false, isCache = false;
    bool wholeDisk = false; ///< of a partition: the disk was given whole
    std::uint64_t size = 0, allocated = 0, free = 0, physicalSize = 0, ashift = 0;
    std::uint64_t deviceSize = 0;                 ///< usable bytes of a leaf (rep_dev_size)
    std::uint64_t checkpointSpace = 0;            ///< of a top-level vdev: held by a checkpoint
    std::optional<unsigned> fragmentationPercent; ///< nothing where it is not known
    LeafWork initialize, trim;                    ///< of a leaf
};

/// What the scan line tells.
struct ScanInfo
{
    enum class Kind : std::uint8_t
    {
        None,
        Scrub,
        Resilver
    };
    enum class State : std::uint8_t
    {
        None,
        Running,
        Finished,
        Cancelled
    };
    Kind kind = Kind::None;
    State state = State::None;
    Wall started{}, ended{};
    std::uint64_t toExamine = 0, examined = 0, issued = 0, processed = 0, errors = 0, skipped = 0;
};

struct CheckpointInfo
{
    enum class State : std::uint8_t
    {
        None,
        Exists,
        Discarding
    };
    State state = State::None;
    Wall created{};
    std::uint64_t bytes = 0; ///< held, or left to free
};

/// The last removal of a top-level vdev.
struct RemovalInfo
{
    ScanInfo::State state = ScanInfo::State::None;
    std::uint64_t vdev = 0; ///< its number
    std::string name;
    Wall started{}, ended{};
    std::uint64_t toCopy = 0, copied = 0;
};

/// Blocks in the dedup tables with about the same number of references. Sizes in bytes.
struct DedupBucket
{
    std::uint64_t references = 0; ///< a power of two: so many, less than twice as many
    std::uint64_t blocks = 0, logical = 0, physical = 0, deflated = 0;
    /// The same, each block as often as it is referred to.
    std::uint64_t referencedBlocks = 0, referencedLogical = 0, referencedPhysical = 0,
                  referencedDeflated = 0;
};

struct DedupInfo
{
    std::uint64_t diskBytes = 0, memoryBytes = 0; ///< what the tables themselves take
    std::vector<DedupBucket> histogram;           ///< those that are not empty
};

struct DataError
{
    ObjsetId objset;
    ObjectId object;
    std::uint64_t level = 0, block = 0;
    std::string dataset; ///< name, or empty when it is gone
    std::string path;    ///< of the file, or empty
};

struct PoolStatus
{
    std::string name;
    PoolGuid guid;
    VdevState state = VdevState::Unknown;
    std::uint64_t version = 0; ///< 1 to 28 or 5000
    std::uint64_t zplVersion = 5;
    Txg txg;
    std::string messageId;      ///< "ZFS-8000-2Q" and the like; empty when all is well
    std::string status, action; ///< the paragraphs, empty when there is nothing to say
    ScanInfo scan;
    CheckpointInfo checkpoint;
    RemovalInfo removal;
    DedupInfo dedup;
    std::vector<VdevRow> vdevs; ///< data, then special, dedup, logs, cache, spares
    std::vector<DataError> errors;
    std::uint64_t errorCount = 0;
    bool readOnly = true;
    std::string altroot, comment;
};

/// An importable pool that a scan found.
struct FoundPool
{
    PoolStatus status;
    std::vector<std::string> devices; ///< leaves found, in no order
    bool importable = false;
    bool readOnlyOnly = false; ///< importable, but only for reading
    std::string reason;        ///< when not importable: why, naming feature or device
    std::vector<std::string> missingFeatures;
    std::string lastHost; ///< host name that used it last
    std::uint64_t lastHostId = 0;
    bool active = false; ///< not exported: may be in use by lastHost
    bool destroyed = false;
};

} // namespace millpond::api
