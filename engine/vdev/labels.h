// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "device/block_device.h"
#include "format/label.h"
#include "format/nvlist.h"
#include "format/uberblock.h"

#include <array>
#include <optional>
#include <vector>

namespace millpond::vdev {

struct FoundUberblock
{
    format::Uberblock uberblock;
    std::size_t label = 0;
    std::size_t slot = 0;
};

/// What the four labels of one device hold.
struct DeviceLabels
{
    /// The configuration of each label; nothing where the label is damaged or absent.
    std::array<std::optional<format::NvList>, format::kLabels> configs;
    /// Why a label could not be used; empty where it could.
    std::array<std::string, format::kLabels> problems;
    /// Every valid uberblock, best first; copies of the same txg in different labels are all
    /// listed.
    std::vector<FoundUberblock> uberblocks;

    /// Of the newest label (by txg; the first of equals). Null when no label is usable.
    [[nodiscard]] const format::NvList* config() const;
    /// The newest one of a txg not above `limit`. Null when there is none.
    [[nodiscard]] const format::Uberblock* best(Txg limit = Txg(~std::uint64_t{0})) const;
    [[nodiscard]] std::size_t usableLabels() const;

    /// From config(); nothing when the label does not say.
    [[nodiscard]] std::optional<VdevGuid> leafGuid() const;
    [[nodiscard]] std::optional<PoolGuid> poolGuid() const;
    [[nodiscard]] std::optional<std::string_view> poolName() const;
    [[nodiscard]] std::optional<format::PoolState> poolState() const;
    [[nodiscard]] std::optional<Txg> configTxg() const;
};

struct LabelOptions
{
    bool uberblocks = true; ///< false: configurations only (half the bytes, for a first look)
};

/// Reads all four labels, whatever subset of them is intact. Holds at most 1 MiB. Errors: BadLabel
/// when no label has a configuration (the text gives the reasons), DeviceTooSmall, DeviceIo when
/// not one label could be read.
[[nodiscard]] Result<DeviceLabels> readLabels(device::BlockDevice& device,
                                              const LabelOptions& options = {});

} // namespace millpond::vdev
