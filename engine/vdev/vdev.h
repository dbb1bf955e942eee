// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/function_ref.h"
#include "base/result.h"
#include "base/types.h"
#include "device/block_device.h"
#include "format/nvlist.h"
#include "vdev/vdev_state.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace millpond::vdev {

/// Says whether the bytes (exactly as many as were asked for) are the block that is wanted. Called
/// once or, while redundancy is searched, many times; always in the thread that reads.
using Verifier = FunctionRef<bool(Bytes)>;

enum class VdevKind : std::uint8_t
{
    Root,
    Disk,
    File,
    Mirror,
    Raidz,
    Spare,     ///< a hot spare stands in: a mirror of the original and the spare
    Replacing, ///< a replacement is going on: a mirror of old and new
    Missing,   ///< a top-level vdev of which nothing was found
    Hole,      ///< a removed log: keeps the numbers of the others
};

enum class AllocationClass : std::uint8_t
{
    Normal,
    Log,
    Special,
    Dedup,
};

[[nodiscard]] std::string_view kindText(VdevKind kind); ///< as in configurations: "raidz"
[[nodiscard]] std::string_view classText(AllocationClass allocationClass); ///< "normal", "log", …

/// What the machine has for one leaf.
struct LeafDevice
{
    device::DeviceRef device; ///< null: not found
    /// With a null device: why (OpenFailed when None). With a device: it was found but cannot be
    /// used (BadLabel, CorruptData, …); None when all is well.
    VdevAux problem = VdevAux::None;
};

using DeviceMap = std::map<VdevGuid, LeafDevice>;

/// How long requests took and how large they were. Bucket n counts 2^n to 2^(n+1)-1 nanoseconds or
/// bytes, the last one all the rest.
struct RequestHistograms
{
    std::array<std::uint64_t, 37> latency{};
    std::array<std::uint64_t, 25> size{};       ///< of requests for one block or a part of one
    std::array<std::uint64_t, 25> joinedSize{}; ///< of those for several neighbours

    void add(const RequestHistograms& other);
};

/// Counters since the tree was built.
struct IoStats
{
    std::uint64_t readOps = 0, writeOps = 0;
    std::uint64_t readBytes = 0, writeBytes = 0;
    std::uint64_t readTimeNs = 0, writeTimeNs = 0;
    std::uint64_t readsActive = 0, writesActive = 0; ///< requests that devices have not answered
    RequestHistograms reads, writes;

    void add(const IoStats& other);
};

struct ErrorCounts
{
    std::uint64_t read = 0, write = 0, checksum = 0;
};

/// A row of the tree as it is now, parents before children.
struct VdevStatus
{
    unsigned depth = 0; ///< 0 is the root
    VdevKind kind = VdevKind::Root;
    AllocationClass allocationClass = AllocationClass::Normal;
    VdevGuid guid;
    std::uint64_t id = 0;     ///< position in the parent
    std::string name;         ///< "mirror-0", "raidz2-1", "replacing-0"; of a leaf its path
    std::string path;         ///< leaf: as the configuration has it
    std::string openedAs;     ///< leaf: where it is now; empty when missing
    std::uint64_t parity = 0; ///< raidz
    VdevState state = VdevState::Unknown;
    VdevAux aux = VdevAux::None;
    bool notPresent = false; ///< leaf: was not found at import ("was PATH" in status)
    bool wholeDisk = false;
    ErrorCounts errors; ///< of the leaf; of parents only what no leaf is to blame for
    IoStats io;         ///< of the leaf; of parents the sum of their leaves
    std::uint64_t asize = 0, ashift = 0;
    std::uint64_t deviceSize = 0;           ///< leaf: of the opened device
    const format::NvList* config = nullptr; ///< lives as long as the tree
};

struct ReadOptions
{
    /// Physical birth of the block: with it, leaves that missed that txg are asked last. 0: not
    /// known, all leaves are trusted alike.
    Txg birth;
    /// Of scrubRead(): what was found wrong, or awaits resilvering, is written anew. read() repairs
    /// by setReadRepair().
    bool repair = false;
    /// Of scrubRead(): false when what is wrong with the block has been counted before.
    bool counts = true;
};

/// One block of VdevTree::write().
struct BlockWrite
{
    VdevId vdev;
    ByteOffset offset; ///< as of a DVA: a multiple of the sector size
    /// The block's physical size, 1 to format::kMaxBlockBytes. Filled up with zeroes to whole
    /// sectors. Fastest when it is whole sectors of memory aligned like a Buffer.
    Bytes data;
    Status status; ///< set by write(): see there
};

