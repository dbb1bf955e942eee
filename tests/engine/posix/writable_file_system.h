// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/object/memory_pool.h"
#include "posix/file_system_writer.h"
#include "runtime/simulation.h"
#include "runtime/thread_pool.h"

#include <functional>
#include <memory>
#include <set>
#include <string>

namespace millpond::test {

/// Blocks on a device that may break, behind a cache of all that was read. Thread-safe.
class FaultySource final : public block::BlockSource
{
public:
    explicit FaultySource(MemoryPool& pool)
        : m_pool(pool)
    {
    }

    [[nodiscard]] Result<BufferRef> read(const format::BlockPointer& pointer,
                                         const block::Bookmark& bookmark,
                                         const block::ReadContext& context) override;

    void prefetch(const format::BlockPointer& /*pointer*/,
                  const block::Bookmark& /*bookmark*/) override
    {
    }

    /// The cache is emptied, and so many reads from the device succeed; negative: all do again.
    void failAfter(int reads);
    /// The cache is emptied, and only what is read from now on is there for who must not wait.
    /// False: everything is.
    void setColdCache(bool cold);

private:
    MemoryPool& m_pool;
    Mutex m_mutex;
    int m_failAfter MP_GUARDED_BY(m_mutex) = -1;
    bool m_cold MP_GUARDED_BY(m_mutex) = false;
    std::set<std::uint64_t> m_cached MP_GUARDED_BY(m_mutex);
};

struct WritableOptions
{
    txg::Drive drive = txg::Drive::Stepped;
    posix::NewFileSystem spec;
    posix::WriteOptions write;
    posix::ShowOptions show;
    std::size_t cleanObjects = 1024;
    ByteCount dirtyMax{256 * MiB};
    std::uint8_t indirectShift = format::kMaxIndirectShift; ///< of new objects
    std::function<void()> afterSync = {};                   ///< in the sync thread
};

/// A file system that is written to, with everything below it in memory.
class WritableFileSystem final : public txg::SyncTarget, public object::DirtyMeter
{
public:
    static constexpr ObjsetId kObjset{54};

    /// Makes it; a test that can't even do this ends here.
    explicit WritableFileSystem(WritableOptions options = {});
    ~WritableFileSystem() override;

    [[nodiscard]] posix::FileSystemWriter& writer() { return *m_writer; }

    [[nodiscard]] posix::FileSystem& files() { return *m_writer->files(); }

    [[nodiscard]] object::LiveObjectSet& objset() { return *m_objset; }

    [[nodiscard]] txg::TransactionGroups& groups() { return *m_groups; }

    [[nodiscard]] MemoryPool& pool() { return m_pool; }

    [[nodiscard]] FaultySource& source() { return m_source; }

    /// Used when stepped: times are its.
    [[nodiscard]] runtime::ManualClock& clock() { return m_clock; }

    /// Everything that was changed is on disk.
    [[nodiscard]] Status syncAll() { return m_groups->waitSynced(); }

    /// What the last sync left, read without any of what writes.
    [[nodiscard]] Result<std::shared_ptr<object::ObjectSet>> frozenObjset();
    [[nodiscard]] Result<std::shared_ptr<posix::FileSystem>> frozen();
    /// As after a power cut: what was not synced is gone, the writer is a new one.
    [[nodiscard]] Status crash();
    /// Problems of the ledger, blocks that are used twice or by nobody. Empty: none.
    [[nodiscard]] std::string problems();

    // txg::SyncTarget, object::DirtyMeter
    [[nodiscard]] Status sync(Txg txg, FunctionRef<Status()> runTasks) override;
    void dirtied(Txg txg, ByteCount bytes) override;
    void cleaned(Txg txg, ByteCount bytes) override;

private:
    [[nodiscard]] Status start(Txg lastSynced);
    [[nodiscard]] object::LiveOptions liveOptions();
    [[nodiscard]] Status openWriter();

    WritableOptions m_options;
    MemoryPool m_pool;
    FaultySource m_source{m_pool};
    runtime::ManualClock m_clock;
    SystemClock m_systemClock;
    std::unique_ptr<runtime::Executor> m_executor;
    std::unique_ptr<txg::TransactionGroups> m_groups;
    std::shared_ptr<object::LiveObjectSet> m_objset;
    std::unique_ptr<posix::FileSystemWriter> m_writer;
    Mutex m_mutex;
    format::BlockPointer m_root MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::test
