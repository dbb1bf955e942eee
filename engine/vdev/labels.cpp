// SPDX-License-Identifier: GPL-3.0-or-later
#include "vdev/labels.h"

#include "base/buffer.h"
#include "base/mutex.h"
#include "codec/checksum.h"

#include <algorithm>
#include <fmt/format.h>

namespace millpond::vdev {

namespace {

using format::kLabels;
using format::NvList;

constexpr std::size_t kNvlistBytes = format::kLabelNvlistBytes;
constexpr std::size_t kBytesWithRing = kNvlistBytes + format::kUberblockRingBytes;
static_assert(format::kLabelNvlistOffset + kNvlistBytes == format::kUberblockRingOffset);

/// What is read of one label: the configuration and, behind it, the ring.
struct LabelRead
{
    ByteOffset start; ///< of the label, on the device
    MutableBytes bytes;
    Status status;
};

Txg txgOf(const NvList& config)
{
    return Txg(config.u64("txg").value_or(0));
}

void readAll(device::BlockDevice& device, std::span<LabelRead> reads)
{
    Mutex mutex;
    CondVar done;
    std::size_t left = reads.size();
    std::vector<device::DeviceRequest> batch;
    batch.reserve(reads.size());
    for (LabelRead& read : reads) {
        batch.push_back({.op = runtime::IoOp::Read,
                         .offset = read.start + ByteCount(format::kLabelNvlistOffset),
                         .into = read.bytes,
                         .from = {},
                         .done = [&, target = &read](Status status) {
                             const MutexLock lock(mutex);
                             target->status = std::move(status);
                             if (--left == 0) {
                                 done.notifyAll();
                             }
                         }});
    }
    device.submit(batch);
    const MutexLock lock(mutex);
    while (left > 0) {
        done.wait(mutex);
    }
}

Result<NvList> decodeConfig(const LabelRead& read)
{
    const Bytes region = Bytes(read.bytes).first(kNvlistBytes);
    MP_TRY(codec::verifyLabelBlock(region, read.start + ByteCount(format::kLabelNvlistOffset)));
    return format::decodeLabelNvlist(region);
}

bool looksLikeUberblock(Bytes slot)
{
    return load<std::uint64_t>(slot, 0, ByteOrder::Little) == format::Uberblock::kMagic ||
           load<std::uint64_t>(slot, 0, ByteOrder::Big) == format::Uberblock::kMagic;
}

/// Every uberblock of a ring with slots of the size that goes with `ashift`.
void scanRing(const LabelRead& read,
              std::size_t label,
              Ashift ashift,
              std::vector<FoundUberblock>& found)
{
    const format::UberblockRing ring(ashift);
    const Bytes all = Bytes(read.bytes).subspan(kNvlistBytes);
    for (std::size_t slot = 0; slot < ring.slots; ++slot) {
        const Bytes bytes = all.subspan(slot * ring.slotBytes, ring.slotBytes);
        const ByteOffset onDevice = read.start + ByteCount(ring.offset(slot).value());
        if (!looksLikeUberblock(bytes) || !codec::verifyLabelBlock(bytes, onDevice)) {
            continue;
        }
        if (Result<format::Uberblock> decoded = format::Uberblock::decode(bytes)) {
            found.push_back({.uberblock = *std::move(decoded), .label = label, .slot = slot});
        }
    }
}

constexpr std::uint8_t kSmallestSlotShift = 10;
constexpr std::uint8_t kLargestSlotShift = 13;

/// The size of slots is known from the configuration; where that is lost, or says something else
/// than the ring, the checksums tell: a slot verifies at its true size only.
void scanRings(std::span<const LabelRead> reads, std::uint64_t ashift, DeviceLabels& labels)
{
    const auto scan = [&](std::uint8_t shift) {
        for (std::size_t i = 0; i < reads.size(); ++i) {
            if (reads[i].status) {
                scanRing(reads[i], i, Ashift(shift), labels.uberblocks);
            }
        }
    };
    const auto expected = static_cast<std::uint8_t>(
        std::clamp<std::uint64_t>(ashift, kSmallestSlotShift, kLargestSlotShift));
    scan(expected);
    for (std::uint8_t shift = kSmallestSlotShift; shift <= kLargestSlotShift; ++shift) {
        if (labels.uberblocks.empty() && shift != expected) {
            scan(shift);
        }
    }
    std::ranges::sort(labels.uberblocks, [](const FoundUberblock& a, const FoundUberblock& b) {
        const std::strong_ordering age = a.uberblock.compareAge(b.uberblock);
        return age != 0 ? age > 0 : std::pair(a.label, a.slot) < std::pair(b.label, b.slot);
    });
}

std::uint64_t ashiftOf(const NvList* config)
{
    const NvList* tree = config == nullptr ? nullptr : config->list("vdev_tree");
    return tree == nullptr ? 0 : tree->u64("ashift").value_or(0);
}

Error noLabel(const DeviceLabels& labels,
              std::span<const LabelRead> reads,
              const device::BlockDevice& device)
{
    const bool unreadable =
        std::all_of(reads.begin(), reads.end(), [](const LabelRead& r) { return !r.status; });
    std::string why;
    for (std::size_t i = 0; i < labels.problems.size(); ++i) {
        why += fmt::format("{}label {}: {}", why.empty() ? "" : "; ", i, labels.problems[i]);
    }
    return Error(unreadable ? ErrorCode::DeviceIo : ErrorCode::BadLabel,
                 "no usable label (" + why + ")",
                 {.path = device.path()});
}

} // namespace

const NvList* DeviceLabels::config() const
{
    const NvList* best = nullptr;
    for (const std::optional<NvList>& candidate : configs) {
        if (candidate && (best == nullptr || txgOf(*candidate) > txgOf(*best))) {
            best = &*candidate;
        }
    }
    return best;
}

const format::Uberblock* DeviceLabels::best(Txg limit) const
{
    const auto found = std::find_if(uberblocks.begin(), uberblocks.end(), [&](const auto& u) {
        return u.uberblock.txg <= limit;
    });
    return found == uberblocks.end() ? nullptr : &found->uberblock;
}

std::size_t DeviceLabels::usableLabels() const
{
    return static_cast<std::size_t>(std::count_if(
        configs.begin(), configs.end(), [](const auto& config) { return config.has_value(); }));
}

std::optional<VdevGuid> DeviceLabels::leafGuid() const
{
    const NvList* newest = config();
    const auto guid = newest == nullptr ? std::nullopt : newest->u64("guid");
    return guid ? std::optional(VdevGuid(*guid)) : std::nullopt;
}

std::optional<PoolGuid> DeviceLabels::poolGuid() const
{
    const NvList* newest = config();
    const auto guid = newest == nullptr ? std::nullopt : newest->u64("pool_guid");
    return guid ? std::optional(PoolGuid(*guid)) : std::nullopt;
}

std::optional<std::string_view> DeviceLabels::poolName() const
{
    const NvList* newest = config();
    return newest == nullptr ? std::nullopt : newest->text("name");
}

std::optional<format::PoolState> DeviceLabels::poolState() const
{
    const NvList* newest = config();
    const auto state = newest == nullptr ? std::nullopt : newest->u64("state");
    return state ? std::optional(format::PoolState(*state)) : std::nullopt;
}

std::optional<Txg> DeviceLabels::configTxg() const
{
    const NvList* newest = config();
    const auto txg = newest == nullptr ? std::nullopt : newest->u64("txg");
    return txg ? std::optional(Txg(*txg)) : std::nullopt;
}

Result<DeviceLabels> readLabels(device::BlockDevice& device, const LabelOptions& options)
{
    const std::size_t bytes = options.uberblocks ? kBytesWithRing : kNvlistBytes;
    Buffer buffer = MP_TRY(Buffer::create(kLabels * bytes));
    std::array<LabelRead, kLabels> reads;
    for (std::size_t i = 0; i < kLabels; ++i) {
        Result<ByteOffset> start = format::labelOffset(device.size(), i);
        if (!start) {
            return fail(ErrorCode::DeviceTooSmall, "no room for labels", {.path = device.path()});
        }
        reads[i] = {
            .start = *start, .bytes = buffer.bytes().subspan(i * bytes, bytes), .status = Status()};
    }
    readAll(device, reads);
    DeviceLabels labels;
    for (std::size_t i = 0; i < kLabels; ++i) {
        if (!reads[i].status) {
            labels.problems[i] = reads[i].status.error().what();
            continue;
        }
        Result<NvList> config = decodeConfig(reads[i]);
        if (config) {
            labels.configs[i] = *std::move(config);
        } else {
            labels.problems[i] = config.error().what();
        }
    }
    if (labels.config() == nullptr) {
        return fail(noLabel(labels, reads, device));
    }
    if (options.uberblocks) {
        scanRings(reads, ashiftOf(labels.config()), labels);
    }
    return labels;
}

} // namespace millpond::vdev
