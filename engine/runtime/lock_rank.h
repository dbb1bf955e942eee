// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/check.h"
#include "base/mutex.h"

#include <array>
#include <cstdint>

namespace millpond::runtime {

/// The order of locks that may be held together. A thread takes a lock only while every lock it
/// holds has a smaller rank: layers on top come first, because they call down. Locks that are never
/// held across a call into another class need no rank; they use Mutex.
enum class LockRank : std::uint8_t
{
    Mount = 10,   ///< fuse/, daemon/
    Pool = 20,    ///< pool/, api/
    Dataset = 30, ///< dataset/
    File = 40,    ///< posix/, volume/
    Object = 50,  ///< object/
    Block = 60,   ///< block/ cache
    Vdev = 70,    ///< vdev/ tree
    Device = 80,  ///< device/
    Leaf = 90,    ///< held for a few instructions, calls nothing
};

#ifndef NDEBUG
namespace detail {
/// Ranks held by this thread: debug builds only, and never more than a few.
struct HeldRanks
{
    static constexpr std::size_t kMax = 16;
    std::array<LockRank, kMax> ranks{};
    std::size_t count = 0;
};

inline HeldRanks& heldRanks()
{
    thread_local HeldRanks held;
    return held;
}
} // namespace detail
#endif

/// A Mutex whose order is checked in debug builds.
template <LockRank Rank> class MP_CAPABILITY("mutex") RankedMutex
{
public:
    void lock() MP_ACQUIRE()
    {
#ifndef NDEBUG
        detail::HeldRanks& held = detail::heldRanks();
        for (std::size_t i = 0; i < held.count; ++i) {
            MP_CHECK(held.ranks[i] < Rank);
        }
        MP_CHECK(held.count < detail::HeldRanks::kMax);
        held.ranks[held.count++] = Rank;
#endif
        m_mutex.lock();
    }

    void unlock() MP_RELEASE()
    {
        m_mutex.unlock();
#ifndef NDEBUG
        detail::HeldRanks& held = detail::heldRanks();
        for (std::size_t i = held.count; i-- > 0;) {
            if (held.ranks[i] == Rank) {
                held.ranks[i] = held.ranks[--held.count];
                break;
            }
        }
#endif
    }

private:
    std::mutex m_mutex;
};

template <LockRank Rank> class MP_SCOPED_CAPABILITY RankedLock
{
public:
    explicit RankedLock(RankedMutex<Rank>& mutex) MP_ACQUIRE(mutex)
        : m_mutex(mutex)
    {
        m_mutex.lock();
    }

    ~RankedLock() MP_RELEASE() { m_mutex.unlock(); }

    RankedLock(const RankedLock&) = delete;
    RankedLock& operator=(const RankedLock&) = delete;

private:
    RankedMutex<Rank>& m_mutex;
};

} // namespace millpond::runtime
