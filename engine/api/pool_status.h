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
    std::uint64_t size = 0, allocated = 0, free = 0, physicalSize = 0, ashift = 0;
    std::uint64_t deviceSize = 0;                 ///< usable bytes of a leaf (rep_dev_size)
    std::optional<unsigned> fragmentationPercent; ///< nothing where it is not known
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
