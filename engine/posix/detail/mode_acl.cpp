// SPDX-License-Identifier: GPL-3.0-or-later
//
// Facts from OpenZFS module/os/linux/zfs/zfs_acl.c.
#include "posix/detail/mode_acl.h"

#include <algorithm>
#include <array>

namespace millpond::posix::detail {

using format::Ace;
using format::AceFlag;
using format::AceMask;
using format::AceType;
using format::ZnodeFlag;

namespace {

constexpr std::uint32_t kRead = 4;
constexpr std::uint32_t kWrite = 2;
constexpr std::uint32_t kExecute = 1;
constexpr std::array kKinds = {kRead, kWrite, kExecute};
constexpr unsigned kOwnerShift = 6;
constexpr unsigned kGroupShift = 3;
constexpr unsigned kOtherShift = 0;
constexpr std::array kShifts = {kOwnerShift, kGroupShift, kOtherShift};
constexpr std::uint32_t kAllExecute = 0111;

constexpr std::uint16_t kOwningGroup = AceFlag::kGroup | AceFlag::kIdentifierGroup;
constexpr std::uint16_t kInheritable = AceFlag::kFileInherit | AceFlag::kDirectoryInherit;

/// What everybody may always do.
constexpr std::uint32_t kAlways = AceMask::kReadAcl | AceMask::kReadAttributes |
                                  AceMask::kReadNamedAttributes | AceMask::kSynchronize;
/// What only an owner may, and always.
constexpr std::uint32_t kOwnerOnly = AceMask::kWriteAttributes | AceMask::kWriteOwner |
                                     AceMask::kWriteAcl | AceMask::kWriteNamedAttributes;

std::uint32_t maskOf(std::uint32_t kind, bool isDirectory)
{
    switch (kind) {
    case kRead:
        return AceMask::kReadData;
    case kWrite:
        return AceMask::kWriteData | AceMask::kAppendData |
               (isDirectory ? AceMask::kDeleteChild : 0U);
    default:
        return AceMask::kExecute;
    }
}

/// Entries are looked at in their order and the first that matches counts, but a mode's group must
/// not get what others have, nor the owner what group or others have: hence denials, and in front
/// of them what the owner has and the denial of the group would take from him.
struct TrivialMasks
{
    std::uint32_t allowOwnerFirst = 0;
    std::uint32_t denyOwner = 0;
    std::uint32_t denyGroup = 0;
    std::uint32_t owner = kAlways | kOwnerOnly;
    std::uint32_t group = kAlways;
    std::uint32_t everyone = kAlways;
};

TrivialMasks masksOf(std::uint32_t mode, bool isDirectory)
{
    TrivialMasks masks;
    for (const std::uint32_t kind : kKinds) {
        const std::uint32_t mask = maskOf(kind, isDirectory);
        const bool owner = (mode & (kind << kOwnerShift)) != 0;
        const bool group = (mode & (kind << kGroupShift)) != 0;
        const bool other = (mode & (kind << kOtherShift)) != 0;
        masks.owner |= owner ? mask : 0U;
        masks.group |= group ? mask : 0U;
        masks.everyone |= other ? mask : 0U;
        masks.denyOwner |= !owner && (group || other) ? mask : 0U;
        masks.denyGroup |= !group && other ? mask : 0U;
        masks.allowOwnerFirst |= owner && !group && other ? mask : 0U;
    }
    return masks;
}

Ace entry(std::uint16_t type, std::uint16_t who, std::uint32_t access)
{
    return {.type = type, .flags = who, .access = access, .who = ~std::uint64_t{0}};
}

std::uint16_t whoOf(const Ace& ace)
{
    return ace.flags & AceFlag::kWho;
}

bool isOfMode(const Ace& ace)
{
    const std::uint16_t who = whoOf(ace);
    return who == AceFlag::kOwner || who == kOwningGroup || who == AceFlag::kEveryone;
}

/// Which of the three classes of a mode an entry speaks of, as shifts. Empty: of none.
std::span<const unsigned> classesOf(const Ace& ace, const AclOwner& owner)
{
    const std::span<const unsigned> all(kShifts);
    const std::uint16_t who = whoOf(ace);
    if (who == AceFlag::kOwner || (who == 0 && ace.who == owner.user)) {
        return all.subspan(0, 1);
    }
    if (who == kOwningGroup || (who == AceFlag::kIdentifierGroup && ace.who == owner.group)) {
        return all.subspan(1, 1);
    }
    return who == AceFlag::kEveryone ? all : all.subspan(0, 0);
}

} // namespace

std::vector<Ace>
acesAfterChmod(std::span<const Ace> aces, std::uint32_t mode, bool isDirectory, AclMode aclMode)
{
    const TrivialMasks masks = masksOf(mode, isDirectory);
    std::vector<Ace> result;
    if (masks.allowOwnerFirst != 0) {
        result.push_back(entry(AceType::kAllow, AceFlag::kOwner, masks.allowOwnerFirst));
    }
    if (masks.denyOwner != 0) {
        result.push_back(entry(AceType::kDeny, AceFlag::kOwner, masks.denyOwner));
    }
    if (masks.denyGroup != 0) {
        result.push_back(entry(AceType::kDeny, kOwningGroup, masks.denyGroup));
    }
    for (Ace ace : aclMode == AclMode::Discard ? std::span<const Ace>() : aces) {
        if (isOfMode(ace)) {
            // The mode says this now; what files made in a directory will get, stays.
            if (!isDirectory || (ace.flags & kInheritable) == 0) {
                continue;
            }
            ace.flags |= AceFlag::kInheritOnly;
        }
        if (aclMode == AclMode::GroupMask && ace.type == AceType::kAllow &&
            (ace.flags & AceFlag::kInheritOnly) == 0) {
            ace.access &= masks.group;
        }
        result.push_back(ace);
    }
    result.push_back(entry(AceType::kAllow, AceFlag::kOwner, masks.owner));
    result.push_back(entry(AceType::kAllow, kOwningGroup, masks.group));
    result.push_back(entry(AceType::kAllow, AceFlag::kEveryone, masks.everyone));
    return result;
}

std::vector<Ace> acesOfMode(std::uint32_t mode, bool isDirectory)
{
    return acesAfterChmod({}, mode, isDirectory, AclMode::Discard);
}

ModeOfAces modeOfAces(std::span<const Ace> aces, const AclOwner& owner)
{
    ModeOfAces result;
    std::uint32_t seen = 0;
    bool denied = false;
    for (const Ace& ace : aces) {
        if ((ace.type != AceType::kAllow && ace.type != AceType::kDeny) ||
            (ace.flags & AceFlag::kInheritOnly) != 0) {
            continue;
        }
        const std::span<const unsigned> classes = classesOf(ace, owner);
        if (classes.empty()) {
            denied =
                denied || (ace.type == AceType::kDeny && (ace.access & AceMask::kExecute) != 0);
        }
        for (const std::uint32_t kind : kKinds) {
            // Of what writing is in an entry, the data alone counts.
            const std::uint32_t mask = kind == kWrite ? AceMask::kWriteData : maskOf(kind, false);
            for (const unsigned shift : classes) {
                const std::uint32_t bit = kind << shift;
                if ((ace.access & mask) == 0 || (seen & bit) != 0) {
                    continue;
                }
                seen |= bit;
                result.permissions |= ace.type == AceType::kAllow ? bit : 0U;
            }
        }
    }
    result.noExecuteDenied = !denied && (result.permissions & kAllExecute) == kAllExecute;
    return result;
}

bool isTrivial(std::span<const Ace> aces)
{
    return std::ranges::all_of(aces, [](const Ace& ace) {
        const bool denies = ace.type == AceType::kDeny;
        const bool inherits =
            (ace.flags & (kInheritable | AceFlag::kNoPropagateInherit | AceFlag::kInheritOnly)) !=
            0;
        const bool deniesReading =
            denies && (ace.access & (AceMask::kReadAcl | AceMask::kReadAttributes)) != 0;
        const bool deletes =
            (ace.access & AceMask::kDelete) != 0 ||
            ((ace.access & AceMask::kDeleteChild) != 0 && (ace.access & AceMask::kWriteData) == 0);
        const bool allowsOthersMuch = ace.type == AceType::kAllow &&
                                      (ace.flags & AceFlag::kOwner) == 0 &&
                                      (ace.access & kOwnerOnly) != 0;
        return isOfMode(ace) && !inherits && !deniesReading && !deletes && !allowsOthersMuch;
    });
}

std::uint64_t flagsWithAces(std::uint64_t flags,
                            std::span<const Ace> aces,
                            const AclOwner& owner,
                            bool isDirectory)
{
    const auto set = [&](std::uint64_t flag, bool value) {
        flags = value ? flags | flag : flags & ~flag;
    };
    set(ZnodeFlag::kAclTrivial, isTrivial(aces));
    set(ZnodeFlag::kNoExecsDenied, modeOfAces(aces, owner).noExecuteDenied);
    set(ZnodeFlag::kInheritAce, isDirectory && std::ranges::any_of(aces, [](const Ace& ace) {
                                    return (ace.flags & kInheritable) != 0;
                                }));
    set(ZnodeFlag::kAclObjectAce,
        std::ranges::any_of(aces, [](const Ace& ace) { return ace.isObject(); }));
    return flags;
}

} // namespace millpond::posix::detail
