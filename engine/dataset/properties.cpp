// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/properties.h"

#include "base/mutex.h"
#include "dataset/accounting.h"
#include "dataset/detail/node_values.h"
#include "dataset/detail/settings.h"
#include "dataset/written.h"
#include "format/property.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace millpond::dataset {

using detail::NodeValues;
using detail::Resolved;
using detail::Setting;
using detail::Settings;
using detail::SettingsLevel;
using detail::SettingValue;
using format::Property;
using format::PropertyKind;
using format::PropertyMode;
using format::PropertyScope;
using format::PropertyTypes;

namespace {

constexpr std::size_t kMaxCachedSettings = 65536; // tables; a few hundred bytes each

std::uint8_t typeBit(Kind kind)
{
    switch (kind) {
    case Kind::Filesystem:
        return PropertyTypes::kFilesystem;
    case Kind::Volume:
        return PropertyTypes::kVolume;
    case Kind::Snapshot:
        return PropertyTypes::kSnapshot;
    default:
        return PropertyTypes::kBookmark;
    }
}

bool applies(const Property& property, const Node& node)
{
    if ((property.types & typeBit(node.kind)) == 0) {
        return false;
    }
    // A snapshot has no numbers that its dataset could not have: the snapshot of a volume has no
    // "devices". Texts are not looked at so closely by OpenZFS.
    const bool onlyOfSnapshots = property.types == PropertyTypes::kSnapshot;
    return node.kind != Kind::Snapshot || property.kind == PropertyKind::Text || onlyOfSnapshots ||
           (property.types & typeBit(node.content)) != 0;
}

bool isInheritable(const Property& property)
{
    return property.mode == PropertyMode::Inherit || property.mode == PropertyMode::Once;
}

/// Numbers that, when they are there and no default, count as set here whatever set them.
bool isLocalWhenPresent(std::string_view name)
{
    static constexpr std::string_view kNames[] = {"volsize",
                                                  "quota",
                                                  "refquota",
                                                  "reservation",
                                                  "refreservation",
                                                  "filesystem_limit",
                                                  "snapshot_limit",
                                                  "filesystem_count",
                                                  "snapshot_count",
                                                  "canmount"};
    return std::ranges::find(kNames, name) != std::end(kNames);
}

bool knowsNumber(std::string_view name, std::uint64_t number)
{
    const Property* property = format::findProperty(PropertyScope::Dataset, name);
    return property != nullptr && property->kind == PropertyKind::Index &&
           format::indexName(*property, number).has_value();
}

/// As `zfs get -p` prints it; nothing when stored as another type than the property's, or a number
/// without a name.
std::optional<std::string> textOfValue(const Property& property, const SettingValue& value)
{
    if (property.kind == PropertyKind::Text) {
        const auto* text = std::get_if<std::string>(&value);
        return text != nullptr ? std::optional(*text) : std::nullopt;
    }
    const auto* number = std::get_if<std::uint64_t>(&value);
    if (number == nullptr) {
        return std::nullopt;
    }
    if (property.kind == PropertyKind::Index && !format::indexName(property, *number)) {
        return std::nullopt;
    }
    return format::rawPropertyText(property, *number);
}

SettingValue defaultOf(const Property& property)
{
    if (property.kind == PropertyKind::Text) {
        return std::string(property.defaultText);
    }
    return property.defaultNumber;
}

/// Whether something stored can be the value of the property.
bool fits(const Property& property, const SettingValue& value)
{
    return (property.kind == PropertyKind::Text) == std::holds_alternative<std::string>(value);
}

PropertyValue absent(std::string_view name)
{
    PropertyValue value;
    value.name = name;
    value.value = "-";
    return value;
}

/// A stored mountpoint seen from a dataset below the one that set it. [libzfs_dataset.c]
std::string
mountpointBelow(std::string_view stored, std::string_view below, std::string_view altroot)
{
    if (!stored.starts_with('/')) {
        return std::string(stored); // none, legacy
    }
    if (altroot == "/") {
        altroot = {};
    }
    if (stored == "/" && (!altroot.empty() || !below.empty())) {
        stored = {};
    }
    return fmt::format("{}{}{}{}", altroot, stored, below.empty() ? "" : "/", below);
}

/// "userquota@alice" and kin.
struct AccountName
{
    AccountKind kind;
    AccountFigure figure;
    std::string_view who;
};

std::optional<AccountName> accountName(std::string_view name)
{
    struct Prefix
    {
        std::string_view text;
        AccountKind kind;
        AccountFigure figure;
    };

    static constexpr Prefix kPrefixes[] = {
        {"userused@", AccountKind::User, AccountFigure::Used},
        {"userquota@", AccountKind::User, AccountFigure::Quota},
        {"userobjused@", AccountKind::User, AccountFigure::Objects},
        {"userobjquota@", AccountKind::User, AccountFigure::ObjectQuota},
        {"groupused@", AccountKind::Group, AccountFigure::Used},
        {"groupquota@", AccountKind::Group, AccountFigure::Quota},
        {"groupobjused@", AccountKind::Group, AccountFigure::Objects},
        {"groupobjquota@", AccountKind::Group, AccountFigure::ObjectQuota},
        {"projectused@", AccountKind::Project, AccountFigure::Used},
        {"projectquota@", AccountKind::Project, AccountFigure::Quota},
        {"projectobjused@", AccountKind::Project, AccountFigure::Objects},
        {"projectobjquota@", AccountKind::Project, AccountFigure::ObjectQuota},
    };
    for (const Prefix& prefix : kPrefixes) {
        if (name.starts_with(prefix.text)) {
            return AccountName{prefix.kind, prefix.figure, name.substr(prefix.text.size())};
        }
    }
    return std::nullopt;
}

bool isWrittenProperty(std::string_view name)
{
    return name.starts_with("written@") || name.starts_with("written#");
}

} // namespace

