// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "object/attributes.h"
#include "object/zap.h"
#include "posix/detail/attribute_cache.h"
#include "posix/detail/object_locks.h"
#include "posix/detail/xattr_name.h"
#include "posix/detail/znode.h"
#include "posix/file_system.h"

#include <functional>

namespace millpond::posix {

/// What a FileSystem's parts share.
struct FileSystem::Private
{
    struct File
    {
        object::DnodeRef dnode;
        detail::Znode znode;
    };

    [[nodiscard]] Result<File> file(ObjectId object, const ReadContext& context);
    [[nodiscard]] Result<std::shared_ptr<const Attributes>> attributes(ObjectId object,
                                                                       const ReadContext& context);
    /// Of an object whose lock the caller holds, or whose parent alone he wants to know.
    [[nodiscard]] Result<std::shared_ptr<const Attributes>>
    attributesUnlocked(ObjectId object, const ReadContext& context);
    /// As files are shown: with what their attributes alone do not say.
    [[nodiscard]] Result<std::shared_ptr<Attributes>> present(const detail::Znode& znode,
                                                              const ReadContext& context);
    /// What is known of an object, brought up to date where only a sync has changed it.
    [[nodiscard]] Result<std::shared_ptr<const Attributes>> known(ObjectId object,
                                                                  const ReadContext& context);
    /// The table of a directory, which the caller keeps as it is; NotDirectory.
    [[nodiscard]] Result<object::Zap> directory(ObjectId object, const ReadContext& context);
    [[nodiscard]] Result<DirectoryEntry> entryOf(const object::ZapEntry& entry,
                                                 ObjectId directory) const;
    /// By the file system's rule for names.
    [[nodiscard]] Result<object::ZapEntry>
    lookup(const object::Zap& zap, std::string_view name, const ReadContext& context) const;
    /// The dnode of a regular file and its size in bytes.
    [[nodiscard]] Result<object::DnodeRef>
    regular(ObjectId object, std::uint64_t& size, const ReadContext& context);

    // Extended attributes, by the names they are stored under.
    [[nodiscard]] Result<bool>
    hasXattr(const detail::Znode& znode, std::string_view stored, const ReadContext& context);
    [[nodiscard]] Result<std::optional<std::vector<std::byte>>>
    storedXattr(const detail::Znode& znode, std::string_view stored, const ReadContext& context);
    [[nodiscard]] Result<std::optional<ObjectId>>
    xattrFile(const detail::Znode& znode, std::string_view stored, const ReadContext& context);

    [[nodiscard]] Result<std::vector<format::Ace>> nfsv4Acl(const detail::Znode& znode,
                                                            const ReadContext& context);

    [[nodiscard]] Result<std::vector<std::string>> domains(const ReadContext& context);

    /// Replaced by whoever writes when the registry or the layouts grow.
    [[nodiscard]] std::shared_ptr<const object::AttributeTable> attributeTable()
    {
        const MutexLock lock(tableMutex);
        return table;
    }

    void setAttributeTable(std::shared_ptr<const object::AttributeTable> grown)
    {
        const MutexLock lock(tableMutex);
        table = std::move(grown);
    }

    /// Keeps an object as it is while it is read: a directory's entries, a file with all its
    /// extended attributes. Never under another one. WouldBlock.
    [[nodiscard]] Result<detail::ObjectLocks::Held> keep(ObjectId object,
                                                         const ReadContext& context)
    {
        return locks == nullptr ? Result<detail::ObjectLocks::Held>(detail::ObjectLocks::Held())
                                : locks->acquire({{object, false}}, context.wait);
    }

    std::shared_ptr<object::ObjectSet> objset;
    Mutex tableMutex; ///< a leaf
    std::shared_ptr<const object::AttributeTable> table MP_GUARDED_BY(tableMutex);
    /// Null unless there is a FileSystemWriter: nothing changes then.
    std::unique_ptr<detail::ObjectLocks> locks;
    std::function<bool(ObjectId)> isDirty; ///< null without a writer
    ShowOptions show;
    std::uint64_t version = 0;
    ObjectId root;
    ObjectId fuidTable;   ///< 0: none
    ObjectId unlinkedSet; ///< 0: none
    object::NameMatching matching;
    detail::AttributeCache cache;
};

} // namespace millpond::posix
