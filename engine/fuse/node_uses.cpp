// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuse/node_uses.h"

namespace millpond::fuse {

NodeUses::~NodeUses()
{
    const MutexLock lock(m_mutex);
    for (const auto& [nodeId, use] : m_uses) {
        use.fileSystem->writer->release(use.object);
    }
}

void NodeUses::add(std::uint64_t nodeId,
                   const OpenFileSystemRef& fileSystem,
                   ObjectId object,
                   bool isRetained)
{
    if (!fileSystem || !fileSystem->writer) {
        return;
    }
    const MutexLock lock(m_mutex);
    Use& use = m_uses[nodeId];
    if (use.count++ == 0) {
        use.fileSystem = fileSystem;
        use.object = object;
        if (!isRetained) {
            fileSystem->writer->retain(object);
        }
    } else if (isRetained) { // one is enough
        fileSystem->writer->release(object);
    }
}

OpenFileSystemRef NodeUses::forget(std::uint64_t nodeId, std::uint64_t times)
{
    Use last;
    {
        const MutexLock lock(m_mutex);
        const auto known = m_uses.find(nodeId);
        if (known == m_uses.end()) {
            return nullptr;
        }
        known->second.count -= std::min(known->second.count, times);
        if (known->second.count != 0) {
            return nullptr;
        }
        last = std::move(known->second);
        m_uses.erase(known);
    }
    last.fileSystem->writer->release(last.object);
    return last.fileSystem;
}

void NodeUses::addCachedWriter(std::uint64_t nodeId)
{
    const MutexLock lock(m_mutex);
    ++m_cachedWriters[nodeId];
}

void NodeUses::removeCachedWriter(std::uint64_t nodeId)
{
    const MutexLock lock(m_mutex);
    const auto known = m_cachedWriters.find(nodeId);
    if (known != m_cachedWriters.end() && --known->second == 0) {
        m_cachedWriters.erase(known);
    }
}

bool NodeUses::hasCachedWriter(std::uint64_t nodeId) const
{
    const MutexLock lock(m_mutex);
    return m_cachedWriters.contains(nodeId);
}

} // namespace millpond::fuse
