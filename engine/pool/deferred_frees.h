// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "block/block_writer.h"
#include "dataset/bp_object_writer.h"
#include "dataset/freeing_queue.h"

#include <vector>

namespace millpond::pool {

/// Blocks that are given up while a txg is synced. In the first pass they are freed at once; later
/// on that would make ever more space maps dirty, so they go on a list that the next txg begins
/// with [spa_sync_frees, spa_sync_deferred_frees]. Syncing context, one thread.
class DeferredFrees final : public dataset::FreeSink
{
public:
    /// Both outlive this.
    DeferredFrees(block::BlockWriter& writer, dataset::ListContext& lists)
        : m_writer(writer)
        , m_lists(lists)
    {
    }

    [[nodiscard]] Status create(Txg txg);

    void open(ObjectId list) { m_list = list; }

    void add(const format::BlockPointer& pointer) { m_waiting.push_back(pointer); }

    void add(std::span<const format::BlockPointer> pointers)
    {
        m_waiting.insert(m_waiting.end(), pointers.begin(), pointers.end());
    }

    [[nodiscard]] Status free(const format::BlockPointer& pointer, Txg /*txg*/) override
    {
        add(pointer);
        return {};
    }

    [[nodiscard]] bool isEmpty() const { return m_waiting.empty(); }

    /// Frees what the last txg put off. At the beginning of a txg.
    [[nodiscard]] Status freeDeferred(Txg txg);
    /// Frees what was added, or puts it off. After each pass.
    [[nodiscard]] Status process(Txg txg, unsigned pass);

private:
    block::BlockWriter& m_writer;
    dataset::ListContext& m_lists;
    ObjectId m_list;
    std::vector<format::BlockPointer> m_waiting;
};

} // namespace millpond::pool
