// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuse/posix_acl_value.h"

namespace millpond::fuse {

namespace {
constexpr std::uint32_t kVersion = 2;
constexpr std::uint32_t kNobody = ~std::uint32_t{0}; ///< the id of entries that name none
constexpr std::size_t kEntryBytes = 8;

void append(std::vector<std::byte>& out, std::uint32_t value, std::size_t bytes)
{
    for (std::size_t i = 0; i < bytes; ++i) {
        out.push_back(static_cast<std::byte>(value >> (8 * i)));
    }
}

std::uint32_t tagValue(posix::AclEntry::Tag tag)
{
    using Tag = posix::AclEntry::Tag;
    switch (tag) {
    case Tag::UserObject:
        return 0x01;
    case Tag::User:
        return 0x02;
    case Tag::GroupObject:
        return 0x04;
    case Tag::Group:
        return 0x08;
    case Tag::Mask:
        return 0x10;
    case Tag::Other:
        return 0x20;
    }
    return 0;
}
} // namespace

std::vector<std::byte> posixAclValue(const std::vector<posix::AclEntry>& entries)
{
    std::vector<std::byte> value;
    value.reserve(sizeof(kVersion) + entries.size() * kEntryBytes);
    append(value, kVersion, sizeof(kVersion));
    for (const posix::AclEntry& entry : entries) {
        const bool named =
            entry.tag == posix::AclEntry::Tag::User || entry.tag == posix::AclEntry::Tag::Group;
        append(value, tagValue(entry.tag), 2);
        append(value, entry.permissions & 7U, 2);
        append(value, named ? entry.id : kNobody, 4);
    }
    return value;
}

} // namespace millpond::fuse
