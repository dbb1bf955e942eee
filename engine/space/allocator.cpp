// SPDX-License-Identifier: GPL-3.0-or-later
// Theory of the allocator
//
// Purpose. Hands out the space of a pool's top-level vdevs and keeps the space maps, so that what
// is marked as in use at every synced txg is exactly what is in use.
//
// In memory. A metaslab (detail/metaslab.h) is loaded when space is first wanted from it: then its
// free space is there by place and by size (detail/free_space.h). Whatever happens to it meanwhile
// is a set of ranges for each txg: allocating → (sync) in the map; freeing → (sync) free in the
// map, "freed" → (end of the txg) deferred → (two txgs later) free. A free needs no loading.
//
// Choice. A class is a circle of top-level vdevs; each gets allocations in turn, amounts in
// proportion to its free space, so that all fill up at the same time. In a vdev, one metaslab is
// active for first copies, others for second and third ones; an active one is used as long as it
// has room for what is asked, then the one that promises the longest run is next, lower addresses
// first. In a metaslab the next run behind the last allocation that is long enough is set aside and
// cut off from its front; where runs are scarce, the shortest that fits.
//
// INV-1 A range is free, or allocated, or kept back; never two of these. Space freed in txg T is
//       given out when T+2 is on stable storage at the earliest (unless scarce): until then two
//       older uberblocks and slow readers find what they refer to.
// INV-2 At the end of a txg a map describes exactly what was allocated and not freed up to that
//       txg: allocations of later txgs (log blocks) are not in it.
// INV-3 A map is read and written by one thread at a time: the flags Loading and syncing exclude
//       each other. Neither happens under the lock, because the map's object is read and written
//       through layers above, which allocate and free themselves.
// INV-4 Free space found in a map agrees with the figures it was opened with, or the metaslab is
//       Broken: it is used no more, frees are still written down.
//
// Log space maps are read (the loader's matter) but never written: a metaslab that has changes in
// them is marked `rewrite`, and its first sync writes its map anew.
//
// Concurrency. One lock, held for a few hundred nanoseconds; released while a map is read or
// written and while released ranges are told of.
//
// Failure. A map that can't be read costs its metaslab. A map that can't be written fails the sync
// of the txg, and with it the pool. After a crash nothing is kept back: the last uberblock is
// whole, and what was freed before it is free.
//
// Cost. An allocation cuts a run: constant time, else a few binary searches; bounded by the number
// of metaslabs where none has room. Memory: 32 bytes for each free range of loaded metaslabs.
//
// Sources. OpenZFS module/zfs/metaslab.c (deferral, condensing, spreading of copies, what is
// written when), space_map.c.
#include "space/allocator.h"

#include "base/mutex.h"
#include "space/detail/map_words.h"
#include "space/detail/metaslab.h"
#include "space/detail/vdev_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace millpond::space {

using detail::Metaslab;
using detail::VdevSpace;
using vdev::AllocationClass;

namespace {

constexpr std::size_t kClasses = 4;

std::size_t classIndex(AllocationClass allocationClass)
{
    return static_cast<std::size_t>(allocationClass);
}

/// Where a class's requests go when it has no room.
std::optional<AllocationClass> fallback(AllocationClass from)
{
    switch (from) {
    case AllocationClass::Dedup:
        return AllocationClass::Special;
    case AllocationClass::Special:
    case AllocationClass::Log:
        return AllocationClass::Normal;
    case AllocationClass::Normal:
        break;
    }
    return std::nullopt;
}

/// A class: its vdevs in a circle.
struct Circle
{
    std::vector<VdevSpace*> tops;
    std::size_t turn = 0;
    std::uint64_t given = 0; ///< since it is this one's turn

    [[nodiscard]] std::uint64_t averageFree() const
    {
        std::uint64_t sum = 0;
        for (const VdevSpace* top : tops) {
            sum += top->freeBytes() / tops.size();
        }
        return sum;
    }

    void next()
    {
        turn = (turn + 1) % tops.size();
        given = 0;
    }
};

} // namespace

