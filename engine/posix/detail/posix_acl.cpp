// SPDX-License-Identifier: GPL-3.0-or-later
#include "posix/detail/posix_acl.h"

#include "base/cursor.h"

namespace millpond::posix::detail {

namespace {

constexpr std::uint32_t kVersion = 2;
constexpr std::size_t kHeaderBytes = 4;
constexpr std::size_t kEntryBytes = 8;
constexpr std::uint16_t kPermissionMask = 7;

std::optional<AclEntry::Tag> tagOf(std::uint16_t tag)
{
    switch (tag) {
    case 0x01:
        return AclEntry::Tag::UserObject;
    case 0x02:
        return AclEntry::Tag::User;
    case 0x04:
        return AclEntry::Tag::GroupObject;
    case 0x08:
        return AclEntry::Tag::Group;
    case 0x10:
        return AclEntry::Tag::Mask;
    case 0x20:
        return AclEntry::Tag::Other;
    default:
        return std::nullopt;
    }
}

} // namespace

Result<std::vector<AclEntry>> decodePosixAcl(Bytes value)
{
    Cursor cursor(value, ByteOrder::Little);
    if (value.size() < kHeaderBytes || (value.size() - kHeaderBytes) % kEntryBytes != 0 ||
        cursor.take<std::uint32_t>() != kVersion) {
        return fail(ErrorCode::BadAttributes, "a POSIX ACL of unknown form");
    }
    std::vector<AclEntry> entries;
    entries.reserve(cursor.remaining() / kEntryBytes);
    while (cursor.remaining() != 0) {
        const auto tag = tagOf(cursor.take<std::uint16_t>());
        const auto permissions = cursor.take<std::uint16_t>();
        const auto id = cursor.take<std::uint32_t>();
        if (!tag) {
            return fail(ErrorCode::BadAttributes, "a POSIX ACL with an entry of unknown kind");
        }
        const bool named = *tag == AclEntry::Tag::User || *tag == AclEntry::Tag::Group;
        entries.push_back(
            {*tag, named ? id : 0, static_cast<std::uint8_t>(permissions & kPermissionMask)});
    }
    return entries;
}

} // namespace millpond::posix::detail
