// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuse/tree.h"

namespace millpond::fuse {

namespace {
std::string_view leafOf(std::string_view name)
{
    return name.substr(name.rfind('/') + 1); // npos + 1 is 0: a pool's name is its own leaf
}

bool isAtOrBelow(std::string_view name, std::string_view ancestor)
{
    return name.starts_with(ancestor) &&
           (name.size() == ancestor.size() || name[ancestor.size()] == '/');
}
} // namespace

Tree::Tree(api::PoolRef pool, DatasetInfo root)
    : m_pool(std::move(pool))
    , m_numbers(root.objset)
    , m_fileSystems(*m_pool)
{
    const ExclusiveLock lock(m_mutex);
    m_root.info = std::move(root);
    m_datasets[m_root.info.objset] = &m_root;
}

const Tree::Dataset* Tree::find(std::string_view name) const
{
    if (!isAtOrBelow(name, m_root.info.name)) {
        return nullptr;
    }
    const Dataset* at = &m_root;
    std::string_view rest = name.substr(m_root.info.name.size());
    while (!rest.empty()) {
        rest.remove_prefix(1);
        const std::string_view leaf = rest.substr(0, rest.find('/'));
        const auto child = at->children.find(leaf);
        if (child == at->children.end()) {
            return nullptr;
        }
        at = child->second.get();
        rest.remove_prefix(leaf.size());
    }
    return at;
}

Tree::Dataset* Tree::find(std::string_view name)
{
    return const_cast<Dataset*>(static_cast<const Tree*>(this)->find(name));
}

Tree::Dataset& Tree::insert(Dataset& parent, const DatasetInfo& info)
{
    std::unique_ptr<Dataset>& slot = parent.children[std::string(leafOf(info.name))];
    if (!slot) {
        slot = std::make_unique<Dataset>();
        slot->info = info;
        slot->parent = &parent;
        parent.byObjset[info.objset] = slot.get();
        m_datasets[info.objset] = slot.get();
    }
    return *slot;
}

std::pair<Tree::Dataset*, std::optional<Tree::Change>>
Tree::reach(const DatasetInfo& info, const std::vector<DatasetInfo>& between)
{
    std::optional<Change> change;
    Dataset* at = &m_root;
    const auto step = [&](const DatasetInfo& next) MP_REQUIRES(m_mutex) {
        const bool isNew = !at->children.contains(leafOf(next.name));
        if (isNew && !change) {
            change = Change{at->info.objset, std::string(leafOf(next.name))};
        }
        at = &insert(*at, next);
    };
    for (const DatasetInfo& next : between) {
        step(next);
    }
    if (info.objset != m_root.info.objset) {
        step(info);
    }
    return {at, change};
}

std::optional<Tree::Change> Tree::show(const DatasetInfo& info,
                                       const std::vector<DatasetInfo>& between)
{
    const ExclusiveLock lock(m_mutex);
    const auto [dataset, change] = reach(info, between);
    dataset->info = info;
    dataset->shown = true;
    if (!change && dataset->parent != nullptr) { // a folder becomes the real thing
        return Change{dataset->parent->info.objset, std::string(leafOf(info.name))};
    }
    return change;
}

std::optional<Tree::Change> Tree::addMountPoint(const DatasetInfo& info,
                                                const std::vector<DatasetInfo>& between)
{
    const ExclusiveLock lock(m_mutex);
    const auto [dataset, change] = reach(info, between);
    dataset->mountPoint = true;
    return change;
}

std::optional<Tree::Change> Tree::removeMountPoint(const std::string& name)
{
    const ExclusiveLock lock(m_mutex);
    Dataset* dataset = find(name);
    if (dataset == nullptr) {
        return std::nullopt;
    }
    dataset->mountPoint = false;
    return prune(*dataset);
}

/// Removes what leads nowhere any more, upwards.
std::optional<Tree::Change> Tree::prune(Dataset& dataset)
{
    std::optional<Change> change;
    Dataset* at = &dataset;
    while (at->parent != nullptr && !at->shown && !at->mountPoint && at->children.empty()) {
        Dataset* parent = at->parent;
        const std::string leaf(leafOf(at->info.name));
        change = Change{parent->info.objset, leaf};
        m_datasets.erase(at->info.objset);
        parent->byObjset.erase(at->info.objset);
        parent->children.erase(leaf);
        at = parent;
    }
    return change;
}

Result<std::optional<Tree::Change>> Tree::hide(const std::string& name, bool force)
{
    const ExclusiveLock lock(m_mutex);
    Dataset* top = find(name);
    if (top == nullptr || !top->shown) {
        return fail(ErrorCode::NotMounted, "not currently mounted", {.dataset = name});
    }
    std::vector<Dataset*> all = {top};
    for (std::size_t i = 0; i < all.size(); ++i) {
        Dataset* dataset = all[i];
        if (dataset->mountPoint || (!force && dataset->shown && dataset->open->load() != 0)) {
            return fail(ErrorCode::DatasetBusy, "dataset is busy", {.dataset = dataset->info.name});
        }
        for (const auto& [leaf, child] : dataset->children) {
            all.push_back(child.get());
        }
    }
    std::optional<Change> change;
    if (top->parent != nullptr) {
        change = Change{top->parent->info.objset, std::string(leafOf(name))};
    }
    for (Dataset* dataset : all) {
        dataset->shown = false;
    }
    // Pruning starts at leaves, so that nothing is looked at once it is gone; all of them are at or
    // below the top, so the last one takes the top with it, and perhaps folders above.
    std::vector<Dataset*> leaves;
    for (Dataset* dataset : all) {
        if (dataset->children.empty()) {
            leaves.push_back(dataset);
        }
    }
    for (Dataset* leaf : leaves) {
        if (auto removed = prune(*leaf)) {
            change = std::move(removed);
        }
    }
    return change;
}

bool Tree::isShown(const std::string& name) const
{
    const SharedLock lock(m_mutex);
    const Dataset* dataset = find(name);
    return dataset != nullptr && dataset->shown;
}

bool Tree::hasPlace(const std::string& name) const
{
    const SharedLock lock(m_mutex);
    return find(name) != nullptr;
}

std::vector<std::string> Tree::shownAtOrBelow(const std::string& name) const
{
    const SharedLock lock(m_mutex);
    std::vector<std::string> names;
    std::vector<const Dataset*> open = {find(name)};
    while (!open.empty()) {
        const Dataset* dataset = open.back();
        open.pop_back();
        if (dataset == nullptr) {
            continue;
        }
        if (dataset->shown) {
            names.push_back(dataset->info.name);
        }
        for (auto child = dataset->children.rbegin(); child != dataset->children.rend(); ++child) {
            open.push_back(child->second.get());
        }
    }
    return names;
}

bool Tree::isEmpty() const
{
    const SharedLock lock(m_mutex);
    return !m_root.shown && !m_root.mountPoint && m_root.children.empty();
}

std::optional<Tree::Place> Tree::place(ObjsetId objset) const
{
    const SharedLock lock(m_mutex);
    if (const auto known = m_datasets.find(objset); known != m_datasets.end()) {
        const Dataset& dataset = *known->second;
        return Place{dataset.info.name,
                     false,
                     dataset.shown,
                     dataset.info.snapdirVisible,
                     dataset.info.creationTime,
                     dataset.parent == nullptr ? ObjsetId() : dataset.parent->info.objset,
                     dataset.open};
    }
    const auto known = m_snapshots.find(objset);
    if (known == m_snapshots.end()) {
        return std::nullopt;
    }
    const auto owner = m_datasets.find(known->second.dataset);
    if (owner == m_datasets.end() || !owner->second->shown) {
        return std::nullopt;
    }
    return Place{known->second.name,
                 true,
                 true,
                 false,
                 known->second.creationTime,
                 known->second.dataset,
                 owner->second->open};
}

std::optional<ObjsetId> Tree::child(ObjsetId parent, std::string_view name) const
{
    const SharedLock lock(m_mutex);
    const auto known = m_datasets.find(parent);
    if (known == m_datasets.end()) {
        return std::nullopt;
    }
    const auto child = known->second->children.find(name);
    return child == known->second->children.end() ? std::nullopt
                                                  : std::optional(child->second->info.objset);
}

std::vector<Tree::Child> Tree::children(ObjsetId parent, ObjsetId after, std::size_t atMost) const
{
    const SharedLock lock(m_mutex);
    std::vector<Child> found;
    const auto known = m_datasets.find(parent);
    if (known == m_datasets.end()) {
        return found;
    }
    const auto& children = known->second->byObjset;
    for (auto at = children.upper_bound(after); at != children.end() && found.size() < atMost;
         ++at) {
        found.push_back({std::string(leafOf(at->second->info.name)), at->first});
    }
    return found;
}

Result<ObjsetId>
Tree::snapshot(ObjsetId dataset, std::string_view name, const posix::ReadContext& context)
{
    const std::optional<Place> owner = place(dataset);
    if (!owner || !owner->shown) {
        return fail(ErrorCode::NoSuchEntry, "no such snapshot");
    }
    const std::string full = owner->name + '@' + std::string(name);
    {
        const SharedLock lock(m_mutex);
        if (const auto known = m_snapshotNames.find(full); known != m_snapshotNames.end()) {
            return known->second;
        }
    }
    if (context.wait == block::Wait::CachedOnly) {
        return fail(ErrorCode::WouldBlock, "the snapshot has to be looked up first");
    }
    if (name.find_first_of("@#/") != std::string_view::npos) {
        return fail(ErrorCode::NoSuchEntry, "no such snapshot");
    }
    const Result<api::Pool::DatasetFacts> facts = m_pool->facts(full);
    if (!facts) {
        const bool absent = facts.error().errorClass() == ErrorClass::NotFound ||
                            facts.error().errorClass() == ErrorClass::Invalid;
        return absent ? fail(ErrorCode::NoSuchEntry, "no such snapshot") : fail(facts.error());
    }
    if (!NodeNumbers::fits(facts->objset)) {
        return fail(ErrorCode::TooLarge, "the snapshot's number is too large", {.dataset = full});
    }
    const ExclusiveLock lock(m_mutex);
    m_snapshots[facts->objset] = {full, dataset, facts->creationTime};
    m_snapshotNames[full] = facts->objset;
    return facts->objset;
}

} // namespace millpond::fuse
