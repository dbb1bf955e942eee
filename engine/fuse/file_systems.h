// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "base/mutex.h"
#include "fuse/write_access.h"
#include "posix/file_system.h"

#include <atomic>
#include <chrono>
#include <list>
#include <unordered_map>

namespace millpond::fuse {

using FileSystemRef = std::shared_ptr<posix::FileSystem>;

/// A filesystem or snapshot that is in use. Thread-safe.
class OpenFileSystem
{
public:
    FileSystemRef files;
    WriterRef writer; ///< null where nothing can be changed
    std::string name;

    /// Somebody is on the way to free what is unlinked, to look at the state anew.
    std::atomic<bool> drainQueued = false, lookQueued = false;
    /// Something was unlinked since it was opened.
    std::atomic<bool> mayHaveUnlinked = true;

    using Clock = std::chrono::steady_clock;

    void setState(const WriteState& state)
    {
        const MutexLock lock(m_mutex);
        m_state = state;
        m_known = Clock::now();
    }

    /// As it was lately.
    [[nodiscard]] WriteState state() const
    {
        const MutexLock lock(m_mutex);
        return m_state;
    }

    [[nodiscard]] bool isStateOld() const
    {
        const MutexLock lock(m_mutex);
        return Clock::now() - m_known > kStateAge;
    }

private:
    static constexpr std::chrono::milliseconds kStateAge{500};

    mutable Mutex m_mutex;
    WriteState m_state MP_GUARDED_BY(m_mutex);
    Clock::time_point m_known MP_GUARDED_BY(m_mutex);
};

using OpenFileSystemRef = std::shared_ptr<OpenFileSystem>;

/// The filesystems and snapshots of a pool that are in use. Each brings a cache of attributes, so
/// only the kMaxOpen used last are kept beyond what somebody holds. Thread-safe.
class FileSystems
{
public:
    static constexpr std::size_t kMaxOpen = 48;

    /// Null: nothing is written to.
    FileSystems(api::Pool& pool, std::shared_ptr<WriteAccess> access)
        : m_pool(pool)
        , m_access(std::move(access))
    {
    }

    /// Opening may wait for a device: under CachedOnly that is WouldBlock. Else as
    /// Pool::fileSystem().
    [[nodiscard]] Result<OpenFileSystemRef>
    get(ObjsetId objset, const std::string& name, const posix::ReadContext& context);

    /// Asks for the state of a filesystem that is written to anew. Waits.
    [[nodiscard]] Status look(OpenFileSystem& fileSystem);

    [[nodiscard]] WriteAccess* access() const { return m_access.get(); }

private:
    struct Open
    {
        ObjsetId objset;
        OpenFileSystemRef fileSystem;
    };

    [[nodiscard]] OpenFileSystemRef find(ObjsetId objset);
    [[nodiscard]] OpenFileSystemRef insert(ObjsetId objset, OpenFileSystemRef fileSystem);
    [[nodiscard]] Result<OpenFileSystemRef> open(const std::string& name);

    api::Pool& m_pool;
    const std::shared_ptr<WriteAccess> m_access;
    Mutex m_mutex;
    std::list<Open> m_recent MP_GUARDED_BY(m_mutex); ///< last used first
    std::unordered_map<ObjsetId, std::list<Open>::iterator> m_index MP_GUARDED_BY(m_mutex);
    /// Opened, and used by somebody, though perhaps not recently: never opened twice.
    std::unordered_map<ObjsetId, std::weak_ptr<OpenFileSystem>> m_written MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::fuse
