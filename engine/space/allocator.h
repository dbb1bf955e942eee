// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/function_ref.h"
#include "base/result.h"
#include "base/types.h"
#include "format/space_map.h"
#include "space/space_map_sink.h"
#include "vdev/vdev.h"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace millpond::space {

/// Allocated space, parity and padding included: what a DVA says.
struct Extent
{
    VdevId vdev;
    ByteOffset offset;
    ByteCount size;

    bool operator==(const Extent&) const = default;
};

/// A metaslab as it is found at import, or made.
struct MetaslabSource
{
    ObjectId map; ///< 0: never written to, all free
    std::uint64_t mapBlockBytes = 0;
    /// Of the map's header: `length`, `allocated`, histogram.
    format::SpaceMapPhys header;
    /// Bytes in use, changes in log space maps included.
    std::uint64_t allocated = 0;
    /// The map is not the whole truth (log space maps) or cannot be appended to (other byte order):
    /// the first sync writes it anew.
    bool rewrite = false;
};

struct TopLevelSource
{
    const vdev::TopLevel* top = nullptr; ///< outlives the allocator
    unsigned metaslabShift = 0;
    std::vector<MetaslabSource> metaslabs;
};

struct AllocatorOptions
{
    /// Features of the pool: entries of two words.
    bool spacemapV2 = true;
    /// While the normal class has no more free space than this, freed space is not kept back for
    /// two txgs. [slop]
    ByteCount scarce{0};
    /// Metaslabs that nobody allocated from for so many txgs leave memory.
    std::uint64_t unloadAfterTxgs = 64;
};

struct AllocationRequest
{
    vdev::AllocationClass allocationClass = vdev::AllocationClass::Normal;
    ByteCount physicalSize; ///< 1 to format::kMaxBlockBytes
    Txg txg;                ///< open, quiescing or syncing
    /// Where the block's other copies are: another top-level vdev if there is one, else another
    /// metaslab if there is one.
    std::span<const Extent> apartFrom;
    /// Members of a gang stay near its header: this vdev first.
    std::optional<VdevId> near;
    /// No falling back from special and dedup to normal, and from log to normal.
    bool onlyThisClass = false;
};

/// Sums over one class (or one top-level vdev), in bytes.
struct SpaceFigures
{
    std::uint64_t size = 0;
    std::uint64_t allocated = 0; ///< deferred included, as OpenZFS counts
    std::uint64_t deferred = 0;  ///< freed, but kept back for now

    [[nodiscard]] std::uint64_t free() const { return size > allocated ? size - allocated : 0; }

    void add(const SpaceFigures& other)
    {
        size += other.size;
        allocated += other.allocated;
        deferred += other.deferred;
    }
};

/// Hands out the space of all top-level vdevs and writes down what is in use [metaslab]. One per
/// pool. Theory statement: allocator.cpp. Thread-safe: allocate(), free(), unallocate(), claim()
/// and figures from any thread at any time; sync() and syncDone() from the sync thread.
class Allocator
{
public:
    /// `loader` outlives the allocator. Nothing is loaded yet. BadSpaceMap for figures that make no
    /// sense.
    [[nodiscard]] static Result<std::unique_ptr<Allocator>> create(std::vector<TopLevelSource> tops,
                                                                   MetaslabLoader& loader,
                                                                   const AllocatorOptions& options);
    ~Allocator();
    Allocator(const Allocator&) = delete;
    Allocator& operator=(const Allocator&) = delete;

    /// A vdev was added to the pool (all of its metaslabs new), in syncing context.
    [[nodiscard]] Status addTopLevel(TopLevelSource top);
    void setScarce(ByteCount scarce);

    /// Space for a block. May read a metaslab's map. NoSpace when no vdev of the class (nor of
    /// normal, unless onlyThisClass) has one range that large: a gang may still do. Metaslabs that
    /// are not in memory while sync() writes their maps are passed over. Errors of loading are
    /// those of the MetaslabLoader, met only when no other metaslab has room.
    [[nodiscard]] Result<Extent> allocate(const AllocationRequest& request);
    /// Gives space back: in use until the end of the txg, and then kept back for two more, so that
    /// a crash, and readers of the last txgs, find the old content. BadSpaceMap for what is not
    /// allocated, as far as that is known without reading.
    [[nodiscard]] Status free(const Extent& extent, Txg txg);
    /// Takes an allocation of this txg back that nothing refers to: at once, unless sync() has
    /// written it down already; then like free().
    [[nodiscard]] Status unallocate(const Extent& extent, Txg txg);
    /// Marks a range as allocated that is in use but not written down: log blocks at import. May
    /// read. BadSpaceMap when it is not free or not inside a metaslab.
    [[nodiscard]] Status claim(const Extent& extent, Txg txg);

    /// Appends what was allocated and freed in `txg` since the last pass to the maps. Several
    /// passes: writing maps takes space itself. An error leaves the txg unfinished: the pool is to
    /// be suspended.
    [[nodiscard]] Status sync(Txg txg, unsigned pass, SpaceMapSink& sink);
    /// There is something for sync() to write.
    [[nodiscard]] bool isDirty(Txg txg) const;

    using Released = FunctionRef<void(const Extent&)>;
    /// The txg is on stable storage. Every txg, in order. Space freed in the txg before the last
    /// becomes free; `released` is told of each range before that (automatic trim), by this thread.
    void syncDone(Txg txg, const Released& released);
    void syncDone(Txg txg);

    /// Calls `visit` for each free range of at least `minimum` bytes of a metaslab, which nobody is
    /// given meanwhile: for trimming. Reads. BadSpaceMap, NoSuchDevice (no such metaslab).
    [[nodiscard]] Status
    visitFree(const MetaslabId& metaslab, ByteCount minimum, const Released& visit);

    [[nodiscard]] SpaceFigures figures(vdev::AllocationClass allocationClass) const;
    [[nodiscard]] SpaceFigures figures(VdevId vdev) const;
    /// The longest range known to be free in the class: of loaded metaslabs exact, else a lower
    /// bound by histograms.
    [[nodiscard]] ByteCount largestFree(vdev::AllocationClass allocationClass) const;
    [[nodiscard]] std::size_t metaslabCount(VdevId vdev) const;
    [[nodiscard]] bool hasClass(vdev::AllocationClass allocationClass) const;
    /// Metaslabs in memory, for tests and statistics.
    [[nodiscard]] std::size_t loadedMetaslabs() const;

private:
    struct Private;

    explicit Allocator(std::unique_ptr<Private> data);

    std::unique_ptr<Private> d;
};

} // namespace millpond::space
