// SPDX-License-Identifier: GPL-3.0-or-later
//
// Takes the place of space/'s allocator in the program it is linked into: the lowest free range
// first, no classes, and a fatal error when something else is given back than was taken. Space that
// is freed is free at once.
#include "space/allocator.h"

#include "base/check.h"
#include "base/mutex.h"

#include <QtGlobal>

#include <algorithm>
#include <map>

namespace millpond::space {

namespace {

struct Top
{
    const vdev::TopLevel* top = nullptr;
    RangeSet free;
    std::map<std::uint64_t, std::uint64_t> taken; ///< offset to size
};

} // namespace

struct Allocator::Private
{
    Mutex mutex;
    std::map<VdevId, Top> tops MP_GUARDED_BY(mutex);
};

Allocator::Allocator(std::unique_ptr<Private> data)
    : d(std::move(data))
{
}

Allocator::~Allocator() = default;

Result<std::unique_ptr<Allocator>> Allocator::create(std::vector<TopLevelSource> tops,
                                                     MetaslabLoader& /*loader*/,
                                                     const AllocatorOptions& /*options*/)
{
    auto data = std::make_unique<Private>();
    for (const TopLevelSource& source : tops) {
        Top top{.top = source.top, .free = {}, .taken = {}};
        top.free.add({MiB, source.top->allocatable().value()});
        const MutexLock lock(data->mutex);
        data->tops.emplace(source.top->id(), std::move(top));
    }
    return std::unique_ptr<Allocator>(new Allocator(std::move(data)));
}

Result<Extent> Allocator::allocate(const AllocationRequest& request)
{
    const MutexLock lock(d->mutex);
    for (const bool anywhere : {false, true}) {
        for (auto& [id, top] : d->tops) {
            const bool used = std::ranges::any_of(
                request.apartFrom, [&](const Extent& extent) { return extent.vdev == id; });
            if (used && !anywhere) {
                continue;
            }
            const std::uint64_t size = top.top->allocatedSize(request.physicalSize).value();
            std::optional<std::uint64_t> place;
            top.free.forEach([&](const Range& range) {
                if (!place && range.size() >= size) {
                    place = range.start;
                }
            });
            if (place) {
                top.free.remove({*place, *place + size});
                top.taken[*place] = size;
                return Extent{id, ByteOffset(*place), ByteCount(size)};
            }
        }
    }
    return fail(ErrorCode::NoSpace, "no range is that large");
}

Status Allocator::free(const Extent& extent, Txg /*txg*/)
{
    const MutexLock lock(d->mutex);
    Top& top = d->tops.at(extent.vdev);
    const auto found = top.taken.find(extent.offset.value());
    if (found == top.taken.end() || found->second != extent.size.value()) {
        qFatal("given back what was not taken");
    }
    top.free.add({found->first, found->first + found->second});
    top.taken.erase(found);
    return {};
}

Status Allocator::unallocate(const Extent& extent, Txg txg)
{
    return free(extent, txg);
}

Status Allocator::claim(const Extent& extent, Txg /*txg*/)
{
    const MutexLock lock(d->mutex);
    Top& top = d->tops.at(extent.vdev);
    const std::uint64_t start = extent.offset.value();
    if (top.free.remove({start, start + extent.size.value()}) != 0) {
        return fail(ErrorCode::BadSpaceMap, "not free");
    }
    top.taken[start] = extent.size.value();
    return {};
}

SpaceFigures Allocator::figures(VdevId vdev) const
{
    const MutexLock lock(d->mutex);
    SpaceFigures figures;
    const Top& top = d->tops.at(vdev);
    figures.size = top.top->allocatable().value();
    for (const auto& [offset, size] : top.taken) {
        figures.allocated += size;
    }
    return figures;
}

} // namespace millpond::space
