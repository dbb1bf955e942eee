// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "base/mutex.h"
#include "posix/file_system.h"
#include "posix/file_system_writer.h"

#include <atomic>
#include <chrono>
#include <list>
#include <unordered_map>

namespace millpond::fuse {

using FileSystemRef = std::shared_ptr<posix::FileSystem>;
using WriterRef = std::shared_ptr<posix::FileSystemWriter>;

/// What decides how files of a dataset are written (DESIGN 8.2).
struct WriteState
{
    std::uint64_t available = 0; ///< bytes
    bool syncAlways = false;     ///< property sync
};

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
    std::atomic<std::uint64_t> syncedGroup = 0; ///< changes up to this txg are on stable storage

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

    explicit FileSystems(api::Pool& pool)
        : m_pool(pool)
    {
    }

    /// Opening may wait for a device: under CachedOnly that is WouldBlock. Else as
    /// Pool::fileSystem().
    [[nodiscard]] Result<OpenFileSystemRef>
    get(ObjsetId objset, const std::string& name, const posix::ReadContext& context);

    /// Asks for the state of a filesystem that is written to anew. Waits.
    [[nodiscard]] Status look(OpenFileSystem& fileSystem);
    /// Returns when what was changed in it up to now is on stable storage. WouldBlock under
    /// CachedOnly, unless it is already.
    [[nodiscard]] Status sync(OpenFileSystem& fileSystem, const posix::ReadContext& context);

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
    Mutex m_mutex;
    std::list<Open> m_recent MP_GUARDED_BY(m_mutex); ///< last used first
    std::unordered_map<ObjsetId, std::list<Open>::iterator> m_index MP_GUARDED_BY(m_mutex);
    /// Used by somebody, though perhaps not recently.
    std::unordered_map<ObjsetId, std::weak_ptr<OpenFileSystem>> m_written MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::fuse
