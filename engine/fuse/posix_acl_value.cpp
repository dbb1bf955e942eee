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

std::optional<posix::AclEntry::Tag> tagOf(std::uint32_t value)
{
    using Tag = posix::AclEntry::Tag;
    for (const Tag tag :
         {Tag::UserObject, Tag::User, Tag::GroupObject, Tag::Group, Tag::Mask, Tag::Other}) {
        if (tagValue(tag) == value) {
            return tag;
        }
    }
    return std::nullopt;
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

Result<std::vector<posix::AclEntry>> posixAclEntries(Bytes value)
{
    const auto invalid = [] { return fail(ErrorCode::InvalidArgument, "not a POSIX ACL"); };
    const auto numberAt = [value](std::size_t at, std::size_t bytes) {
        std::uint32_t number = 0;
        for (std::size_t i = 0; i < bytes; ++i) {
            number |= std::to_integer<std::uint32_t>(value[at + i]) << (8 * i);
        }
        return number;
    };
    if (value.size() < sizeof(kVersion) || (value.size() - sizeof(kVersion)) % kEntryBytes != 0 ||
        numberAt(0, sizeof(kVersion)) != kVersion) {
        return invalid();
    }
    std::vector<posix::AclEntry> entries;
    for (std::size_t at = sizeof(kVersion); at < value.size(); at += kEntryBytes) {
        const std::optional<posix::AclEntry::Tag> tag = tagOf(numberAt(at, 2));
        const std::uint32_t permissions = numberAt(at + 2, 2);
        if (!tag || permissions > 7) {
            return invalid();
        }
        const bool named =
            *tag == posix::AclEntry::Tag::User || *tag == posix::AclEntry::Tag::Group;
        entries.push_back(
            {*tag, named ? numberAt(at + 4, 4) : 0, static_cast<std::uint8_t>(permissions)});
    }
    return entries;
}

} // namespace millpond::fuse
