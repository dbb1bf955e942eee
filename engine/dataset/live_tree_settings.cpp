// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/detail/extensible.h"
#include "dataset/detail/space_plan.h"
#include "dataset/detail/stored_settings.h"
#include "dataset/live_tree.h"
#include "format/dsl.h"
#include "format/name.h"
#include "format/property.h"
#include "object/zap.h"
#include "object/zap_writer.h"

#include <fmt/format.h>

#include <algorithm>

// Settings, and the limits among them. Sources: OpenZFS module/zfs/dsl_prop.c, dsl_dir.c
// (dsl_dir_set_quota_sync, dsl_dir_set_reservation_sync_impl, dsl_dir_activate_fs_ss_limit),
// dsl_dataset.c (dsl_dataset_set_refreservation_sync_impl), zfs_ioctl.c (zfs_ioc_inherit_prop).

namespace millpond::dataset {

using detail::Limits;
using detail::SettingsWriter;
using format::DirUsed;
using object::Zap;
using object::ZapEntry;
using object::ZapWriter;

namespace {

constexpr std::uint64_t kVersionRefLimits = 9;
constexpr std::uint64_t kVersionLongTexts = 16;
constexpr std::size_t kMaxName = 255 - format::kPropertyInheritSuffix.size();
constexpr std::size_t kMaxText = 8191;
constexpr std::size_t kMaxOldText = 1023;
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
constexpr std::string_view kCounting = "filesystem_limits";

bool isCountLimit(std::string_view name)
{
    return name == "filesystem_limit" || name == "snapshot_limit";
}

bool isRefLimit(std::string_view name)
{
    return name == detail::kRefQuota || name == detail::kRefReservation;
}

/// Pools before version 22 keep these in the directory only.
bool isDirectoryLimit(std::string_view name)
{
    return name == detail::kQuota || name == detail::kReservation;
}

/// Where a limit is; null for other settings.
std::uint64_t* limitIn(Limits& limits, std::string_view name)
{
    if (name == detail::kQuota) {
        return &limits.quota;
    }
    if (name == detail::kReservation) {
        return &limits.reservation;
    }
    if (name == detail::kRefQuota) {
        return &limits.refQuota;
    }
    return name == detail::kRefReservation ? &limits.refReservation : nullptr;
}

void assign(Limits& limits, std::string_view name, std::uint64_t bytes)
{
    *limitIn(limits, name) = bytes;
    limits.setsQuota = limits.setsQuota || name == detail::kQuota;
    limits.setsRefQuota = limits.setsRefQuota || name == detail::kRefQuota;
}

Status checkForm(const Setting& setting, std::uint64_t version)
{
    const std::string& name = setting.name;
    if (name.empty() || name.find('$') != std::string::npos) {
        return fail(ErrorCode::InvalidName, fmt::format("bad property name: \"{}\"", name));
    }
    if (name.size() > kMaxName) {
        return fail(ErrorCode::NameTooLong, fmt::format("property name '{}' is too long", name));
    }
    if (const auto* text = std::get_if<std::string>(&setting.value);
        text != nullptr && text->size() > (version < kVersionLongTexts ? kMaxOldText : kMaxText)) {
        return fail(ErrorCode::TooLarge, fmt::format("the value of '{}' is too long", name));
    }
    Limits unused;
    if ((limitIn(unused, name) != nullptr || isCountLimit(name)) &&
        !std::holds_alternative<std::uint64_t>(setting.value)) {
        return fail(ErrorCode::InvalidArgument, fmt::format("'{}' must be a number", name));
    }
    if (isRefLimit(name) && version < kVersionRefLimits) {
        return fail(ErrorCode::UnsupportedVersion,
                    fmt::format("'{}' needs pool version {}", name, kVersionRefLimits));
    }
    return {};
}

bool beginsToCount(const Setting& setting)
{
    return isCountLimit(setting.name) && std::get<std::uint64_t>(setting.value) != kNoLimit;
}

Status checkInherit(const std::string& name, bool received)
{
    if (format::isUserProperty(name)) {
        return {};
    }
    const format::Property* property = format::findProperty(format::PropertyScope::Dataset, name);
    if (property == nullptr || property->name != name) {
        return fail(ErrorCode::NoSuchProperty, fmt::format("no such property: {}", name));
    }
    const bool inherited = property->mode == format::PropertyMode::Inherit ||
                           property->mode == format::PropertyMode::Once;
    if (property->inMasterNode || property->mode == format::PropertyMode::ReadOnly ||
        (!inherited && !received)) {
        return fail(ErrorCode::InvalidArgument, fmt::format("'{}' cannot be inherited", name));
    }
    return {};
}

} // namespace

// --- Limits ---

Result<Limits> LiveTree::limitsOf(LiveDirectory& directory)
{
    Limits limits{.quota = directory.phys.quota, .reservation = directory.phys.reserved};
    const LiveDataset* live = MP_TRY(head(directory));
    limits.refQuota = live->refQuota;
    limits.refReservation = live->refReservation;
    return limits;
}

/// Of a directory that has none yet.
Limits LiveTree::limitsAmong(std::span<const Setting> settings)
{
    Limits limits;
    for (const Setting& setting : settings) {
        if (limitIn(limits, setting.name) != nullptr) {
            assign(limits, setting.name, std::get<std::uint64_t>(setting.value));
        }
    }
    return limits;
}

/// What is received has no effect while something else is set.
Result<Limits> LiveTree::withSettings(LiveDirectory& directory,
                                      std::span<const Setting> settings,
                                      SettingSource source)
{
    Limits limits = MP_TRY(limitsOf(directory));
    for (const Setting& setting : settings) {
        if (limitIn(limits, setting.name) == nullptr) {
            continue;
        }
        if (source == SettingSource::Received && m_ports.version >= detail::kVersionReceived &&
            MP_TRY(detail::numberIn(m_lists, directory.phys.properties, setting.name))) {
            continue;
        }
        assign(limits, setting.name, std::get<std::uint64_t>(setting.value));
    }
    return limits;
}

Status LiveTree::checkLimits(LiveDirectory& directory, const Limits& next)
{
    const Limits now = MP_TRY(limitsOf(directory));
    const LiveDataset* live = MP_TRY(head(directory));
    const MutexLock lock(m_mutex);
    return detail::SpacePlan(m_room.usable)
        .change(directory, {live->phys.referencedBytes, live->phys.uniqueBytes}, now, next);
}

Status LiveTree::applyLimits(LiveDirectory& directory, const Limits& next)
{
    LiveDataset* live = MP_TRY(head(directory));
    const MutexLock lock(m_mutex);
    if (directory.phys.quota != next.quota) {
        directory.phys.quota = next.quota;
        markDirty(directory);
    }
    setReservation(directory, next.reservation);
    live->refQuota = next.refQuota;
    setRefReservation(*live, next.refReservation);
    return {};
}

/// The parent counts at least what is reserved.
void LiveTree::setReservation(LiveDirectory& directory, std::uint64_t bytes)
{
    const std::uint64_t used = directory.phys.usedBytes;
    const std::uint64_t before = std::max(used, directory.phys.reserved);
    const std::uint64_t after = std::max(used, bytes);
    if (directory.phys.reserved != bytes) {
        directory.phys.reserved = bytes;
        markDirty(directory);
    }
    if (directory.parent != nullptr && before != after) {
        use(*directory.parent,
            DirUsed::ChildReservations,
            {.used = static_cast<std::int64_t>(after - before)});
    }
}

/// The directory counts at least what is reserved for its live dataset.
void LiveTree::setRefReservation(LiveDataset& dataset, std::uint64_t bytes)
{
    const std::uint64_t unique = dataset.phys.uniqueBytes;
    const std::uint64_t before = std::max(unique, dataset.refReservation);
    const std::uint64_t after = std::max(unique, bytes);
    dataset.refReservation = bytes;
    if (before != after) {
        use(*dataset.directory,
            DirUsed::RefReservation,
            {.used = static_cast<std::int64_t>(after - before)});
    }
}

// --- Setting ---

/// What can be said of settings whatever they are of.
Status LiveTree::checkForms(std::span<const Setting> settings) const
{
    for (const Setting& setting : settings) {
        MP_TRY(checkForm(setting, m_ports.version));
        if (beginsToCount(setting) && !m_ports.features.isEnabled(kCounting)) {
            return fail(ErrorCode::UnsupportedFeature,
                        fmt::format("'{}' needs the feature {}", setting.name, kCounting));
        }
    }
    return {};
}

Status
LiveTree::check(LiveDirectory& directory, std::span<const Setting> settings, SettingSource source)
{
    MP_TRY(checkForms(settings));
    return checkLimits(directory, MP_TRY(withSettings(directory, settings, source)));
}

Status LiveTree::set(LiveDirectory& directory,
                     std::span<const Setting> settings,
                     Txg txg,
                     SettingSource source)
{
    MP_TRY(check(directory, settings, source));
    return put(directory, settings, txg, source);
}

Status LiveTree::put(LiveDirectory& directory,
                     std::span<const Setting> settings,
                     Txg txg,
                     SettingSource source)
{
    const Limits limits = MP_TRY(withSettings(directory, settings, source));
    SettingsWriter table(m_lists, directory.phys.properties, txg);
    for (const Setting& setting : settings) {
        if (isDirectoryLimit(setting.name) && m_ports.version < detail::kVersionReceived) {
            continue;
        }
        MP_TRY(source == SettingSource::Local ? table.setLocal(setting)
                                              : table.setReceived(setting));
        if (beginsToCount(setting)) {
            MP_TRY(beginCounting(directory, txg));
        }
    }
    return applyLimits(directory, limits);
}

Status LiveTree::markReceived(LiveDirectory& directory, Txg txg)
{
    if (m_ports.version < detail::kVersionReceived) {
        return {};
    }
    return SettingsWriter(m_lists, directory.phys.properties, txg)
        .setLocal({std::string(format::kPropertyHasReceived), std::uint64_t{0}});
}

Status LiveTree::inherit(LiveDirectory& directory, const std::string& name, bool received, Txg txg)
{
    MP_TRY(checkInherit(name, received));
    const ObjectId properties = directory.phys.properties;
    SettingsWriter table(m_lists, properties, txg);
    if (!received) {
        bool anyReceived = false;
        for (const LiveDirectory* at = &directory; at != nullptr && !anyReceived; at = at->parent) {
            anyReceived =
                MP_TRY(detail::numberIn(m_lists, at->phys.properties, format::kPropertyHasReceived))
                    .has_value();
        }
        return table.inherit(name, anyReceived);
    }
    Limits limits = MP_TRY(limitsOf(directory));
    if (limitIn(limits, name) != nullptr) {
        assign(limits, name, MP_TRY(detail::receivedNumber(m_lists, properties, name)).value_or(0));
        MP_TRY(checkLimits(directory, limits));
        MP_TRY(applyLimits(directory, limits));
    }
    return table.revert(name);
}

// --- Counts of what is below ---

Status
LiveTree::countBelow(LiveDirectory& directory, std::string_view field, std::int64_t delta, Txg txg)
{
    if (delta == 0 || !m_ports.features.isActive(kCounting)) {
        return {};
    }
    for (LiveDirectory* at = &directory; at != nullptr; at = at->parent) {
        const auto count = MP_TRY(detail::field(m_lists, at->object, field));
        if (!count) {
            return {}; // nobody counts here, nor above
        }
        MP_TRY(ZapWriter(m_ports.mos, txg)
                   .update(at->object, field, *count + static_cast<std::uint64_t>(delta)));
    }
    return {};
}

/// Counts once, all below included; from then on countBelow() keeps it up.
Status LiveTree::beginCounting(LiveDirectory& directory, Txg txg)
{
    if (!m_ports.features.isActive(kCounting)) {
        MP_TRY(m_ports.features.count(kCounting, 1, txg));
    }
    MP_TRY(counted(directory, txg));
    return {};
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as names may be
Result<LiveTree::Counts> LiveTree::counted(LiveDirectory& directory, Txg txg)
{
    const ObjectId object = directory.object;
    if (const auto known = MP_TRY(detail::field(m_lists, object, format::kDirFilesystemCount))) {
        return Counts{
            *known, MP_TRY(detail::field(m_lists, object, format::kDirSnapshotCount)).value_or(0)};
    }
    Counts counts;
    for (const std::string& name : MP_TRY(childNames(directory))) {
        if (!name.starts_with('$')) {
            const Counts below = MP_TRY(counted(*MP_TRY(child(directory, name)), txg));
            counts.filesystems += 1 + below.filesystems;
            counts.snapshots += below.snapshots;
        }
    }
    const LiveDataset* live = MP_TRY(head(directory));
    const Zap snapshots = MP_TRY(Zap::open(m_ports.mos, live->phys.snapshotNames));
    MP_TRY(snapshots.forEach([&](const ZapEntry& entry) -> Result<bool> {
        counts.snapshots += entry.name.starts_with('%') ? 0U : 1U;
        return true;
    }));
    MP_TRY(detail::makeExtensible(m_lists, object, txg));
    ZapWriter zaps(m_ports.mos, txg);
    MP_TRY(zaps.add(object, format::kDirFilesystemCount, counts.filesystems));
    MP_TRY(zaps.add(object, format::kDirSnapshotCount, counts.snapshots));
    return counts;
}

} // namespace millpond::dataset
