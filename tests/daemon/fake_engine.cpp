// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/fake_engine.h"

#include "base/mutex.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <thread>

namespace millpond::test {

namespace {
using api::DatasetRow;

std::uint64_t guidOf(const std::string& name)
{
    return std::hash<std::string>()(name) | 1U;
}

api::PoolStatus statusOf(const std::string& name)
{
    api::PoolStatus status;
    status.name = name;
    status.guid = PoolGuid(guidOf(name));
    status.state = api::VdevState::Online;
    status.version = 5000;
    status.vdevs = {{.depth = 0, .name = name, .type = "root", .state = api::VdevState::Online},
                    {.depth = 1,
                     .name = "/images/disk0",
                     .type = "file",
                     .guid = VdevGuid(7),
                     .state = api::VdevState::Online,
                     .isLeaf = true}};
    status.errors = {
        {.objset = ObjsetId(54), .object = ObjectId(2), .dataset = name, .path = "/x"}};
    status.errorCount = 1;
    return status;
}

DatasetRow rowOf(const std::string& name, std::size_t properties)
{
    DatasetRow row;
    row.name = name;
    for (std::size_t i = 0; i < properties; ++i) {
        row.properties.push_back({.name = "property" + std::to_string(i),
                                  .value = std::to_string(i * 4096),
                                  .source = api::SourceKind::Default,
                                  .received = "-"});
    }
    return row;
}

class FakePool final : public api::Pool
{
public:
    explicit FakePool(std::string name)
        : m_name(std::move(name))
    {
    }

    std::string name() const override { return m_name; }

    PoolGuid guid() const override { return PoolGuid(guidOf(m_name)); }

    Result<api::PoolStatus> status() override { return statusOf(m_name); }

    Result<std::vector<api::PoolProperty>> properties(const std::vector<std::string>&) override
    {
        return std::vector<api::PoolProperty>{{"size", "1073741824", api::SourceKind::None},
                                              {"readonly", "on", api::SourceKind::Local}};
    }

    Result<std::vector<api::VdevProperties>>
    vdevProperties(const std::vector<std::string>&) override
    {
        return std::vector<api::VdevProperties>{
            {VdevGuid(7), {{"state", "7", api::SourceKind::None}}}};
    }

    Result<std::vector<api::HistoryRecord>> history() override
    {
        return std::vector<api::HistoryRecord>{{.time = 1, .command = "zpool create " + m_name}};
    }

    std::vector<api::IostatRow> iostat() override { return {{.name = m_name, .readOps = 3}}; }

    Result<std::vector<DatasetRow>> datasets(const api::DatasetQuery& query) override
    {
        std::vector<DatasetRow> rows = {rowOf(m_name, query.properties.size())};
        for (int i = 0; m_name == "big" && i < 10'000; ++i) {
            rows.push_back(rowOf("big/user" + std::to_string(i), 70));
        }
        return rows;
    }

    Result<std::vector<api::Hold>> holds(const std::string& snapshot) override
    {
        return std::vector<api::Hold>{{snapshot, "keep", 5}};
    }

    Result<std::shared_ptr<posix::FileSystem>> fileSystem(const std::string&) override
    {
        return fail(ErrorCode::UnsupportedMethod, "fake");
    }

    Result<std::shared_ptr<volume::Volume>> volume(const std::string&) override
    {
        return fail(ErrorCode::UnsupportedMethod, "fake");
    }

    Result<DatasetFacts> facts(const std::string&) override
    {
        return fail(ErrorCode::UnsupportedMethod, "fake");
    }

    Result<std::vector<std::string>> children(const std::string& dataset) override
    {
        return dataset == m_name ? std::vector<std::string>{"home"} : std::vector<std::string>();
    }

    Result<std::vector<std::string>> snapshots(const std::string&) override
    {
        return std::vector<std::string>{"monday"};
    }

private:
    std::string m_name;
};

class FakeEngine final : public api::Engine
{
public:
    Result<std::vector<api::FoundPool>> scan(const api::ScanRequest& request) override
    {
        std::vector<api::FoundPool> found;
        for (const std::string& folder : request.directories) {
            for (const auto& entry : std::filesystem::directory_iterator(folder)) {
                if (entry.path().extension() == ".fakepool") {
                    api::FoundPool pool;
                    pool.status = statusOf(entry.path().stem());
                    pool.importable = true;
                    pool.devices = {entry.path()};
                    found.push_back(std::move(pool));
                }
            }
        }
        return found;
    }

