// SPDX-License-Identifier: GPL-3.0-or-later
// Theory of writing labels
//
// On disk. format/label.h. A device has four labels that say the same: what pool and vdev it is
// part of (the configuration, with the txg it is of), and a ring of uberblocks. A txg's uberblock
// goes to the same slot (txg modulo the number of slots; with multihost protection the last slot is
// left to its heartbeat) of all four.
//
// INV-1 At any instant a power cut leaves two labels whose configuration fits the newest uberblock
//       on the device: even labels are stable before the uberblock is written, odd labels are
//       written when it is stable. A configuration newer than the newest uberblock is not used by
//       whoever imports.
// INV-2 What is written ends in a checksum that knows its place: neither a torn nor a misplaced
//       label or uberblock is taken for one.
//
// Failure. A device whose write or flush failed is out for the rest of the commit; others carry
// it. An uberblock may be on disk although commitLabels() returned an error: what it refers to was
// flushed before, so both it and the one before it are states the pool may be imported in.
//
// Sources. OpenZFS module/zfs/vdev_label.c (order, slots, what a new label holds),
// include/sys/vdev_impl.h.
#include "vdev/label_writer.h"

#include "base/buffer.h"
#include "codec/checksum.h"
#include "format/label.h"
#include "vdev/detail/leaf.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

namespace millpond::vdev {

namespace {

using format::kLabels;
using format::NvList;

/// In an active ring one slot in the last place is multihost protection's.
constexpr std::size_t kMultihostSlots = 1;

bool isIn(LabelSet set, std::size_t label)
{
    return set == LabelSet::All || (label % 2 == 0) == (set == LabelSet::Even);
}

/// One part of one label of one leaf.
struct LabelWrite
{
    std::size_t leaf = 0; ///< the caller's number for it
    device::BlockDevice* device = nullptr;
    ByteOffset offset;
    Buffer bytes;
    Status status;
};

void writeAll(std::span<LabelWrite> writes)
{
    detail::Countdown countdown(writes.size());
    std::map<device::BlockDevice*, std::vector<device::DeviceRequest>> byDevice;
    for (LabelWrite& write : writes) {
        byDevice[write.device].push_back({.op = runtime::IoOp::Write,
                                          .offset = write.offset,
                                          .into = {},
                                          .from = Bytes(write.bytes.bytes()),
                                          .done = [&](Status status) {
                                              write.status = std::move(status);
                                              countdown.step();
                                          }});
    }
    for (auto& [device, batch] : byDevice) {
        device->submit(batch);
    }
    countdown.wait();
}

/// Collects parts of labels for one leaf.
class LabelParts
{
public:
    LabelParts(std::vector<LabelWrite>& writes, std::size_t leaf, device::BlockDevice& device)
        : m_writes(writes)
        , m_leaf(leaf)
        , m_device(device)
    {
    }

    /// `content` at `inLabel` of every label of the set, filled up to `size`. Sealed: its last 40
    /// bytes are the checksum.
    [[nodiscard]] Status
    add(LabelSet set, ByteOffset inLabel, std::size_t size, Bytes content, bool sealed)
    {
        for (std::size_t label = 0; label < kLabels; ++label) {
            if (isIn(set, label)) {
                MP_TRY(addOne(label, inLabel, size, content, sealed));
            }
        }
        return {};
    }

    [[nodiscard]] Status addConfig(LabelSet set, const NvList& config)
    {
        const std::vector<std::byte> packed = config.encode();
        if (packed.size() > format::kLabelNvlistBytes - format::EmbeddedChecksum::kBytes) {
            return fail(ErrorCode::TooLarge,
                        "the configuration does not fit a label",
                        {.path = m_device.path()});
        }
        return add(
            set, ByteOffset(format::kLabelNvlistOffset), format::kLabelNvlistBytes, packed, true);
    }