/// A run of txgs that a leaf has missed: what its dirty time log must get [DTL_MISSING].
struct MissedTxgs
{
    VdevGuid leaf;
    Txg first, last; ///< both included

    bool operator==(const MissedTxgs&) const = default;
};

/// One block of TopLevel::readRun().
struct RunBlock
{
    ByteOffset offset; ///< as of a DVA
    MutableBytes out;  ///< as many bytes as the block has
    Txg birth;
    bool isRead = false; ///< set by readRun()
};

struct ReadOutcome
{
    /// True: something had to be rebuilt or a bad copy was passed over.
    bool repaired = false;
};

/// What scrubRead() has to say about one piece of one leaf.
struct ScrubFinding
{
    enum class Kind : std::uint8_t
    {
        Unreadable,       ///< the device returned an error
        BadData,          ///< a copy or data column that is not what it should be
        BadParity,        ///< parity that is not what the data gives
        AwaitingResilver, ///< not there yet, rightly: the leaf is missing or missed this txg
        Unrecoverable,    ///< nothing verifies: the leaf is not known, `leaf` is the top-level vdev
    };
    Kind kind = Kind::Unreadable;
    VdevGuid leaf;
    std::string path;  ///< where the leaf was opened, or as configured when it is missing
    ByteOffset offset; ///< on the device, labels included
    ByteCount size;
};

using ScrubSink = FunctionRef<void(const ScrubFinding&)>;

struct ScrubOutcome
{
    std::uint64_t bytesRead = 0; ///< from devices, parity included
    unsigned findings = 0;
    std::uint64_t bytesRepaired = 0; ///< written, when ReadOptions::repair asked for it
};

namespace detail {
class TreeBuilder;
} // namespace detail

/// One child of the root: what a DVA's vdev number names. Thread-safe.
class TopLevel
{
public:
    virtual ~TopLevel() = default;

    [[nodiscard]] virtual VdevId id() const = 0;
    [[nodiscard]] virtual VdevGuid guid() const = 0;
    [[nodiscard]] virtual VdevKind kind() const = 0;
    [[nodiscard]] virtual AllocationClass allocationClass() const = 0;
    /// Log, cache and holes have sizes too, as far as the configuration says.
    [[nodiscard]] virtual Ashift ashift() const = 0;
    /// Bytes that DVAs can address, parity included. 0 for a hole or missing vdev.
    [[nodiscard]] virtual ByteCount allocatable() const = 0;
    [[nodiscard]] virtual const format::NvList& config() const = 0;
    /// Enough children are there to read from; what is written now can be read back.
    [[nodiscard]] virtual bool readable() const = 0;

    /// Space that a block of `physicalSize` (at most format::kMaxBlockBytes) takes here, with
    /// parity and padding: what DVAs record [vdev_psize_to_asize].
    [[nodiscard]] virtual ByteCount allocatedSize(ByteCount physicalSize) const = 0;

    /// Reads a block's out.size() bytes (its physical size; any size up to format::kMaxBlockBytes)
    /// at a DVA's offset, trying copies and combinations until `verify` is content. Waits for
    /// devices. Errors: ChecksumMismatch (bytes were read, none verify; `out` then holds one of the
    /// attempts), DeviceIo, DeviceMissing (too few leaves are there), BadBlockPointer (range
    /// outside the vdev).
    [[nodiscard]] virtual Result<ReadOutcome> read(ByteOffset offset,
                                                   MutableBytes out,
                                                   const Verifier& verify,
                                                   const ReadOptions& options) = 0;

    /// Reads neighbouring blocks, in ascending order, with few large requests. Looks for no
    /// redundancy and verifies nothing: `out` of those that come back with isRead has what the
    /// devices have; all others are left to read(). Worth it only for blocks close together.
    virtual void readRun(std::span<RunBlock> blocks) = 0;

    /// Reads every copy and column, tells `sink` of each that is not what it should be, and leaves
    /// the right content in `out`. Errors as read(); the sink has been told then, too.
    [[nodiscard]] virtual Result<ScrubOutcome> scrubRead(ByteOffset offset,
                                                         MutableBytes out,
                                                         const Verifier& verify,
                                                         const ReadOptions& options,
                                                         const ScrubSink& sink) = 0;
};

/// A leaf as the pool needs to know it.
struct LeafInfo
{
    VdevGuid guid;
    VdevId top;
    std::string path;
    device::DeviceRef device; ///< null when not open
    VdevState state = VdevState::Unknown;
    std::uint64_t dtlObject = 0;            ///< space map of missed txgs in the MOS; 0: none
    const format::NvList* config = nullptr; ///< lives as long as the tree
};

