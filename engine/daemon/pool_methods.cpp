// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/documents.h"
#include "daemon/methods.h"

namespace millpond::daemon {

namespace {
using Texts = std::vector<std::string>;

/// "all" and nothing mean the same to the engine.
Texts wantedProperties(Texts properties)
{
    return properties == Texts{"all"} ? Texts() : std::move(properties);
}

Result<Prepared> prepareScan(const MethodParts& parts, bus::Call& call)
{
    auto [paths, destroyed] = MP_TRY((call.arguments().read<Texts, bool>()));
    const Action action = paths.empty() ? Action::ReadStatus : Action::ImportExport;
    const bus::ScanQuery query{std::move(paths), destroyed};
    return Prepared{action,
                    [&parts, query](const Caller&) -> Result<Reply> {
                        const std::uint64_t generation = parts.changes.nextGeneration();
                        const auto found = MP_TRY(parts.pools.scan(query));
                        std::vector<api::PoolStatus> statuses;
                        for (const api::FoundPool& pool : found) {
                            statuses.push_back(pool.status);
                        }
                        bus::DocumentWriter document(generation);
                        addPools(document, statuses);
                        addFound(document, found, [&parts](PoolGuid guid) {
                            return parts.pools.isImported(guid);
                        });
                        addVdevs(document, statuses);
                        return replyWithDocument(document);
                    },
                    {}};
}

Result<Prepared> prepareImport(const MethodParts& parts, bus::Call& call)
{
    auto arguments = MP_TRY((call.arguments()
                                 .read<std::string,
                                       std::string,
                                       Texts,
                                       std::string,
                                       bus::TextPairs,
                                       bool,
                                       bool,
                                       bool,
                                       bool>()));
    bus::ImportOrder order;
    std::tie(order.pool,
             order.newName,
             order.searchPaths,
             order.altroot,
             order.properties,
             order.readOnly,
             order.force,
             order.mount,
             order.missingLogOk) = std::move(arguments);
    return Prepared{Action::ImportExport,
                    [&parts, order](const Caller&) -> Result<Reply> {
                        const PoolControl::Imported done = MP_TRY(parts.pools.importPool(order));
                        bus::DocumentWriter document(parts.changes.generation());
                        addOutcomes(document, done.mounts);
                        auto fd = std::make_shared<bus::UniqueFd>(MP_TRY(document.finishToMemfd()));
                        return Reply([done, fd](bus::Call& each) {
                            each.reply(done.name, done.guid.value(), done.changed, *fd);
                        });
                    },
                    {}};
}

Result<Prepared> prepareExport(const MethodParts& parts, bus::Call& call)
{
    auto [pool, force] = MP_TRY((call.arguments().read<std::string, bool>()));
    return Prepared{Action::ImportExport,
                    [&parts, pool, force](const Caller&) -> Result<Reply> {
                        MP_TRY(parts.pools.exportPool(pool, force));
                        return replyWith();
                    },
                    {}};
}

Result<Prepared> preparePoolProperties(const MethodParts& parts, bus::Call& call)
{
    auto [names, properties] = MP_TRY((call.arguments().read<Texts, Texts>()));
    return Prepared{Action::ReadStatus,
                    [&parts, names, wanted = wantedProperties(std::move(properties))](
                        const Caller&) -> Result<Reply> {
                        bus::DocumentWriter document(parts.changes.generation());
                        bus::RowWriter<bus::PoolPropertyRow> rows(document);
                        for (const api::PoolRef& pool : MP_TRY(parts.pools.pools(names))) {
                            addPoolProperties(rows, pool->name(), MP_TRY(pool->properties(wanted)));
                        }
                        return replyWithDocument(document);
                    },
                    {}};
}

Result<Prepared> prepareVdevProperties(const MethodParts& parts, bus::Call& call)
{
    auto [name, properties] = MP_TRY((call.arguments().read<std::string, Texts>()));
    return Prepared{Action::ReadStatus,
                    [&parts, name, wanted = wantedProperties(std::move(properties))](
                        const Caller&) -> Result<Reply> {
                        bus::DocumentWriter document(parts.changes.nextGeneration());
                        bus::RowWriter<bus::VdevPropertyRow> rows(document);
                        for (const api::PoolRef& pool : MP_TRY(parts.pools.pools({name}))) {
                            addVdevProperties(rows, MP_TRY(pool->vdevProperties(wanted)));
                        }
                        return replyWithDocument(document);
                    },
                    {}};
}

Result<Prepared> preparePoolStatus(const MethodParts& parts, bus::Call& call)
{
    auto [names] = MP_TRY((call.arguments().read<Texts>()));
    return Prepared{Action::ReadStatus,
                    [&parts, names](const Caller&) -> Result<Reply> {
                        bus::DocumentWriter document(parts.changes.nextGeneration());
                        std::vector<api::PoolStatus> statuses;
                        for (const api::PoolRef& pool : MP_TRY(parts.pools.pools(names))) {
                            statuses.push_back(MP_TRY(pool->status()));
                        }
                        addPools(document, statuses);
                        addVdevs(document, statuses);
                        addErrors(document, statuses);
                        addDedup(document, statuses);
                        return replyWithDocument(document);
                    },
                    {}};
}

Result<Prepared> preparePoolHistory(const MethodParts& parts, bus::Call& call)
{
    auto [names] = MP_TRY((call.arguments().read<Texts>()));
    return Prepared{Action::ReadStatus,
                    [&parts, names](const Caller&) -> Result<Reply> {
                        bus::DocumentWriter document(parts.changes.generation());
                        bus::RowWriter<bus::HistoryRow> rows(document);
                        for (const api::PoolRef& pool : MP_TRY(parts.pools.pools(names))) {
                            addHistory(rows, pool->name(), MP_TRY(pool->history()));
                        }
                        return replyWithDocument(document);
                    },
                    {}};
}

Result<Prepared> prepareIostat(const MethodParts& parts, bus::Call& call)
{
    auto [names] = MP_TRY((call.arguments().read<Texts>()));
    return Prepared{
        Action::ReadStatus,
        [&parts, names](const Caller&) -> Result<Reply> {
            bus::DocumentWriter document(parts.changes.nextGeneration());
            IostatTables tables(document);
            for (const api::PoolRef& pool : MP_TRY(parts.pools.pools(names))) {
                const auto now = static_cast<std::uint64_t>(parts.clock.monotonic().count());
                tables.add(pool->name(), pool->iostat(), now, parts.pools.importedAt(pool->guid()));
            }
            return replyWithDocument(document);
        },
        {}};
}

Result<Prepared> prepareEvents(const MethodParts& parts, bus::Call& call)
{
    auto [after] = MP_TRY((call.arguments().read<std::uint64_t>()));
    return Prepared{Action::ReadStatus,
                    [&parts, after](const Caller&) -> Result<Reply> {
                        bus::DocumentWriter document(parts.changes.generation());
                        const std::uint64_t from = std::max(after, parts.eventsCleared.load());
                        addEvents(document, parts.engine.events(from));
                        return replyWithDocument(document);
                    },
                    {}};
}

Result<Prepared> prepareClearEvents(const MethodParts& parts, bus::Call&)
{
    return Prepared{Action::ImportExport,
                    [&parts](const Caller&) -> Result<Reply> {
                        const auto events = parts.engine.events(parts.eventsCleared.load());
                        if (!events.empty()) {
                            parts.eventsCleared.store(events.back().id);
                        }
                        return replyWith(std::uint64_t{events.size()});
                    },
                    {}};
}

Result<Prepared> prepareStartPools(const MethodParts& parts, bus::Call&)
{
    return Prepared{Action::ReadStatus,
                    [&parts](const Caller&) -> Result<Reply> {
                        bus::DocumentWriter document(parts.changes.generation());
                        addStartPools(document, parts.startList.pools());
                        return replyWithDocument(document);
                    },
                    {}};
}

Result<Prepared> prepareSetOpenAtStart(const MethodParts& parts, bus::Call& call)
{
    auto [pool, enabled] = MP_TRY((call.arguments().read<std::string, bool>()));
    return Prepared{Action::ImportExport,
                    [&parts, pool, enabled](const Caller&) -> Result<Reply> {
                        return replyWith(MP_TRY(parts.pools.setOpenAtStart(pool, enabled)));
                    },
                    {}};
}

Result<Prepared> prepareDevices(const MethodParts& parts, bus::Call&)
{
    return Prepared{Action::ReadStatus,
                    [&parts](const Caller&) -> Result<Reply> {
                        bus::DocumentWriter document(parts.changes.nextGeneration());
                        addDevices(document, MP_TRY(parts.devices()));
                        return replyWithDocument(document);
                    },
                    {}};
}
} // namespace

void addPoolMethods(MethodTable& table, const MethodParts& parts)
{
    const auto add = [&](const char* name,
                         Result<Prepared> (*prepare)(const MethodParts&, bus::Call&)) {
        table[name] = [&parts, prepare](bus::Call& call) { return prepare(parts, call); };
    };
    add("Scan", prepareScan);
    add("Import", prepareImport);
    add("Export", prepareExport);
    add("PoolProperties", preparePoolProperties);
    add("VdevProperties", prepareVdevProperties);
    add("PoolStatus", preparePoolStatus);
    add("PoolHistory", preparePoolHistory);
    add("Iostat", prepareIostat);
    add("Events", prepareEvents);
    add("ClearEvents", prepareClearEvents);
    add("StartPools", prepareStartPools);
    add("SetOpenAtStart", prepareSetOpenAtStart);
    add("Devices", prepareDevices);
}

} // namespace millpond::daemon
