// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/dataset_control.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace millpond::daemon {

namespace {
bool isAtOrBelow(const std::string& dataset, const std::string& ancestor)
{
    return dataset == ancestor || dataset.starts_with(ancestor + "/");
}

/// Properties that say where, whether and how a dataset is mounted.
bool movesMounts(const std::string& property)
{
    return property == "mountpoint" || property == "canmount" || property == "setuid" ||
           property == "devices" || property == "exec" || property == "snapdir" ||
           property == "millpond:mount";
}
} // namespace

Result<api::PoolRef> DatasetControl::poolOf(const std::string& dataset)
{
    Result<std::vector<api::PoolRef>> pools = m_pools.pools({poolNameOf(dataset)});
    if (!pools) {
        return fail(ErrorCode::NoSuchDataset, "dataset does not exist", {.dataset = dataset});
    }
    return pools->front();
}

DatasetControl::Texts DatasetControl::mountedBelow(const std::string& dataset) const
{
    Texts names;
    const std::vector<MountEntry> mounts = m_mounter.mounts();
    for (const MountEntry& entry : mounts) {
        if (isAtOrBelow(entry.dataset, dataset)) {
            names.push_back(entry.dataset);
        }
    }
    return names;
}

Status DatasetControl::unmount(const std::string& dataset, bool force)
{
    Texts targets = mountedBelow(dataset);
    if (targets.empty()) {
        return {};
    }
    std::ranges::sort(targets, std::greater{}); // children first
    const Outcomes outcomes = m_pools.unmount({std::move(targets), force});
    for (const MountOutcome& outcome : outcomes) {
        // One that went with its parent is as good as unmounted.
        if (outcome.error && !outcome.error->is(ErrorCode::NotMounted)) {
            return fail(Error(*outcome.error));
        }
    }
    return {};
}

DatasetControl::Outcomes DatasetControl::mountThose(api::Pool& pool, const Texts& datasets)
{
    bus::MountOrder order;
    for (const std::string& dataset : datasets) {
        const auto facts = pool.facts(dataset);
        if (facts && facts->kind == api::DatasetKind::Filesystem && facts->canMount == "on" &&
            facts->mountpoint != "none" && facts->mountpoint != "legacy" && !facts->encrypted) {
            order.datasets.push_back(dataset);
        }
    }
    return order.datasets.empty() ? Outcomes() : m_pools.mount(order);
}

Result<DatasetControl::Outcomes>
DatasetControl::create(const std::vector<bus::NewDataset>& datasets, bool mount)
{
    std::map<std::string, std::vector<api::NewDataset>> byPool;
    for (const bus::NewDataset& dataset : datasets) {
        byPool[poolNameOf(dataset.name)].push_back(
            {dataset.name, dataset.properties, dataset.uid, dataset.gid, dataset.mode});
    }
    Outcomes outcomes;
    for (const auto& [name, requests] : byPool) {
        const api::PoolRef pool = MP_TRY(poolOf(name));
        MP_TRY(pool->createDatasets(requests));
        m_changes.datasets(name);
        if (mount) {
            Texts names;
            std::ranges::transform(requests, std::back_inserter(names), &api::NewDataset::name);
            std::ranges::move(mountThose(*pool, names), std::back_inserter(outcomes));
        }
    }
    return outcomes;
}

Status DatasetControl::destroy(Texts datasets, bool force)
{
    std::ranges::sort(datasets, std::greater{}); // a child's name is greater than its parent's
    for (const std::string& dataset : datasets) {
        const api::PoolRef pool = MP_TRY(poolOf(dataset));
        if (!pool->isWritable()) {
            return fail(ErrorCode::ReadOnly,
                        fmt::format("pool \"{}\" is imported read-only", pool->name()));
        }
        // Before anything is unmounted: it must be one that can go.
        if (!MP_TRY(pool->children(dataset)).empty() || !MP_TRY(pool->snapshots(dataset)).empty()) {
            return fail(ErrorCode::NotEmpty, "it has children", {.dataset = dataset});
        }
        MP_TRY(unmount(dataset, force));
        MP_TRY(pool->destroyDataset(dataset));
        m_changes.datasets(dataset);
    }
    return {};
}

Result<DatasetControl::Outcomes> DatasetControl::rename(const bus::RenameOrder& order)
{
    const api::PoolRef pool = MP_TRY(poolOf(order.dataset));
    const Texts before = mountedBelow(order.dataset);
    MP_TRY(unmount(order.dataset, order.force));
    const Status renamed = pool->renameDataset(order.dataset, order.newName);
    Texts after;
    for (const std::string& name : before) {
        after.push_back(renamed ? order.newName + name.substr(order.dataset.size()) : name);
    }
    m_changes.datasets(order.dataset);
    m_changes.datasets(order.newName);
    Outcomes outcomes;
    if (order.mount || !renamed) {
        outcomes = mountThose(*pool, after);
    }
    if (!renamed) {
        return fail(renamed.error());
    }
    return outcomes;
}

/// `work` changes one dataset. What is mounted of it is taken down before and comes back after,
/// when one of `properties` says something about that.
template <class Work>
Result<DatasetControl::Outcomes>
DatasetControl::moving(const Texts& datasets, const Texts& properties, bool mount, Work work)
{
    const bool moves = mount && std::ranges::any_of(properties, movesMounts);
    Outcomes outcomes;
    for (const std::string& dataset : datasets) {
        const api::PoolRef pool = MP_TRY(poolOf(dataset));
        Texts again;
        if (moves) {
            (void)MP_TRY(pool->facts(dataset));
            again = mountedBelow(dataset);
            MP_TRY(unmount(dataset, false));
            if (std::ranges::find(again, dataset) == again.end()) {
                again.push_back(dataset); // canmount or mountpoint may let it now
            }
        }
        const Status changed = work(*pool, dataset);
        m_changes.datasets(dataset);
        std::ranges::move(mountThose(*pool, again), std::back_inserter(outcomes));
        MP_TRY(changed);
    }
    return outcomes;
}

Result<DatasetControl::Outcomes>
DatasetControl::set(const Texts& datasets, const bus::TextPairs& properties, bool mount)
{
    Texts names;
    std::ranges::transform(
        properties, std::back_inserter(names), &bus::TextPairs::value_type::first);
    return moving(
        datasets, names, mount, [&properties](api::Pool& pool, const std::string& dataset) {
            return pool.setProperties(dataset, properties);
        });
}

Result<DatasetControl::Outcomes>
DatasetControl::inherit(const Texts& datasets, const std::string& property, bool received)
{
    return moving(datasets, {property}, true, [&](api::Pool& pool, const std::string& dataset) {
        return pool.inheritProperty(dataset, property, received);
    });
}

void DatasetControl::note(const Texts& datasets, const std::string& command, std::uint32_t user)
{
    constexpr std::size_t kMaxCommand = 16 * KiB;
    Texts noted;
    for (const std::string& dataset : datasets) {
        const std::string name = poolNameOf(dataset);
        const Result<std::vector<api::PoolRef>> pools = m_pools.pools({name});
        if (command.empty() || !pools || std::ranges::find(noted, name) != noted.end()) {
            continue;
        }
        noted.push_back(name);
        pools->front()->note(command.substr(0, kMaxCommand), user);
    }
}

} // namespace millpond::daemon
