// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "fuse/file_systems.h"

#include <unordered_map>

namespace millpond::fuse {

/// Which files the kernel knows and has open, so that those that lose their last name stay as long
/// (FileSystemWriter::retain). Only of what is written to: nothing else loses names. What the
/// kernel has not given back is given back at the end. Thread-safe.
class NodeUses
{
public:
    NodeUses() = default;
    ~NodeUses();
    NodeUses(const NodeUses&) = delete;
    NodeUses& operator=(const NodeUses&) = delete;

    /// The kernel is about to be told of a node once more. Does nothing without a writer. With
    /// `isRetained` the caller hands a retain() of its own over.
    void add(std::uint64_t nodeId,
             const OpenFileSystemRef& fileSystem,
             ObjectId object,
             bool isRetained = false);
    /// The kernel has forgotten it so many times; the file system, when it was its last use there.
    OpenFileSystemRef forget(std::uint64_t nodeId, std::uint64_t times);

    /// Files open for writing through the kernel's cache: it may have pages that we have not.
    void addCachedWriter(std::uint64_t nodeId);
    void removeCachedWriter(std::uint64_t nodeId);
    [[nodiscard]] bool hasCachedWriter(std::uint64_t nodeId) const;

private:
    struct Use
    {
        OpenFileSystemRef fileSystem;
        ObjectId object;
        std::uint64_t count = 0;
    };

    mutable Mutex m_mutex;
    std::unordered_map<std::uint64_t, Use> m_uses MP_GUARDED_BY(m_mutex);
    std::unordered_map<std::uint64_t, std::uint64_t> m_cachedWriters MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::fuse