    Result<api::PoolRef> importPool(const api::ImportRequest& request) override
    {
        for (const api::FoundPool& found : MP_TRY(scan(request.where))) {
            const std::string& name = found.status.name;
            if (name == request.pool || std::to_string(guidOf(name)) == request.pool) {
                auto pool = std::make_shared<FakePool>(name);
                const MutexLock lock(m_mutex);
                m_pools.push_back(pool);
                api::Event event;
                event.id = ++m_lastEvent;
                event.eventClass = "sysevent.fs.zfs.pool_import";
                event.fields = {{"pool", name}, {"pool_guid", std::to_string(guidOf(name))}};
                m_events.push_back(event);
                if (m_observer) {
                    m_observer(event);
                }
                return pool;
            }
        }
        return fail(ErrorCode::NoSuchPool, "no such pool available");
    }

    Result<api::PoolRef> createPool(const api::CreatePoolRequest& request) override
    {
        auto pool = std::make_shared<FakePool>(request.name);
        const MutexLock lock(m_mutex);
        m_pools.push_back(pool);
        return api::PoolRef(pool);
    }

    Status destroyPool(const std::string& name, bool force) override
    {
        return exportPool(name, force);
    }

    Status clearLabel(const std::string& /*path*/, bool /*force*/) override { return {}; }

    Status exportPool(const std::string& name, bool) override
    {
        const MutexLock lock(m_mutex);
        std::erase_if(m_pools, [&name](const auto& pool) { return pool->name() == name; });
        return {};
    }

    std::vector<api::PoolRef> pools() const override
    {
        const MutexLock lock(m_mutex);
        return m_pools;
    }

    Result<api::PoolRef> find(const std::string& nameOrGuid) const override
    {
        for (const api::PoolRef& pool : pools()) {
            if (pool->name() == nameOrGuid || std::to_string(pool->guid().value()) == nameOrGuid) {
                return pool;
            }
        }
        return fail(ErrorCode::NoSuchPool, "no such pool");
    }

    Result<api::CheckReport>
    check(const api::CheckRequest& request,
          api::Progress& progress,
          const std::function<void(const api::CheckProblem&)>& found) override
    {
        constexpr std::uint64_t kSteps = 30;
        progress.total(kSteps * 1000);
        for (std::uint64_t i = 0; i < kSteps || request.pool == "slow"; ++i) {
            if (progress.cancelled()) {
                return fail(ErrorCode::Cancelled, "check cancelled");
            }
            if (i % 10 == 0 && i < kSteps) {
                api::CheckProblem problem;
                problem.kind = api::CheckProblem::Kind::Checksum;
                problem.text = "problem " + std::to_string(i);
                found(problem);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(40));
            progress.add(i < kSteps ? 1000 : 0);
        }
        api::CheckReport report;
        report.pool = request.pool;
        report.problemCount = 3;
        return report;
    }

    std::vector<api::Event> events(std::uint64_t after) const override
    {
        const MutexLock lock(m_mutex);
        std::vector<api::Event> events;
        std::ranges::copy_if(m_events,
                             std::back_inserter(events),
                             [after](const api::Event& event) { return event.id > after; });
        return events;
    }

    void onEvent(std::function<void(const api::Event&)> observer) override
    {
        const MutexLock lock(m_mutex);
        m_observer = std::move(observer);
    }

private:
    mutable Mutex m_mutex;
    std::vector<api::PoolRef> m_pools MP_GUARDED_BY(m_mutex);
    std::vector<api::Event> m_events MP_GUARDED_BY(m_mutex);
    std::uint64_t m_lastEvent MP_GUARDED_BY(m_mutex) = 0;
    std::function<void(const api::Event&)> m_observer MP_GUARDED_BY(m_mutex);
};
} // namespace

Result<std::unique_ptr<api::Engine>> createFakeEngine(api::EngineOptions)
{
    return std::unique_ptr<api::Engine>(std::make_unique<FakeEngine>());
}

} // namespace millpond::test