struct Properties::Private
{
    Private(std::shared_ptr<DatasetTree> treeAsked, PropertyEnvironment environmentAsked)
        : tree(std::move(treeAsked))
        , environment(std::move(environmentAsked))
    {
    }

    Result<std::shared_ptr<const Settings>> settingsOf(ObjectId table, const ReadContext& context);
    Result<std::vector<SettingsLevel>> levelsOf(const Node& node, const ReadContext& context);

    const std::shared_ptr<DatasetTree> tree;
    const PropertyEnvironment environment;

    Mutex mutex;
    std::unordered_map<ObjectId, std::shared_ptr<const Settings>> cached MP_GUARDED_BY(mutex);
    detail::FixedValues fixedValues;
};

Result<std::shared_ptr<const Settings>> Properties::Private::settingsOf(ObjectId table,
                                                                        const ReadContext& context)
{
    {
        const MutexLock lock(mutex);
        const auto found = cached.find(table);
        if (found != cached.end()) {
            return found->second;
        }
    }
    auto settings = MP_TRY(Settings::read(tree->mos(), table, context));
    const MutexLock lock(mutex);
    if (cached.size() >= kMaxCachedSettings) {
        cached.clear();
    }
    return cached.emplace(table, std::move(settings)).first->second;
}

Result<std::vector<SettingsLevel>> Properties::Private::levelsOf(const Node& node,
                                                                 const ReadContext& context)
{
    std::vector<SettingsLevel> levels;
    if (node.kind == Kind::Bookmark) {
        return levels;
    }
    const ObjectId ownTable = node.dataset->phys.snapshotProperties;
    if (node.kind == Kind::Snapshot && ownTable.value() != 0) {
        // Not cached: there may be very many, each asked for once.
        levels.push_back({node.name(), MP_TRY(Settings::read(tree->mos(), ownTable, context))});
    }
    for (DirectoryRef place = node.directory; place; place = place->parent) {
        levels.push_back({place->name, MP_TRY(settingsOf(place->phys.properties, context))});
    }
    return levels;
}

namespace {

/// The limits on what a dataset itself refers to: settings that its sizes depend on.
NodeValues::Sizes ownSizes(const std::vector<SettingsLevel>& levels)
{
    const auto number = [&](std::string_view name) -> std::uint64_t {
        const auto found = detail::resolve(levels, name, {.inheritable = false});
        const auto* value = found ? std::get_if<std::uint64_t>(&found->value) : nullptr;
        return value != nullptr ? *value : 0;
    };
    return {number("refquota"), number("refreservation")};
}

/// One query about one node.
class Query
{
public:
    /// What is passed outlives the query.
    Query(DatasetTree& tree,
          const PropertyEnvironment& environment,
          const Node& node,
          std::vector<SettingsLevel> levels,
          detail::FixedValues& fixedValues,
          const ReadContext& context)
        : m_tree(tree)
        , m_environment(environment)
        , m_node(node)
        , m_name(node.name())
        , m_levels(std::move(levels))
        , m_ownLevels(countOwnLevels())
        , m_context(context)
        , m_values(tree, node, sizes(), environment.space.usable, fixedValues, context)
    {
        if (environment.outside && node.kind == Kind::Filesystem) {
            m_outside = environment.outside(*node.directory);
        }
    }

