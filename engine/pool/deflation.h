// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format/block_pointer.h"
#include "pool/mos.h"
#include "vdev/vdev.h"

#include <map>

namespace millpond::pool {

/// What allocated bytes count for in the accounting of datasets: on raidz without the parity that a
/// block of 128 KiB would need, so that a mirror and a raidz compare. (OpenZFS
/// module/zfs/vdev.c: vdev_set_deflate_ratio, spa_misc.c: dva_get_dsize_sync.) A plain value.
class Deflation
{
public:
    /// Pools before version 3 count every byte.
    [[nodiscard]] static Result<Deflation> of(const Mos& mos, const vdev::VdevTree& vdevs);

    /// Of a pool that is made now.
    [[nodiscard]] static Deflation of(const vdev::VdevTree& vdevs);

    [[nodiscard]] std::uint64_t bytes(VdevId vdev, std::uint64_t allocated) const;
    /// All copies of a block.
    [[nodiscard]] std::uint64_t bytes(const format::BlockPointer& pointer) const;

private:
    bool m_deflates = false;
    std::map<std::uint32_t, std::uint64_t> m_ratios; ///< bytes for each 512 allocated
};

} // namespace millpond::pool