struct Allocator::Private
{
    Private(MetaslabLoader& mapLoader, const AllocatorOptions& chosen)
        : loader(mapLoader)
        , options(chosen)
    {
    }

    MetaslabLoader& loader;
    mutable Mutex mutex;
    CondVar changed; ///< a metaslab is no longer Loading, syncing or disabled
    AllocatorOptions options MP_GUARDED_BY(mutex);
    std::map<std::uint32_t, std::unique_ptr<VdevSpace>> tops MP_GUARDED_BY(mutex);
    std::array<Circle, kClasses> circles MP_GUARDED_BY(mutex);
    std::array<std::set<Metaslab*>, detail::kTxgSlots> dirty MP_GUARDED_BY(mutex);
    std::set<Metaslab*> keepingBack MP_GUARDED_BY(mutex); ///< something freed or deferred
    std::set<Metaslab*> toRewrite MP_GUARDED_BY(mutex);

    [[nodiscard]] Status add(TopLevelSource source) MP_REQUIRES(mutex);
    [[nodiscard]] VdevSpace* top(VdevId id) MP_REQUIRES(mutex);

    /// Waits for, or does, the reading of the map. The lock is released meanwhile.
    [[nodiscard]] Status load(Metaslab& metaslab) MP_REQUIRES(mutex);
    [[nodiscard]] Result<std::optional<Extent>> takeFromClass(AllocationClass from,
                                                              const AllocationRequest& request)
        MP_REQUIRES(mutex);
    [[nodiscard]] Result<std::optional<Extent>> takeFromTop(VdevSpace& top,
                                                            const AllocationRequest& request)
        MP_REQUIRES(mutex);
    [[nodiscard]] std::optional<Extent> takeFrom(Metaslab& metaslab, ByteCount size, Txg txg)
        MP_REQUIRES(mutex);

    struct Place
    {
        Metaslab* metaslab = nullptr;
        Range range; ///< in it
    };

    [[nodiscard]] Result<Place> locate(const Extent& extent) MP_REQUIRES(mutex);
    [[nodiscard]] Status giveBack(const Extent& extent, Txg txg) MP_REQUIRES(mutex);

    [[nodiscard]] Status syncOne(Metaslab& metaslab, Txg txg, unsigned pass, SpaceMapSink& sink)
        MP_REQUIRES(mutex);

    [[nodiscard]] bool scarceNow() const MP_REQUIRES(mutex);
    void unloadIdle(Txg txg) MP_REQUIRES(mutex);
    [[nodiscard]] SpaceFigures figuresOf(const Circle& circle) const MP_REQUIRES(mutex);
};

Status Allocator::Private::add(TopLevelSource source)
{
    const std::uint32_t id = source.top->id().value();
    auto space = MP_TRY(VdevSpace::create(std::move(source)));
    if (tops.contains(id)) {
        return fail(ErrorCode::BadSpaceMap, "a top-level vdev twice");
    }
    Circle& circle = circles[classIndex(space->allocationClass())];
    circle.tops.push_back(space.get());
    for (const auto& metaslab : space->metaslabs()) {
        if (metaslab->rewrite) {
            toRewrite.insert(metaslab.get());
        }
    }
    tops.emplace(id, std::move(space));
    return {};
}

VdevSpace* Allocator::Private::top(VdevId id)
{
    const auto found = tops.find(id.value());
    return found == tops.end() ? nullptr : found->second.get();
}

// --- loading -----------------------------------------------------------------------------------