    /// Nothing when the property does not apply.
    Result<std::optional<PropertyValue>> native(const Property& property);
    [[nodiscard]] std::optional<PropertyValue> user(std::string_view name) const;
    Result<PropertyValue> account(std::string_view name, const AccountName& account);
    Result<PropertyValue> written(std::string_view name);
    [[nodiscard]] std::vector<std::string> userNames() const;

private:
    /// Of a snapshot: its own table if it has one. Else the directory's.
    [[nodiscard]] std::size_t countOwnLevels() const
    {
        const bool has =
            m_node.kind != Kind::Snapshot || (!m_levels.empty() && m_levels.front().name == m_name);
        return has ? 1 : 0;
    }

    [[nodiscard]] NodeValues::Sizes sizes() const
    {
        if (m_node.kind == Kind::Snapshot || m_node.kind == Kind::Bookmark) {
            return {};
        }
        return ownSizes(m_levels);
    }

    [[nodiscard]] std::optional<Resolved> setting(std::string_view name, bool inheritable) const
    {
        return detail::resolve(m_levels, name, {inheritable, m_ownLevels, &knowsNumber});
    }

    void setSource(PropertyValue& value, const Resolved& found) const;
    void setReceived(PropertyValue& value, const Property* property) const;
    [[nodiscard]] std::optional<PropertyValue> fromSettings(const Property& property) const;
    Result<std::optional<PropertyValue>> fromNode(const Property& property);
    [[nodiscard]] PropertyValue mountpoint(const Property& property) const;
    void applyTemporary(PropertyValue& value) const;
    [[nodiscard]] std::optional<std::uint64_t> idOf(const AccountName& account) const;

