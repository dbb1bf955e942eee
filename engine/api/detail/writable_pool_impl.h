// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/detail/pool_impl.h"
#include "pool/writable_pool.h"
#include "posix/show_options.h"

#include <map>

namespace millpond::api::detail {

/// A pool that is open for writing, behind the facade. What is read comes from the last synced txg,
/// through a PoolImpl made for it; files are read as they are now, through their writer.
class WritablePoolImpl final : public ImportedPool
{
public:
    [[nodiscard]] static Result<std::shared_ptr<WritablePoolImpl>>
    create(std::unique_ptr<pool::WritablePool> pool, ImportFacts facts, const Clock& clock);

    [[nodiscard]] std::string name() const override { return m_name; }

    [[nodiscard]] PoolGuid guid() const override { return m_pool->state()->guid(); }

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

    [[nodiscard]] bool isWritable() const override { return true; }

    [[nodiscard]] Result<std::shared_ptr<posix::FileSystemWriter>>
    writer(const std::string& dataset) override;
    [[nodiscard]] Status waitSynced(Txg group) override;
    [[nodiscard]] Status
    setPoolProperties(const std::vector<std::pair<std::string, std::string>>& properties) override;
    [[nodiscard]] Status upgrade(const std::vector<std::string>& features) override;
    [[nodiscard]] Status newGuid() override;
    [[nodiscard]] Status trim(Progress& progress) override;
    void note(const std::string& command, std::uint64_t user) override;
    [[nodiscard]] Status sync() override;
    [[nodiscard]] Status createDatasets(std::span<const NewDataset> requests) override;
    [[nodiscard]] Status destroyDataset(const std::string& dataset) override;
    [[nodiscard]] Status renameDataset(const std::string& dataset,
                                       const std::string& newName) override;
    [[nodiscard]] Status
    setProperties(const std::string& dataset,
                  const std::vector<std::pair<std::string, std::string>>& properties) override;
    [[nodiscard]] Status
    inheritProperty(const std::string& dataset, const std::string& name, bool received) override;

    [[nodiscard]] Status close(format::PoolState state) override;

private:
    using WriterRef = std::shared_ptr<posix::FileSystemWriter>;

    WritablePoolImpl(std::unique_ptr<pool::WritablePool> pool,
                     ImportFacts facts,
                     const Clock& clock);

    /// The last synced txg, which stays as it is while this is held: for one call. NoSuchPool once
    /// it is retired.
    [[nodiscard]] Result<std::shared_ptr<PoolImpl>> view();
    [[nodiscard]] Result<WriterRef> openWriter(ObjsetId id);
    /// Settings have changed: whoever writes hears of them.
    [[nodiscard]] Status refreshWriters();

    /// What a head's properties say.
    struct HeadOptions
    {
        posix::WriteOptions write;
        posix::ShowOptions show;
        object::WriteSettings settings;
    };

    [[nodiscard]] Result<HeadOptions> optionsOf(const pool::LiveHeadRef& head);

    std::unique_ptr<pool::WritablePool> m_pool;
    ImportFacts m_facts;
    const Clock& m_clock;
    std::string m_name;
    mutable Mutex m_mutex;
    std::shared_ptr<PoolImpl> m_view MP_GUARDED_BY(m_mutex);
    const pool::Pool* m_viewed MP_GUARDED_BY(m_mutex) = nullptr; ///< m_view's: kept alive by it
    Mutex m_opening;                                             ///< taken before m_mutex
    std::map<ObjsetId, WriterRef> m_writers MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::api::detail
