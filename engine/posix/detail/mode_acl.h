// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format/znode.h"
#include "posix/acl_mode.h"

#include <cstdint>
#include <span>
#include <vector>

// How permission bits and the NFSv4 entries that OpenZFS keeps beside them go together. Linux goes
// by the bits alone; the entries are kept so that other systems find what they expect.

namespace millpond::posix::detail {

/// Of a mode: what NFSv4 entries speak of.
inline constexpr std::uint32_t kModePermissions = 0777;

/// The entries of owner, group and everyone that say what a mode says [acl_trivial_access_masks].
/// Never empty. Only the lower nine bits of `mode` count.
[[nodiscard]] std::vector<format::Ace> acesOfMode(std::uint32_t mode, bool isDirectory);

/// The entries after chmod [zfs_acl_chmod].
[[nodiscard]] std::vector<format::Ace> acesAfterChmod(std::span<const format::Ace> aces,
                                                      std::uint32_t mode,
                                                      bool isDirectory,
                                                      AclMode aclMode);

/// Whose file it is: FUIDs.
struct AclOwner
{
    std::uint64_t user = 0;
    std::uint64_t group = 0;
};

struct ModeOfAces
{
    std::uint32_t permissions = 0; ///< nine bits
    /// Everybody may execute it (format::ZnodeFlag::kNoExecsDenied).
    bool noExecuteDenied = false;
};

[[nodiscard]] ModeOfAces modeOfAces(std::span<const format::Ace> aces, const AclOwner& owner);

/// Whether entries say no more than a mode can (format::ZnodeFlag::kAclTrivial)
/// [ace_trivial_common].
[[nodiscard]] bool isTrivial(std::span<const format::Ace> aces);

/// The flags of a file that go with its entries: what they say of themselves; the others stay.
[[nodiscard]] std::uint64_t flagsWithAces(std::uint64_t flags,
                                          std::span<const format::Ace> aces,
                                          const AclOwner& owner,
                                          bool isDirectory);

} // namespace millpond::posix::detail