    DatasetTree& m_tree;
    const PropertyEnvironment& m_environment;
    const Node& m_node;
    std::string m_name;
    std::vector<SettingsLevel> m_levels;
    std::size_t m_ownLevels;
    const ReadContext& m_context;
    NodeValues m_values;
    Outside m_outside;
};

void Query::setSource(PropertyValue& value, const Resolved& found) const
{
    const std::string& level = m_levels[found.level].name;
    if (found.received) {
        value.source = Source::Received;
    } else if (level == m_name) {
        value.source = Source::Local;
    } else {
        value.source = Source::Inherited;
        value.inheritedFrom = level;
    }
}

void Query::setReceived(PropertyValue& value, const Property* property) const
{
    if (m_ownLevels == 0 || m_levels.empty()) {
        return;
    }
    const Setting* setting = m_levels.front().settings->find(value.name);
    if (setting == nullptr || !setting->received) {
        return;
    }
    if (property == nullptr) {
        const auto* text = std::get_if<std::string>(&*setting->received);
        value.received = text != nullptr ? *text : "-";
        return;
    }
    if (const auto text = textOfValue(*property, *setting->received)) {
        value.received = property->name == "mountpoint"
                             ? mountpointBelow(*text, {}, m_environment.altroot)
                             : *text;
    }
}

std::optional<PropertyValue> Query::fromSettings(const Property& property) const
{
    PropertyValue value;
    value.name = property.name;
    value.source = Source::Default;
    SettingValue stored = defaultOf(property);
    const auto found = setting(property.name, isInheritable(property));
    if (found && fits(property, found->value)) {
        stored = found->value;
        setSource(value, *found);
    } else if (property.mode == PropertyMode::ReadOnly && !isLocalWhenPresent(property.name)) {
        return std::nullopt; // what a pool cannot say has no default
    }
    auto text = textOfValue(property, stored);
    if (!text) {
        return std::nullopt;
    }
    value.value = std::move(*text);
    return value;
}

Result<std::optional<PropertyValue>> Query::fromNode(const Property& property)
{
    const auto computed = MP_TRY(m_values.value(property.name));
    if (!computed) {
        static constexpr std::string_view kNeedContent[] = {
            "version", "normalization", "utf8only", "casesensitivity", "volsize"};
        const bool noDefault =
            std::ranges::find(kNeedContent, property.name) != std::end(kNeedContent);
        return noDefault ? std::nullopt : fromSettings(property);
    }
    auto text = textOfValue(property, *computed);
    if (!text) {
        return std::nullopt;
    }
    PropertyValue value;
    value.name = property.name;
    value.value = std::move(*text);
    const bool settable = property.mode != PropertyMode::ReadOnly;
    const bool fixedEarly = property.name == "version" || property.name == "normalization" ||
                            property.name == "utf8only" || property.name == "casesensitivity";
    const auto found =
        settable && !fixedEarly ? setting(property.name, isInheritable(property)) : std::nullopt;
    if (found) {
        setSource(value, *found);
    } else if (settable && !fixedEarly && *computed == defaultOf(property)) {
        value.source = Source::Default;
    } else if (isLocalWhenPresent(property.name)) {
        value.source = Source::Local;
    }
    return value;
}

PropertyValue Query::mountpoint(const Property& property) const
{
    PropertyValue value;
    value.name = property.name;
    value.source = Source::Default;
    std::string stored(property.defaultText);
    std::string_view below = m_name; // of the default: all of the name
    const auto found = setting(property.name, true);
    if (found && fits(property, found->value)) {
        stored = std::get<std::string>(found->value);
        setSource(value, *found);
        const std::string& level = m_levels[found->level].name;
        below.remove_prefix(found->received ? below.size() : level.size());
        below.remove_prefix(below.starts_with('/') ? 1 : 0);
    }
    value.value = mountpointBelow(stored, below, m_environment.altroot);
    return value;
}

void Query::applyTemporary(PropertyValue& value) const
{
    const auto found = m_outside.temporary.find(value.name);
    if (found != m_outside.temporary.end() && found->second != value.value) {
        value.value = found->second;
        value.source = Source::Temporary;
        value.inheritedFrom.clear();
    }
}

Result<std::optional<PropertyValue>> Query::native(const Property& property)
{
    if (!applies(property, m_node)) {
        return std::nullopt;
    }
    std::optional<PropertyValue> value;
    if (property.name == "mounted") {
        value = absent(property.name);
        value->value = m_outside.mounted ? "yes" : "no";
    } else if (property.name == "mountpoint") {
        value = mountpoint(property);
    } else if (NodeValues::isComputed(property.name)) {
        value = MP_TRY(fromNode(property));
    } else {
        value = fromSettings(property);
    }
    if (value) {
        applyTemporary(*value);
        setReceived(*value, &property);
    }
    return value;
}

std::optional<PropertyValue> Query::user(std::string_view name) const
{
    const auto found = setting(name, true);
    const auto* text = found ? std::get_if<std::string>(&found->value) : nullptr;
    if (text == nullptr) {
        return std::nullopt;
    }
    PropertyValue value;
    value.name = name;
    value.value = *text;
    setSource(value, *found);
    setReceived(value, nullptr);
    return value;
}

std::vector<std::string> Query::userNames() const
{
    std::vector<std::string> names;
    for (const SettingsLevel& level : m_levels) {
        for (const std::string& name : level.settings->names()) {
            if (name.find(':') != std::string::npos &&
                std::ranges::find(names, name) == names.end()) {
                names.push_back(name);
            }
        }
    }
    return names;
}

std::optional<std::uint64_t> Query::idOf(const AccountName& account) const
{
    std::uint64_t id = 0;
    const char* end = account.who.data() + account.who.size();
    const auto [stop, error] = std::from_chars(account.who.data(), end, id);
    if (error == std::errc() && stop == end) {
        return id;
    }
    if (account.kind == AccountKind::Project || !m_environment.idOf) {
        return std::nullopt;
    }
    return m_environment.idOf(account.who, account.kind == AccountKind::Group);
}

Result<PropertyValue> Query::account(std::string_view name, const AccountName& account)
{
    PropertyValue value = absent(name);
    const auto id = idOf(account);
    if (!id || m_node.kind == Kind::Bookmark || m_node.content != Kind::Filesystem) {
        return value;
    }
    const auto figure = [&]() -> Result<std::optional<std::uint64_t>> {
        const auto objset = MP_TRY(m_tree.openObjset(*m_node.dataset, m_context));
        return readAccount(*objset, account.kind, account.figure, *id, m_context);
    }();
    if (!figure && figure.error().errorClass() == ErrorClass::Cancelled) {
        return fail(figure.error());
    }
    if (figure && *figure) {
        value.value = fmt::format("{}", **figure);
        value.source = Source::Local;
    }
    return value;
}

Result<PropertyValue> Query::written(std::string_view name)
{
    constexpr std::size_t kPrefixBytes = std::string_view("written@").size();
    PropertyValue value = absent(name);
    std::string since(name.substr(kPrefixBytes));
    if (since.find_first_of("@#") == std::string::npos) {
        since = fmt::format("{}{}{}", m_node.directory->name, name[kPrefixBytes - 1], since);
    }
    if (m_node.kind == Kind::Bookmark) {
        return value;
    }
    const auto bytes = [&]() -> Result<std::optional<std::uint64_t>> {
        const Node then = MP_TRY(m_tree.find(since, m_context));
        return then.bookmark
                   ? writtenSince(
                         m_tree, *then.bookmark, *m_node.dataset, m_environment.charged, m_context)
                   : writtenSince(
                         m_tree, *then.dataset, *m_node.dataset, m_environment.charged, m_context);
    }();
    if (!bytes && bytes.error().errorClass() == ErrorClass::Cancelled) {
        return fail(bytes.error());
    }
    if (bytes && *bytes) {
        value.value = fmt::format("{}", **bytes);
        value.source = Source::Local;
    }
    return value;
}

} // namespace