Status Allocator::Private::load(Metaslab& metaslab)
{
    while (metaslab.state == Metaslab::State::Loading ||
           (metaslab.state == Metaslab::State::Unloaded && metaslab.syncing)) // INV-3
    {
        changed.wait(mutex);
    }
    if (metaslab.state == Metaslab::State::Broken) {
        return fail(Error(*metaslab.whyBroken));
    }
    if (metaslab.state == Metaslab::State::Loaded) {
        return {};
    }
    metaslab.state = Metaslab::State::Loading;
    const MetaslabId id = metaslab.place.id;
    const ObjectId map = metaslab.map.object;
    Result<RangeSet> allocated = RangeSet();
    if (map != ObjectId()) {
        mutex.unlock();
        allocated = loader.allocated(id, map);
        mutex.lock();
    }
    Status loaded =
        allocated ? metaslab.becomeLoaded(*allocated) : Status(fail(std::move(allocated).error()));
    if (!loaded) {
        metaslab.state = Metaslab::State::Broken; // INV-4
        metaslab.whyBroken = loaded.error();
    }
    top(id.vdev)->reconsider(metaslab);
    changed.notifyAll();
    return loaded;
}

// --- allocating --------------------------------------------------------------------------------

std::optional<Extent> Allocator::Private::takeFrom(Metaslab& metaslab, ByteCount size, Txg txg)
{
    const auto at = metaslab.take(size.value(), txg);
    if (!at) {
        return std::nullopt;
    }
    top(metaslab.place.id.vdev)->noteUsed(size.value());
    dirty[detail::txgSlot(txg)].insert(&metaslab);
    return Extent{.vdev = metaslab.place.id.vdev,
                  .offset = ByteOffset(metaslab.place.start + *at),
                  .size = size};
}

/// Nothing: no room here.
Result<std::optional<Extent>> Allocator::Private::takeFromTop(VdevSpace& space,
                                                              const AllocationRequest& request)
{
    const ByteCount size = space.top().allocatedSize(request.physicalSize);
    VdevSpace::Search search = space.search(size.value(), request.apartFrom);
    std::optional<Error> failure;
    while (Metaslab* metaslab = search.next()) {
        if (metaslab->state == Metaslab::State::Unloaded && metaslab->syncing) {
            // Its map is being written, perhaps by this very thread, which needs space for that.
            continue;
        }
        if (metaslab->state != Metaslab::State::Loaded) {
            if (Status loaded = load(*metaslab); !loaded) {
                failure = std::move(loaded).error();
                continue;
            }
            if (metaslab->disabled) {
                continue;
            }
        }
        if (const auto taken = takeFrom(*metaslab, size, request.txg)) {
            search.settleFor(*metaslab);
            return std::optional(*taken);
        }
        space.reconsider(*metaslab);
    }
    if (failure) {
        return fail(*std::move(failure));
    }
    return std::optional<Extent>();
}

Result<std::optional<Extent>> Allocator::Private::takeFromClass(AllocationClass from,
                                                                const AllocationRequest& request)
{
    Circle& circle = circles[classIndex(from)];
    const std::size_t count = circle.tops.size();
    std::optional<Error> failure;
    const auto isNear = [&](const VdevSpace* space, std::optional<VdevId> id) {
        return id && space->top().id() == *id;
    };
    const auto holdsCopy = [&](const VdevSpace* space) {
        return std::ranges::any_of(
            request.apartFrom, [&](const Extent& extent) { return isNear(space, extent.vdev); });
    };
    // Followers of another block start at its vdev, or behind it; they do not turn the circle.
    std::size_t first = circle.turn;
    const bool follows = request.near || !request.apartFrom.empty();
    for (std::size_t i = 0; i < count; ++i) {
        if (isNear(circle.tops[i], request.near)) {
            first = i;
        } else if (!request.near && !request.apartFrom.empty() &&
                   isNear(circle.tops[i], request.apartFrom.back().vdev)) {
            first = (i + 1) % count;
        }
    }
    for (const bool alsoBesideCopies : {false, true}) {
        for (std::size_t i = 0; i < count; ++i) {
            VdevSpace& space = *circle.tops[(first + i) % count];
            if (holdsCopy(&space) != alsoBesideCopies) {
                continue;
            }
            Result<std::optional<Extent>> taken = takeFromTop(space, request);
            if (!taken) {
                failure = std::move(taken).error();
            } else if (*taken) {
                if (!follows) {
                    circle.turn = (first + i) % count;
                    circle.given += request.physicalSize.value();
                    if (circle.given >= space.share(circle.averageFree())) {
                        circle.next();
                    }
                }
                return taken;
            }
        }
    }
    if (failure) {
        return fail(*std::move(failure));
    }
    return std::optional<Extent>();
}

