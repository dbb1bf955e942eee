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
    opened->name = name;
    const bool isSnapshot = name.find('@') != std::string::npos;
    if (m_pool.isWritable() && !isSnapshot) {
        opened->writer = MP_TRY(m_pool.writer(name));
    }
    if (!opened->writer) {
        opened->files = MP_TRY(m_pool.fileSystem(name));
        return opened;
    }
    opened->files = opened->writer->files();
    MP_TRY(look(*opened));
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
    api::DatasetQuery query;
    query.roots = {fileSystem.name};
    query.properties = {"sync"};
    WriteState state;
    for (const api::DatasetRow& row : MP_TRY(m_pool.datasets(query))) {
        for (const api::PropertyValue& property : row.properties) {
            state.syncAlways = property.name == "sync" && property.value == "always";
        }
    }
    state.available = MP_TRY(m_pool.facts(fileSystem.name)).available;
    fileSystem.setState(state);
    return {};
}

Status FileSystems::sync(OpenFileSystem& fileSystem, const posix::ReadContext& context)
{
    if (!fileSystem.writer) {
        return {};
    }
    const Txg group = fileSystem.writer->group();
    if (group.value() <= fileSystem.syncedGroup.load()) {
        return {};
    }
    if (context.wait == block::Wait::CachedOnly) {
        return fail(ErrorCode::WouldBlock, "it is not on stable storage yet");
    }
    MP_TRY(m_pool.waitSynced(group));
    std::uint64_t known = fileSystem.syncedGroup.load();
    while (known < group.value() &&
           !fileSystem.syncedGroup.compare_exchange_weak(known, group.value())) {
    }
    return {};
}

} // namespace millpond::fuse
