// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pool/pool.h"

#include <cstdint>
#include <string>

namespace millpond::pool {

/// One problem the offline check found.
struct CheckFinding
{
    enum class Kind : std::uint8_t
    {
        Device,
        Checksum,
        Parity,
        Unreadable,
        Leak,
        DoubleUse,
        Unallocated,
        Accounting,
        Structure,
        Directory,
        LinkCount
    };
    Kind kind = Kind::Structure;
    std::string dataset, path; ///< empty: pool-wide
    std::string device;        ///< leaf, where one is to blame
    ObjsetId objset;
    ObjectId object;
    std::uint64_t level = 0, block = 0;
    std::uint64_t offset = 0, size = 0; ///< on the device or top-level vdev
    std::string text;                   ///< one line, complete in itself
};

struct CheckTotals
{
    std::uint64_t awaitingResilver = 0; ///< bytes of ranges that a device has missed
    std::uint64_t datasets = 0, snapshots = 0, objects = 0, blocks = 0, copies = 0;
    std::uint64_t bytesRead = 0, allocated = 0;
};

/// Where a check reports to. Called from several threads, one at a time.
class CheckSink
{
public:
    virtual ~CheckSink() = default;
    virtual void found(const CheckFinding& finding) = 0;
    virtual void total(std::uint64_t bytes) = 0;   ///< allocated bytes, once known
    virtual void advance(std::uint64_t bytes) = 0; ///< of those, verified since the last call
    [[nodiscard]] virtual bool cancelled() const = 0;
};

/// Verifies everything a pool holds against itself. Theory statement: checker.cpp. Errors only for
/// what keeps the check from going on at all (Cancelled, OutOfMemory); damage is a finding.
[[nodiscard]] Result<CheckTotals> checkPool(const Pool& pool, CheckSink& sink);

} // namespace millpond::pool
