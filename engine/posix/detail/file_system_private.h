// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "object/attributes.h"
#include "object/zap.h"
#include "posix/detail/attribute_cache.h"
#include "posix/detail/xattr_name.h"
#include "posix/detail/znode.h"
#include "posix/file_system.h"

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
    /// The table of a directory; NotDirectory.
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

    [[nodiscard]] Result<std::vector<std::string>> domains(const ReadContext& context);

    std::shared_ptr<object::ObjectSet> objset;
    std::optional<object::AttributeTable> table;
    ShowOptions show;
    std::uint64_t version = 0;
    ObjectId root;
    ObjectId fuidTable;   ///< 0: none
    ObjectId unlinkedSet; ///< 0: none
    object::NameMatching matching;
    detail::AttributeCache cache;
};

} // namespace millpond::posix
