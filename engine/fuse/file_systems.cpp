// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuse/file_systems.h"

namespace millpond::fuse {

OpenFileSystemRef FileSystems::find(ObjsetId objset)
{
    const MutexLock lock(m_mutex);
    const auto known = m_index.find(objset);
    if (known == m_index.end()) {
        return nullptr;
    }
    m_recent.splice(m_recent.begin(), m_recent, known->second);
    return known->second->fileSystem;
}

OpenFileSystemRef FileSystems::insert(ObjsetId objset, OpenFileSystemRef fileSystem)
{
    OpenFileSystemRef dropped; // destroyed after the lock is gone
    const MutexLock lock(m_mutex);
    if (const auto known = m_index.find(objset); known != m_index.end()) {
        return known->second->fileSystem; // somebody was faster
    }
    if (fileSystem->writer) {
        std::weak_ptr<OpenFileSystem>& written = m_written[objset];
        if (OpenFileSystemRef used = written.lock()) {
            fileSystem = std::move(used);
        }
        written = fileSystem;
    }
    m_recent.push_front({objset, fileSystem});
    m_index[objset] = m_recent.begin();
    if (m_recent.size() > kMaxOpen) {
        dropped = std::move(m_recent.back().fileSystem);
        m_index.erase(m_recent.back().objset);
        m_recent.pop_back();
    }
    return fileSystem;
}

Result<OpenFileSystemRef> FileSystems::open(const std::string& name)
{
    auto opened = std::make_shared<OpenFileSystem>();
    const bool isSnapshot = name.find('@') != std::string::npos;
    if (m_access && !isSnapshot) {
        opened->writer = MP_TRY(m_access->writer(name));
    }
    if (!opened->writer) {
        opened->files = MP_TRY(m_pool.fileSystem(name));
        return opened;
    }
    opened->files = opened->writer->files();
    opened->name = name;
    opened->setState(MP_TRY(m_access->state(name)));
    return opened;
}

Result<OpenFileSystemRef>
FileSystems::get(ObjsetId objset, const std::string& name, const posix::ReadContext& context)
{
    if (OpenFileSystemRef known = find(objset)) {
        return known;
    }
    if (context.wait == block::Wait::CachedOnly) {
        return fail(ErrorCode::WouldBlock, "the dataset has to be opened first");
    }
    return insert(objset, MP_TRY(open(name)));
}

Status FileSystems::look(OpenFileSystem& fileSystem)
{
    fileSystem.setState(MP_TRY(m_access->state(fileSystem.name)));
    return {};
}

} // namespace millpond::fuse
