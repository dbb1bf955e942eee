// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/detail/pool_impl.h"
#include "runtime/task_group.h"

#include <fmt/format.h>

#include <algorithm>

// Datasets of one pool as rows, and what the mount server asks of one dataset.

namespace millpond::api::detail {

namespace {
constexpr std::string_view kSeparateMount = "millpond:mount";
/// Datasets that one thread takes at a time.
constexpr std::size_t kChunk = 16;

SourceKind sourceKind(dataset::Source source)
{
    switch (source) {
    case dataset::Source::None:
        return SourceKind::None;
    case dataset::Source::Default:
        return SourceKind::Default;
    case dataset::Source::Local:
        return SourceKind::Local;
    case dataset::Source::Inherited:
        return SourceKind::Inherited;
    case dataset::Source::Received:
        return SourceKind::Received;
    case dataset::Source::Temporary:
        return SourceKind::Temporary;
    }
    return SourceKind::None;
}

PropertyValue convert(dataset::PropertyValue&& from)
{
    PropertyValue value;
    value.name = std::move(from.name);
    value.value = std::move(from.value);
    value.source = sourceKind(from.source);
    value.inheritedFrom = std::move(from.inheritedFrom);
    value.received = std::move(from.received);
    return value;
}

DatasetKind kindOf(dataset::Kind kind)
{
    return static_cast<DatasetKind>(kind);
}

/// Collects the rows of one query: parents before children, each with its snapshots and bookmarks.
class Walk
{
public:
    Walk(dataset::DatasetTree& tree, dataset::Properties& properties, const DatasetQuery& query)
        : m_tree(tree)
        , m_properties(properties)
        , m_query(query)
    {
        m_all = std::find(query.properties.begin(), query.properties.end(), "all") !=
                query.properties.end();
    }

    Status root(const std::string& name);
    Status directory(const dataset::DirectoryRef& directory, unsigned depth);
    /// The nodes met, as rows: what each costs is spread over the executor.
    [[nodiscard]] Result<std::vector<DatasetRow>> rows(runtime::Executor& executor) const;

private:
    [[nodiscard]] bool wants(DatasetKind kind) const
    {
        return (m_query.kinds & static_cast<unsigned>(kind)) != 0;
    }

    /// A recursion goes `depth` levels below its root; a snapshot is one below its dataset.
    [[nodiscard]] bool goesTo(unsigned depth) const
    {
        return depth == 0 || (m_query.recurse && depth <= m_query.depth.value_or(~0U));
    }

    [[nodiscard]] Status fill(const dataset::Node& node, DatasetRow& row) const;
    Status snapshots(const dataset::DirectoryRef& directory);

