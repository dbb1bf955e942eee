// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "base/types.h"
#include "block/block_writer.h"
#include "format/intent_log.h"
#include "txg/transaction_groups.h"

#include <memory>
#include <vector>

namespace millpond::intent_log {

/// What a log needs of the object set it belongs to, and of the pool. Thread-safe.
class LogHost
{
public:
    virtual ~LogHost() = default;

    /// The object set's header changes in `txg`: it must be synced then (IntentLog::sync). Called
    /// under a hold of that txg.
    virtual void touch(Txg txg) = 0;
    /// What was written to log blocks is on stable storage when this returns. An error that
    /// concerns other writes too must still reach whoever syncs the current txg.
    [[nodiscard]] virtual Status flush() = 0;
    /// The range's content as it is now, for a record that stands for a write. NoSuchObject when it
    /// needs no record any more. Must not wait for a txg.
    [[nodiscard]] virtual Status read(ObjectId object, ByteOffset offset, MutableBytes out) = 0;
};

/// A change, as it is to be done again after a crash.
struct Record
{
    format::ZilRecordType type = format::ZilRecordType::Commit;
    /// Other bits of the type word (names without regard to case).
    std::uint64_t flags = 0;
    ObjectId object;
    /// Goes to disk only when this object is committed. Otherwise with every commit.
    bool lazy = false;
    /// What it means depends on content written before, of whatever object (renames): lazy records
    /// of before go to disk no later.
    bool afterContent = false;
    /// Behind the common header of 32 bytes. At most IntentLog::kMaxBody.
    std::vector<std::byte> body;
};

struct LogOptions
{
    /// Of one log block: 4 KiB to 128 KiB, a multiple of 4 KiB. [zil_maxblocksize]
    ByteCount maxBlock{128 * KiB};
};

/// The intent log of one object set [zil]: what was changed since the last synced txg, so that it
/// survives a crash once commit() has returned. Theory statement: intent_log.cpp. Thread-safe.
class IntentLog
{
public:
    static constexpr std::size_t kMaxBody = 64 * KiB;

    /// All outlive the log. The header on disk holds no chain (replayed and freed).
    IntentLog(block::BlockWriter& writer,
              txg::TransactionGroups& groups,
              LogHost& host,
              Random& random,
              ObjsetId objset,
              const LogOptions& options = {});
    ~IntentLog();
    IntentLog(const IntentLog&) = delete;
    IntentLog& operator=(const IntentLog&) = delete;

    /// Notes a change that was made under the hold, in the order of the changes.
    void add(const txg::Hold& hold, Record record);
    /// The same for content of a file; it is read when it is committed, if it ever is.
    void
    addWrite(const txg::Hold& hold, ObjectId object, ByteOffset offset, ByteCount size, bool lazy);
    /// The object is gone for good: its lazy records are of no use.
    void forget(ObjectId object);

    /// Everything noted so far survives a crash when this returns: all that is not lazy, and what
    /// is lazy of `object`; ObjectId(0): all. Calls at the same time share writes and flushes. When
    /// log blocks can't be had or written, waits for the txg instead. Never under a hold. Error:
    /// the one that a sync failed with.
    [[nodiscard]] Status commit(ObjectId object);

    /// Syncing context, before the object set's header is written: enters where the log begins now,
    /// and frees the blocks that txgs up to this one make needless.
    [[nodiscard]] Status sync(Txg txg, format::ZilHeader& header);
    /// After the txg is on disk: drops what needs no record any more.
    void synced(Txg txg);

    /// Before an unmount or export: syncs everything; the header then holds no chain.
    [[nodiscard]] Status close();

    struct Counters
    {
        std::uint64_t commits = 0;
        std::uint64_t batches = 0; ///< each one flush
        std::uint64_t blocks = 0;
        std::uint64_t records = 0;
        std::uint64_t bytes = 0;
        std::uint64_t fallbacks = 0; ///< commits that waited for a txg
    };

    [[nodiscard]] Counters counters() const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace millpond::intent_log
