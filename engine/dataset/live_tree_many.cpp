// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/detail/space_plan.h"
#include "dataset/live_tree.h"
#include "format/name.h"
#include "object/zap.h"

#include <fmt/format.h>

// Many datasets at once, for provisioning: all or none, in one txg, at a cost that does not grow
// with how many there are already.

namespace millpond::dataset {

using detail::Limits;
using detail::SpacePlan;
using object::Zap;

namespace {

std::string_view parentOf(std::string_view name)
{
    return name.substr(0, std::min(name.rfind('/'), name.size()));
}

std::string_view leafOf(std::string_view name)
{
    return name.substr(name.rfind('/') + 1);
}

} // namespace

/// What is already there, and what is to be, by full name. Datasets mostly follow others of the
/// same parent.
class LiveTree::Places
{
public:
    explicit Places(LiveTree& tree)
        : m_tree(tree)
    {
    }

    void add(std::string_view name, LiveDirectory& directory) { m_known.emplace(name, &directory); }

    /// NoSuchDataset.
    [[nodiscard]] Result<LiveDirectory*> find(std::string_view name)
    {
        const auto known = m_known.find(name);
        if (known != m_known.end()) {
            return known->second;
        }
        LiveDirectory* found = MP_TRY(m_tree.find(name));
        m_known.emplace(name, found);
        return found;
    }

    [[nodiscard]] bool knows(std::string_view name) const { return m_known.contains(name); }

private:
    LiveTree& m_tree;
    std::unordered_map<std::string_view, LiveDirectory*> m_known;
};

Status LiveTree::checkMany(std::span<const NewDataset> requests)
{
    Places places(*this);
    std::vector<std::unique_ptr<LiveDirectory>> planned; // not in the tree
    for (const NewDataset& request : requests) {
        MP_TRY(format::checkName(request.name, format::NameKind::Filesystem));
        LiveDirectory* parent = MP_TRY(places.find(parentOf(request.name)));
        bool taken = parent == m_root && request.name.find('/') == std::string::npos;
        taken = taken || places.knows(request.name);
        if (!taken && parent->object.value() != 0) {
            const Zap names = MP_TRY(Zap::open(m_ports.mos, parent->phys.childDirectories));
            const auto there = names.lookup(leafOf(request.name));
            if (!there && !there.error().is(ErrorCode::NoSuchEntry)) {
                return fail(there.error());
            }
            taken = there.has_value();
        }
        if (taken) {
            return fail(ErrorCode::AlreadyExists,
                        fmt::format("a dataset \"{}\" is there already", request.name));
        }
        MP_TRY(checkForms(request.settings));
        auto made = std::make_unique<LiveDirectory>();
        made->name = leafOf(request.name);
        made->parent = parent;
        places.add(request.name, *made);
        planned.push_back(std::move(made));
    }
    const MutexLock lock(m_mutex);
    SpacePlan plan(m_room.usable);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const Limits limits = limitsAmong(requests[i].settings);
        MP_TRY(plan.change(*planned[i], {}, {}, limits));
    }
    return {};
}

Result<std::vector<LiveDataset*>>
LiveTree::createMany(std::span<const NewDataset> requests, Txg txg)
{
    MP_TRY(checkMany(requests));
    Places places(*this);
    std::vector<LiveDataset*> made;
    made.reserve(requests.size());
    for (const NewDataset& request : requests) {
        LiveDirectory* parent = MP_TRY(places.find(parentOf(request.name)));
        LiveDirectory* directory = MP_TRY(createDirectory(*parent, leafOf(request.name), txg));
        made.push_back(MP_TRY(createHead(*directory, txg)));
        MP_TRY(put(*directory, request.settings, txg, SettingSource::Local));
        places.add(request.name, *directory);
    }
    return made;
}

} // namespace millpond::dataset
