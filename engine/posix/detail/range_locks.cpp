// SPDX-License-Identifier: GPL-3.0-or-later
#include "posix/detail/range_locks.h"

#include <algorithm>
#include <utility>

namespace millpond::posix::detail {

RangeLocks::Held::Held(RangeLocks& locks, ObjectId object, Place place)
    : m_locks(&locks)
    , m_object(object)
    , m_place(place)
{
}

RangeLocks::Held::Held(Held&& other) noexcept
    : m_locks(std::exchange(other.m_locks, nullptr))
    , m_object(other.m_object)
    , m_place(other.m_place)
{
}

RangeLocks::Held& RangeLocks::Held::operator=(Held&& other) noexcept
{
    std::swap(m_locks, other.m_locks);
    std::swap(m_object, other.m_object);
    std::swap(m_place, other.m_place);
    return *this;
}

RangeLocks::Held::~Held()
{
    if (m_locks != nullptr) {
        m_locks->release(m_object, m_place);
    }
}

Result<RangeLocks::Held> RangeLocks::acquire(ObjectId object, const Range& range, block::Wait wait)
{
    const MutexLock lock(m_mutex);
    std::list<Range>& ranges = m_ranges[object]; // stays where it is while somebody is in it
    const Held::Place place = ranges.insert(ranges.end(), range);
    const auto isFree = [&] {
        return std::none_of(ranges.begin(), place, [&](const Range& other) {
            return other.begin < range.end && range.begin < other.end;
        });
    };
    if (wait == block::Wait::CachedOnly && !isFree()) {
        ranges.erase(place); // not the only one: another is in its way
        return fail(ErrorCode::WouldBlock, "this part of the file is being written");
    }
    while (!isFree()) {
        m_released.wait(m_mutex);
    }
    return Held(*this, object, place);
}

void RangeLocks::release(ObjectId object, Held::Place place)
{
    {
        const MutexLock lock(m_mutex);
        const auto found = m_ranges.find(object);
        found->second.erase(place);
        if (found->second.empty()) {
            m_ranges.erase(found);
        }
    }
    m_released.notifyAll();
}

} // namespace millpond::posix::detail
