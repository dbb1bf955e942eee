// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/posix/writable_file_system.h"

#include "base/check.h"

#include <cstdio>

namespace millpond::test {

using object::LiveObjectSet;
using posix::FileSystem;
using posix::FileSystemWriter;
using txg::TransactionGroups;

namespace {

constexpr Txg kFirstTxg{4};

void require(const Status& status)
{
    if (!status) {
        (void)std::fprintf(stderr, "%s\n", status.error().toText().c_str());
    }
    MP_CHECK(status.has_value());
}

} // namespace

// --- FaultySource ---

Result<BufferRef> FaultySource::read(const format::BlockPointer& pointer,
                                     const block::Bookmark& bookmark,
                                     const block::ReadContext& context)
{
    {
        const MutexLock lock(m_mutex);
        const std::uint64_t address = MemoryPool::addressOf(pointer);
        const bool cached = m_cached.contains(address);
        if (!cached && m_cold && context.wait == block::Wait::CachedOnly) {
            return fail(ErrorCode::WouldBlock, "not cached");
        }
        if (!cached && m_failAfter == 0) {
            return fail(ErrorCode::DeviceIo, "the disk is gone");
        }
        m_failAfter -= !cached && m_failAfter > 0 ? 1 : 0;
        m_cached.insert(address);
    }
    return m_pool.read(pointer, bookmark, context);
}

void FaultySource::failAfter(int reads)
{
    const MutexLock lock(m_mutex);
    m_failAfter = reads;
    if (reads >= 0) {
        m_cached.clear();
    }
}

void FaultySource::setColdCache(bool cold)
{
    const MutexLock lock(m_mutex);
    m_cold = cold;
    m_cached.clear();
}

// --- WritableFileSystem ---

WritableFileSystem::WritableFileSystem(WritableOptions options)
    : m_options(std::move(options))
{
    if (m_options.drive == txg::Drive::Stepped) {
        m_executor = std::make_unique<runtime::SeededExecutor>(1);
    } else {
        auto threads = runtime::ThreadPool::create({.threads = 2});
        MP_CHECK(threads.has_value());
        m_executor = std::move(*threads);
    }
    require(start(Txg(kFirstTxg.value() - 1)));
    object::NewObjectSet spec;
    spec.flags = format::ObjsetFlag::kUserAccountingComplete |
                 format::ObjsetFlag::kUserObjectAccountingComplete |
                 format::ObjsetFlag::kProjectQuotaComplete;
    m_objset = LiveObjectSet::create(m_source, kObjset, spec, kFirstTxg, liveOptions()).value();
    {
        const auto hold = m_groups->hold({});
        MP_CHECK(hold && hold->txg() == kFirstTxg);
        require(posix::createFileSystem(*m_objset, kFirstTxg, m_options.spec));
    }
    require(openWriter());
}

WritableFileSystem::~WritableFileSystem()
{
    m_groups = nullptr;
}

Status WritableFileSystem::start(Txg lastSynced)
{
    txg::GroupOptions options;
    options.drive = m_options.drive;
    options.dirtyMax = m_options.dirtyMax;
    const Clock& clock =
        m_options.drive == txg::Drive::Stepped ? static_cast<const Clock&>(m_clock) : m_systemClock;
    m_groups = MP_TRY(TransactionGroups::create(clock, *this, lastSynced, options));
    return {};
}

object::LiveOptions WritableFileSystem::liveOptions()
{
    return {.meter = this,
            .indirectShift = m_options.indirectShift,
            .cleanObjects = m_options.cleanObjects};
}

Status WritableFileSystem::openWriter()
{
    const Clock& clock =
        m_options.drive == txg::Drive::Stepped ? static_cast<const Clock&>(m_clock) : m_systemClock;
    m_writer =
        MP_TRY(FileSystemWriter::open(m_objset, *m_groups, clock, m_options.write, m_options.show));
    return {};
}

Status WritableFileSystem::sync(Txg txg, FunctionRef<Status()> runTasks)
{
    MP_TRY(runTasks());
    object::SyncContext context{m_pool, *m_executor, m_pool, txg, 1, {}, &posix::fileOwners()};
    const format::BlockPointer root = MP_TRY(m_objset->sync(context));
    {
        const MutexLock lock(m_mutex);
        m_root = root;
    }
    if (m_options.afterSync) {
        m_options.afterSync();
    }
    return {};
}

void WritableFileSystem::dirtied(Txg txg, ByteCount bytes)
{
    m_groups->addDirty(txg, bytes);
}

void WritableFileSystem::cleaned(Txg txg, ByteCount bytes)
{
    m_groups->dirtyDone(txg, bytes);
}

Result<std::shared_ptr<object::ObjectSet>> WritableFileSystem::frozenObjset()
{
    format::BlockPointer root;
    {
        const MutexLock lock(m_mutex);
        root = m_root;
    }
    return object::ObjectSet::open(m_pool, root, kObjset);
}

Result<std::shared_ptr<FileSystem>> WritableFileSystem::frozen()
{
    return FileSystem::open(MP_TRY(frozenObjset()), m_options.show);
}

Status WritableFileSystem::crash()
{
    const Txg last = m_groups->lastSynced();
    m_writer = nullptr;
    m_groups = nullptr;
    m_objset = nullptr;
    MP_TRY(start(last));
    format::BlockPointer root;
    {
        const MutexLock lock(m_mutex);
        root = m_root;
    }
    m_objset = MP_TRY(LiveObjectSet::open(m_source, root, kObjset, liveOptions()));
    return openWriter();
}

std::string WritableFileSystem::problems()
{
    const auto complaints = m_pool.complaints();
    return complaints.empty() ? "" : complaints.front();
}

} // namespace millpond::test
