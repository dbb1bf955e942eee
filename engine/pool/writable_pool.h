// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/function_ref.h"
#include "format/feature.h"
#include "format/label.h"
#include "pool/layout.h"
#include "pool/live_head.h"
#include "pool/pool.h"
#include "posix/file_system_writer.h"
#include "txg/transaction_groups.h"

#include <optional>

namespace millpond::pool {

/// What writing needs besides Services; all outlive the pool.
struct WriteServices
{
    const Clock& clock;
    Random& random;
    txg::GroupOptions groups;
};

/// A pool to be made.
struct CreateRequest
{
    std::string name;
    LayoutRequest layout;
    std::uint64_t version = format::kPoolVersionFeatures; ///< or 28
    std::vector<std::string> features;                    ///< names; empty for version 28
    std::string comment, compatibility;
    std::uint64_t hostId = 0; ///< 0: none is recorded
    std::string hostName;
    std::string command; ///< for the history, as somebody typed it; empty: none
    std::uint64_t user = 0;
    // Of the root file system.
    posix::NewFileSystem rootFormat;
    std::vector<dataset::Setting> rootSettings;
};

/// Changes of a pool as a whole.
struct PoolChanges
{
    std::optional<std::string> comment;
    std::vector<std::string> features;        ///< to be enabled, with what they depend on
    std::vector<dataset::Setting> properties; ///< that stand in the pool's own table of properties
    bool newGuid = false;                     ///< [zpool reguid]
};

/// Names of all features this program knows how to keep up: what a new pool has unless told
/// otherwise.
[[nodiscard]] std::vector<std::string> defaultFeatures();

/// A pool that is written to. Theory statement: writable_pool.cpp. Thread-safe.
class WritablePool
{
public:
    /// Overwrites the devices: whether that may be is decided before. When this returns, the pool
    /// is on stable storage, with its root file system. Errors: InvalidArgument, InvalidName,
    /// DeviceTooSmall, DeviceBusy, DeviceIo.
    [[nodiscard]] static Result<std::unique_ptr<WritablePool>>
    create(const Services& services, const WriteServices& write, const CreateRequest& request);

    /// Who the labels say has the pool.
    struct Host
    {
        std::uint64_t id = 0; ///< 0: none is recorded
        std::string name;
    };

    /// Takes over a pool that was opened with OpenOptions::write. UnsupportedVersion and
    /// UnsupportedFeature for what this program only reads.
    [[nodiscard]] static Result<std::unique_ptr<WritablePool>>
    open(const WriteServices& write, std::unique_ptr<Pool> pool, const Host& host);
    /// Without close(): as a power cut.
    virtual ~WritablePool() = default;
    WritablePool(const WritablePool&) = delete;
    WritablePool& operator=(const WritablePool&) = delete;

    /// The pool as of the last synced txg.
    [[nodiscard]] virtual std::shared_ptr<const Pool> state() const = 0;
    /// The same for as long as the pointer is held: what the state refers to is not overwritten
    /// meanwhile. Writing waits for readers that hold a state of some txgs ago, though not for
    /// ever: for the time of one call. Does not outlive the pool.
    [[nodiscard]] virtual std::shared_ptr<const Pool> read() = 0;
    [[nodiscard]] virtual txg::TransactionGroups& groups() = 0;
    [[nodiscard]] virtual dataset::LiveTree& tree() = 0;

    /// The live dataset, opened at first. NoSuchDataset.
    [[nodiscard]] virtual Result<LiveHeadRef> head(ObjsetId id) = 0;

    /// File systems to be made, in one txg. Each may lie below one before it.
    struct NewFileSystem
    {
        std::string name;
        std::vector<dataset::Setting> settings;
        posix::NewFileSystem format;
    };

    /// Returns when they are on disk: all of them, or none. AlreadyExists, NoSuchDataset,
    /// InvalidName.
    [[nodiscard]] virtual Status createFileSystems(std::span<const NewFileSystem> requests) = 0;

    // Changes of datasets, by name. All return when they are on disk; all or nothing. Errors: those
    // of dataset::LiveTree.

    [[nodiscard]] virtual Status set(const std::string& dataset,
                                     std::span<const dataset::Setting> settings) = 0;
    [[nodiscard]] virtual Status
    inherit(const std::string& dataset, const std::string& name, bool received) = 0;
    [[nodiscard]] virtual Status rename(const std::string& dataset, const std::string& newName) = 0;
    /// Nobody holds the head any more: DatasetBusy.
    [[nodiscard]] virtual Status destroy(const std::string& dataset) = 0;
    /// What follows from the pool alone: properties are the caller's to fill in.
    [[nodiscard]] virtual object::WriteSettings usualSettings() const = 0;

    /// NoSuchProperty (a feature), UnsupportedVersion (features in an old pool).
    [[nodiscard]] virtual Status change(const PoolChanges& changes) = 0;

    /// Told of bytes trimmed so far and in all; false ends it.
    using TrimProgress = FunctionRef<bool(std::uint64_t done, std::uint64_t total)>;
    /// Tells all devices which space is free [zpool trim]: holes in image files. Goes on beside
    /// everything else. Cancelled; errors of reading space maps.
    [[nodiscard]] virtual Status trim(const TrimProgress& progress) = 0;

    /// Puts a command into the pool's history, as `user` typed it. Does not wait.
    virtual void note(const std::string& command, std::uint64_t user) = 0;

    /// Writes everything and leaves the pool as exported (or destroyed); nothing works afterwards.
    [[nodiscard]] virtual Status close(format::PoolState state) = 0;

protected:
    WritablePool() = default;

private:
    class Engine;
};

} // namespace millpond::pool
