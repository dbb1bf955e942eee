// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bus/records.h"
#include "cli/option_parser.h"

#include <string>
#include <vector>

namespace millpond::cli {

/// -g: guids; -L: links resolved; -P: whole paths.
struct VdevNaming
{
    bool guids = false, resolve = false, fullPaths = false;
};

[[nodiscard]] VdevNaming vdevNaming(const ParsedOptions& options);
[[nodiscard]] std::string vdevName(const bus::VdevRow& row, const VdevNaming& naming);

/// A vdev below the pool may be called by its guid and by any name that some naming shows it with.
[[nodiscard]] bool isCalled(const bus::VdevRow& row, std::string_view word);

/// Of the last part of a path, the name of the disk that a partition is on: "sda" of "sda1",
/// "nvme0n1" of "nvme0n1p1", "ata-X" of "ata-X-part1". Other names pass unchanged.
[[nodiscard]] std::string withoutPartition(const std::string& name);

/// The bytes of the device itself; 0 when it is not open.
[[nodiscard]] std::uint64_t deviceBytes(const bus::VdevRow& row);

/// The data vdevs with the pool itself first, then each class under its heading, in the order that
/// `status` has them.
struct VdevSection
{
    std::string heading; ///< "logs", "cache", "spares", "special", "dedup"; empty: data
    std::vector<bus::VdevRow> rows;
};

/// `poolGuid` 0: of all rows.
[[nodiscard]] std::vector<VdevSection> vdevSections(const bus::Rows<bus::VdevRow>& rows,
                                                    std::uint64_t poolGuid);
/// Likewise, of these rows.
[[nodiscard]] std::vector<VdevSection> vdevSections(const std::vector<bus::VdevRow>& rows);

/// Rows of one section as the trees they are.
struct VdevNode
{
    bus::VdevRow row;
    std::string_view topClass; ///< class of the top-level vdev it is part of
    std::vector<VdevNode> children;
};

[[nodiscard]] std::vector<VdevNode> vdevTrees(const std::vector<bus::VdevRow>& rows);

} // namespace millpond::cli
