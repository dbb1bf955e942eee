// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "device/block_device.h"
#include "format/nvlist.h"
#include "format/uberblock.h"
#include "vdev/vdev.h"

#include <span>

// Writing what labels.h reads. Theory statement: label_writer.cpp. All calls block. Any thread, but
// for one device one caller at a time (the pool's sync thread, or whoever makes or destroys it).

namespace millpond::vdev {

enum class LabelSet : std::uint8_t
{
    Even, ///< 0 and 2
    Odd,  ///< 1 and 3
    All,
};

/// All four labels of a device that joins a pool: configuration (already the leaf's: with its
/// "guid" and, in front of the first synced txg, "txg" 0 and "create_txg"), a boot area and a ring
/// of uberblocks that are zero. Flushes. What stood in the blank first 8 KiB is erased as well, so
/// that nobody takes the device for what it was. Errors: DeviceIo, DeviceTooSmall, TooLarge (the
/// configuration does not fit 112 KiB), ReadOnly.
[[nodiscard]] Status initializeLabels(device::BlockDevice& device, const format::NvList& config);

/// The configuration only, in these labels. No flush. DeviceIo when not one of them was written;
/// the rest as above.
[[nodiscard]] Status
writeLabelConfig(device::BlockDevice& device, const format::NvList& config, LabelSet which);

/// Zeroes all four labels and flushes [zpool labelclear]. DeviceIo, DeviceTooSmall, ReadOnly.
[[nodiscard]] Status clearLabels(device::BlockDevice& device);

struct UberblockPlace
{
    Ashift ashift; ///< of the top-level vdev: gives the size of a slot
    /// Multihost protection is on: the last slot is not for txgs.
    bool multihost = false;
};

/// Into the slot of its txg in all four labels. No flush. DeviceIo when not one was written.
[[nodiscard]] Status writeUberblock(device::BlockDevice& device,
                                    const format::Uberblock& uberblock,
                                    const UberblockPlace& place);

/// A leaf for commitLabels().
struct LabelLeaf
{
    device::DeviceRef device; ///< not null
    VdevGuid guid;
    VdevId top;
    Ashift ashift; ///< of `top`
    /// A leaf of a log or cache device, or a spare: the pool can do without its label.
    bool dispensable = false;
    /// The leaf's own configuration; null: its labels are not out of date. Lives during the call.
    const format::NvList* config = nullptr;
    /// Gets the uberblock. At least some leaves of each of three top-level vdevs should, and all
    /// when configurations change.
    bool uberblock = true;
    Status status; ///< set by commitLabels(): what went wrong on this leaf
};

/// Makes a txg the pool's state: even labels, flush, uberblocks, flush, odd labels, flush; so that
/// at any instant each device has two labels that fit the newest uberblock on it. Blocks of the txg
/// have been flushed before (VdevTree::flush()). Without configurations that is one write and one
/// flush for each leaf. DeviceIo when the uberblock is not on stable storage on any leaf that is
/// not dispensable, or all labels of one top-level vdev's leaves failed: the txg is then not
/// committed for certain, and the call may be repeated as a whole.
[[nodiscard]] Status
commitLabels(std::span<LabelLeaf> leaves, const format::Uberblock& uberblock, bool multihost);

} // namespace millpond::vdev