Result<Extent> Allocator::allocate(const AllocationRequest& request)
{
    const MutexLock lock(d->mutex);
    std::optional<Error> failure;
    for (std::optional<AllocationClass> from = request.allocationClass; from;
         from = request.onlyThisClass ? std::nullopt : fallback(*from)) {
        Result<std::optional<Extent>> taken = d->takeFromClass(*from, request);
        if (!taken) {
            failure = std::move(taken).error();
        } else if (*taken) {
            return **taken;
        }
    }
    if (failure) {
        return fail(*std::move(failure));
    }
    return fail(ErrorCode::NoSpace,
                fmt::format("no range for a block of {} bytes", request.physicalSize.value()));
}

// --- giving back -------------------------------------------------------------------------------

Result<Allocator::Private::Place> Allocator::Private::locate(const Extent& extent)
{
    VdevSpace* space = top(extent.vdev);
    Metaslab* metaslab = space == nullptr ? nullptr : space->metaslabAt(extent.offset.value());
    const std::uint64_t start =
        metaslab == nullptr ? 0 : extent.offset.value() - metaslab->place.start;
    const std::uint64_t units =
        metaslab == nullptr ? 0 : (std::uint64_t{1} << metaslab->place.unitShift) - 1;
    if (metaslab == nullptr || extent.size == ByteCount(0) ||
        extent.size.value() > metaslab->place.size - start ||
        ((start | extent.size.value()) & units) != 0) {
        return fail(ErrorCode::BadSpaceMap,
                    fmt::format("{} bytes at {:#x} of vdev {} are not inside one metaslab",
                                extent.size.value(),
                                extent.offset.value(),
                                extent.vdev.value()));
    }
    return Place{.metaslab = metaslab, .range = {start, start + extent.size.value()}};
}

Status Allocator::Private::giveBack(const Extent& extent, Txg txg)
{
    const Place place = MP_TRY(locate(extent));
    if (!place.metaslab->giveBack(place.range, txg)) // INV-1
    {
        return fail(ErrorCode::BadSpaceMap,
                    fmt::format("a free of what is free: {} bytes at {:#x} of vdev {}",
                                extent.size.value(),
                                extent.offset.value(),
                                extent.vdev.value()),
                    {.txg = txg});
    }
    dirty[detail::txgSlot(txg)].insert(place.metaslab);
    return {};
}

Status Allocator::free(const Extent& extent, Txg txg)
{
    const MutexLock lock(d->mutex);
    return d->giveBack(extent, txg);
}

Status Allocator::unallocate(const Extent& extent, Txg txg)
{
    const MutexLock lock(d->mutex);
    const Private::Place place = MP_TRY(d->locate(extent));
    if (!place.metaslab->takeBack(place.range, txg)) {
        return d->giveBack(extent, txg);
    }
    VdevSpace& space = *d->top(extent.vdev);
    space.noteFree(extent.size.value());
    space.reconsider(*place.metaslab);
    return {};
}

Status Allocator::claim(const Extent& extent, Txg txg)
{
    const MutexLock lock(d->mutex);
    const Private::Place place = MP_TRY(d->locate(extent));
    MP_TRY(d->load(*place.metaslab));
    if (!place.metaslab->takeAt(place.range, txg)) {
        return fail(ErrorCode::BadSpaceMap,
                    fmt::format("a claim of what is not free: {} bytes at {:#x} of vdev {}",
                                extent.size.value(),
                                extent.offset.value(),
                                extent.vdev.value()));
    }
    d->top(extent.vdev)->noteUsed(extent.size.value());
    d->dirty[detail::txgSlot(txg)].insert(place.metaslab);
    return {};
}

// --- writing down ------------------------------------------------------------------------------

