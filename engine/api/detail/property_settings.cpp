// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/detail/property_settings.h"

#include "format/feature.h"
#include "format/name.h"
#include "format/property.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace millpond::api::detail {

namespace {
using dataset::Node;
using dataset::Properties;
using dataset::Setting;
using format::Property;
using format::PropertyKind;
using format::PropertyMode;

constexpr std::uint64_t kMinRecordBytes = 512;
constexpr std::uint64_t kMaxRecordBytes = 16 * MiB;
constexpr std::uint64_t kDnodeSlot = 512;
constexpr std::string_view kFeature = "feature@";
constexpr unsigned kLevelShift = 7; ///< of compression's number, above the algorithm

Error badValue(std::string_view name, std::string_view text, std::string_view why)
{
    return {ErrorCode::InvalidArgument,
            fmt::format("'{}' is no value for property '{}': {}", text, name, why)};
}

/// What does not work yet, or is more than a setting.
Status refuse(std::string_view name, std::string_view text)
{
    if (name == "dedup" && text != "off") {
        return fail(ErrorCode::UnsupportedFeature, "deduplication can't be switched on yet");
    }
    if (name == "encryption" && text != "off") {
        return fail(ErrorCode::UnsupportedFeature, "encrypted datasets can't be made yet");
    }
    return {};
}

Status checkNumber(std::string_view name, std::string_view text, std::uint64_t number)
{
    if (name == "recordsize" &&
        (!std::has_single_bit(number) || number < kMinRecordBytes || number > kMaxRecordBytes)) {
        return fail(badValue(name, text, "a power of two from 512 bytes to 16M"));
    }
    if (name == "special_small_blocks" && number != 0 &&
        (!std::has_single_bit(number) || number < kMinRecordBytes || number > MiB)) {
        return fail(badValue(name, text, "0, or a power of two from 512 bytes to 1M"));
    }
    return {};
}

Result<Setting> settingOf(const Property& property, const std::string& text)
{
    Setting setting;
    setting.name = std::string(property.name);
    switch (property.kind) {
    case PropertyKind::Text:
        setting.value = text;
        return setting;
    case PropertyKind::Index: {
        const auto value = format::indexValue(property, text);
        if (!value) {
            return fail(badValue(property.name, text, fmt::format("one of {}", property.values)));
        }
        setting.value = *value;
        return setting;
    }
    case PropertyKind::Number: {
        const bool isNone = text == "none";
        const auto number = numberFromText(text);
        if (!number) {
            return fail(badValue(property.name, text, number.error().what()));
        }
        const bool countOrNone = property.style == format::NumberStyle::CountOrNone;
        setting.value = isNone && countOrNone ? std::numeric_limits<std::uint64_t>::max() : *number;
        MP_TRY(checkNumber(property.name, text, *number));
        return setting;
    }
    }
    return setting;
}

/// A native property that can be set: now, or (what is fixed then) when something is made.
Result<const Property*> settable(format::PropertyScope scope, std::string_view name, bool creating)
{
    const Property* property = format::findProperty(scope, name);
    if (property == nullptr) {
        return fail(ErrorCode::NoSuchProperty, fmt::format("invalid property '{}'", name));
    }
    const bool fixed =
        property->mode == PropertyMode::Once || property->mode == PropertyMode::OnceDefault;
    if (property->mode == PropertyMode::ReadOnly || (fixed && !creating)) {
        return fail(
            ErrorCode::ReadOnly,
            fmt::format("property '{}' {}",
                        property->name,
                        fixed ? "can only be set when a dataset is created" : "is read-only"));
    }
    return property;
}

/// Into the master node of a new file system instead of a setting.
Result<bool>
fixAtCreation(const Property& property, const Setting& setting, posix::NewFileSystem& to)
{
    if (!property.inMasterNode) {
        return false;
    }
    const std::uint64_t value = std::get<std::uint64_t>(setting.value);
    if (property.name == "version") {
        if (value != 0 && value != to.version) {
            return fail(ErrorCode::UnsupportedVersion, "file systems are made with version 5");
        }
    } else if (property.name == "normalization") {
        to.normalization = value;
    } else if (property.name == "utf8only") {
        to.utf8Only = value != 0;
    } else if (property.name == "casesensitivity") {
        to.caseSensitivity = value;
    }
    return true;
}

/// The stored number of a property as it stands.
Result<std::uint64_t> numberOf(Properties& properties, const Node& node, std::string_view name)
{
    const Property* property = format::findProperty(format::PropertyScope::Dataset, name);
    const std::string text = MP_TRY(properties.get(node, name)).value;
    if (property->kind == PropertyKind::Index) {
        return format::indexValue(*property, text).value_or(property->defaultNumber);
    }
    return numberFromText(text);
}
} // namespace

