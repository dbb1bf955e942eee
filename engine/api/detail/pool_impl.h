// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/detail/imported_pool.h"
#include "api/detail/pool_properties.h"
#include "api/engine.h"
#include "base/mutex.h"
#include "dataset/properties.h"
#include "pool/pool.h"
#include "pool/space_figures.h"

#include <memory>

namespace millpond::api::detail {

/// An imported pool behind the facade. Whoever opens a file system or volume keeps the pool's
/// blocks alive through it.
class PoolImpl final : public ImportedPool
{
public:
    [[nodiscard]] static Result<std::shared_ptr<PoolImpl>>
    create(std::shared_ptr<const pool::Pool> opened, ImportFacts facts);

    [[nodiscard]] std::string name() const override { return m_pool->name(); }

    [[nodiscard]] PoolGuid guid() const override { return m_pool->guid(); }

    [[nodiscard]] Result<PoolStatus> status() override;
    [[nodiscard]] Result<std::vector<PoolProperty>>
    properties(const std::vector<std::string>& names) override;
    [[nodiscard]] Result<std::vector<VdevProperties>>
    vdevProperties(const std::vector<std::string>& names) override;
    [[nodiscard]] Result<std::vector<HistoryRecord>> history() override;
    [[nodiscard]] std::vector<IostatRow> iostat() override;
    [[nodiscard]] Result<std::vector<DatasetRow>> datasets(const DatasetQuery& query) override;
    [[nodiscard]] Result<std::vector<Hold>> holds(const std::string& snapshot) override;
    [[nodiscard]] Result<std::shared_ptr<posix::FileSystem>>
    fileSystem(const std::string& dataset) override;
    [[nodiscard]] Result<std::shared_ptr<volume::Volume>>
    volume(const std::string& dataset) override;
    [[nodiscard]] Result<DatasetFacts> facts(const std::string& dataset) override;
    [[nodiscard]] Result<std::vector<std::string>> children(const std::string& dataset) override;
    [[nodiscard]] Result<std::vector<std::string>> snapshots(const std::string& dataset) override;

    [[nodiscard]] Status close(format::PoolState /*state*/) override { return {}; }

    [[nodiscard]] const std::shared_ptr<const pool::Pool>& state() const { return m_pool; }

    [[nodiscard]] dataset::Properties& datasetProperties() { return *m_properties; }

private:
    PoolImpl(std::shared_ptr<const pool::Pool> opened, ImportFacts facts);

    [[nodiscard]] Status readStatus(PoolStatus& status) const;
    void lookAfterLeaves() MP_EXCLUDES(m_lookingAfter);
    [[nodiscard]] Result<std::shared_ptr<object::ObjectSet>> objset(const dataset::Node& node);

    std::shared_ptr<const pool::Pool> m_pool;
    ImportFacts m_facts;
    Mutex m_lookingAfter;
    pool::SpaceFigures m_space;
    std::unique_ptr<dataset::Properties> m_properties;
};

/// What `zpool history` shows of one record.
[[nodiscard]] HistoryRecord historyRecord(const format::NvList& record);

} // namespace millpond::api::detail
