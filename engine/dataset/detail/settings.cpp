// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/detail/settings.h"

#include "format/dsl.h"
#include "object/zap.h"

namespace millpond::dataset::detail {

using object::Zap;
using object::ZapEntry;

namespace {

/// Nothing for a shape no writer makes: such an entry is ignored, as OpenZFS ignores what it does
/// not know here.
std::optional<SettingValue> valueOf(const ZapEntry& entry)
{
    if (entry.integerBytes == 1) {
        std::string text = entry.text();
        text.resize(std::min(text.size(), text.find('\0')));
        return text;
    }
    if (entry.integerBytes == 8 && !entry.values.empty()) {
        return entry.first();
    }
    return std::nullopt;
}

void store(Setting& setting, std::string_view suffix, const ZapEntry& entry)
{
    if (suffix.empty()) {
        setting.local = valueOf(entry);
    } else if (suffix == format::kPropertyReceivedSuffix) {
        setting.received = valueOf(entry);
    } else if (suffix == format::kPropertyInheritSuffix) {
        setting.inherits = true;
    } else if (suffix == format::kPropertyIterator && entry.integerBytes == 8 &&
               !entry.values.empty()) {
        setting.refined = entry.first();
    }
}

} // namespace

Result<std::shared_ptr<const Settings>>
Settings::read(object::ObjectSet& mos, ObjectId object, const ReadContext& context)
{
    auto settings = std::make_shared<Settings>();
    if (object.value() != 0) {
        const Zap zap = MP_TRY(Zap::open(mos, object, context));
        MP_TRY(zap.forEach(
            [&](const ZapEntry& entry) -> Result<bool> {
                const std::string_view all(entry.name);
                const std::size_t cut = std::min(all.find('$'), all.size());
                const std::string name(all.substr(0, cut));
                const auto [place, isNew] = settings->m_settings.try_emplace(name);
                if (isNew) {
                    settings->m_names.push_back(name);
                }
                store(place->second, all.substr(cut), entry);
                return true;
            },
            context));
    }
    return std::shared_ptr<const Settings>(std::move(settings));
}

const Setting* Settings::find(std::string_view name) const
{
    const auto found = m_settings.find(std::string(name));
    return found == m_settings.end() ? nullptr : &found->second;
}

std::optional<Resolved>
resolve(const std::vector<SettingsLevel>& levels, std::string_view name, const ResolveRules& rules)
{
    for (std::size_t level = 0; level < levels.size(); ++level) {
        const bool own = level < rules.ownLevels;
        if (!own && !rules.inheritable) {
            break;
        }
        const Setting* setting = levels[level].settings->find(name);
        if (setting == nullptr) {
            continue;
        }
        if (setting->refined && rules.knowsNumber != nullptr &&
            rules.knowsNumber(name, *setting->refined)) {
            return Resolved{*setting->refined, level, false};
        }
        if (setting->local) {
            return Resolved{*setting->local, level, false};
        }
        if (setting->received && !setting->inherits) {
            return Resolved{*setting->received, level, own};
        }
    }
    return std::nullopt;
}

} // namespace millpond::dataset::detail
