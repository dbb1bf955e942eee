// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/detail/pool_properties.h"

#include "format/dsl.h"
#include "format/feature.h"
#include "format/property.h"

#include <fmt/format.h>

#include <map>

namespace millpond::api::detail {

namespace {
constexpr std::string_view kFeaturePrefix = "feature@";
constexpr std::string_view kUnsupportedPrefix = "unsupported@";

class Builder
{
public:
    Builder(const pool::Pool& pool, const pool::SpaceFigures& space, const ImportFacts& facts)
        : m_pool(pool)
        , m_space(space)
        , m_facts(facts)
    {
    }

    Status load();
    Result<PoolProperty> named(const std::string& name) const;
    Result<std::vector<PoolProperty>> all() const;

private:
    using Value = std::pair<std::string, SourceKind>;

    [[nodiscard]] std::optional<Value> computed(std::string_view name) const;
    [[nodiscard]] Result<Value> native(const format::Property& property) const;
    [[nodiscard]] Result<Value> stored(const format::Property& property,
                                       const object::ZapEntry& entry) const;
    [[nodiscard]] Value feature(const format::Feature& feature) const;
    [[nodiscard]] std::string health() const;

    static Value number(std::uint64_t value) { return {std::to_string(value), SourceKind::None}; }

    static Value ratio(std::uint64_t percent)
    {
        return {fmt::format("{}.{:02}", percent / 100, percent % 100), SourceKind::None};
    }

