// SPDX-License-Identifier: GPL-3.0-or-later
// Labels and the vdev tree from hostile bytes whose checksums are right. The first byte chooses: a
// packed configuration becomes the nvlist of a label (sealed, so that it gets past the checksum)
// and the vdev tree below it is built and read from; or everything becomes a ring of uberblocks.
#include "codec/checksum.h"
#include "device/memory_device.h"
#include "format/label.h"
#include "vdev/labels.h"
#include "vdev/vdev.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

using namespace millpond;

constexpr std::uint64_t kDeviceBytes = 8 * MiB;
constexpr std::size_t kBlockBytes = 3 * 4096 + 512;

void place(device::MemoryDevice& device, std::uint64_t offset, std::vector<std::byte> block)
{
    (void)codec::sealEmbedded(
        codec::ChecksumAlgorithm::Label, block, codec::labelVerifier(ByteOffset(offset)));
    (void)device.write(ByteOffset(offset), block);
}

void writeConfig(device::MemoryDevice& device, Bytes packed)
{
    std::vector<std::byte> region(format::kLabelNvlistBytes);
    std::ranges::copy(packed.first(std::min(packed.size(), region.size())), region.begin());
    place(device, format::kLabelNvlistOffset, std::move(region));
}

void writeRing(device::MemoryDevice& device, Bytes input)
{
    const format::UberblockRing ring{Ashift(10)};
    for (std::size_t slot = 0; slot < ring.slots && !input.empty(); ++slot) {
        const Bytes part = input.first(std::min(input.size(), format::Uberblock::kBytes));
        std::vector<std::byte> block(ring.slotBytes);
        std::ranges::copy(part, block.begin());
        place(device, ring.offset(slot).value(), std::move(block));
        input = input.subspan(part.size());
    }
    format::NvList config;
    config.setText("name", "pond");
    writeConfig(device, config.encode());
}

void collectGuids(const format::NvList& config, unsigned depth, std::vector<VdevGuid>& guids)
{
    if (const auto guid = config.u64("guid"); guid && guids.size() < 64) {
        guids.push_back(VdevGuid(*guid));
    }
    if (depth < vdev::VdevTree::kMaxDepth) {
        for (const format::NvList& child : config.listArray("children")) {
            collectGuids(child, depth + 1, guids); // NOLINT(misc-no-recursion): kMaxDepth
        }
    }
}

void readFrom(vdev::VdevTree& tree)
{
    std::vector<std::byte> out(kBlockBytes);
    unsigned asked = 0;
    const auto third = [&asked](Bytes) { return ++asked == 3; };
    const auto never = [](Bytes) { return false; };
    for (std::uint32_t id = 0; id < std::min<std::size_t>(tree.topLevelCount(), 8); ++id) {
        vdev::TopLevel* top = tree.top(VdevId(id));
        if (top == nullptr) {
            continue;
        }
        (void)top->allocatedSize(ByteCount(kBlockBytes));
        for (const std::uint64_t offset :
             {std::uint64_t{0}, std::uint64_t{MiB + 4096}, ~std::uint64_t{511}}) {
            asked = 0;
            (void)top->read(ByteOffset(offset), out, third, {.birth = Txg(5)});
            (void)top->scrubRead(
                ByteOffset(offset), out, never, {.birth = Txg(5)}, [](const vdev::ScrubFinding&) {
                });
        }
    }
    (void)tree.status();
    (void)tree.leaves();
    (void)tree.guidSum();
}

void buildTree(const format::NvList& config)
{
    std::vector<VdevGuid> guids;
    collectGuids(config, 0, guids);
    vdev::DeviceMap devices;
    for (std::size_t i = 0; i < guids.size(); ++i) {
        if (i % 5 != 4) { // some are missing
            devices[guids[i]].device = std::make_shared<device::MemoryDevice>(
                device::MemoryDevice::Options{.size = ByteCount(kDeviceBytes)});
        }
    }
    auto tree = vdev::VdevTree::build(config, devices);
    if (tree) {
        const VdevGuid stale = guids.empty() ? VdevGuid(0) : guids.back();
        (*tree)->setMissed([stale](VdevGuid guid, Txg) { return guid == stale; });
        readFrom(**tree);
        (void)(*tree)->setLeafState(stale, vdev::VdevState::Removed, vdev::VdevAux::None);
        readFrom(**tree);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) {
        return 0;
    }
    const Bytes input = std::as_bytes(std::span(data, size)).subspan(1);
    device::MemoryDevice device({.size = ByteCount(kDeviceBytes)});
    if (data[0] % 2 != 0) {
        writeRing(device, input);
    } else {
        writeConfig(device, input);
    }
    const auto labels = vdev::readLabels(device);
    if (!labels) {
        return 0;
    }
    (void)labels->best(Txg(100));
    (void)labels->poolState();
    (void)labels->leafGuid();
    if (const format::NvList* tree = labels->config()->list("vdev_tree")) {
        buildTree(*tree);
        format::NvList root;
        root.setText("type", "root");
        root.setU64("guid", 1);
        root.set("children", format::NvValue::lists({*tree}));
        buildTree(root);
    }
    return 0;
}