    [[nodiscard]] Status addUberblock(const format::Uberblock& uberblock,
                                      const UberblockPlace& place)
    {
        const format::UberblockRing ring(place.ashift);
        const std::size_t slots = ring.slots - (place.multihost ? kMultihostSlots : 0);
        std::array<std::byte, format::Uberblock::kBytes> bytes;
        uberblock.encode(bytes);
        return add(LabelSet::All,
                   ring.offset(static_cast<std::size_t>(uberblock.txg.value() % slots)),
                   ring.slotBytes,
                   bytes,
                   true);
    }

private:
    [[nodiscard]] Status
    addOne(std::size_t label, ByteOffset inLabel, std::size_t size, Bytes content, bool sealed)
    {
        const Result<ByteOffset> start = format::labelOffset(m_device.size(), label);
        if (!start) {
            return fail(ErrorCode::DeviceTooSmall, "no room for labels", {.path = m_device.path()});
        }
        LabelWrite write{.leaf = m_leaf,
                         .device = &m_device,
                         .offset = *start + ByteCount(inLabel.value()),
                         .bytes = MP_TRY(Buffer::createZeroed(size)),
                         .status = Status()};
        std::memcpy(write.bytes.bytes().data(), content.data(), content.size());
        if (sealed) {
            MP_TRY(codec::sealEmbedded(codec::ChecksumAlgorithm::Label,
                                       write.bytes.bytes(),
                                       codec::labelVerifier(write.offset)));
        }
        m_writes.push_back(std::move(write));
        return {};
    }

    std::vector<LabelWrite>& m_writes;
    const std::size_t m_leaf;
    device::BlockDevice& m_device;
};

/// All of them went well.
Status allGood(std::span<LabelWrite> writes)
{
    for (LabelWrite& write : writes) {
        MP_TRY(std::move(write.status));
    }
    return {};
}

/// One of them went well.
Status anyGood(std::span<LabelWrite> writes)
{
    const bool good = std::any_of(
        writes.begin(), writes.end(), [](const LabelWrite& w) { return bool(w.status); });
    return good || writes.empty() ? Status() : std::move(writes.front().status);
}

/// The steps of commitLabels(). A leaf with a bad status takes no part any more.
class Commit
{
public:
    Commit(std::span<LabelLeaf> leaves, const format::Uberblock& uberblock, bool multihost)
        : m_leaves(leaves)
        , m_uberblock(uberblock)
        , m_multihost(multihost)
    {
        for (LabelLeaf& leaf : leaves) {
            leaf.status = Status();
        }
    }

    [[nodiscard]] Status configs(LabelSet set);
    [[nodiscard]] Status uberblocks();

private:
    template <class Add> void write(Add add);
    void flush(const std::vector<bool>& written);

    [[nodiscard]] Status everyTopHasOne() const;

