// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "object/object_set.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace millpond::dataset {

using block::ReadContext;

enum class AccountKind : std::uint8_t
{
    User,
    Group,
    Project
};

enum class AccountFigure : std::uint8_t
{
    Used,       ///< bytes
    Quota,      ///< bytes; 0: none
    Objects,    ///< count
    ObjectQuota ///< count; 0: none
};

/// What one user, group or project takes in a filesystem. `id` is a FUID: its upper half the index
/// of a domain, 0 for POSIX ids; projects are plain numbers.
struct Account
{
    std::uint64_t id = 0;
    std::uint64_t used = 0, quota = 0, objects = 0, objectQuota = 0;
};

/// Whether a filesystem keeps accounts of a kind, and whether it counts objects as well as bytes.
struct Accounting
{
    bool bytes = false;
    bool objects = false;
};

[[nodiscard]] Accounting accountingOf(const object::ObjectSet& objset, AccountKind kind);
/// All accounts of a kind by id: those with use and those with a quota only. Empty where there is
/// no accounting.
[[nodiscard]] Result<std::vector<Account>>
readAccounts(object::ObjectSet& objset, AccountKind kind, const ReadContext& context = {});
/// One figure; nothing where there is no such accounting, 0 for an id without account.
[[nodiscard]] Result<std::optional<std::uint64_t>> readAccount(object::ObjectSet& objset,
                                                               AccountKind kind,
                                                               AccountFigure figure,
                                                               std::uint64_t id,
                                                               const ReadContext& context = {});

} // namespace millpond::dataset
