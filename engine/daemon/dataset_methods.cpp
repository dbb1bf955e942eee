// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/documents.h"
#include "daemon/methods.h"

#include <algorithm>

namespace millpond::daemon {

namespace {
using Texts = std::vector<std::string>;

/// Names nest at most this deep in a pool (OpenZFS: zfs_max_dataset_nesting).
constexpr unsigned kMaxNesting = 50;

Result<unsigned> kindsOf(const Texts& types)
{
    unsigned kinds = 0;
    for (const std::string& type : types) {
        unsigned kind = 0;
        for (const api::DatasetKind known : {api::DatasetKind::Filesystem,
                                             api::DatasetKind::Volume,
                                             api::DatasetKind::Snapshot,
                                             api::DatasetKind::Bookmark}) {
            kind |= datasetKindText(known) == type ? static_cast<unsigned>(known) : 0U;
        }
        if (kind == 0) {
            return fail(ErrorCode::InvalidArgument,
                        fmt::format("there is no dataset type \"{}\"", type));
        }
        kinds |= kind;
    }
    return types.empty() ? static_cast<unsigned>(api::DatasetKind::Filesystem) |
                               static_cast<unsigned>(api::DatasetKind::Volume)
                         : kinds;
}

Error noSuchDataset(const std::string& name)
{
    return Error(ErrorCode::NoSuchDataset, "dataset does not exist").at({.dataset = name});
}

/// One query a run of roots of the same pool, so that rows come in the order the roots were named
/// in.
Result<Reply> datasetProperties(const MethodParts& parts, api::DatasetQuery query)
{
    bus::DocumentWriter document(parts.changes.generation());
    DatasetTables tables(document);
    if (query.roots.empty()) {
        query.recurse = true;
        for (const api::PoolRef& pool : parts.engine.pools()) {
            query.roots = {pool->name()};
            tables.add(MP_TRY(pool->datasets(query)));
        }
        return replyWithDocument(document);
    }
    const Texts roots = std::move(query.roots);
    for (std::size_t i = 0; i < roots.size();) {
        const std::string name = poolNameOf(roots[i]);
        query.roots.clear();
        for (; i < roots.size() && poolNameOf(roots[i]) == name; ++i) {
            query.roots.push_back(roots[i]);
        }
        const Result<api::PoolRef> pool = parts.engine.find(name);
        if (!pool || (*pool)->name() != name) {
            return fail(noSuchDataset(query.roots.front()));
        }
        tables.add(MP_TRY((*pool)->datasets(query)));
    }
    return replyWithDocument(document);
}

Result<Prepared> prepareDatasetProperties(const MethodParts& parts, bus::Call& call)
{
    auto [roots, recurse, depth, types, properties] =
        MP_TRY((call.arguments().read<Texts, bool, std::uint64_t, Texts, Texts>()));
    api::DatasetQuery query;
    query.roots = std::move(roots);
    query.recurse = recurse;
    if (depth != bus::kUnknown) {
        query.depth = static_cast<unsigned>(std::min<std::uint64_t>(depth, 1'000'000));
    }
    query.kinds = MP_TRY(kindsOf(types));
    query.properties = std::move(properties);
    return Prepared{Action::ReadStatus,
                    [&parts, query](const Caller&) { return datasetProperties(parts, query); },
                    {}};
}

/// The snapshot of that name of `dataset`, if it has one, and of everything below.
// NOLINTNEXTLINE(misc-no-recursion): datasets nest at most kMaxNesting deep
Status addHoldsBelow(bus::RowWriter<bus::HoldRow>& rows,
                     api::Pool& pool,
                     const std::string& dataset,
                     const std::string& snapshot,
                     unsigned depth)
{
    if (depth > kMaxNesting) {
        return fail(ErrorCode::BadDataset, dataset + ": datasets are nested too deep");
    }
    const Texts snapshots = MP_TRY(pool.snapshots(dataset));
    if (std::ranges::find(snapshots, snapshot) != snapshots.end()) {
        addHolds(rows, MP_TRY(pool.holds(dataset + '@' + snapshot)));
    }
    for (const std::string& child : MP_TRY(pool.children(dataset))) {
        MP_TRY(addHoldsBelow(rows, pool, dataset + '/' + child, snapshot, depth + 1));
    }
    return {};
}

Status addHoldsOf(bus::RowWriter<bus::HoldRow>& rows,
                  const MethodParts& parts,
                  const std::string& name,
                  bool recursive)
{
    const std::size_t at = name.find('@');
    if (at == std::string::npos) {
        return fail(ErrorCode::InvalidName, fmt::format("\"{}\" is not a snapshot", name));
    }
    const Result<api::PoolRef> pool = parts.engine.find(poolNameOf(name));
    if (!pool) {
        return fail(noSuchDataset(name));
    }
    if (!recursive) {
        addHolds(rows, MP_TRY((*pool)->holds(name)));
        return {};
    }
    return addHoldsBelow(rows, **pool, name.substr(0, at), name.substr(at + 1), 0);
}

Result<Prepared> prepareHolds(const MethodParts& parts, bus::Call& call)
{
    auto [snapshots, recursive] = MP_TRY((call.arguments().read<Texts, bool>()));
    return Prepared{Action::ReadStatus,
                    [&parts, snapshots, recursive](const Caller&) -> Result<Reply> {
                        bus::DocumentWriter document(parts.changes.generation());
                        bus::RowWriter<bus::HoldRow> rows(document);
                        for (const std::string& snapshot : snapshots) {
                            MP_TRY(addHoldsOf(rows, parts, snapshot, recursive));
                        }
                        return replyWithDocument(document);
                    },
                    {}};
}

Result<Prepared> prepareMount(const MethodParts& parts, bus::Call& call)
{
    auto [datasets, options, overlay, force] =
        MP_TRY((call.arguments().read<Texts, std::string, bool, bool>()));
    const bus::MountOrder order{std::move(datasets), std::move(options), overlay, force};
    return Prepared{Action::ImportExport,
                    [&parts, order](const Caller&) -> Result<Reply> {
                        const std::vector<MountOutcome> outcomes = parts.pools.mount(order);
                        bus::DocumentWriter document(parts.changes.generation());
                        addOutcomes(document, outcomes);
                        return replyWithDocument(document);
                    },
                    {}};
}

Result<Prepared> prepareUnmount(const MethodParts& parts, bus::Call& call)
{
    auto [targets, force] = MP_TRY((call.arguments().read<Texts, bool>()));
    const bus::UnmountOrder order{std::move(targets), force};
    return Prepared{Action::ImportExport,
                    [&parts, order](const Caller&) -> Result<Reply> {
                        const std::vector<MountOutcome> outcomes = parts.pools.unmount(order);
                        bus::DocumentWriter document(parts.changes.generation());
                        addOutcomes(document, outcomes);
                        return replyWithDocument(document);
                    },
                    {}};
}

Result<Prepared> prepareMounts(const MethodParts& parts, bus::Call&)
{
    return Prepared{Action::ReadStatus,
                    [&parts](const Caller&) -> Result<Reply> {
                        bus::DocumentWriter document(parts.changes.generation());
                        addMounts(document, parts.mounter.mounts());
                        return replyWithDocument(document);
                    },
                    {}};
}
} // namespace

void addDatasetMethods(MethodTable& table, const MethodParts& parts)
{
    const auto add = [&](const char* name,
                         Result<Prepared> (*prepare)(const MethodParts&, bus::Call&)) {
        table[name] = [&parts, prepare](bus::Call& call) { return prepare(parts, call); };
    };
    add("DatasetProperties", prepareDatasetProperties);
    add("Holds", prepareHolds);
    add("Mount", prepareMount);
    add("Unmount", prepareUnmount);
    add("Mounts", prepareMounts);
}

} // namespace millpond::daemon