namespace {

/// What one pass has to write of one metaslab.
struct MapUpdate
{
    bool anew = false;
    RangeSet allocatedBefore; ///< anew: the state that the passes of this txg change
    RangeSet allocated, freed;
};

Status writeMap(const MapUpdate& update,
                const Metaslab::Place& place,
                const format::SpaceMapDebug& debug,
                bool twoWords,
                SpaceMapSink& sink,
                SpaceMapSink::Map& map,
                format::SpaceMapPhys& header)
{
    using Type = format::SpaceMapEntry::Type;
    if (map.object == ObjectId()) {
        map = MP_TRY(sink.createMap(place.id));
        header = format::SpaceMapPhys();
    } else if (update.anew) {
        map = MP_TRY(sink.truncateMap(place.id, map.object));
        header = format::SpaceMapPhys();
    }
    detail::MapWords words({.unitShift = place.unitShift,
                            .blockBytes = map.blockBytes,
                            .length = header.length.value(),
                            .twoWords = twoWords});
    const format::SpaceMapDebug allocate{Type::Allocate, debug.syncPass, debug.txg};
    words.add(update.allocatedBefore, allocate);
    words.add(update.allocated, allocate);
    words.add(update.freed, {Type::Free, debug.syncPass, debug.txg});
    if (!words.bytes().empty()) {
        MP_TRY(sink.append(map.object, ByteOffset(header.length.value()), words.bytes()));
    }
    header.object = map.object;
    header.length += ByteCount(words.bytes().size());
    header.allocated += static_cast<std::int64_t>(update.allocatedBefore.total()) +
                        static_cast<std::int64_t>(update.allocated.total()) -
                        static_cast<std::int64_t>(update.freed.total());
    return {};
}

RangeSet takeSet(RangeSet& set)
{
    RangeSet taken = std::move(set);
    set.clear();
    return taken;
}

} // namespace

Status Allocator::Private::syncOne(Metaslab& metaslab, Txg txg, unsigned pass, SpaceMapSink& sink)
{
    if (metaslab.rewrite) {
        MP_TRY(load(metaslab));
    }
    while (metaslab.state == Metaslab::State::Loading) // INV-3
    {
        changed.wait(mutex);
    }
    detail::MetaslabChanges& changes = metaslab.changes();
    MapUpdate update;
    update.allocated = takeSet(changes.allocating[detail::txgSlot(txg)]);
    update.freed = takeSet(changes.freeing[detail::txgSlot(txg)]);
    const bool loaded = metaslab.state == Metaslab::State::Loaded;
    update.anew = pass == 1 && loaded && (metaslab.rewrite || metaslab.shouldCondense());
    if (!update.anew && update.allocated.empty() && update.freed.empty()) {
        return {};
    }
    if (update.anew) {
        (void)update.allocatedBefore.add(metaslab.whole());
        metaslab.freeInMap(update.allocated).forEach([&](Range range) {
            (void)update.allocatedBefore.remove(range);
        });
    }
    // Freed now: it is out of `freeing`, and a second free of it is still noticed.
    update.freed.forEach([&](Range range) { (void)changes.freed.add(range); });
    if (!update.freed.empty()) {
        keepingBack.insert(&metaslab);
        top(metaslab.place.id.vdev)->noteKept(update.freed.total());
    }
    metaslab.syncing = true;
    SpaceMapSink::Map map = metaslab.map;
    format::SpaceMapPhys header = metaslab.header;
    const bool twoWords = options.spacemapV2;
    mutex.unlock();
    Status written = writeMap(update, metaslab.place, {{}, pass, txg}, twoWords, sink, map, header);
    mutex.lock();
    metaslab.map = map;
    metaslab.header = header;
    // Of a metaslab that is not loaded only the change is known.
    metaslab.updateHistogram(metaslab.state == Metaslab::State::Loaded ? RangeSet() : update.freed);
    top(metaslab.place.id.vdev)->reconsider(metaslab);
    header = metaslab.header;
    if (written) {
        mutex.unlock();
        written = sink.setHeader(map.object, header);
        mutex.lock();
    }
    metaslab.syncing = false;
    changed.notifyAll();
    if (written && metaslab.rewrite) {
        metaslab.rewrite = false;
        toRewrite.erase(&metaslab);
    }
    return written;
}

