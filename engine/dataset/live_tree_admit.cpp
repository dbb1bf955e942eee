// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/check.h"
#include "dataset/live_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

// Room for changes before they are made.
//
// What a change may take is counted in its directory and, as far as no reservation covers it, in
// those above, until the txg it belongs to has synced; the figures have it from then on. A limit is
// met when what is used reaches it: whoever begins below may end above, by what he was admitted
// with. While more than a limit and a 32nd is on its way, nobody gets in: he waits for a sync,
// which tells what really was used.
//
// Simpler than dsl_dir_tempreserve_space: a reservation in the open transaction and what it then
// really dirties are one number here, given back in part by Admission::keep(); memory is bounded by
// the transaction groups, not here; and admissions stay where they were counted when a directory
// is renamed, for at most three txgs.
//
// Sources: OpenZFS module/zfs/dsl_dir.c (dsl_dir_tempreserve_impl), dsl_dataset.c
// (dsl_dataset_check_quota).

namespace millpond::dataset {

namespace {

constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};
/// What may be on its way beyond a limit: a 32nd of it.
constexpr unsigned kExtraShift = 5;

std::size_t slot(Txg txg)
{
    return static_cast<std::size_t>(txg.value() % kUnsyncedTxgs);
}

std::uint64_t onItsWay(const LiveDirectory& directory)
{
    return std::accumulate(directory.toWrite.begin(), directory.toWrite.end(), std::uint64_t{0});
}

std::uint64_t above(std::uint64_t bytes, std::uint64_t floor)
{
    return bytes > floor ? bytes - floor : 0;
}

Error later()
{
    return {ErrorCode::WouldBlock, "as much as there is room for waits to be written"};
}

} // namespace

/// What a level uses, and how much of a request its own reservation covers.
struct LiveTree::Demand
{
    std::uint64_t bytes = 0;
    std::uint64_t used = 0;
    std::uint64_t covered = 0;
};

/// A refreservation is used up without anybody above noticing.
Status LiveTree::demandOfHead(const LiveDataset& dataset, bool freeing, Demand& demand) const
{
    const std::uint64_t waiting = onItsWay(*dataset.directory);
    const std::uint64_t unique = dataset.phys.uniqueBytes;
    if (const std::uint64_t unfilled = above(dataset.refReservation, unique); unfilled != 0) {
        demand.used -= std::min(unfilled, demand.used);
        demand.covered =
            demand.bytes - std::min(demand.bytes, above(demand.bytes + waiting, unfilled));
    }
    if (freeing || dataset.refQuota == 0) {
        return {};
    }
    const std::uint64_t referenced = dataset.phys.referencedBytes;
    if (referenced + waiting < dataset.refQuota) {
        return {};
    }
    if (waiting != 0) {
        return fail(later());
    }
    return fail(ErrorCode::QuotaExceeded,
                fmt::format("{}: its refquota is used up", dataset.directory->name));
}

Status
LiveTree::checkLevel(const LiveDirectory& directory, bool freeing, const Demand& demand) const
{
    std::uint64_t limit = kUnlimited;
    if (!freeing && directory.phys.quota != 0 && directory.phys.headDataset.value() != 0) {
        limit = directory.phys.quota;
    }
    bool poolsLimit = false;
    if (directory.parent == nullptr) {
        const std::uint64_t room = freeing ? m_room.whileFreeing : m_room.usable;
        poolsLimit = room < limit;
        limit = std::min(limit, room);
    }
    if (limit == kUnlimited) {
        return {};
    }
    const std::uint64_t waiting = onItsWay(directory);
    if (demand.used >= limit) {
        if (waiting != 0) { // it may free more than it takes
            return fail(later());
        }
        if (!poolsLimit) {
            return fail(ErrorCode::QuotaExceeded,
                        fmt::format("{}: its quota is used up", directory.name));
        }
        if (demand.used - limit < m_room.deferred) {
            return fail(later());
        }
        return fail(ErrorCode::NoSpace, "the pool is full");
    }
    if (waiting >= limit - demand.used + (limit >> kExtraShift)) {
        return fail(later());
    }
    return {};
}

Result<Admission>
LiveTree::admit(const LiveDataset& dataset, std::uint64_t bytes, bool freeing, Txg txg)
{
    Admission admission;
    admission.m_tree = this;
    admission.m_txg = txg;
    if (bytes == 0) {
        return admission;
    }
    const MutexLock lock(m_mutex);
    LiveDirectory* at = dataset.directory;
    Demand demand{.bytes = bytes, .used = at->phys.usedBytes};
    Status status = demandOfHead(dataset, freeing, demand);
    while (status && at != nullptr && demand.bytes != 0) {
        status = checkLevel(*at, freeing, demand);
        admission.m_held.emplace_back(at, demand.bytes);
        // As much goes on up as the level's reservation does not cover.
        const std::uint64_t before = demand.used + onItsWay(*at);
        const std::uint64_t after = before + demand.bytes - demand.covered;
        demand.bytes = above(after, std::max(before, at->phys.reserved));
        demand.covered = 0;
        at = at->parent;
        demand.used = at != nullptr ? at->phys.usedBytes : 0;
    }
    if (!status) {
        admission.m_held.clear();
        return fail(std::move(status).error());
    }
    for (const auto& [directory, held] : admission.m_held) {
        if (std::exchange(directory->toWrite[slot(txg)], directory->toWrite[slot(txg)] + held) ==
            0) {
            m_admitted[slot(txg)].push_back(directory);
        }
    }
    return admission;
}

void LiveTree::giveBack(const Admission& admission, std::uint64_t kept)
{
    const MutexLock lock(m_mutex);
    for (const auto& [directory, held] : admission.m_held) {
        std::uint64_t& waiting = directory->toWrite[slot(admission.m_txg)];
        waiting -= std::min(waiting, above(held, kept));
    }
}

void Admission::keep(std::uint64_t bytes)
{
    if (LiveTree* tree = std::exchange(m_tree, nullptr); tree != nullptr && !m_held.empty()) {
        tree->giveBack(*this, bytes);
    }
}

void LiveTree::synced(Txg txg)
{
    const MutexLock lock(m_mutex);
    for (LiveDirectory* directory : m_admitted[slot(txg)]) {
        directory->toWrite[slot(txg)] = 0;
    }
    m_admitted[slot(txg)].clear();
    // Whoever was admitted before a dataset was destroyed is done by now.
    while (!m_buried.empty() && m_buried.begin()->first.value() + kUnsyncedTxgs <= txg.value()) {
        m_buried.erase(m_buried.begin());
    }
}

} // namespace millpond::dataset
