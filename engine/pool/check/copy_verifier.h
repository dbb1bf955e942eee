// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pool/check/reporter.h"
#include "runtime/task_group.h"
#include "runtime/thread_pool.h"

#include <atomic>
#include <memory>
#include <vector>

namespace millpond::pool {

/// Verifies every copy of the blocks it is given, in batches on threads of its own: they wait for
/// devices. add() and finish() are for one thread.
class CopyVerifier
{
public:
    [[nodiscard]] static Result<std::unique_ptr<CopyVerifier>> create(const Pool& pool,
                                                                      Reporter& reporter);

    void add(const format::BlockPointer& pointer, const block::Bookmark& where);
    /// Waits for everything added.
    [[nodiscard]] Status finish();

    struct Counts
    {
        std::uint64_t blocks = 0, copies = 0, bytesRead = 0, awaitingResilver = 0;
    };

    [[nodiscard]] Counts counts() const;

private:
    struct Item
    {
        format::BlockPointer pointer;
        block::Bookmark where;
    };

    using Batch = std::vector<Item>;

    CopyVerifier(const Pool& pool,
                 Reporter& reporter,
                 std::unique_ptr<runtime::ThreadPool> threads);
    void send();
    Status verify(const Batch& batch);
    Status verify(const Item& item);
    void found(const Item& item, const block::CopyFinding& finding);

    const Pool& m_pool;
    Reporter& m_reporter;
    std::unique_ptr<runtime::ThreadPool> m_threads;
    runtime::TaskGroup m_group;
    Batch m_batch;
    std::uint64_t m_batchBytes = 0;
    std::atomic<std::uint64_t> m_blocks = 0, m_copies = 0, m_bytesRead = 0, m_awaitingResilver = 0;
};

} // namespace millpond::pool
