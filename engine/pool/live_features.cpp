// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/live_features.h"

#include "format/dsl.h"
#include "object/zap_writer.h"

#include <fmt/format.h>

// Sources: OpenZFS module/zfs/zfeature.c.

namespace millpond::pool {

using format::Feature;
using object::ZapWriter;

namespace {
constexpr object::ZapSpec kTable{.type = format::newType(format::Layout::Zap, true)};
constexpr std::string_view kEnabledTxg = "enabled_txg";

Error unknown(std::string_view name)
{
    return {ErrorCode::NoSuchProperty, fmt::format("no such feature: {}", name)};
}
} // namespace

Status LiveFeatures::create(Txg txg)
{
    ZapWriter zaps(m_mos, txg);
    for (const auto& [name, object] :
         {std::pair(format::kPoolFeaturesForRead, &m_forRead),
          std::pair(format::kPoolFeaturesForWrite, &m_forWrite),
          std::pair(format::kPoolFeatureDescriptions, &m_descriptions)}) {
        *object = MP_TRY(zaps.createLinked(format::kPoolDirectoryObject, name, kTable));
    }
    return {};
}

Status LiveFeatures::open(const Mos& mos)
{
    for (const auto& [name, object] : {std::pair(format::kPoolFeaturesForRead, &m_forRead),
                                       std::pair(format::kPoolFeaturesForWrite, &m_forWrite),
                                       std::pair(format::kPoolFeatureDescriptions, &m_descriptions),
                                       std::pair(format::kPoolFeatureEnabledTxg, &m_enabledTxg)}) {
        *object = ObjectId(MP_TRY(mos.number(name)).value_or(0));
    }
    const FeatureState state = MP_TRY(readFeatures(mos));
    const MutexLock lock(m_mutex);
    for (const auto* side : {&state.forRead, &state.forWrite}) {
        for (const auto& [guid, uses] : *side) {
            if (const Feature* known = format::featureByGuid(guid)) {
                m_enabled.emplace(known->name, Entry{known, uses});
            }
        }
    }
    return {};
}

Status LiveFeatures::put(const Feature& feature, std::uint64_t uses, Txg txg)
{
    ZapWriter zaps(m_mos, txg);
    const ObjectId table = feature.readOnlyCompatible ? m_forWrite : m_forRead;
    MP_TRY(zaps.update(table, feature.guid, uses));
    const MutexLock lock(m_mutex);
    m_enabled[std::string(feature.name)] = {&feature, uses};
    return {};
}

Status LiveFeatures::enable(std::string_view name, Txg txg) // NOLINT(misc-no-recursion)
{
    const Feature* feature = format::featureByName(name);
    if (feature == nullptr) {
        return fail(unknown(name));
    }
    if (isEnabled(name)) {
        return {};
    }
    for (const std::string_view needed : feature->depends) {
        MP_TRY(enable(needed, txg));
    }
    ZapWriter zaps(m_mos, txg);
    MP_TRY(
        zaps.update(m_descriptions, feature->guid, object::ZapValue::text(feature->description)));
    MP_TRY(put(*feature, feature->activateOnEnable ? 1 : 0, txg));
    return isEnabled(kEnabledTxg) ? addEnabledTxg(*feature, txg) : Status();
}

/// Its own count says how many there are in the table.
Status LiveFeatures::addEnabledTxg(const Feature& feature, Txg txg)
{
    ZapWriter zaps(m_mos, txg);
    if (m_enabledTxg.value() == 0) {
        m_enabledTxg = MP_TRY(zaps.createLinked(
            format::kPoolDirectoryObject, format::kPoolFeatureEnabledTxg, kTable));
    }
    MP_TRY(count(kEnabledTxg, 1, txg));
    return zaps.add(m_enabledTxg, feature.guid, txg.value());
}

bool LiveFeatures::isEnabled(std::string_view name) const
{
    const MutexLock lock(m_mutex);
    return m_enabled.contains(name);
}

bool LiveFeatures::isActive(std::string_view name) const
{
    const MutexLock lock(m_mutex);
    const auto found = m_enabled.find(name);
    return found != m_enabled.end() && found->second.uses != 0;
}

Status LiveFeatures::count(std::string_view name, std::int64_t delta, Txg txg)
{
    Entry entry;
    {
        const MutexLock lock(m_mutex);
        const auto found = m_enabled.find(name);
        if (found == m_enabled.end()) {
            return fail(ErrorCode::UnsupportedFeature,
                        fmt::format("the pool does not have feature {} enabled", name));
        }
        entry = found->second;
    }
    if (delta < 0 && entry.uses < std::uint64_t{0} - static_cast<std::uint64_t>(delta)) {
        return fail(ErrorCode::BadConfig,
                    fmt::format("feature {} is in use {} times, and one more is given up",
                                name,
                                entry.uses));
    }
    return put(*entry.feature, entry.uses + static_cast<std::uint64_t>(delta), txg);
}

std::vector<std::string> LiveFeatures::neededForMos() const
{
    const MutexLock lock(m_mutex);
    std::vector<std::string> guids;
    for (const auto& [name, entry] : m_enabled) {
        if (entry.feature->mos && entry.uses != 0) {
            guids.emplace_back(entry.feature->guid);
        }
    }
    return guids;
}

} // namespace millpond::pool
