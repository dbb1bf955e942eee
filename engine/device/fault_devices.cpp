// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/fault_devices.h"

#include "base/clock.h"

#include <algorithm>

namespace millpond::device {

void FaultyDevice::setPlan(Plan plan)
{
    const MutexLock lock(m_mutex);
    m_plan = std::move(plan);
}

std::uint64_t FaultyDevice::calls() const
{
    const MutexLock lock(m_mutex);
    return m_calls;
}

Status
FaultyDevice::step(const std::vector<DeviceRange> Plan::* bad, ByteOffset offset, std::size_t size)
{
    const MutexLock lock(m_mutex);
    const std::uint64_t call = m_calls++;
    if (call == m_plan.failAt || (call > m_plan.failAt && m_plan.stayFailed)) {
        return fail(ErrorCode::DeviceIo, "made to fail", {.path = path()});
    }
    if (bad != nullptr) {
        const auto& ranges = m_plan.*bad;
        if (std::any_of(ranges.begin(), ranges.end(), [&](const DeviceRange& range) {
                return range.touches(offset, size);
            })) {
            return fail(ErrorCode::DeviceIo, "bad sector", {.path = path()});
        }
    }
    return {};
}

Status FaultyDevice::read(ByteOffset offset, MutableBytes into)
{
    MP_TRY(step(&Plan::badReads, offset, into.size()));
    return inner().read(offset, into);
}

Status FaultyDevice::write(ByteOffset offset, Bytes from)
{
    MP_TRY(step(&Plan::badWrites, offset, from.size()));
    return inner().write(offset, from);
}

Status FaultyDevice::flush()
{
    MP_TRY(step(nullptr, {}, 0));
    return inner().flush();
}

Status FaultyDevice::discard(ByteOffset offset, ByteCount count)
{
    MP_TRY(step(nullptr, {}, 0));
    return inner().discard(offset, count);
}

void CorruptingDevice::setRanges(std::vector<DeviceRange> ranges)
{
    const MutexLock lock(m_mutex);
    m_ranges = std::move(ranges);
}

Status CorruptingDevice::read(ByteOffset offset, MutableBytes into)
{
    MP_TRY(inner().read(offset, into));
    const MutexLock lock(m_mutex);
    for (const DeviceRange& range : m_ranges) {
        const std::uint64_t first = std::max(offset.value(), range.offset.value());
        const std::uint64_t end =
            std::min(offset.value() + into.size(), (range.offset + range.size).value());
        for (std::uint64_t at = first; at < end; ++at) {
            // Never zero, so that every byte of the range differs from what is stored.
            const auto flip = static_cast<std::byte>(SeededRandom(m_seed ^ at).next() % 255 + 1);
            into[at - offset.value()] ^= flip;
        }
    }
    return {};
}

Status TornDevice::noPower() const
{
    return fail(ErrorCode::DeviceIo, "power failed", {.path = path()});
}

Status TornDevice::write(ByteOffset offset, Bytes from)
{
    const MutexLock lock(m_mutex);
    if (m_off) {
        return noPower();
    }
    if (m_writes++ < m_plan.tearWrite) {
        return inner().write(offset, from);
    }
    m_off = true;
    const std::size_t kept = std::min(from.size(), m_plan.keptSectors * logicalSector().value());
    MP_TRY(inner().write(offset, from.first(kept)));
    return noPower();
}

Status TornDevice::flush()
{
    const MutexLock lock(m_mutex);
    return m_off ? noPower() : inner().flush();
}

Status DelayDevice::read(ByteOffset offset, MutableBytes into)
{
    m_wait();
    return inner().read(offset, into);
}

Status DelayDevice::write(ByteOffset offset, Bytes from)
{
    m_wait();
    return inner().write(offset, from);
}

Status DelayDevice::flush()
{
    m_wait();
    return inner().flush();
}

} // namespace millpond::device
