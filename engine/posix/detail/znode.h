// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format/znode.h"
#include "object/attributes.h"
#include "posix/file_system.h"

namespace millpond::posix::detail {

/// Everything a file's bonus buffer (and spill block) says, brought into one form from the two
/// layouts. The variable parts are copied only when asked for.
struct Znode
{
    Attributes attributes; ///< without hasAccessAcl, which needs the extended attributes
    std::uint64_t rawUid = 0, rawGid = 0; ///< FUIDs

    // Variable parts, empty when there is none.
    std::vector<std::byte> link;      ///< a short link's target
    std::vector<std::byte> xattrList; ///< packed extended attributes
    std::vector<std::byte> acl;       ///< entries or, in the old layout, the ACL part
    std::uint64_t aclCount = 0;
    bool aclIsOld = false; ///< all comes from the old layout
    ByteOrder aclOrder = ByteOrder::Little;
};

/// `table` is null where the file system has no system attributes. NoSuchObject for an object that
/// is no file; BadAttributes when the bytes make no sense.
[[nodiscard]] Result<Znode> readZnode(object::ObjectSet& objset,
                                      const object::AttributeTable* table,
                                      const object::Dnode& dnode,
                                      const ReadContext& context);

/// The old layout alone, which lies in the bonus buffer. BadAttributes.
[[nodiscard]] Result<Znode> decodeOldZnode(const object::Dnode& dnode);

/// Blocks and their size, which the dnode knows.
void setSpaceUsed(Attributes& attributes, const object::Dnode& dnode);

} // namespace millpond::posix::detail
