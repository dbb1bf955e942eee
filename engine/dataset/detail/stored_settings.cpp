// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/detail/stored_settings.h"

#include "dataset/detail/extensible.h"
#include "object/zap.h"
#include "object/zap_writer.h"

// Sources: OpenZFS module/zfs/dsl_prop.c.

namespace millpond::dataset::detail {

using object::ZapValue;
using object::ZapWriter;

namespace {

std::string withSuffix(std::string_view name, std::string_view suffix)
{
    return std::string(name).append(suffix);
}

/// Values that came later: a table holds them beside the default, which is what older programs
/// then go by.
bool isUnknownToOlder(const Setting& setting)
{
    constexpr std::uint64_t kMetadataSome = 2;
    constexpr std::uint64_t kMetadataNone = 3;
    constexpr std::uint64_t kSnapdirDisabled = 2;
    const std::uint64_t* number = std::get_if<std::uint64_t>(&setting.value);
    if (number == nullptr) {
        return false;
    }
    return (setting.name == "redundant_metadata" &&
            (*number == kMetadataSome || *number == kMetadataNone)) ||
           (setting.name == "snapdir" && *number == kSnapdirDisabled);
}

} // namespace

Result<std::optional<std::uint64_t>>
receivedNumber(ListContext& context, ObjectId table, std::string_view name)
{
    return numberIn(context, table, withSuffix(name, format::kPropertyReceivedSuffix));
}

Result<std::uint64_t> ownNumber(ListContext& context, ObjectId table, std::string_view name)
{
    if (const auto local = MP_TRY(numberIn(context, table, name))) {
        return *local;
    }
    if (MP_TRY(numberIn(context, table, withSuffix(name, format::kPropertyInheritSuffix)))) {
        return 0;
    }
    return MP_TRY(receivedNumber(context, table, name)).value_or(0);
}

Status SettingsWriter::put(const std::string& name, const Setting& setting)
{
    ZapWriter zaps(m_context.mos, m_txg);
    if (const auto* number = std::get_if<std::uint64_t>(&setting.value)) {
        return zaps.update(m_table, name, *number);
    }
    return zaps.update(m_table, name, ZapValue::text(std::get<std::string>(setting.value)));
}

Status SettingsWriter::remove(std::string_view name, std::string_view suffix)
{
    return removeIfThere(m_context, m_table, withSuffix(name, suffix), m_txg);
}

Status SettingsWriter::setLocal(const Setting& setting)
{
    MP_TRY(remove(setting.name, format::kPropertyInheritSuffix));
    if (isUnknownToOlder(setting)) {
        MP_TRY(put(withSuffix(setting.name, format::kPropertyIterator), setting));
        return put(setting.name, {setting.name, std::uint64_t{0}}); // the default of both
    }
    MP_TRY(remove(setting.name, format::kPropertyIterator));
    return put(setting.name, setting);
}

Status SettingsWriter::setReceived(const Setting& setting)
{
    if (m_context.version < kVersionReceived) {
        return setLocal(setting);
    }
    return put(withSuffix(setting.name, format::kPropertyReceivedSuffix), setting);
}

Status SettingsWriter::revert(std::string_view name)
{
    MP_TRY(remove(name));
    MP_TRY(remove(name, format::kPropertyIterator));
    return remove(name, format::kPropertyInheritSuffix);
}

Status SettingsWriter::inherit(std::string_view name, bool hide)
{
    MP_TRY(remove(name));
    MP_TRY(remove(name, format::kPropertyIterator));
    if (!hide || m_context.version < kVersionReceived) {
        return {};
    }
    ZapWriter zaps(m_context.mos, m_txg);
    return zaps.update(m_table, withSuffix(name, format::kPropertyInheritSuffix), 0);
}

} // namespace millpond::dataset::detail
