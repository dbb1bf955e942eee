// SPDX-License-Identifier: GPL-3.0-or-later
//
// Methods that write. The path of each is the same: arguments, PoolControl or DatasetControl, a
// line in the pool's history, what was mounted.
#include "daemon/dataset_control.h"
#include "daemon/documents.h"
#include "daemon/methods.h"

#include <unistd.h>

namespace millpond::daemon {

namespace {
using Texts = std::vector<std::string>;

DatasetControl control(const MethodParts& parts)
{
    return {parts.pools, parts.mounter, parts.changes};
}

Result<Reply> replyWithOutcomes(const MethodParts& parts, const std::vector<MountOutcome>& outcomes)
{
    bus::DocumentWriter document(parts.changes.generation());
    addOutcomes(document, outcomes);
    return replyWithDocument(document);
}

Result<Prepared> prepareCreatePool(const MethodParts& parts, bus::Call& call)
{
    bus::CreatePoolOrder order;
    std::tie(order.name,
             order.vdevs,
             order.properties,
             order.fileSystemProperties,
             order.noFeatures,
             order.altroot,
             order.force,
             order.mount,
             order.command) = MP_TRY((call.arguments()
                                          .read<std::string,
                                                Texts,
                                                bus::TextPairs,
                                                bus::TextPairs,
                                                bool,
                                                std::string,
                                                bool,
                                                bool,
                                                std::string>()));
    const bool force = order.force;
    return Prepared{Action::SystemDevices,
                    [&parts, order](const Caller&) -> Result<Reply> {
                        const PoolControl::Imported made = MP_TRY(parts.pools.createPool(order));
                        bus::DocumentWriter document(parts.changes.generation());
                        addOutcomes(document, made.mounts);
                        auto fd = std::make_shared<bus::UniqueFd>(MP_TRY(document.finishToMemfd()));
                        return Reply([guid = made.guid.value(), fd](bus::Call& each) {
                            each.reply(guid, *fd);
                        });
                    },
                    [force](const Caller&) {
                        return force ? std::optional(Action::DestroyData) : std::nullopt;
                    }};
}

Result<Prepared> prepareDestroyPool(const MethodParts& parts, bus::Call& call)
{
    auto [pool, force] = MP_TRY((call.arguments().read<std::string, bool>()));
    return Prepared{Action::DestroyData,
                    [&parts, pool, force](const Caller&) -> Result<Reply> {
                        MP_TRY(parts.pools.destroyPool(pool, force));
                        return replyWith();
                    },
                    {}};
}

Result<Prepared> prepareSync(const MethodParts& parts, bus::Call& call)
{
    auto [names] = MP_TRY((call.arguments().read<Texts>()));
    return Prepared{Action::ImportExport,
                    [&parts, names](const Caller&) -> Result<Reply> {
                        for (const api::PoolRef& pool : MP_TRY(parts.pools.pools(names))) {
                            MP_TRY(pool->sync());
                        }
                        return replyWith();
                    },
                    {}};
}

Result<Prepared> prepareCreateDatasets(const MethodParts& parts, bus::Call& call)
{
    auto [datasets, mount, command] =
        MP_TRY((call.arguments().read<std::vector<bus::NewDataset>, bool, std::string>()));
    if (datasets.empty()) {
        return fail(ErrorCode::InvalidArgument, "no dataset was named");
    }
    for (bus::NewDataset& dataset : datasets) {
        dataset.uid = dataset.uid == bus::NewDataset::kOwn ? ::geteuid() : dataset.uid;
        dataset.gid = dataset.gid == bus::NewDataset::kOwn ? ::getegid() : dataset.gid;
    }
    return Prepared{Action::ImportExport,
                    [&parts, datasets = std::move(datasets), mount, command](
                        const Caller& caller) -> Result<Reply> {
                        const auto outcomes = MP_TRY(control(parts).create(datasets, mount));
                        Texts names;
                        for (const bus::NewDataset& dataset : datasets) {
                            names.push_back(dataset.name);
                        }
                        control(parts).note(names, command, caller.uid);
                        return replyWithOutcomes(parts, outcomes);
                    },
                    {}};
}

Result<Prepared> prepareDestroyDatasets(const MethodParts& parts, bus::Call& call)
{
    auto [datasets, force, command] = MP_TRY((call.arguments().read<Texts, bool, std::string>()));
    return Prepared{Action::DestroyData,
                    [&parts, datasets, force, command](const Caller& caller) -> Result<Reply> {
                        MP_TRY(control(parts).destroy(datasets, force));
                        control(parts).note(datasets, command, caller.uid);
                        return replyWith();
                    },
                    {}};
}

Result<Prepared> prepareRenameDataset(const MethodParts& parts, bus::Call& call)
{
    bus::RenameOrder order;
    std::tie(order.dataset, order.newName, order.force, order.mount, order.command) =
        MP_TRY((call.arguments().read<std::string, std::string, bool, bool, std::string>()));
    return Prepared{Action::ImportExport,
                    [&parts, order](const Caller& caller) -> Result<Reply> {
                        const auto outcomes = MP_TRY(control(parts).rename(order));
                        control(parts).note({order.dataset}, order.command, caller.uid);
                        return replyWithOutcomes(parts, outcomes);
                    },
                    {}};
}

Result<Prepared> prepareSetProperties(const MethodParts& parts, bus::Call& call)
{
    auto [datasets, properties, mount, command] =
        MP_TRY((call.arguments().read<Texts, bus::TextPairs, bool, std::string>()));
    return Prepared{
        Action::ImportExport,
        [&parts, datasets, properties, mount, command](const Caller& caller) -> Result<Reply> {
            const auto outcomes = MP_TRY(control(parts).set(datasets, properties, mount));
            control(parts).note(datasets, command, caller.uid);
            return replyWithOutcomes(parts, outcomes);
        },
        {}};
}

Result<Prepared> prepareInheritProperty(const MethodParts& parts, bus::Call& call)
{
    auto [datasets, property, received, command] =
        MP_TRY((call.arguments().read<Texts, std::string, bool, std::string>()));
    return Prepared{
        Action::ImportExport,
        [&parts, datasets, property, received, command](const Caller& caller) -> Result<Reply> {
            const auto outcomes = MP_TRY(control(parts).inherit(datasets, property, received));
            control(parts).note(datasets, command, caller.uid);
            return replyWithOutcomes(parts, outcomes);
        },
        {}};
}
} // namespace

void addChangeMethods(MethodTable& table, const MethodParts& parts)
{
    const auto add = [&](const char* name,
                         Result<Prepared> (*prepare)(const MethodParts&, bus::Call&)) {
        table[name] = [&parts, prepare](bus::Call& call) { return prepare(parts, call); };
    };
    add("CreatePool", prepareCreatePool);
    add("DestroyPool", prepareDestroyPool);
    add("Sync", prepareSync);
    add("CreateDatasets", prepareCreateDatasets);
    add("DestroyDatasets", prepareDestroyDatasets);
    add("RenameDataset", prepareRenameDataset);
    add("SetProperties", prepareSetProperties);
    add("InheritProperty", prepareInheritProperty);
}

} // namespace millpond::daemon
