// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/json.h"
#include "cli/option_parser.h"
#include "cli/vdev_names.h"

// What `status` prints of one pool, apart from where it comes from.

namespace millpond::cli {

struct StatusOptions
{
    bool onlyUnhealthy = false; ///< -x
    bool files = false;         ///< -v
    bool exact = false;         ///< -p
    bool slow = false;          ///< -s
    bool directErrors = false;  ///< -d
    bool power = false;         ///< --power
    bool onlyBadVdevs = false;  ///< -e
    bool initialize = false;    ///< -i
    bool trim = false;          ///< -t
    bool dedup = false;         ///< -D
    bool json = false, jsonInt = false, flat = false, keyGuid = false;
    VdevNaming naming;
    std::string timestamp;
    Arguments pools;
    Repetition repetition;
};

struct StatusAnswer
{
    bus::Rows<bus::PoolRow> pools;
    bus::Rows<bus::VdevRow> vdevs;
    bus::Rows<bus::DataErrorRow> errors;
    bus::Rows<bus::DedupRow> dedup;
};

/// A page of OpenZFS' documentation, by message id.
inline constexpr std::string_view kMoreInformation =
    "https://openzfs.github.io/openzfs-docs/msg/{}";

[[nodiscard]] std::string
statusText(const bus::PoolRow& pool, const StatusAnswer& answer, const StatusOptions& options);
[[nodiscard]] Json
statusJson(const bus::PoolRow& pool, const StatusAnswer& answer, const StatusOptions& options);

/// "tank/home:/x", "<0x36>:<0x2>": what a known data error is about.
[[nodiscard]] std::string errorName(const bus::DataErrorRow& row);
/// -e leaves this one and what is below it out: all leaves are well.
[[nodiscard]] bool isHealthy(const VdevNode& node, const StatusOptions& options);
/// Sum over all buckets.
[[nodiscard]] bus::DedupRow dedupTotal(const bus::PoolRow& pool,
                                       const bus::Rows<bus::DedupRow>& rows);

} // namespace millpond::cli
