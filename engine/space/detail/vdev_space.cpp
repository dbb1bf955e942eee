// SPDX-License-Identifier: GPL-3.0-or-later
#include "space/detail/vdev_space.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::space::detail {

namespace {

constexpr unsigned kMaxMetaslabShift = 50;
/// What a vdev of one data disk gets in its turn, where all have the same free space: long enough
/// for a sequential write, short enough that one file uses all vdevs.
constexpr std::uint64_t kShareBytes = 2 * MiB;
constexpr std::uint64_t kMinShareBytes = 64 * KiB;

Status checkMetaslab(const MetaslabSource& source, std::uint64_t size, const vdev::TopLevel& top)
{
    const bool neverWritten = source.map == ObjectId();
    if (source.allocated > size || (neverWritten && source.allocated != 0) ||
        (!neverWritten && (source.mapBlockBytes < 512 || source.mapBlockBytes % 8 != 0))) {
        return fail(ErrorCode::BadSpaceMap,
                    fmt::format("a metaslab of {} bytes with {} allocated, its map in blocks of {}",
                                size,
                                source.allocated,
                                source.mapBlockBytes),
                    {.vdev = top.guid(), .object = source.map});
    }
    return {};
}

std::uint64_t dataDisks(const vdev::TopLevel& top)
{
    if (top.kind() != vdev::VdevKind::Raidz) {
        return 1;
    }
    const std::uint64_t width = top.config().listArray("children").size();
    const std::uint64_t parity = top.config().u64("nparity").value_or(1);
    return width > parity ? width - parity : 1;
}

} // namespace

Result<std::unique_ptr<VdevSpace>> VdevSpace::create(TopLevelSource source)
{
    const vdev::TopLevel& top = *source.top;
    const unsigned unitShift = top.ashift().value();
    if (source.metaslabShift > kMaxMetaslabShift || source.metaslabShift < unitShift) {
        return fail(ErrorCode::BadSpaceMap,
                    fmt::format("metaslabs of 2^{} bytes", source.metaslabShift),
                    {.vdev = top.guid()});
    }
    const std::uint64_t size = std::uint64_t{1} << source.metaslabShift;
    if (source.metaslabs.size() > top.allocatable().value() / size) {
        return fail(ErrorCode::BadSpaceMap,
                    fmt::format("{} metaslabs do not fit", source.metaslabs.size()),
                    {.vdev = top.guid()});
    }
    std::unique_ptr<VdevSpace> space(new VdevSpace);
    space->m_top = &top;
    space->m_shift = source.metaslabShift;
    for (std::size_t i = 0; i < source.metaslabs.size(); ++i) {
        MP_TRY(checkMetaslab(source.metaslabs[i], size, top));
        const Metaslab::Place place{.id = {.vdev = top.id(), .index = i},
                                    .start = i << source.metaslabShift,
                                    .size = size,
                                    .unitShift = unitShift};
        auto metaslab = std::make_unique<Metaslab>(place, source.metaslabs[i]);
        space->m_figures.size += size;
        space->m_figures.allocated += metaslab->used;
        space->m_order.emplace(metaslab->estimate, metaslab.get());
        space->m_metaslabs.push_back(std::move(metaslab));
    }
    return space;
}

Metaslab* VdevSpace::metaslabAt(std::uint64_t offset) const
{
    const std::uint64_t index = offset >> m_shift;
    return index < m_metaslabs.size() ? m_metaslabs[static_cast<std::size_t>(index)].get()
                                      : nullptr;
}

std::uint64_t VdevSpace::share(std::uint64_t averageFree) const
{
    if (allocationClass() == vdev::AllocationClass::Log) {
        return 0; // Log blocks are written one after another: each goes to the next device.
    }
    const double part = static_cast<double>(freeBytes()) /
                        static_cast<double>(std::max<std::uint64_t>(averageFree, 1));
    const auto share =
        static_cast<std::uint64_t>(static_cast<double>(kShareBytes * dataDisks(*m_top)) * part);
    return std::max(share, kMinShareBytes);
}

void VdevSpace::reconsider(Metaslab& metaslab)
{
    const std::uint64_t estimate =
        metaslab.state == Metaslab::State::Broken ? 0 : metaslab.longestRun();
    m_order.erase({metaslab.estimate, &metaslab});
    metaslab.estimate = estimate;
    m_order.emplace(estimate, &metaslab);
}

void VdevSpace::forget(Metaslab& metaslab)
{
    reconsider(metaslab);
    std::ranges::replace(m_active, &metaslab, nullptr);
}

VdevSpace::Search VdevSpace::search(std::uint64_t size, std::span<const Extent> apartFrom)
{
    Search search;
    search.m_space = this;
    search.m_size = size;
    for (const Extent& extent : apartFrom) {
        if (extent.vdev == m_top->id()) {
            search.m_apart.push_back(metaslabAt(extent.offset.value()));
        }
    }
    search.m_kind = std::min(search.m_apart.size(), kKinds - 1);
    return search;
}

bool VdevSpace::Search::isTaken(const Metaslab& metaslab) const
{
    if (std::ranges::find(m_apart, &metaslab) != m_apart.end()) {
        return true;
    }
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
        if (kind != m_kind && m_space->m_active[kind] == &metaslab) {
            return true;
        }
    }
    return false;
}

bool VdevSpace::Search::usable(const Metaslab& metaslab) const
{
    return metaslab.state != Metaslab::State::Broken && !metaslab.disabled &&
           std::ranges::find(m_tried, &metaslab) == m_tried.end();
}

Metaslab* VdevSpace::Search::promising(bool shared)
{
    for (const auto& [estimate, metaslab] : m_space->m_order) {
        if (estimate < m_size) {
            break;
        }
        if (usable(*metaslab) && (shared || !isTaken(*metaslab))) {
            return metaslab;
        }
    }
    return nullptr;
}

/// Histograms do not know of runs that grew together.
Metaslab* VdevSpace::Search::unloaded()
{
    for (const auto& metaslab : m_space->m_metaslabs) {
        if (metaslab->state == Metaslab::State::Unloaded && usable(*metaslab) &&
            metaslab->place.size - metaslab->used >= m_size) {
            return metaslab.get();
        }
    }
    return nullptr;
}

Metaslab* VdevSpace::Search::candidate()
{
    switch (m_step) {
    case Step::Active: {
        Metaslab* active = m_space->m_active[m_kind];
        const bool apart = std::ranges::find(m_apart, active) == m_apart.end();
        return active != nullptr && apart && usable(*active) ? active : nullptr;
    }
    case Step::Promising:
        return promising(false);
    case Step::Shared:
        return promising(true);
    case Step::AgainstHope:
        return unloaded();
    case Step::Nowhere:
        break;
    }
    return nullptr;
}

Metaslab* VdevSpace::Search::next()
{
    while (m_step != Step::Nowhere) {
        if (Metaslab* found = candidate()) {
            m_tried.push_back(found);
            return found;
        }
        m_step = Step(static_cast<std::uint8_t>(m_step) + 1);
    }
    return nullptr;
}

void VdevSpace::Search::settleFor(Metaslab& metaslab)
{
    if (m_step == Step::Promising || m_step == Step::AgainstHope) {
        m_space->m_active[m_kind] = &metaslab;
    }
}

} // namespace millpond::space::detail
