// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "object/object_set.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace millpond::dataset::detail {

using block::ReadContext;
using SettingValue = std::variant<std::uint64_t, std::string>;

/// What one directory or snapshot has stored about one property.
struct Setting
{
    std::optional<SettingValue> local;
    std::optional<SettingValue> received;
    /// A number newer programs understand, kept beside a fallback for older ones.
    std::optional<std::uint64_t> refined;
    bool inherits = false; ///< set to inherit on purpose: hides what was received
};

/// The settings stored with one directory or snapshot. Immutable.
class Settings
{
public:
    /// `object` 0 is an empty table.
    [[nodiscard]] static Result<std::shared_ptr<const Settings>>
    read(object::ObjectSet& mos, ObjectId object, const ReadContext& context);

    /// Null when nothing is stored.
    [[nodiscard]] const Setting* find(std::string_view name) const;

    /// In the order of the table on disk, which is the one OpenZFS shows user properties in.
    [[nodiscard]] const std::vector<std::string>& names() const { return m_names; }

private:
    std::vector<std::string> m_names;
    std::unordered_map<std::string, Setting> m_settings;
};

/// Settings from a dataset up to the root: the first level is the dataset itself.
struct SettingsLevel
{
    std::string name;
    std::shared_ptr<const Settings> settings;
};

struct Resolved
{
    SettingValue value;
    std::size_t level = 0; ///< index of the level it was found at
    bool received = false; ///< at level 0, and not set there
};

struct ResolveRules
{
    bool inheritable = true;
    /// Levels before this one are the dataset's own; a value found later is inherited.
    std::size_t ownLevels = 1;
    /// Whether a refined number is one this program has a name for.
    bool (*knowsNumber)(std::string_view name, std::uint64_t number) = nullptr;
};

/// The value in force, or nothing: then the default is.
[[nodiscard]] std::optional<Resolved>
resolve(const std::vector<SettingsLevel>& levels, std::string_view name, const ResolveRules& rules);

} // namespace millpond::dataset::detail