Properties::Properties(std::shared_ptr<DatasetTree> tree, PropertyEnvironment environment)
    : d(std::make_unique<Private>(std::move(tree), std::move(environment)))
{
}

Properties::~Properties() = default;

Result<std::vector<PropertyValue>> Properties::all(const Node& node, const ReadContext& context)
{
    Query query(*d->tree,
                d->environment,
                node,
                MP_TRY(d->levelsOf(node, context)),
                d->fixedValues,
                context);
    std::vector<PropertyValue> values;
    for (const Property& property : format::properties(PropertyScope::Dataset)) {
        if (!property.visible) {
            continue;
        }
        if (auto value = MP_TRY(query.native(property))) {
            values.push_back(std::move(*value));
        }
    }
    for (const std::string& name : query.userNames()) {
        if (auto value = query.user(name)) {
            values.push_back(std::move(*value));
        }
    }
    return values;
}

Result<std::vector<PropertyValue>>
Properties::select(const Node& node, std::span<const std::string> names, const ReadContext& context)
{
    Query query(*d->tree,
                d->environment,
                node,
                MP_TRY(d->levelsOf(node, context)),
                d->fixedValues,
                context);
    std::vector<PropertyValue> values;
    values.reserve(names.size());
    for (const std::string& name : names) {
        if (const Property* property = format::findProperty(PropertyScope::Dataset, name)) {
            values.push_back(MP_TRY(query.native(*property)).value_or(absent(property->name)));
        } else if (const auto account = accountName(name)) {
            values.push_back(MP_TRY(query.account(name, *account)));
        } else if (isWrittenProperty(name)) {
            values.push_back(MP_TRY(query.written(name)));
        } else if (name.find(':') != std::string::npos) {
            values.push_back(query.user(name).value_or(absent(name)));
        } else {
            return fail(ErrorCode::NoSuchProperty, fmt::format("no such property '{}'", name));
        }
    }
    return values;
}

Result<PropertyValue>
Properties::get(const Node& node, std::string_view name, const ReadContext& context)
{
    const std::string names[] = {std::string(name)};
    auto values = MP_TRY(select(node, names, context));
    return std::move(values.front());
}

Result<Space> Properties::space(const Dataset& dataset, const ReadContext& context)
{
    const bool isSnapshot = dataset.isSnapshot();
    const Node node{isSnapshot ? Kind::Snapshot : Kind::Filesystem,
                    Kind::Filesystem,
                    dataset.directory,
                    std::make_shared<Dataset>(dataset),
                    std::nullopt};
    NodeValues::Sizes sizes;
    if (!isSnapshot) {
        sizes = ownSizes(MP_TRY(d->levelsOf(node, context)));
    }
    return NodeValues(*d->tree, node, sizes, d->environment.space.usable, d->fixedValues, context)
        .space();
}

} // namespace millpond::dataset
