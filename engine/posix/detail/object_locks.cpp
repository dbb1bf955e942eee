// SPDX-License-Identifier: GPL-3.0-or-later
#include "posix/detail/object_locks.h"

#include <algorithm>

namespace millpond::posix::detail {

ObjectLocks::Held::Held(ObjectLocks& locks, std::vector<Request> requests)
    : m_locks(&locks)
    , m_requests(std::move(requests))
{
}

ObjectLocks::Held::Held(Held&& other) noexcept
    : m_locks(std::exchange(other.m_locks, nullptr))
    , m_requests(std::move(other.m_requests))
{
}

ObjectLocks::Held& ObjectLocks::Held::operator=(Held&& other) noexcept
{
    if (this != &other) {
        release();
        m_locks = std::exchange(other.m_locks, nullptr);
        m_requests = std::move(other.m_requests);
    }
    return *this;
}

ObjectLocks::Held::~Held()
{
    release();
}

void ObjectLocks::Held::release()
{
    if (m_locks != nullptr) {
        std::exchange(m_locks, nullptr)->release(m_requests);
    }
}

Result<ObjectLocks::Held> ObjectLocks::acquire(std::vector<Request> requests, block::Wait wait)
{
    std::ranges::sort(requests, [](const Request& a, const Request& b) {
        return a.object != b.object ? a.object < b.object : a.exclusive > b.exclusive;
    });
    const auto repeated = std::ranges::unique(requests, {}, &Request::object);
    requests.erase(repeated.begin(), repeated.end());
    const MutexLock lock(m_mutex);
    if (!available(requests, false)) {
        if (wait == block::Wait::CachedOnly) {
            return fail(ErrorCode::WouldBlock, "another change is being made");
        }
        countWaiting(requests, true);
        while (!available(requests, true)) {
            m_released.wait(m_mutex);
        }
        countWaiting(requests, false);
    }
    for (const Request& request : requests) {
        State& state = m_states[request.object];
        if (request.exclusive) {
            state.exclusive = true;
        } else {
            ++state.sharers;
        }
    }
    return Held(*this, std::move(requests));
}

bool ObjectLocks::available(const std::vector<Request>& requests, bool waited) const
{
    return std::ranges::all_of(requests, [&](const Request& request) MP_NO_THREAD_ANALYSIS {
        const auto found = m_states.find(request.object);
        if (found == m_states.end()) {
            return true;
        }
        const State& state = found->second;
        if (state.exclusive) {
            return false;
        }
        return request.exclusive ? state.sharers == 0 : waited || state.waiting == 0;
    });
}

void ObjectLocks::countWaiting(const std::vector<Request>& requests, bool begin)
{
    for (const Request& request : requests) {
        if (!request.exclusive) {
            continue;
        }
        State& state = m_states[request.object];
        if (begin) {
            ++state.waiting;
        } else {
            --state.waiting;
            dropUnused(request.object);
        }
    }
}

void ObjectLocks::dropUnused(ObjectId object)
{
    const auto found = m_states.find(object);
    const State& state = found->second;
    if (!state.exclusive && state.sharers == 0 && state.waiting == 0) {
        m_states.erase(found);
    }
}

void ObjectLocks::release(const std::vector<Request>& requests)
{
    {
        const MutexLock lock(m_mutex);
        for (const Request& request : requests) {
            State& state = m_states[request.object];
            if (request.exclusive) {
                state.exclusive = false;
            } else {
                --state.sharers;
            }
            dropUnused(request.object);
        }
    }
    m_released.notifyAll();
}

} // namespace millpond::posix::detail