Result<std::uint64_t> numberFromText(std::string_view text)
{
    if (text == "none") {
        return std::uint64_t{0};
    }
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
    const auto bad = [&] {
        return Error(ErrorCode::InvalidArgument, fmt::format("'{}' is not a number", text));
    };
    if (error != std::errc() || number < 0) {
        return fail(bad());
    }
    std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
    static constexpr std::string_view kUnits = "BKMGTPE";
    unsigned shift = 0;
    if (!suffix.empty()) {
        const auto upper = static_cast<char>(suffix.front() & ~0x20);
        const std::size_t unit = kUnits.find(upper);
        const std::string_view tail = suffix.substr(1);
        const bool known =
            unit != std::string_view::npos &&
            (tail.empty() || (unit != 0 && (tail == "B" || tail == "b" || tail == "iB")));
        if (!known) {
            return fail(bad());
        }
        shift = static_cast<unsigned>(unit) * 10;
    }
    std::uint64_t whole = 0;
    if (std::from_chars(text.data(), rest, whole).ptr == rest &&
        whole <= std::numeric_limits<std::uint64_t>::max() >> shift) {
        return whole << shift; // exact
    }
    const double scaled = std::ldexp(number, static_cast<int>(shift));
    if (scaled >= std::ldexp(1.0, 64)) {
        return fail(ErrorCode::InvalidArgument, fmt::format("'{}' is too large", text));
    }
    return static_cast<std::uint64_t>(scaled);
}

Result<ParsedProperties> parseProperties(const PropertyPairs& pairs, bool creating)
{
    ParsedProperties parsed;
    for (const auto& [name, text] : pairs) {
        if (format::isUserProperty(name)) {
            MP_TRY(format::checkUserPropertyName(name));
            parsed.settings.push_back({name, text});
            continue;
        }
        const Property* property = MP_TRY(settable(format::PropertyScope::Dataset, name, creating));
        MP_TRY(refuse(property->name, text));
        Setting setting = MP_TRY(settingOf(*property, text));
        if (!MP_TRY(fixAtCreation(*property, setting, parsed.format))) {
            parsed.settings.push_back(std::move(setting));
        }
    }
    return parsed;
}

Status applyPoolProperties(const CreatePoolRequest& request, pool::CreateRequest& create)
{
    std::vector<std::string> features;
    if (!request.noFeatures) {
        features = pool::defaultFeatures();
    }
    for (const auto& [name, text] : request.properties) {
        if (name.starts_with(kFeature)) {
            const std::string feature = name.substr(kFeature.size());
            if (format::featureByName(feature) == nullptr) {
                return fail(ErrorCode::NoSuchProperty,
                            fmt::format("invalid feature '{}'", feature));
            }
            std::erase(features, feature);
            if (text == "enabled") {
                features.push_back(feature);
            } else if (text != "disabled") {
                return fail(badValue(name, text, "enabled or disabled"));
            }
        } else if (name == "comment") {
            create.comment = text;
        } else if (name == "ashift") {
            const std::uint64_t ashift = MP_TRY(numberFromText(text));
            create.layout.ashift =
                ashift == 0 ? std::optional<unsigned>() : static_cast<unsigned>(ashift);
        } else if (name == "version") {
            create.version = MP_TRY(numberFromText(text));
        } else if (format::findProperty(format::PropertyScope::Pool, name) == nullptr) {
            return fail(ErrorCode::NoSuchProperty, fmt::format("invalid property '{}'", name));
        } else {
            return fail(ErrorCode::InvalidArgument,
                        fmt::format("property '{}' can't be set when a pool is made", name));
        }
    }
    if (create.version == format::kPoolVersionNewestNumbered) {
        features.clear();
    } else if (create.version != format::kPoolVersionFeatures) {
        return fail(ErrorCode::UnsupportedVersion, "pools are made with version 28 or 5000");
    }
    create.features = std::move(features);
    return pool::checkLayout(create.layout);
}