Status Allocator::sync(Txg txg, unsigned pass, SpaceMapSink& sink)
{
    const MutexLock lock(d->mutex);
    // Writing maps makes others dirty: those are the next pass's.
    std::set<Metaslab*> now = std::exchange(d->dirty[detail::txgSlot(txg)], {});
    if (pass == 1) {
        now.insert(d->toRewrite.begin(), d->toRewrite.end());
    }
    for (Metaslab* metaslab : now) {
        MP_TRY(d->syncOne(*metaslab, txg, pass, sink));
    }
    return {};
}

bool Allocator::isDirty(Txg txg) const
{
    const MutexLock lock(d->mutex);
    const std::size_t slot = detail::txgSlot(txg);
    return !d->toRewrite.empty() ||
           std::ranges::any_of(d->dirty[slot], [&](const Metaslab* metaslab) {
               const detail::MetaslabChanges* changes = metaslab->anyChanges();
               return changes != nullptr &&
                      !(changes->allocating[slot].empty() && changes->freeing[slot].empty());
           });
}

// --- the end of a txg --------------------------------------------------------------------------

SpaceFigures Allocator::Private::figuresOf(const Circle& circle) const
{
    SpaceFigures sum;
    for (const VdevSpace* space : circle.tops) {
        sum.add(space->figures());
    }
    return sum;
}

bool Allocator::Private::scarceNow() const
{
    return figuresOf(circles[classIndex(AllocationClass::Normal)]).free() <= options.scarce.value();
}

void Allocator::Private::unloadIdle(Txg txg)
{
    constexpr std::uint64_t kEveryTxgs = 16;
    if (txg.value() % kEveryTxgs != 0) {
        return;
    }
    for (const auto& [id, space] : tops) {
        for (const auto& metaslab : space->metaslabs()) {
            const detail::MetaslabChanges* changes = metaslab->anyChanges();
            if (metaslab->state == Metaslab::State::Loaded && !metaslab->syncing &&
                !metaslab->disabled && (changes == nullptr || changes->noneAllocating()) &&
                metaslab->lastUsed.value() + options.unloadAfterTxgs < txg.value()) {
                metaslab->unload();
                space->forget(*metaslab);
            }
        }
    }
}

void Allocator::syncDone(Txg txg, const Released& released)
{
    const MutexLock lock(d->mutex);
    const bool scarce = d->options.scarce != ByteCount(0) && d->scarceNow();
    std::vector<Extent> extents;
    for (Metaslab* metaslab : d->keepingBack) {
        metaslab->forEachReleasable(txg, scarce, [&](Range range) {
            extents.push_back({.vdev = metaslab->place.id.vdev,
                               .offset = ByteOffset(metaslab->place.start + range.start),
                               .size = ByteCount(range.size())});
        });
    }
    // Only this thread touches what is kept back.
    d->mutex.unlock();
    for (const Extent& extent : extents) {
        released(extent);
    }
    d->mutex.lock();
    for (auto it = d->keepingBack.begin(); it != d->keepingBack.end();) {
        Metaslab& metaslab = **it;
        while (metaslab.state == Metaslab::State::Loading) // INV-3: it leaves out what we hold
        {
            d->changed.wait(d->mutex);
        }
        VdevSpace& space = *d->top(metaslab.place.id.vdev);
        const std::uint64_t before = metaslab.used;
        metaslab.release(txg, scarce);
        space.noteFree(before - metaslab.used);
        space.noteReleased(before - metaslab.used);
        space.reconsider(metaslab);
        const detail::MetaslabChanges* changes = metaslab.anyChanges();
        it = changes == nullptr || changes->keptBack() == 0 ? d->keepingBack.erase(it)
                                                            : std::next(it);
    }
    d->unloadIdle(txg);
}

