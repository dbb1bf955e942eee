// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/config_builder.h"

#include "format/dsl.h"

namespace millpond::pool {

namespace {
using format::NvList;
using format::NvType;
using format::NvValue;

constexpr std::string_view kClassEntry = "alloc_bias"; ///< stands in the vdev's ZAP, not in labels
constexpr std::string_view kZapEntries[] = {
    format::kVdevLeafZap, format::kVdevTopZap, format::kVdevRootZap};

/// `edit` is called for the vdev and all below it, children first. Depth is bounded by NvList's.
template <class Edit> void forEachVdev(NvList& vdev, Edit edit) // NOLINT(misc-no-recursion)
{
    const std::span<const NvList> children = vdev.listArray("children");
    if (!children.empty()) {
        NvValue::Lists edited(children.begin(), children.end());
        for (NvList& child : edited) {
            forEachVdev(child, edit);
        }
        vdev.set("children", NvValue::lists(std::move(edited)));
    }
    edit(vdev);
}

std::uint64_t sumGuids(const NvList& vdev) // NOLINT(misc-no-recursion)
{
    std::uint64_t sum = vdev.u64("guid").value_or(0);
    for (const NvList& child : vdev.listArray("children")) {
        sum += sumGuids(child);
    }
    return sum;
}

void collectLeaves(const NvList& vdev,
                   std::vector<const NvList*>& leaves) // NOLINT(misc-no-recursion)
{
    const std::span<const NvList> children = vdev.listArray("children");
    if (children.empty()) {
        leaves.push_back(&vdev);
    }
    for (const NvList& child : children) {
        collectLeaves(child, leaves);
    }
}
} // namespace

std::vector<const NvList*> leavesOf(const NvList& vdev)
{
    std::vector<const NvList*> leaves;
    collectLeaves(vdev, leaves);
    return leaves;
}

std::vector<std::uint64_t> leafGuidsOf(const NvList& vdev)
{
    std::vector<std::uint64_t> guids;
    for (const NvList* leaf : leavesOf(vdev)) {
        guids.push_back(leaf->u64("guid").value_or(0));
    }
    return guids;
}

void ConfigBuilder::addIdentity(NvList& config, Txg txg) const
{
    config.setU64("version", identity.version);
    config.setText("name", identity.name);
    config.setU64("state", identity.state);
    config.setU64("txg", txg.value());
    config.setU64("pool_guid", identity.guid.value());
    config.setU64("errata", identity.errata);
    if (!identity.comment.empty()) {
        config.setText("comment", identity.comment);
    }
    if (!identity.compatibility.empty()) {
        config.setText("compatibility", identity.compatibility);
    }
    if (identity.hostId != 0) {
        config.setU64("hostid", identity.hostId);
    }
    config.setText("hostname", identity.hostName);
}

void ConfigBuilder::addChildren(NvList& config) const
{
    NvValue::Numbers holes;
    for (std::size_t i = 0; i < tops.size(); ++i) {
        if (tops[i].text("type") == "hole") {
            holes.push_back(i);
        }
    }
    if (!holes.empty()) {
        config.set("hole_array", NvValue::numbers(NvType::Uint64Array, std::move(holes)));
    }
    config.setU64("vdev_children", tops.size());
}

void ConfigBuilder::addTail(NvList& config) const
{
    NvList features;
    for (const std::string& guid : featuresForRead) {
        features.set(guid, NvValue::flag());
    }
    config.setList("features_for_read", std::move(features));
}

NvList ConfigBuilder::tree() const
{
    NvList vdevs = root;
    vdevs.set("children", NvValue::lists(tops));
    return vdevs;
}

NvList ConfigBuilder::whole(Txg txg) const
{
    NvList config;
    addIdentity(config, txg);
    config.set("com.delphix:has_per_vdev_zaps", NvValue::flag());
    addChildren(config);
    NvList vdevs = tree();
    forEachVdev(vdevs, [](NvList& vdev) { vdev.remove(kClassEntry); });
    config.setList("vdev_tree", std::move(vdevs));
    addTail(config);
    return config;
}

NvList ConfigBuilder::label(std::size_t top, std::uint64_t leafGuid, Txg txg) const
{
    NvList config;
    addIdentity(config, txg);
    const NvList& own = tops.at(top);
    config.setU64("top_guid", own.u64("guid").value_or(0));
    config.setU64("guid", leafGuid);
    if (own.u64("is_log").value_or(0) != 0) {
        config.setU64("is_log", 1);
    }
    addChildren(config);
    NvList vdev = own;
    forEachVdev(vdev, [](NvList& each) {
        each.remove(kClassEntry);
        for (const std::string_view entry : kZapEntries) {
            each.remove(entry);
        }
    });
    config.setList("vdev_tree", std::move(vdev));
    addTail(config);
    return config;
}

std::uint64_t ConfigBuilder::guidSum() const
{
    return sumGuids(tree());
}

} // namespace millpond::pool