Result<pool::PoolChanges> parsePoolProperties(const PropertyPairs& pairs)
{
    constexpr std::size_t kMaxComment = 32;
    pool::PoolChanges changes;
    for (const auto& [name, text] : pairs) {
        if (format::isUserProperty(name)) {
            MP_TRY(format::checkUserPropertyName(name));
            changes.properties.push_back({name, text});
            continue;
        }
        if (name.starts_with(kFeature)) {
            if (text != "enabled") {
                return fail(badValue(name, text, "features can only be enabled"));
            }
            changes.features.push_back(name.substr(kFeature.size()));
            continue;
        }
        const Property* property = MP_TRY(settable(format::PropertyScope::Pool, name, false));
        if (name == "comment") {
            if (text.size() > kMaxComment) {
                return fail(badValue(name, text, "at most 32 bytes"));
            }
            changes.comment = text;
        } else if (name == "multihost" && text != "off") {
            return fail(ErrorCode::UnsupportedFeature, "multihost can't be switched on yet");
        } else if (name == "altroot" || name == "cachefile" || name == "readonly" ||
                   name == "version" || name == "compatibility") {
            return fail(ErrorCode::InvalidArgument,
                        fmt::format("property '{}' can't be set on an imported pool", name));
        } else {
            changes.properties.push_back(MP_TRY(settingOf(*property, text)));
        }
    }
    return changes;
}

Result<object::WriteSettings>
writeSettings(Properties& properties, const Node& node, object::WriteSettings usual)
{
    object::WriteSettings settings = usual;
    settings.checksum =
        static_cast<format::ChecksumType>(MP_TRY(numberOf(properties, node, "checksum")));
    const std::uint64_t compression = MP_TRY(numberOf(properties, node, "compression"));
    settings.compression =
        static_cast<format::CompressionType>(compression & ((1U << kLevelShift) - 1));
    if (const auto level = static_cast<std::uint8_t>(compression >> kLevelShift); level != 0) {
        settings.zstdLevel = codec::ZstdLevel(level);
    }
    settings.copies = static_cast<unsigned>(MP_TRY(numberOf(properties, node, "copies")));
    settings.redundantMetadata = static_cast<object::RedundantMetadata>(
        MP_TRY(numberOf(properties, node, "redundant_metadata")));
    settings.specialSmallBlocks =
        static_cast<std::uint32_t>(MP_TRY(numberOf(properties, node, "special_small_blocks")));
    return settings;
}

Result<posix::WriteOptions> writeOptions(Properties& properties, const Node& node)
{
    constexpr std::uint64_t kXattrSa = 2;
    constexpr std::uint64_t kAclPosix = 1;
    constexpr std::uint64_t kAutomatic = 1;
    posix::WriteOptions options;
    options.recordBytes =
        static_cast<std::uint32_t>(MP_TRY(numberOf(properties, node, "recordsize")));
    options.xattrsInAttributes = MP_TRY(numberOf(properties, node, "xattr")) == kXattrSa;
    options.posixAcls = MP_TRY(numberOf(properties, node, "acltype")) == kAclPosix;
    options.aclMode = static_cast<posix::AclMode>(MP_TRY(numberOf(properties, node, "aclmode")));
    const std::uint64_t dnodeBytes = MP_TRY(numberOf(properties, node, "dnodesize"));
    options.dnodeSlots =
        dnodeBytes == kAutomatic
            ? std::uint8_t{0}
            : static_cast<std::uint8_t>(std::max(dnodeBytes / kDnodeSlot, std::uint64_t{1}));
    options.longNames = MP_TRY(properties.get(node, "longname")).value == "on";
    options.readOnly = MP_TRY(properties.get(node, "readonly")).value == "on";
    return options;
}

} // namespace millpond::api::detail