void Allocator::syncDone(Txg txg)
{
    syncDone(txg, [](const Extent&) {});
}

Status Allocator::visitFree(const MetaslabId& id, ByteCount minimum, const Released& visit)
{
    const MutexLock lock(d->mutex);
    VdevSpace* space = d->top(id.vdev);
    if (space == nullptr || id.index >= space->metaslabs().size()) {
        return fail(ErrorCode::NoSuchDevice, "no such metaslab");
    }
    Metaslab& metaslab = *space->metaslabs()[id.index];
    while (metaslab.disabled) {
        d->changed.wait(d->mutex);
    }
    MP_TRY(d->load(metaslab));
    metaslab.disabled = true;
    metaslab.settle();
    std::vector<Extent> extents;
    metaslab.freeSpace().ranges().forEach([&](Range range) {
        if (range.size() >= minimum.value()) {
            extents.push_back({.vdev = id.vdev,
                               .offset = ByteOffset(metaslab.place.start + range.start),
                               .size = ByteCount(range.size())});
        }
    });
    d->mutex.unlock();
    for (const Extent& extent : extents) {
        visit(extent);
    }
    d->mutex.lock();
    metaslab.disabled = false;
    d->changed.notifyAll();
    return {};
}

// --- the rest ----------------------------------------------------------------------------------

Allocator::Allocator(std::unique_ptr<Private> data)
    : d(std::move(data))
{
}

Allocator::~Allocator() = default;

Result<std::unique_ptr<Allocator>> Allocator::create(std::vector<TopLevelSource> tops,
                                                     MetaslabLoader& loader,
                                                     const AllocatorOptions& options)
{
    std::unique_ptr<Allocator> allocator(new Allocator(std::make_unique<Private>(loader, options)));
    for (TopLevelSource& top : tops) {
        MP_TRY(allocator->addTopLevel(std::move(top)));
    }
    return allocator;
}

Status Allocator::addTopLevel(TopLevelSource top)
{
    const MutexLock lock(d->mutex);
    return d->add(std::move(top));
}

void Allocator::setScarce(ByteCount scarce)
{
    const MutexLock lock(d->mutex);
    d->options.scarce = scarce;
}

SpaceFigures Allocator::figures(AllocationClass allocationClass) const
{
    const MutexLock lock(d->mutex);
    return d->figuresOf(d->circles[classIndex(allocationClass)]);
}

SpaceFigures Allocator::figures(VdevId vdev) const
{
    const MutexLock lock(d->mutex);
    const VdevSpace* space = d->top(vdev);
    return space == nullptr ? SpaceFigures() : space->figures();
}

ByteCount Allocator::largestFree(AllocationClass allocationClass) const
{
    const MutexLock lock(d->mutex);
    std::uint64_t largest = 0;
    for (const VdevSpace* space : d->circles[classIndex(allocationClass)].tops) {
        for (const auto& metaslab : space->metaslabs()) {
            if (metaslab->state != Metaslab::State::Broken) {
                largest = std::max(largest, metaslab->longestRun());
            }
        }
    }
    return ByteCount(largest);
}

std::size_t Allocator::metaslabCount(VdevId vdev) const
{
    const MutexLock lock(d->mutex);
    const VdevSpace* space = d->top(vdev);
    return space == nullptr ? 0 : space->metaslabs().size();
}

bool Allocator::hasClass(AllocationClass allocationClass) const
{
    const MutexLock lock(d->mutex);
    return !d->circles[classIndex(allocationClass)].tops.empty();
}

std::size_t Allocator::loadedMetaslabs() const
{
    const MutexLock lock(d->mutex);
    std::size_t loaded = 0;
    for (const auto& [id, space] : d->tops) {
        loaded += static_cast<std::size_t>(
            std::ranges::count_if(space->metaslabs(), [](const auto& metaslab) {
                return metaslab->state == Metaslab::State::Loaded;
            }));
    }
    return loaded;
}

} // namespace millpond::space
