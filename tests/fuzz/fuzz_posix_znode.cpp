// SPDX-License-Identifier: GPL-3.0-or-later
// Attributes of files from any bytes: the old znode with a link behind it, POSIX ACLs, names of
// extended attributes.
#include "posix/detail/posix_acl.h"
#include "posix/detail/xattr_name.h"
#include "posix/detail/znode.h"

#include "base/cursor.h"

#include <cstdlib>

using namespace millpond;

namespace {

/// The old layout needs no object set: the bonus buffer is all there is.
void znode(Bytes bytes, ByteOrder order)
{
    object::Dnode dnode;
    dnode.bonusType = format::number(format::ObjectType::Znode);
    dnode.order = order;
    dnode.dataBlockBytes = 512;
    dnode.bonus.assign(bytes.begin(), bytes.end());
    const auto decoded = posix::detail::decodeOldZnode(dnode);
    if (decoded && decoded->link.size() > bytes.size()) {
        std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) {
        return 0;
    }
    const Bytes bytes = std::as_bytes(std::span(data, size)).subspan(1);
    znode(bytes, (data[0] & 1) != 0 ? ByteOrder::Big : ByteOrder::Little);
    const auto acl = posix::detail::decodePosixAcl(bytes);
    if (acl && acl->size() > bytes.size()) {
        std::abort();
    }
    const std::string_view name = textOf(bytes);
    (void)posix::detail::shownXattrName(name);
    (void)posix::detail::shownXattrName(name);
    for (const std::string& stored : posix::detail::storedXattrNames(name)) {
        // No name of the user's leads out of the user's namespace.
        if (name.starts_with("user.") && stored != name &&
            posix::detail::shownXattrName(stored) != name) {
            std::abort();
        }
    }
    return 0;
}
