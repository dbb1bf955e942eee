// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whom an object's space is counted for. OpenZFS finds the owner at fixed places behind the header
// of the attributes, whatever their layout says, so everybody has to put them there.
// Source: OpenZFS zfs_quota.c (zpl_get_file_info), include/sys/zfs_sa.h.
#include "format/sa.h"
#include "format/znode.h"
#include "posix/file_system_writer.h"

namespace millpond::posix {

namespace {

constexpr std::size_t kUidOffset = 24;
constexpr std::size_t kGidOffset = 32;
constexpr std::size_t kFlagsOffset = 48;
constexpr std::size_t kProjectOffset = 128;

using Owner = object::OwnerAccounting::Owner;

/// Nothing for bytes that make no sense: they must not stop a whole pool from syncing.
std::optional<Owner> ownerInAttributes(Bytes part)
{
    if (part.size() < format::SaHeader::kMinBytes) {
        return std::nullopt;
    }
    if (load<std::uint32_t>(part, 0, kHostOrder) == 0) {
        return Owner(); // just made
    }
    for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
        if (load<std::uint32_t>(part, 0, order) != format::SaHeader::kMagic) {
            continue;
        }
        const Result<format::SaHeader> header = format::SaHeader::decode(part, order);
        if (!header || header->sizeBytes > part.size()) {
            return std::nullopt;
        }
        const Bytes values = part.subspan(header->sizeBytes);
        if (values.size() < kFlagsOffset + sizeof(std::uint64_t)) {
            return std::nullopt;
        }
        Owner owner;
        owner.user = load<std::uint64_t>(values, kUidOffset, order);
        owner.group = load<std::uint64_t>(values, kGidOffset, order);
        const auto flags = load<std::uint64_t>(values, kFlagsOffset, order);
        if ((flags & format::ZnodeFlag::kProjectId) != 0 &&
            values.size() >= kProjectOffset + sizeof(std::uint64_t)) {
            owner.project = load<std::uint64_t>(values, kProjectOffset, order);
        }
        return owner;
    }
    return std::nullopt;
}

class FileOwners final : public object::OwnerAccounting
{
public:
    [[nodiscard]] Result<std::optional<Owner>>
    owner(std::uint8_t bonusType, Bytes bonus, Bytes spill, ByteOrder order) const override
    {
        const Bytes part = bonus.empty() ? spill : bonus;
        if (bonusType == format::number(format::ObjectType::SystemAttributes)) {
            return ownerInAttributes(part);
        }
        if (bonusType == format::number(format::ObjectType::Znode)) {
            const auto znode = format::ZnodePhys::decode(part, order);
            return znode ? std::optional(Owner{znode->uid, znode->gid, 0}) : std::nullopt;
        }
        return std::optional<Owner>();
    }
};

} // namespace

const object::OwnerAccounting& fileOwners()
{
    static const FileOwners owners;
    return owners;
}

} // namespace millpond::posix