    dataset::DatasetTree& m_tree;
    dataset::Properties& m_properties;
    const DatasetQuery& m_query;
    bool m_all = false;
    std::vector<dataset::Node> m_nodes;
};

Result<std::vector<DatasetRow>> Walk::rows(runtime::Executor& executor) const
{
    std::vector<DatasetRow> rows(m_nodes.size());
    const std::size_t chunks = (rows.size() + kChunk - 1) / kChunk;
    MP_TRY(runtime::parallelFor(executor, chunks, [&](std::size_t chunk) -> Status {
        const std::size_t end = std::min(rows.size(), (chunk + 1) * kChunk);
        for (std::size_t i = chunk * kChunk; i < end; ++i) {
            MP_TRY(fill(m_nodes[i], rows[i]));
        }
        return {};
    }));
    return rows;
}

Status Walk::fill(const dataset::Node& node, DatasetRow& row) const
{
    row.name = node.name();
    row.kind = kindOf(node.kind);
    std::vector<dataset::PropertyValue> values;
    if (m_all) {
        values = MP_TRY(m_properties.all(node));
    } else if (!m_query.properties.empty()) {
        values = MP_TRY(m_properties.select(node, m_query.properties));
    }
    row.properties.reserve(values.size());
    for (dataset::PropertyValue& value : values) {
        row.properties.push_back(convert(std::move(value)));
    }
    return {};
}

Status Walk::snapshots(const dataset::DirectoryRef& directory)
{
    if (wants(DatasetKind::Snapshot)) {
        for (const dataset::DatasetRef& snapshot : MP_TRY(m_tree.snapshots(directory))) {
            m_nodes.push_back(MP_TRY(m_tree.node(snapshot)));
        }
    }
    if (wants(DatasetKind::Bookmark)) {
        for (dataset::Bookmark& bookmark : MP_TRY(m_tree.bookmarks(directory))) {
            dataset::Node node;
            node.kind = dataset::Kind::Bookmark;
            node.directory = directory;
            node.bookmark = std::move(bookmark);
            m_nodes.push_back(std::move(node));
        }
    }
    return {};
}

Status Walk::directory(const dataset::DirectoryRef& directory,
                       unsigned depth) // NOLINT(misc-no-recursion): by the tree's depth
{
    auto head = m_tree.head(directory);
    if (!head) {
        return fail(std::move(head).error());
    }
    const dataset::Node node = MP_TRY(m_tree.node(*head));
    if (wants(kindOf(node.kind))) {
        m_nodes.push_back(node);
    }
    if (!goesTo(depth + 1)) {
        return {};
    }
    MP_TRY(snapshots(directory));
    for (const dataset::DirectoryRef& child : MP_TRY(m_tree.children(directory))) {
        MP_TRY(this->directory(child, depth + 1));
    }
    return {};
}

Status Walk::root(const std::string& name)
{
    const dataset::Node node = MP_TRY(m_tree.find(name));
    if (node.kind == dataset::Kind::Snapshot || node.kind == dataset::Kind::Bookmark) {
        m_nodes.push_back(node);
        return {};
    }
    return directory(node.directory, 0);
}

bool isOn(std::string_view value)
{
    return value == "on";
}
} // namespace

Result<std::vector<DatasetRow>> PoolImpl::datasets(const DatasetQuery& query)
{
    MP_TRY(alive());
    DatasetQuery asked = query;
    asked.recurse = asked.recurse || asked.roots.empty();
    Walk walk(m_pool->datasets(), *m_properties, asked);
    if (asked.roots.empty()) {
        MP_TRY(walk.directory(m_pool->datasets().root(), 0));
    }
    for (const std::string& root : asked.roots) {
        MP_TRY(walk.root(root));
    }
    return walk.rows(m_pool->executor());
}

Result<std::vector<Hold>> PoolImpl::holds(const std::string& snapshot)
{
    MP_TRY(alive());
    const dataset::Node node = MP_TRY(m_pool->datasets().find(snapshot));
    if (node.kind != dataset::Kind::Snapshot) {
        return fail(ErrorCode::InvalidArgument, "not a snapshot", {.dataset = snapshot});
    }
    std::vector<Hold> holds;
    for (dataset::Hold& hold : MP_TRY(m_pool->datasets().holds(*node.dataset))) {
        holds.push_back({snapshot, std::move(hold.tag), hold.time});
    }
    return holds;
}

Result<Pool::DatasetFacts> PoolImpl::facts(const std::string& name)
{
    MP_TRY(alive());
    const dataset::Node node = MP_TRY(m_pool->datasets().find(name));
    if (node.dataset == nullptr) {
        return fail(ErrorCode::InvalidArgument, "a bookmark has no content", {.dataset = name});
    }
    DatasetFacts facts;
    facts.name = node.name();
    facts.kind = kindOf(node.kind);
    facts.objset = node.dataset->id;
    facts.created = node.dataset->phys.creationTxg;
    facts.creationTime = node.dataset->phys.creationTime;
    facts.encrypted = node.directory->cryptoKey.has_value();
    const dataset::Space space = MP_TRY(m_properties->space(*node.dataset));
    facts.referenced = space.referenced;
    facts.available = space.available;
    facts.quotaTotal = space.referenced + space.available;
    facts.files = space.objects;
    const auto value = [&](std::string_view property) -> Result<dataset::PropertyValue> {
        return m_properties->get(node, property);
    };
    const dataset::PropertyValue mountpoint = MP_TRY(value("mountpoint"));
    facts.mountpoint = mountpoint.value;
    facts.mountpointSource = sourceKind(mountpoint.source);
    facts.canMount = MP_TRY(value("canmount")).value;
    facts.devices = isOn(MP_TRY(value("devices")).value);
    facts.exec = isOn(MP_TRY(value("exec")).value);
    facts.setuid = isOn(MP_TRY(value("setuid")).value);
    facts.atime = isOn(MP_TRY(value("atime")).value);
    facts.snapdirVisible = MP_TRY(value("snapdir")).value == "visible";
    facts.aclType = MP_TRY(value("acltype")).value;
    facts.xattrs = MP_TRY(value("xattr")).value != "off";
    facts.separateMount = MP_TRY(value(kSeparateMount)).value == "separate";
    return facts;
}

Result<std::vector<std::string>> PoolImpl::children(const std::string& name)
{
    MP_TRY(alive());
    const dataset::DirectoryRef directory = MP_TRY(m_pool->datasets().findDirectory(name));
    std::vector<std::string> names;
    for (const dataset::DirectoryRef& child : MP_TRY(m_pool->datasets().children(directory))) {
        names.emplace_back(child->leafName());
    }
    return names;
}

Result<std::vector<std::string>> PoolImpl::snapshots(const std::string& name)
{
    MP_TRY(alive());
    const dataset::DirectoryRef directory = MP_TRY(m_pool->datasets().findDirectory(name));
    std::vector<std::string> names;
    for (const dataset::DatasetRef& snapshot : MP_TRY(m_pool->datasets().snapshots(directory))) {
        names.push_back(snapshot->snapshot);
    }
    return names;
}

} // namespace millpond::api::detail
