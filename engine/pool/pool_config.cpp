// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/pool_config.h"

#include "format/block_pointer.h"
#include "format/label.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::pool {

namespace {
using format::NvList;
using format::NvValue;

struct TopLevel
{
    std::uint64_t txg = 0;
    const NvList* tree = nullptr;
};

struct Draft
{
    const Sighting* newest = nullptr;
    std::uint64_t newestTxg = 0;
    std::map<std::uint64_t, TopLevel> tops; ///< by id
    const format::Uberblock* uberblock = nullptr;
};

bool isSpareOrCache(const NvList& label)
{
    const std::uint64_t state = label.u64("state").value_or(0);
    return state == static_cast<std::uint64_t>(format::PoolState::Spare) ||
           state == static_cast<std::uint64_t>(format::PoolState::L2Cache);
}

NvList placeholder(std::string_view type, std::uint64_t id)
{
    NvList vdev;
    vdev.setText("type", type);
    vdev.setU64("id", id);
    vdev.setU64("guid", 0);
    return vdev;
}

Status addToDraft(const Sighting& sighting, std::map<std::uint64_t, Draft>& drafts)
{
    const NvList& label = sighting.label;
    const std::uint64_t guid = MP_TRY(label.requireU64("pool_guid"));
    const std::uint64_t txg = MP_TRY(label.requireU64("txg"));
    MP_TRY(label.requireText("name"));
    const NvList& tree = *MP_TRY(label.requireList("vdev_tree"));
    const std::uint64_t id = MP_TRY(tree.requireU64("id"));
    if (id >= format::kMaxVdevs) {
        return fail(ErrorCode::BadConfig,
                    fmt::format("top-level vdev number {} is out of range", id));
    }
    Draft& draft = drafts[guid];
    if (draft.newest == nullptr || txg > draft.newestTxg) {
        draft.newest = &sighting;
        draft.newestTxg = txg;
    }
    TopLevel& top = draft.tops[id];
    if (top.tree == nullptr || txg > top.txg) {
        top = {txg, &tree};
    }
    if (sighting.uberblock &&
        (draft.uberblock == nullptr || sighting.uberblock->compareAge(*draft.uberblock) > 0)) {
        draft.uberblock = &*sighting.uberblock;
    }
    return {};
}

/// The newest label knows how many top-level vdevs there are and which of them are holes; labels of
/// old pools do not, and then the highest number seen must do until the pool itself is read.
NvList rootOf(const Draft& draft, std::uint64_t poolGuid)
{
    const NvList& label = draft.newest->label;
    const std::uint64_t seen = draft.tops.empty() ? 0 : draft.tops.rbegin()->first + 1;
    const std::uint64_t told = label.u64("vdev_children").value_or(seen);
    const std::uint64_t count = std::min<std::uint64_t>(std::max(seen, told), format::kMaxVdevs);
    const std::span<const std::uint64_t> holes = label.u64Array("hole_array");

    NvValue::Lists children;
    children.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t id = 0; id < count; ++id) {
        const auto top = draft.tops.find(id);
        const bool hole = std::find(holes.begin(), holes.end(), id) != holes.end();
        if (hole) {
            children.push_back(placeholder("hole", id));
        } else if (top == draft.tops.end()) {
            children.push_back(placeholder("missing", id));
        } else {
            children.push_back(*top->second.tree);
        }
    }
    NvList root = placeholder("root", 0);
    root.setU64("guid", poolGuid);
    root.set("children", NvValue::lists(std::move(children)));
    return root;
}

void fillHeader(const NvList& list, PoolConfig& config)
{
    config.name = list.text("name").value_or("");
    config.guid = PoolGuid(list.u64("pool_guid").value_or(0));
    config.txg = Txg(list.u64("txg").value_or(0));
    config.version = list.u64("version").value_or(0);
    config.state = list.u64("state").value_or(0);
    config.hostId = list.u64("hostid").value_or(0);
    config.hostName = list.text("hostname").value_or("");
}

PoolConfig finish(const Draft& draft, std::uint64_t guid)
{
    PoolConfig config;
    fillHeader(draft.newest->label, config);
    config.label = draft.newest->label;
    config.vdevTree = rootOf(draft, guid);
    if (draft.uberblock != nullptr) {
        config.uberblock = *draft.uberblock;
        config.timestamp = draft.uberblock->timestamp;
    }
    return config;
}
} // namespace

std::vector<PoolConfig> assemblePools(const std::vector<Sighting>& sightings,
                                      std::vector<std::string>& complaints)
{
    std::map<std::uint64_t, Draft> drafts;
    using Leaves = std::map<std::uint64_t, const Sighting*>;
    Leaves strays;
    std::map<std::uint64_t, Leaves> leaves; ///< by pool
    for (const Sighting& sighting : sightings) {
        const std::uint64_t leafGuid = sighting.label.u64("guid").value_or(0);
        if (isSpareOrCache(sighting.label)) {
            strays[leafGuid] = &sighting;
            continue;
        }
        if (const Status added = addToDraft(sighting, drafts); !added) {
            complaints.push_back(fmt::format("{}: {}", sighting.path, added.error().toText()));
            continue;
        }
        // Two devices that claim to be the same leaf (a copied disk): the newer one is believed.
        const Sighting*& place = leaves[sighting.label.u64("pool_guid").value_or(0)][leafGuid];
        if (place == nullptr ||
            sighting.label.u64("txg").value_or(0) > place->label.u64("txg").value_or(0)) {
            place = &sighting;
        }
    }
    std::vector<PoolConfig> pools;
    for (const auto& [guid, draft] : drafts) {
        PoolConfig config = finish(draft, guid);
        for (const Leaves* found : {&strays, &leaves[guid]}) {
            for (const auto& [leaf, sighting] : *found) {
                config.paths[leaf] = sighting->path;
                config.sizes[leaf] = sighting->size;
            }
        }
        pools.push_back(std::move(config));
    }
    return pools;
}

Result<PoolConfig> configFromPool(const NvList& list)
{
    PoolConfig config;
    MP_TRY(list.requireU64("pool_guid"));
    MP_TRY(list.requireText("name"));
    fillHeader(list, config);
    config.vdevTree = *MP_TRY(list.requireList("vdev_tree"));
    config.label = list;
    return config;
}

} // namespace millpond::pool
