// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuse/file_systems.h"

namespace millpond::fuse {

FileSystemRef FileSystems::find(ObjsetId objset)
{
    const MutexLock lock(m_mutex);
    const auto known = m_index.find(objset);
    if (known == m_index.end()) {
        return nullptr;
    }
    m_recent.splice(m_recent.begin(), m_recent, known->second);
    return known->second->fileSystem;
}

void FileSystems::insert(ObjsetId objset, FileSystemRef fileSystem)
{
    FileSystemRef dropped; // destroyed after the lock is gone
    const MutexLock lock(m_mutex);
    if (m_index.contains(objset)) {
        return; // somebody was faster
    }
    m_recent.push_front({objset, std::move(fileSystem)});
    m_index[objset] = m_recent.begin();
    if (m_recent.size() > kMaxOpen) {
        dropped = std::move(m_recent.back().fileSystem);
        m_index.erase(m_recent.back().objset);
        m_recent.pop_back();
    }
}

Result<FileSystemRef>
FileSystems::get(ObjsetId objset, const std::string& name, const posix::ReadContext& context)
{
    if (FileSystemRef known = find(objset)) {
        return known;
    }
    if (context.wait == block::Wait::CachedOnly) {
        return fail(ErrorCode::WouldBlock, "the dataset has to be opened first");
    }
    FileSystemRef opened = MP_TRY(m_pool.fileSystem(name));
    insert(objset, opened);
    return opened;
}

} // namespace millpond::fuse
