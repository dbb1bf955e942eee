// SPDX-License-Identifier: GPL-3.0-or-later
#include "posix/detail/posix_acl.h"

#include "base/cursor.h"

#include <algorithm>
#include <array>

namespace millpond::posix::detail {

namespace {

constexpr std::uint32_t kVersion = 2;
constexpr std::size_t kHeaderBytes = 4;
constexpr std::size_t kEntryBytes = 8;
constexpr std::uint16_t kPermissionMask = 7;

constexpr std::uint32_t kNoId = ~std::uint32_t{0}; ///< stored where a kind has none
constexpr unsigned kOwnerShift = 6;
constexpr unsigned kGroupShift = 3;

using Tag = AclEntry::Tag;

/// Stored as bits, in the order of Tag.
constexpr std::array<std::uint16_t, 6> kTags = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20};

std::optional<Tag> tagOf(std::uint16_t stored)
{
    const auto found = std::ranges::find(kTags, stored);
    if (found == kTags.end()) {
        return std::nullopt;
    }
    return static_cast<Tag>(found - kTags.begin());
}

bool isNamed(const AclEntry& entry)
{
    return entry.tag == Tag::User || entry.tag == Tag::Group;
}

/// Whose permissions a mode shows as the group's.
Tag groupClass(std::span<const AclEntry> acl)
{
    return std::ranges::find(acl, Tag::Mask, &AclEntry::tag) == acl.end() ? Tag::GroupObject
                                                                          : Tag::Mask;
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
        AclEntry entry{*tag, id, static_cast<std::uint8_t>(permissions & kPermissionMask)};
        entry.id = isNamed(entry) ? id : 0;
        entries.push_back(entry);
    }
    return entries;
}

std::vector<std::byte> encodePosixAcl(std::span<const AclEntry> acl)
{
    std::vector<std::byte> value(kHeaderBytes + acl.size() * kEntryBytes);
    store(value, 0, kVersion, ByteOrder::Little);
    for (std::size_t at = kHeaderBytes; const AclEntry& entry : acl) {
        store(value, at, kTags.at(static_cast<std::size_t>(entry.tag)), ByteOrder::Little);
        store(value, at + 2, std::uint16_t{entry.permissions}, ByteOrder::Little);
        store(value, at + 4, isNamed(entry) ? entry.id : kNoId, ByteOrder::Little);
        at += kEntryBytes;
    }
    return value;
}

Result<std::vector<AclEntry>> canonicalPosixAcl(std::span<const AclEntry> acl)
{
    std::vector<AclEntry> sorted(acl.begin(), acl.end());
    std::ranges::sort(sorted, [](const AclEntry& a, const AclEntry& b) {
        return std::pair(a.tag, isNamed(a) ? a.id : 0) < std::pair(b.tag, isNamed(b) ? b.id : 0);
    });
    const auto twice = std::ranges::adjacent_find(sorted, [](const AclEntry& a, const AclEntry& b) {
        return a.tag == b.tag && (!isNamed(a) || a.id == b.id);
    });
    const auto has = [&](Tag tag) {
        return std::ranges::find(sorted, tag, &AclEntry::tag) != sorted.end();
    };
    const bool named = has(Tag::User) || has(Tag::Group);
    if (twice != sorted.end() || !has(Tag::UserObject) || !has(Tag::GroupObject) ||
        !has(Tag::Other) || (named && !has(Tag::Mask)) ||
        std::ranges::any_of(sorted, [](const AclEntry& entry) {
            return entry.permissions > kPermissionMask || (isNamed(entry) && entry.id == kNoId);
        })) {
        return fail(ErrorCode::InvalidArgument, "no valid ACL");
    }
    return sorted;
}

bool exceedsMode(std::span<const AclEntry> acl)
{
    return std::ranges::any_of(
        acl, [](const AclEntry& entry) { return isNamed(entry) || entry.tag == Tag::Mask; });
}

std::uint32_t modeOfPosixAcl(std::span<const AclEntry> acl)
{
    const Tag group = groupClass(acl);
    std::uint32_t mode = 0;
    for (const AclEntry& entry : acl) {
        if (entry.tag == Tag::UserObject) {
            mode |= std::uint32_t{entry.permissions} << kOwnerShift;
        } else if (entry.tag == group) {
            mode |= std::uint32_t{entry.permissions} << kGroupShift;
        } else if (entry.tag == Tag::Other) {
            mode |= entry.permissions;
        }
    }
    return mode;
}

void applyMode(std::span<AclEntry> acl, std::uint32_t mode)
{
    const Tag group = groupClass(acl);
    const auto bits = [&](unsigned shift) {
        return static_cast<std::uint8_t>((mode >> shift) & kPermissionMask);
    };
    for (AclEntry& entry : acl) {
        if (entry.tag == Tag::UserObject) {
            entry.permissions = bits(kOwnerShift);
        } else if (entry.tag == group) {
            entry.permissions = bits(kGroupShift);
        } else if (entry.tag == Tag::Other) {
            entry.permissions = bits(0);
        }
    }
}

} // namespace millpond::posix::detail
