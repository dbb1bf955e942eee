// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/detail/writable_pool_impl.h"

#include "api/detail/property_settings.h"
#include "intent_log/log_chain.h"
#include "posix/file_system_writer.h"

#include <fmt/format.h>

namespace millpond::api::detail {

namespace {
/// From the next txg on.
void setUp(pool::LiveHead& head,
           const object::WriteSettings& settings,
           const std::shared_ptr<posix::FileSystemWriter>& writer)
{
    const MutexLock lock(head.mutex);
    head.settings = settings;
    head.usesLongNames = [weak = std::weak_ptr<posix::FileSystemWriter>(writer)] {
        const auto live = weak.lock();
        return live != nullptr && live->usedLongNames();
    };
}
} // namespace

WritablePoolImpl::WritablePoolImpl(std::unique_ptr<pool::WritablePool> pool,
                                   ImportFacts facts,
                                   const Clock& clock)
    : m_pool(std::move(pool))
    , m_facts(std::move(facts))
    , m_clock(clock)
    , m_name(m_pool->state()->name())
{
}

Result<std::shared_ptr<WritablePoolImpl>> WritablePoolImpl::create(
    std::unique_ptr<pool::WritablePool> pool, ImportFacts facts, const Clock& clock)
{
    std::shared_ptr<WritablePoolImpl> made(
        new WritablePoolImpl(std::move(pool), std::move(facts), clock));
    MP_TRY(made->view());
    return made;
}

Result<std::shared_ptr<PoolImpl>> WritablePoolImpl::view()
{
    MP_TRY(alive());
    const std::shared_ptr<const pool::Pool> reading = m_pool->read();
    const auto held = [&](const std::shared_ptr<PoolImpl>& view) {
        return std::shared_ptr<PoolImpl>(view.get(), [view, reading](PoolImpl*) {});
    };
    {
        const MutexLock lock(m_mutex);
        if (m_view != nullptr && m_viewed == reading.get()) {
            return held(m_view);
        }
    }
    auto made = MP_TRY(PoolImpl::create(m_pool->state(), m_facts));
    const MutexLock lock(m_mutex);
    m_view = made;
    m_viewed = made->state().get();
    return held(made);
}

// --- Reading: the last synced txg ---

Result<PoolStatus> WritablePoolImpl::status()
{
    return MP_TRY(view())->status();
}

Result<std::vector<PoolProperty>>
WritablePoolImpl::properties(const std::vector<std::string>& names)
{
    return MP_TRY(view())->properties(names);
}

Result<std::vector<VdevProperties>>
WritablePoolImpl::vdevProperties(const std::vector<std::string>& names)
{
    return MP_TRY(view())->vdevProperties(names);
}

Result<std::vector<HistoryRecord>> WritablePoolImpl::history()
{
    return MP_TRY(view())->history();
}

std::vector<IostatRow> WritablePoolImpl::iostat()
{
    auto view = this->view();
    return view ? (*view)->iostat() : std::vector<IostatRow>();
}

Result<std::vector<DatasetRow>> WritablePoolImpl::datasets(const DatasetQuery& query)
{
    return MP_TRY(view())->datasets(query);
}

Result<std::vector<Hold>> WritablePoolImpl::holds(const std::string& snapshot)
{
    return MP_TRY(view())->holds(snapshot);
}

Result<std::shared_ptr<posix::FileSystem>> WritablePoolImpl::fileSystem(const std::string& dataset)
{
    const WriterRef live = MP_TRY(writer(dataset));
    if (live == nullptr) {
        return counted(MP_TRY(MP_TRY(view())->fileSystem(dataset)));
    }
    const std::shared_ptr<posix::FileSystem>& files = live->files();
    return std::shared_ptr<posix::FileSystem>(live, files.get()); // keeps the writer
}

Result<std::shared_ptr<volume::Volume>> WritablePoolImpl::volume(const std::string& dataset)
{
    return counted(MP_TRY(MP_TRY(view())->volume(dataset)));
}

Result<Pool::DatasetFacts> WritablePoolImpl::facts(const std::string& dataset)
{
    return MP_TRY(view())->facts(dataset);
}

Result<std::vector<std::string>> WritablePoolImpl::children(const std::string& dataset)
{
    return MP_TRY(view())->children(dataset);
}

Result<std::vector<std::string>> WritablePoolImpl::snapshots(const std::string& dataset)
{
    return MP_TRY(view())->snapshots(dataset);
}

// --- Writing ---

Result<std::shared_ptr<posix::FileSystemWriter>>
WritablePoolImpl::writer(const std::string& dataset)
{
    const MutexLock opening(m_opening);
    ObjsetId id;
    {
        const auto view = MP_TRY(this->view());
        const dataset::Node node = MP_TRY(view->state()->datasets().find(dataset));
        if (node.dataset == nullptr || node.content != dataset::Kind::Filesystem ||
            node.dataset->isSnapshot()) {
            return WriterRef();
        }
        id = node.dataset->id;
    }
    {
        const MutexLock lock(m_mutex);
        if (const auto known = m_writers.find(id); known != m_writers.end()) {
            return counted(known->second);
        }
    }
    auto opened = openWriter(id);
    if (!opened) {
        return fail(std::move(opened).error().at({.dataset = dataset}));
    }
    if (*opened == nullptr) {
        return WriterRef();
    }
    {
        const MutexLock lock(m_mutex);
        m_writers.emplace(id, *opened);
    }
    return counted(std::move(*opened));
}

Result<WritablePoolImpl::WriterRef> WritablePoolImpl::openWriter(ObjsetId id)
{
    const pool::LiveHeadRef head = MP_TRY(m_pool->head(id));
    if (intent_log::needsReplay(head->objset->intentLog())) {
        return WriterRef(); // read as of its last txg: its log is kept for who can replay it
    }
    const HeadOptions options = MP_TRY(optionsOf(head));
    auto opened = posix::FileSystemWriter::open(
        head->objset, m_pool->groups(), m_clock, options.write, options.show);
    if (!opened) {
        if (opened.error().is(ErrorCode::UnsupportedVersion)) {
            return WriterRef();
        }
        return fail(std::move(opened).error());
    }
    WriterRef writer(std::move(*opened));
    setUp(*head, options.settings, writer);
    for (bool more = true; more;) { // what was unlinked but open at a crash
        more = MP_TRY(writer->drainUnlinked());
    }
    return writer;
}

Result<WritablePoolImpl::HeadOptions> WritablePoolImpl::optionsOf(const pool::LiveHeadRef& head)
{
    const auto view = MP_TRY(this->view());
    dataset::DatasetTree& datasets = view->state()->datasets();
    const dataset::Node node = MP_TRY(datasets.node(MP_TRY(datasets.dataset(head->dataset->id))));
    HeadOptions options;
    options.write = MP_TRY(writeOptions(view->datasetProperties(), node));
    options.show = MP_TRY(posix::showOptions(view->datasetProperties(), node));
    options.settings =
        MP_TRY(writeSettings(view->datasetProperties(), node, m_pool->usualSettings()));
    dataset::LiveTree& tree = m_pool->tree();
    options.write.admit = [&tree, head](Txg txg, ByteCount bytes, bool freeing) -> Status {
        auto admission = MP_TRY(tree.admit(*head->dataset, bytes.value(), freeing, txg));
        admission.keep(bytes.value());
        return {};
    };
    return options;
}

Status WritablePoolImpl::refreshWriters()
{
    const MutexLock opening(m_opening);
    std::map<ObjsetId, WriterRef> writers;
    {
        const MutexLock lock(m_mutex);
        writers = m_writers;
    }
    for (const auto& [id, writer] : writers) {
        const pool::LiveHeadRef head = MP_TRY(m_pool->head(id));
        HeadOptions options = MP_TRY(optionsOf(head));
        writer->setOptions(options.write);
        setUp(*head, options.settings, writer);
    }
    return {};
}

Status WritablePoolImpl::waitSynced(Txg group)
{
    return group.value() == 0 ? Status() : m_pool->groups().waitSynced(group);
}

Status WritablePoolImpl::setPoolProperties(
    const std::vector<std::pair<std::string, std::string>>& properties)
{
    MP_TRY(view());
    return m_pool->change(MP_TRY(parsePoolProperties(properties)));
}

Status WritablePoolImpl::upgrade(const std::vector<std::string>& features)
{
    MP_TRY(view());
    return m_pool->change(
        {.features = features.empty() ? pool::defaultFeatures() : features, .properties = {}});
}

Status WritablePoolImpl::newGuid()
{
    MP_TRY(view());
    return m_pool->change({.features = {}, .properties = {}, .newGuid = true});
}

Status WritablePoolImpl::trim(Progress& progress)
{
    MP_TRY(view());
    return m_pool->trim([&](std::uint64_t done, std::uint64_t total) {
        progress.total(total);
        progress.add(done - progress.done());
        return !progress.cancelled();
    });
}

void WritablePoolImpl::note(const std::string& command, std::uint64_t user)
{
    if (alive()) {
        m_pool->note(command, user);
    }
}

Status WritablePoolImpl::sync()
{
    return m_pool->groups().waitSynced();
}

Status WritablePoolImpl::createDatasets(std::span<const NewDataset> requests)
{
    MP_TRY(view());
    std::vector<pool::WritablePool::NewFileSystem> systems;
    for (const NewDataset& request : requests) {
        ParsedProperties parsed = MP_TRY(parseProperties(request.properties, true));
        parsed.format.rootUid = request.uid;
        parsed.format.rootGid = request.gid;
        parsed.format.rootMode = request.mode;
        parsed.format.now = m_clock.wall();
        systems.push_back({.name = request.name,
                           .settings = std::move(parsed.settings),
                           .format = parsed.format});
    }
    return m_pool->createFileSystems(systems);
}

Status WritablePoolImpl::destroyDataset(const std::string& dataset)
{
    const MutexLock opening(m_opening);
    dataset::Node node;
    {
        const auto view = MP_TRY(this->view());
        node = MP_TRY(view->state()->datasets().find(dataset));
    }
    if (node.dataset == nullptr || node.dataset->isSnapshot()) {
        return fail(ErrorCode::InvalidArgument,
                    "only file systems and volumes can be destroyed yet",
                    {.dataset = dataset});
    }
    {
        const MutexLock lock(m_mutex);
        const auto known = m_writers.find(node.dataset->id);
        if (known != m_writers.end()) {
            if (known->second.use_count() > 1) {
                return fail(ErrorCode::DatasetBusy, "the dataset is in use", {.dataset = dataset});
            }
            m_writers.erase(known);
        }
    }
    return m_pool->destroy(dataset);
}

Status WritablePoolImpl::renameDataset(const std::string& dataset, const std::string& newName)
{
    MP_TRY(view());
    return m_pool->rename(dataset, newName);
}

Status
WritablePoolImpl::setProperties(const std::string& dataset,
                                const std::vector<std::pair<std::string, std::string>>& properties)
{
    MP_TRY(view());
    const ParsedProperties parsed = MP_TRY(parseProperties(properties, false));
    MP_TRY(m_pool->set(dataset, parsed.settings));
    return refreshWriters();
}

Status WritablePoolImpl::inheritProperty(const std::string& dataset,
                                         const std::string& name,
                                         bool received)
{
    MP_TRY(view());
    MP_TRY(m_pool->inherit(dataset, name, received));
    return refreshWriters();
}

Status WritablePoolImpl::close(format::PoolState state)
{
    {
        const MutexLock lock(m_mutex);
        m_writers.clear();
        m_view.reset();
        m_viewed = nullptr;
    }
    return m_pool->close(state);
}

} // namespace millpond::api::detail
