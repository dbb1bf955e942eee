// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/log.h"
#include "pool/writable_pool.h"
#include "runtime/simulation.h"

#include <QString>

#include <map>

// Pools on devices in memory, in one thread.

namespace millpond::test {

/// What the files in the roots of file systems hold, by "dataset/name". A dataset stands there,
/// too, as does what is no file: with nothing in it.
using Contents = std::map<std::string, std::vector<std::byte>>;

class PoolBench
{
public:
    /// Null: the device is not there.
    PoolBench(std::vector<device::DeviceRef> devices, std::uint64_t seed);

    /// As what pools know the n-th device.
    [[nodiscard]] static std::string pathOf(std::size_t index);

    [[nodiscard]] pool::Services services();
    [[nodiscard]] pool::WriteServices writeServices();

    [[nodiscard]] const Clock& clock() const { return m_clock; }

    /// By the devices' labels: every pool there is.
    [[nodiscard]] std::vector<pool::PoolConfig> scan() const;
    /// The only one. NoSuchPool.
    [[nodiscard]] Result<std::unique_ptr<pool::Pool>> openPool(bool write);
    [[nodiscard]] Result<std::unique_ptr<pool::WritablePool>> takeOver();

    [[nodiscard]] const std::vector<device::DeviceRef>& devices() const { return m_devices; }

    /// As image files.
    [[nodiscard]] bool dump(const QString& folder) const;

private:
    std::vector<device::DeviceRef> m_devices;
    runtime::ManualClock m_clock;
    SeededRandom m_random;
    runtime::SeededExecutor m_executor;
    block::BlockCache m_cache;
    NullLog m_log;
};

/// All that is in a pool's file systems.
[[nodiscard]] Result<Contents> contentsOf(const pool::Pool& pool);

/// What the offline check finds, line by line.
[[nodiscard]] std::string findingsOf(const pool::Pool& pool);

} // namespace millpond::test
