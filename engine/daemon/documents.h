// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "bus/records.h"
#include "daemon/mounter.h"
#include "daemon/start_list.h"
#include "device/device_list.h"

#include <span>

// The engine's value types as tables of the bus. One function a table; nothing is decided here.

namespace millpond::daemon {

void addPools(bus::DocumentWriter& document, std::span<const api::PoolStatus> pools);
void addVdevs(bus::DocumentWriter& document, std::span<const api::PoolStatus> pools);
void addDedup(bus::DocumentWriter& document, std::span<const api::PoolStatus> pools);
void addErrors(bus::DocumentWriter& document, std::span<const api::PoolStatus> pools);
/// `imported` tells which of them this helper has open.
void addFound(bus::DocumentWriter& document,
              std::span<const api::FoundPool> pools,
              const std::function<bool(PoolGuid)>& imported);
void addPoolProperties(bus::RowWriter<bus::PoolPropertyRow>& rows,
                       const std::string& pool,
                       std::span<const api::PoolProperty> properties);
void addVdevProperties(bus::RowWriter<bus::VdevPropertyRow>& rows,
                       std::span<const api::VdevProperties> vdevs);
void addHistory(bus::RowWriter<bus::HistoryRow>& rows,
                const std::string& pool,
                std::span<const api::HistoryRecord> records);
void addEvents(bus::DocumentWriter& document, std::span<const api::Event> events);
void addStartPools(bus::DocumentWriter& document, std::span<const StartPool> pools);
void addHolds(bus::RowWriter<bus::HoldRow>& rows, std::span<const api::Hold> holds);
void addMounts(bus::DocumentWriter& document, std::span<const MountEntry> mounts);
void addOutcomes(bus::DocumentWriter& document, std::span<const MountOutcome> outcomes);
void addDevices(bus::DocumentWriter& document, std::span<const device::DeviceInfo> devices);
void addProblems(bus::DocumentWriter& document, std::span<const api::CheckProblem> problems);
/// No row when there is no report yet.
void addSummary(bus::DocumentWriter& document, const api::CheckReport* report);

/// "datasets" and "dataset_properties" of any number of queries.
class DatasetTables
{
public:
    explicit DatasetTables(bus::DocumentWriter& document);
    void add(std::span<const api::DatasetRow> datasets);

private:
    bus::RowWriter<bus::DatasetRow> m_datasets;
    bus::RowWriter<bus::DatasetPropertyRow> m_properties;
    std::uint64_t m_count = 0;
};

/// "iostat" and "iostat_histograms" of any number of pools.
class IostatTables
{
public:
    explicit IostatTables(bus::DocumentWriter& document);
    /// Times in nanoseconds of the monotonic clock.
    void add(const std::string& pool,
             std::span<const api::IostatRow> vdevs,
             std::uint64_t takenAt,
             std::uint64_t importedAt);

private:
    void
    addBuckets(VdevGuid guid, std::string_view histogram, std::span<const std::uint64_t> buckets);

    bus::RowWriter<bus::IostatRow> m_rows;
    bus::RowWriter<bus::IostatBucketRow> m_buckets;
};

[[nodiscard]] std::string_view datasetKindText(api::DatasetKind kind);
[[nodiscard]] std::string_view sourceText(api::SourceKind source);

} // namespace millpond::daemon
