// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/live_tree.h"

#include <optional>
#include <string_view>

// Settings as they stand in the table of a directory: a property's name, and the name with a suffix
// for what was received, for what is inherited on purpose, and for numbers that older programs do
// not know [dsl_prop]. Syncing context.

namespace millpond::dataset::detail {

inline constexpr std::string_view kQuota = "quota";
inline constexpr std::string_view kReservation = "reservation";
inline constexpr std::string_view kRefQuota = "refquota";
inline constexpr std::string_view kRefReservation = "refreservation";

/// From this pool version on tables know what was received [SPA_VERSION_RECVD_PROPS].
inline constexpr std::uint64_t kVersionReceived = 22;

/// The value in force of a number that is not inherited: what was set, else what was received, else
/// 0. `table` is a directory's; 0: none.
[[nodiscard]] Result<std::uint64_t>
ownNumber(ListContext& context, ObjectId table, std::string_view name);
[[nodiscard]] Result<std::optional<std::uint64_t>>
receivedNumber(ListContext& context, ObjectId table, std::string_view name);

class SettingsWriter
{
public:
    SettingsWriter(ListContext& context, ObjectId table, Txg txg)
        : m_context(context)
        , m_table(table)
        , m_txg(txg)
    {
    }

    /// In force from now on.
    [[nodiscard]] Status setLocal(const Setting& setting);
    [[nodiscard]] Status setReceived(const Setting& setting);
    /// In force is what was received, if anything was.
    [[nodiscard]] Status revert(std::string_view name);
    /// In force is what the parent has; `hide`: what was received is not.
    [[nodiscard]] Status inherit(std::string_view name, bool hide);

private:
    [[nodiscard]] Status put(const std::string& name, const Setting& setting);
    [[nodiscard]] Status remove(std::string_view name, std::string_view suffix = {});

    ListContext& m_context;
    ObjectId m_table;
    Txg m_txg;
};

} // namespace millpond::dataset::detail
