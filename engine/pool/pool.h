// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/log.h"
#include "block/block_reader.h"
#include "codec/checksum.h"
#include "dataset/dataset_tree.h"
#include "device/file_device.h"
#include "pool/features.h"
#include "pool/mos.h"
#include "pool/pool_config.h"
#include "runtime/executor.h"
#include "runtime/io_queue.h"
#include "vdev/vdev.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace millpond::pool {

/// What a pool borrows from the engine; all outlive it.
struct Services
{
    runtime::Executor& executor;
    runtime::IoQueue* ioQueue = nullptr; ///< null: batches run one after another
    block::BlockCache& cache;
    Log& log;
    bool directIo = true;
    ByteCount prefetchLimit{32 * MiB}; ///< speculative reads in flight, at most
    const Clock* clock = nullptr;      ///< for latencies of devices; null: none are kept
    /// Where devices come from; null: files, as device::openFileDevice() opens them.
    std::function<Result<device::DeviceRef>(const std::string& path, device::Access access)>
        devices = {};

    /// Through `devices`. Errors: device::openFileDevice()'s.
    [[nodiscard]] Result<device::DeviceRef> openDevice(const std::string& path,
                                                       device::Access access) const;
};

struct OpenOptions
{
    std::string name; ///< another name than the pool's own; empty: keep
    std::uint64_t hostId = 0;
    bool force = false;        ///< although another host seems to use it
    bool missingLogOk = false; ///< without a log device that can't be found
    /// False: nothing is held against other users of the devices; for a look only.
    bool hold = true;
    /// Devices are opened to be written to, and held against everybody else.
    bool write = false;
};

/// The devices of an open pool and what reads through them: what all its states (class Pool) have
/// in common, and what writing goes through. Thread-safe as its parts are.
struct PoolDevices
{
    Services services;
    vdev::DeviceMap devices;
    std::unique_ptr<vdev::VdevTree> vdevs;
    std::unique_ptr<block::TreeVdevMap> vdevMap;
    std::unique_ptr<block::BlockReader> blocks;

    /// Builds the tree over `devices`, and a reader on it.
    [[nodiscard]] Status build(const format::NvList& tree);
};

/// A leaf outside the tree: a spare, or a cache device.
struct AuxiliaryDevice
{
    format::NvList config;
    VdevGuid guid;
    std::string path;     ///< as configured
    std::string openedAs; ///< empty: not found
    std::uint64_t size = 0;
};

/// The salt of the checksums that take one; nothing in old pools. BadConfig.
[[nodiscard]] Result<std::optional<codec::ChecksumSalt>> readSalt(const Mos& mos);

/// A pool at one uberblock: the newest there was when it was opened, or of a txg that was just
/// written. Immutable but for counters and caches. Theory statement: pool.cpp. Thread-safe.
class Pool
{
public:
    /// Errors: UnsupportedVersion, UnsupportedFeature and UnsupportedVdev by name, PoolActive
    /// (another host may be using it), DeviceBusy, DeviceMissing (top-level vdevs that can't be
    /// read, by name), BadConfig and whatever reading the pool's own objects gives.
    [[nodiscard]] static Result<std::unique_ptr<Pool>>
    open(const Services& services, PoolConfig config, const OpenOptions& options);
    /// The same pool at another uberblock, on the same devices: for whoever has written it. Blocks
    /// that a later txg frees stay as they are for two txgs more; a state that is read for longer
    /// meets ChecksumMismatch.
    [[nodiscard]] static Result<std::shared_ptr<Pool>> at(std::shared_ptr<PoolDevices> devices,
                                                          PoolConfig config,
                                                          std::string name,
                                                          const format::Uberblock& uberblock);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    [[nodiscard]] const std::string& name() const { return m_name; }

    [[nodiscard]] PoolGuid guid() const { return m_config.guid; }

    [[nodiscard]] const PoolConfig& config() const { return m_config; }

    [[nodiscard]] const format::Uberblock& uberblock() const { return m_uberblock; }

    [[nodiscard]] std::uint64_t version() const { return m_uberblock.version; }

    [[nodiscard]] const FeatureState& features() const { return m_features; }

    [[nodiscard]] const Mos& mos() const { return *m_mos; }

    [[nodiscard]] vdev::VdevTree& vdevs() const { return *m_devices->vdevs; }

    [[nodiscard]] block::BlockReader& blocks() const { return *m_devices->blocks; }

    [[nodiscard]] dataset::DatasetTree& datasets() const { return *m_datasets; }

    [[nodiscard]] const std::shared_ptr<dataset::DatasetTree>& datasetsShared() const
    {
        return m_datasets;
    }

    [[nodiscard]] const std::shared_ptr<PoolDevices>& devices() const { return m_devices; }

    [[nodiscard]] const std::vector<AuxiliaryDevice>& spares() const { return m_spares; }

    [[nodiscard]] const std::vector<AuxiliaryDevice>& caches() const { return m_caches; }

    [[nodiscard]] Log& log() const { return m_devices->services.log; }

    [[nodiscard]] runtime::Executor& executor() const { return m_devices->services.executor; }

private:
    Pool(std::shared_ptr<PoolDevices> devices, PoolConfig config);

    [[nodiscard]] Status build(const OpenOptions& options);
    [[nodiscard]] Status openDevices(const format::NvList& tree, const OpenOptions& options);
    [[nodiscard]] Status addAllocationClasses(format::NvList& tree) const;
    [[nodiscard]] Status openTree(const format::NvList& tree);
    [[nodiscard]] Status openContent();
    [[nodiscard]] Status openMos();
    [[nodiscard]] Status trustOwnConfig(const OpenOptions& options);
    [[nodiscard]] Status checkHost(const OpenOptions& options) const;
    [[nodiscard]] Status checkTopLevels(const OpenOptions& options) const;
    [[nodiscard]] Status loadMissedRanges();
    [[nodiscard]] Result<std::vector<AuxiliaryDevice>> auxiliary(std::string_view entry,
                                                                 std::string_view list);

    std::shared_ptr<PoolDevices> m_devices;
    PoolConfig m_config;
    std::string m_name;
    format::Uberblock m_uberblock;
    std::unique_ptr<Mos> m_mos;
    FeatureState m_features;
    std::shared_ptr<dataset::DatasetTree> m_datasets;
    std::vector<AuxiliaryDevice> m_spares, m_caches;
};

} // namespace millpond::pool