/// True when the leaf missed blocks born in that txg [DTL_MISSING].
using MissedPredicate = std::function<bool(VdevGuid leaf, Txg birth)>;

struct TreeOptions
{
    const Clock* clock = nullptr; ///< for latencies; null: none are kept. Outlives the tree.
};

/// The pool's vdevs. Theory statement: vdev_tree.cpp. Thread-safe, once built, but for setMissed(),
/// setAllocationClass() and setReadRepair().
class VdevTree
{
public:
    /// Bounds on what a configuration may ask for.
    static constexpr std::size_t kMaxTopLevels = 65536;
    static constexpr std::size_t kMaxChildren = 1024;
    static constexpr std::size_t kMaxLeaves = 65536;
    static constexpr unsigned kMaxDepth = 5;

    /// `config` is the root vdev ("vdev_tree" of a pool's configuration). Devices for guids that
    /// the configuration does not have are not used. Missing devices are no error here: look at
    /// state(). Errors: BadConfig; UnsupportedVdev naming the feature (device_removal, draid,
    /// raidz_expansion).
    [[nodiscard]] static Result<std::unique_ptr<VdevTree>>
    build(const format::NvList& config, const DeviceMap& devices, const TreeOptions& options = {});
    ~VdevTree();
    VdevTree(const VdevTree&) = delete;
    VdevTree& operator=(const VdevTree&) = delete;

    /// Of the root.
    [[nodiscard]] VdevState state() const;
    [[nodiscard]] VdevAux aux() const;
    /// Sum of all guids, wrapping: what the uberblock records.
    [[nodiscard]] std::uint64_t guidSum() const;

    [[nodiscard]] std::size_t topLevelCount() const;
    /// Null when there is none of that number.
    [[nodiscard]] TopLevel* top(VdevId id) const;

    [[nodiscard]] std::vector<VdevStatus> status() const;
    [[nodiscard]] std::vector<LeafInfo> leaves() const;

    /// From the dirty time logs, once they are loaded. Before that nothing counts as missed. Called
    /// while nobody else uses the tree.
    void setMissed(MissedPredicate missed);
    /// What a top-level vdev is for, once its ZAP in the MOS is loaded: labels only know logs.
    /// Called while nobody else uses the tree. False for an unknown number.
    bool setAllocationClass(VdevId id, AllocationClass allocationClass);
    /// From now on read() puts right on disk what it had to rebuild: for pools imported for
    /// writing. Called while nobody else uses the tree.
    void setReadRepair(bool repair);

    /// Writes blocks that are allocated and that nothing on disk refers to yet (or, in place, that
    /// were born in this very txg), on all leaves of all vdevs at the same time, neighbours
    /// together; returns when all are done. Nothing is on stable storage before flush(). Blocks of
    /// one call must not overlap; calls for other blocks may run at the same time.
    /// A block's status is good when it can be read back from what was written: one side of a
    /// mirror, all but `parity` columns of a raidz. A leaf that failed or is absent has missed
    /// `txg` from then on (missedWrites()): it is asked last for blocks of that birth. Errors, per
    /// block: DeviceIo, DeviceMissing (too few leaves wrote), BadBlockPointer (place outside the
    /// vdev, or no such vdev), OutOfMemory (nothing was written).
    void write(std::span<BlockWrite> blocks, Txg txg);

    /// Everything written before is on stable storage. All leaves written to since their last
    /// flush, at the same time. A leaf whose flush fails has missed every txg written since then;
    /// its flush is not tried again. DeviceIo when a top-level vdev has lost more leaves since its
    /// last flush, by failed writes or flushes, than it can do without: then blocks written since
    /// may be lost, and no uberblock may refer to them.
    [[nodiscard]] Status flush();
    /// flush() repeats such an error until this is called: by a pool that was suspended and has
    /// written everything since its last good txg anew.
    void forgetLosses();

    /// Space that is free and will not be allocated meanwhile need not be kept: a hole in an image
    /// file, TRIM on a disk. A hint: nothing is reported. `size` as allocated.
    void discard(VdevId vdev, ByteOffset offset, ByteCount size);

    /// What leaves have missed since the tree was built: all that write() and flush() noted.
    [[nodiscard]] std::vector<MissedTxgs> missedWrites() const;

    /// A device came, went or failed: its parents' states follow. False for an unknown guid.
    bool setLeafState(VdevGuid leaf, VdevState state, VdevAux aux);

private:
    friend class detail::TreeBuilder;
    struct Private;

    explicit VdevTree(std::unique_ptr<Private> data);

    std::unique_ptr<Private> m_data;
};

} // namespace millpond::vdev