    std::span<LabelLeaf> m_leaves;
    const format::Uberblock& m_uberblock;
    const bool m_multihost;
};

/// `add` collects a leaf's parts, none for leaves that get nothing. Writes and flushes; a leaf with
/// not one part written, or that failed to flush, is out.
template <class Add> void Commit::write(Add add)
{
    std::vector<LabelWrite> writes;
    for (std::size_t i = 0; i < m_leaves.size(); ++i) {
        if (m_leaves[i].status) {
            LabelParts parts(writes, i, *m_leaves[i].device);
            m_leaves[i].status = add(m_leaves[i], parts);
        }
    }
    writeAll(writes);
    std::vector<bool> written(m_leaves.size());
    std::vector<std::optional<Error>> errors(m_leaves.size());
    for (LabelWrite& write : writes) {
        if (write.status) {
            written[write.leaf] = true;
        } else {
            errors[write.leaf] = std::move(write.status).error();
        }
    }
    for (std::size_t i = 0; i < m_leaves.size(); ++i) {
        if (!written[i] && errors[i]) {
            m_leaves[i].status = fail(*std::move(errors[i]));
        }
    }
    flush(written);
}

void Commit::flush(const std::vector<bool>& written)
{
    const auto count = static_cast<std::size_t>(std::count(written.begin(), written.end(), true));
    detail::Countdown countdown(count);
    for (std::size_t i = 0; i < m_leaves.size(); ++i) {
        if (!written[i]) {
            continue;
        }
        device::DeviceRequest request{.op = runtime::IoOp::Sync,
                                      .offset = {},
                                      .into = {},
                                      .from = {},
                                      .done = [&leaf = m_leaves[i], &countdown](Status status) {
                                          leaf.status = std::move(status);
                                          countdown.step();
                                      }};
        m_leaves[i].device->submit(std::span(&request, 1));
    }
    countdown.wait();
}

Status Commit::everyTopHasOne() const
{
    std::map<VdevId, const LabelLeaf*> good;
    for (const LabelLeaf& leaf : m_leaves) {
        if (leaf.config != nullptr && !leaf.dispensable) {
            const LabelLeaf*& any = good[leaf.top];
            any = any == nullptr || leaf.status ? &leaf : any;
        }
    }
    for (const auto& [top, leaf] : good) {
        if (!leaf->status) {
            return fail(Error(leaf->status.error()).at({.vdev = leaf->guid}));
        }
    }
    return {};
}

Status Commit::configs(LabelSet set)
{
    write([&](LabelLeaf& leaf, LabelParts& parts) {
        return leaf.config == nullptr ? Status() : parts.addConfig(set, *leaf.config);
    });
    return everyTopHasOne();
}

Status Commit::uberblocks()
{
    write([&](LabelLeaf& leaf, LabelParts& parts) {
        return leaf.uberblock ? parts.addUberblock(
                                    m_uberblock, {.ashift = leaf.ashift, .multihost = m_multihost})
                              : Status();
    });
    const bool committed = std::any_of(m_leaves.begin(), m_leaves.end(), [](const LabelLeaf& leaf) {
        return leaf.uberblock && !leaf.dispensable && leaf.status;
    });
    return committed ? Status()
                     : fail(ErrorCode::DeviceIo,
                            "the uberblock could not be written to any device",
                            {.txg = m_uberblock.txg});
}

} // namespace

Status initializeLabels(device::BlockDevice& device, const NvList& config)
{
    std::vector<LabelWrite> writes;
    LabelParts parts(writes, 0, device);
    const LabelSet all = LabelSet::All;
    MP_TRY(parts.add(all, ByteOffset(0), format::kLabelPadBytes, {}, false));
    MP_TRY(parts.add(all, ByteOffset(format::kBootEnvOffset), format::kBootEnvBytes, {}, true));
    MP_TRY(parts.addConfig(all, config));
    MP_TRY(parts.add(
        all, ByteOffset(format::kUberblockRingOffset), format::kUberblockRingBytes, {}, false));
    writeAll(writes);
    MP_TRY(allGood(writes));
    return device.flush();
}

Status writeLabelConfig(device::BlockDevice& device, const NvList& config, LabelSet which)
{
    std::vector<LabelWrite> writes;
    MP_TRY(LabelParts(writes, 0, device).addConfig(which, config));
    writeAll(writes);
    return anyGood(writes);
}

Status clearLabels(device::BlockDevice& device)
{
    std::vector<LabelWrite> writes;
    MP_TRY(LabelParts(writes, 0, device)
               .add(LabelSet::All, ByteOffset(0), format::kLabelBytes, {}, false));
    writeAll(writes);
    MP_TRY(allGood(writes));
    return device.flush();
}

Status writeUberblock(device::BlockDevice& device,
                      const format::Uberblock& uberblock,
                      const UberblockPlace& place)
{
    std::vector<LabelWrite> writes;
    MP_TRY(LabelParts(writes, 0, device).addUberblock(uberblock, place));
    writeAll(writes);
    return anyGood(writes);
}

Status commitLabels(std::span<LabelLeaf> leaves, const format::Uberblock& uberblock, bool multihost)
{
    Commit commit(leaves, uberblock, multihost);
    MP_TRY(commit.configs(LabelSet::Even));
    MP_TRY(commit.uberblocks()); // INV-1
    return commit.configs(LabelSet::Odd);
}

} // namespace millpond::vdev
