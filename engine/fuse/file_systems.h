// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "base/mutex.h"
#include "posix/file_system.h"

#include <list>
#include <unordered_map>

namespace millpond::fuse {

using FileSystemRef = std::shared_ptr<posix::FileSystem>;

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
    [[nodiscard]] Result<FileSystemRef>
    get(ObjsetId objset, const std::string& name, const posix::ReadContext& context);

private:
    struct Open
    {
        ObjsetId objset;
        FileSystemRef fileSystem;
    };

    [[nodiscard]] FileSystemRef find(ObjsetId objset);
    void insert(ObjsetId objset, FileSystemRef fileSystem);

    api::Pool& m_pool;
    Mutex m_mutex;
    std::list<Open> m_recent MP_GUARDED_BY(m_mutex); ///< last used first
    std::unordered_map<ObjsetId, std::list<Open>::iterator> m_index MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::fuse