    const pool::Pool& m_pool;
    const pool::SpaceFigures& m_space;
    const ImportFacts& m_facts;
    std::map<std::string, object::ZapEntry, std::less<>> m_stored;
    std::uint64_t m_lastScrubbedTxg = 0;
};

Status Builder::load()
{
    const auto object = MP_TRY(m_pool.mos().number(format::kPoolProperties));
    for (object::ZapEntry& entry : MP_TRY(m_pool.mos().entries(ObjectId(object.value_or(0))))) {
        std::string name = entry.name;
        m_stored.emplace(std::move(name), std::move(entry));
    }
    m_lastScrubbedTxg = MP_TRY(m_pool.mos().number(format::kPoolLastScrubbedTxg)).value_or(0);
    return {};
}

std::string Builder::health() const
{
    return std::string(vdev::stateText(m_pool.vdevs().state(), m_pool.vdevs().aux()));
}

std::optional<Builder::Value> Builder::computed(std::string_view name) const
{
    const std::uint64_t size = m_space.size;
    const std::uint64_t used = m_space.allocated;
    const std::map<std::string_view, Value> values = {
        {"name", {m_pool.name(), SourceKind::None}},
        {"size", number(size)},
        {"allocated", number(used)},
        {"free", number(size - std::min(size, used))},
        {"capacity", number(size == 0 ? 0 : used * 100 / size)},
        {"health", {health(), SourceKind::None}},
        {"guid", number(m_pool.guid().value())},
        {"load_guid", number(m_facts.loadGuid)},
        {"dedupratio", ratio(m_space.dedup.ratioPercent())},
        {"readonly", {"on", SourceKind::None}},
        {"expandsize", {"-", SourceKind::None}},
        {"freeing", number(m_space.freeing)},
        {"leaked", number(m_space.leaked)},
        {"fragmentation",
         {m_space.fragmentationPercent ? std::to_string(*m_space.fragmentationPercent) : "-",
          SourceKind::None}},
        {"checkpoint",
         {m_space.checkpoint == 0 ? "-" : std::to_string(m_space.checkpoint), SourceKind::None}},
        {"bcloneused", number(m_space.cloneUsed)},
        {"bclonesaved", number(m_space.cloneSaved)},
        {"bcloneratio",
         ratio(m_space.cloneUsed == 0
                   ? 100
                   : (m_space.cloneUsed + m_space.cloneSaved) * 100 / m_space.cloneUsed)},
        {"dedup_table_size", number(m_space.dedup.tableBytes)},
        {"last_scrubbed_txg", number(m_lastScrubbedTxg)},
    };
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
}

Result<Builder::Value> Builder::stored(const format::Property& property,
                                       const object::ZapEntry& entry) const
{
    if (property.name == "bootfs") {
        // Kept as the dataset's number.
        const auto dataset = m_pool.datasets().dataset(ObjsetId(entry.first()));
        return Value{dataset ? (*dataset)->name() : "-", SourceKind::Local};
    }
    if (property.kind == format::PropertyKind::Text) {
        return Value{entry.text(), SourceKind::Local};
    }
    const SourceKind source =
        entry.first() == property.defaultNumber ? SourceKind::Default : SourceKind::Local;
    return Value{format::rawPropertyText(property, entry.first()), source};
}

Result<Builder::Value> Builder::native(const format::Property& property) const
{
    if (const auto set = m_facts.temporary.find(property.name); set != m_facts.temporary.end()) {
        return Value{set->second, SourceKind::Local};
    }
    if (auto value = computed(property.name)) {
        return std::move(*value);
    }
    if (property.name == "version") {
        const bool flags = m_pool.version() == format::kPoolVersionFeatures;
        return Value{flags ? "-" : std::to_string(m_pool.version()),
                     flags ? SourceKind::Default : SourceKind::Local};
    }
    if (property.name == "altroot" && !m_facts.altroot.empty()) {
        return Value{m_facts.altroot, SourceKind::Local};
    }
    // Comment and compatibility stand in the configuration, the rest in a ZAP.
    if (const auto text = m_pool.config().label.text(property.name);
        text && (property.name == "comment" || property.name == "compatibility")) {
        return Value{std::string(*text), SourceKind::Local};
    }
    if (const auto entry = m_stored.find(property.name); entry != m_stored.end()) {
        return stored(property, entry->second);
    }
    if (property.kind == format::PropertyKind::Text) {
        return Value{property.defaultText.empty() ? "-" : std::string(property.defaultText),
                     SourceKind::Default};
    }
    return Value{format::rawPropertyText(property, property.defaultNumber), SourceKind::Default};
}

Builder::Value Builder::feature(const format::Feature& feature) const
{
    const pool::FeatureState& state = m_pool.features();
    const char* word = state.isActive(feature.guid)    ? "active"
                       : state.isEnabled(feature.guid) ? "enabled"
                                                       : "disabled";
    return {word, SourceKind::Local};
}

Result<PoolProperty> Builder::named(const std::string& name) const
{
    if (name.starts_with(kFeaturePrefix)) {
        const format::Feature* known =
            format::featureByName(std::string_view(name).substr(kFeaturePrefix.size()));
        if (known != nullptr) {
            const auto [value, source] = feature(*known);
            return PoolProperty{name, value, source};
        }
    }
    const format::Property* property = format::findProperty(format::PropertyScope::Pool, name);
    if (property == nullptr) {
        return fail(ErrorCode::NoSuchProperty, fmt::format("pools have no property \"{}\"", name));
    }
    auto [value, source] = MP_TRY(native(*property));
    return PoolProperty{std::string(property->name), std::move(value), source};
}

Result<std::vector<PoolProperty>> Builder::all() const
{
    std::vector<PoolProperty> properties;
    for (const format::Property& property : format::properties(format::PropertyScope::Pool)) {
        if (property.visible) {
            properties.push_back(MP_TRY(named(std::string(property.name))));
        }
    }
    for (const format::Feature& known : format::features()) {
        const auto [value, source] = feature(known);
        properties.push_back({fmt::format("{}{}", kFeaturePrefix, known.name), value, source});
    }
    for (const auto& [guid, count] : m_pool.features().forWrite) {
        if (format::featureByGuid(guid) == nullptr) {
            properties.push_back({fmt::format("{}{}", kUnsupportedPrefix, guid),
                                  count == 0 ? "inactive" : "readonly",
                                  SourceKind::Local});
        }
    }
    return properties;
}
} // namespace

Result<std::map<std::string, std::string, std::less<>>>
temporaryProperties(const std::vector<std::pair<std::string, std::string>>& wanted)
{
    std::map<std::string, std::string, std::less<>> properties;
    for (const auto& [name, value] : wanted) {
        const format::Property* property = format::findProperty(format::PropertyScope::Pool, name);
        if (property == nullptr) {
            return fail(ErrorCode::NoSuchProperty,
                        fmt::format("pools have no property \"{}\"", name));
        }
        if (property->mode == format::PropertyMode::ReadOnly) {
            return fail(ErrorCode::ReadOnly, fmt::format("property \"{}\" cannot be set", name));
        }
        if (property->kind == format::PropertyKind::Index &&
            !format::indexValue(*property, value)) {
            return fail(ErrorCode::InvalidArgument,
                        fmt::format("property \"{}\" is one of: {}", name, property->values));
        }
        properties.insert_or_assign(std::string(property->name), value);
    }
    return properties;
}

Result<std::vector<PoolProperty>> poolProperties(const pool::Pool& pool,
                                                 const pool::SpaceFigures& space,
                                                 const ImportFacts& facts,
                                                 std::span<const std::string> names)
{
    Builder builder(pool, space, facts);
    MP_TRY(builder.load());
    if (names.empty()) {
        return builder.all();
    }
    std::vector<PoolProperty> properties;
    for (const std::string& name : names) {
        if (name == "all") {
            std::vector<PoolProperty> every = MP_TRY(builder.all());
            properties.insert(properties.end(), every.begin(), every.end());
        } else {
            properties.push_back(MP_TRY(builder.named(name)));
        }
    }
    return properties;
}

} // namespace millpond::api::detail
