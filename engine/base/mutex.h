// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>

// std::mutex with clang's capability annotations (clang warns that std::mutex is not a capability).

#if defined(__clang__)
#define MP_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define MP_THREAD_ANNOTATION(x)
#endif
#define MP_CAPABILITY(x) MP_THREAD_ANNOTATION(capability(x))
#define MP_SCOPED_CAPABILITY MP_THREAD_ANNOTATION(scoped_lockable)
#define MP_GUARDED_BY(x) MP_THREAD_ANNOTATION(guarded_by(x))
#define MP_REQUIRES(...) MP_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define MP_EXCLUDES(...) MP_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define MP_ACQUIRE(...) MP_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define MP_ACQUIRE_SHARED(...) MP_THREAD_ANNOTATION(acquire_shared_capability(__VA_ARGS__))
#define MP_RELEASE(...) MP_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define MP_RELEASE_GENERIC(...) MP_THREAD_ANNOTATION(release_generic_capability(__VA_ARGS__))
#define MP_NO_THREAD_ANALYSIS MP_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace millpond {

class MP_CAPABILITY("mutex") Mutex
{
public:
    void lock() MP_ACQUIRE() { m_mutex.lock(); }

    void unlock() MP_RELEASE() { m_mutex.unlock(); }

private:
    friend class CondVar;
    std::mutex m_mutex;
};

class MP_CAPABILITY("shared_mutex") SharedMutex
{
public:
    void lock() MP_ACQUIRE() { m_mutex.lock(); }

    void unlock() MP_RELEASE() { m_mutex.unlock(); }

    void lockShared() MP_ACQUIRE_SHARED() { m_mutex.lock_shared(); }

    void unlockShared() MP_THREAD_ANNOTATION(release_shared_capability())
    {
        m_mutex.unlock_shared();
    }

private:
    std::shared_mutex m_mutex;
};

class MP_SCOPED_CAPABILITY MutexLock
{
public:
    explicit MutexLock(Mutex& mutex) MP_ACQUIRE(mutex)
        : m_mutex(mutex)
    {
        m_mutex.lock();
    }

    ~MutexLock() MP_RELEASE() { m_mutex.unlock(); }

    MutexLock(const MutexLock&) = delete;
    MutexLock& operator=(const MutexLock&) = delete;

private:
    Mutex& m_mutex;
};

class MP_SCOPED_CAPABILITY SharedLock
{
public:
    explicit SharedLock(SharedMutex& mutex) MP_ACQUIRE_SHARED(mutex)
        : m_mutex(mutex)
    {
        m_mutex.lockShared();
    }

    ~SharedLock() MP_RELEASE_GENERIC() { m_mutex.unlockShared(); }

    SharedLock(const SharedLock&) = delete;
    SharedLock& operator=(const SharedLock&) = delete;

private:
    SharedMutex& m_mutex;
};

class MP_SCOPED_CAPABILITY ExclusiveLock
{
public:
    explicit ExclusiveLock(SharedMutex& mutex) MP_ACQUIRE(mutex)
        : m_mutex(mutex)
    {
        m_mutex.lock();
    }

    ~ExclusiveLock() MP_RELEASE() { m_mutex.unlock(); }

    ExclusiveLock(const ExclusiveLock&) = delete;
    ExclusiveLock& operator=(const ExclusiveLock&) = delete;

private:
    SharedMutex& m_mutex;
};

/// Waits are written as loops around wait(), so that the analysis sees the lock held.
class CondVar
{
public:
    void wait(Mutex& mutex) MP_REQUIRES(mutex)
    {
        std::unique_lock<std::mutex> held(mutex.m_mutex, std::adopt_lock);
        m_condition.wait(held);
        held.release();
    }

    /// False when the time ran out.
    bool waitFor(Mutex& mutex, std::chrono::nanoseconds time) MP_REQUIRES(mutex)
    {
        std::unique_lock<std::mutex> held(mutex.m_mutex, std::adopt_lock);
        const bool woken = m_condition.wait_for(held, time) == std::cv_status::no_timeout;
        held.release();
        return woken;
    }

    void notifyOne() { m_condition.notify_one(); }

    void notifyAll() { m_condition.notify_all(); }

private:
    std::condition_variable m_condition;
};

} // namespace millpond
