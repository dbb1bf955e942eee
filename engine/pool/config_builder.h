// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/types.h"
#include "format/nvlist.h"

#include <map>
#include <string>
#include <vector>

namespace millpond::pool {

/// What configurations say of the pool as a whole.
struct PoolIdentity
{
    std::string name;
    PoolGuid guid;
    std::uint64_t rootGuid = 0; ///< of the root vdev; the pool's guid
    std::uint64_t version = 0;
    std::uint64_t state = 0; ///< format::PoolState
    std::uint64_t errata = 0;
    std::string comment, compatibility; ///< empty: not said
    std::uint64_t hostId = 0;           ///< 0: not said
    std::string hostName;
};

/// A pool's configuration: written into the pool itself (whole), and into each label (with the
/// leaf's own top-level vdev). Plain values; not thread-safe.
class ConfigBuilder
{
public:
    PoolIdentity identity;
    format::NvList root;              ///< without children: what stands beside them
    std::vector<format::NvList> tops; ///< by number; holes have type "hole"
    /// Features needed to read the pool's own objects, by guid.
    std::vector<std::string> featuresForRead;

    /// For the pool's "config" object.
    [[nodiscard]] format::NvList whole(Txg txg) const;
    /// For the labels of a leaf of top-level vdev `top`.
    [[nodiscard]] format::NvList label(std::size_t top, std::uint64_t leafGuid, Txg txg) const;
    /// The vdev tree as vdev::VdevTree::build() takes it: with "alloc_bias".
    [[nodiscard]] format::NvList tree() const;
    /// Sum of the guids of all vdevs, wrapping: what the uberblock records.
    [[nodiscard]] std::uint64_t guidSum() const;

private:
    void addIdentity(format::NvList& config, Txg txg) const;
    void addChildren(format::NvList& config) const;
    void addTail(format::NvList& config) const;
};

/// The leaves at or below a vdev, in order; they live as long as it does.
[[nodiscard]] std::vector<const format::NvList*> leavesOf(const format::NvList& vdev);
/// Guids of the leaves at or below a vdev, in order.
[[nodiscard]] std::vector<std::uint64_t> leafGuidsOf(const format::NvList& vdev);

} // namespace millpond::pool
