// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/features.h"

#include "format/dsl.h"
#include "format/feature.h"

#include <fmt/format.h>

namespace millpond::pool {

namespace {
Result<std::map<std::string, std::uint64_t>> counts(const Mos& mos, std::string_view name)
{
    std::map<std::string, std::uint64_t> found;
    const std::optional<std::uint64_t> object = MP_TRY(mos.number(name));
    for (const object::ZapEntry& entry : MP_TRY(mos.entries(ObjectId(object.value_or(0))))) {
        found.emplace(entry.name, entry.first());
    }
    return found;
}

bool isReadable(std::string_view guid)
{
    const format::Feature* known = format::featureByGuid(guid);
    return known != nullptr && known->support != format::FeatureSupport::None;
}

std::string describe(std::string_view guid, const std::map<std::string, std::string>& own)
{
    if (const format::Feature* known = format::featureByGuid(guid)) {
        return std::string(known->description);
    }
    const auto found = own.find(std::string(guid));
    return found == own.end() ? std::string() : found->second;
}
} // namespace

bool FeatureState::isEnabled(std::string_view guid) const
{
    const std::string key(guid);
    return forRead.contains(key) || forWrite.contains(key);
}

bool FeatureState::isActive(std::string_view guid) const
{
    const std::string key(guid);
    for (const auto* side : {&forRead, &forWrite}) {
        if (const auto found = side->find(key); found != side->end() && found->second != 0) {
            return true;
        }
    }
    return false;
}

Result<FeatureState> readFeatures(const Mos& mos)
{
    FeatureState state;
    state.forRead = MP_TRY(counts(mos, format::kPoolFeaturesForRead));
    state.forWrite = MP_TRY(counts(mos, format::kPoolFeaturesForWrite));
    const std::optional<std::uint64_t> object =
        MP_TRY(mos.number(format::kPoolFeatureDescriptions));
    for (const object::ZapEntry& entry : MP_TRY(mos.entries(ObjectId(object.value_or(0))))) {
        state.descriptions.emplace(entry.name, entry.text());
    }
    return state;
}

std::string MissingFeature::toText() const
{
    return description.empty() ? guid : fmt::format("{} ({})", guid, description);
}

std::vector<MissingFeature> missingFeatures(const FeatureState& state)
{
    std::vector<MissingFeature> missing;
    for (const auto& [side, compatible] :
         {std::pair{&state.forRead, false}, std::pair{&state.forWrite, true}}) {
        for (const auto& [guid, count] : *side) {
            if (count != 0 && !isReadable(guid)) {
                missing.push_back({guid, describe(guid, state.descriptions), compatible});
            }
        }
    }
    return missing;
}

std::vector<MissingFeature> missingFeatures(const format::NvList& label)
{
    std::vector<MissingFeature> missing;
    const format::NvList* needed = label.list("features_for_read");
    if (needed == nullptr) {
        return missing;
    }
    for (const format::NvPair& pair : needed->pairs()) {
        if (!isReadable(pair.name)) {
            missing.push_back({pair.name, describe(pair.name, {}), false});
        }
    }
    return missing;
}

Status refuseIfUnwritable(const FeatureState& state)
{
    std::string names;
    for (const auto* side : {&state.forRead, &state.forWrite}) {
        for (const auto& [guid, count] : *side) {
            const format::Feature* known = format::featureByGuid(guid);
            if (count != 0 &&
                (known == nullptr || known->support != format::FeatureSupport::Write)) {
                names += fmt::format("{}{}", names.empty() ? "" : ", ", guid);
            }
        }
    }
    if (names.empty()) {
        return {};
    }
    return fail(ErrorCode::UnsupportedFeature,
                "the pool uses features that this program can read, but does not write yet: " +
                    names + "; import it with readonly=on");
}

Status refuseIfUnreadable(const std::vector<MissingFeature>& missing)
{
    std::string names;
    for (const MissingFeature& feature : missing) {
        if (!feature.readOnlyCompatible) {
            names += (names.empty() ? "" : ", ") + feature.toText();
        }
    }
    if (names.empty()) {
        return {};
    }
    return fail(ErrorCode::UnsupportedFeature,
                "the pool uses features this program does not have: " + names);
}

} // namespace millpond::pool
