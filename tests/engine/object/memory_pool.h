// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "block/block_source.h"
#include "object/live_object_set.h"

#include <map>
#include <set>
#include <vector>

namespace millpond::test {

/// Stands for everything below and around an object set that is written: blocks at made-up
/// addresses, forgotten in the second txg after they are given up. Thread-safe.
class MemoryPool final : public block::BlockSource,
                         public object::BlockSink,
                         public object::BlockLedger
{
public:
    [[nodiscard]] Result<BufferRef> read(const format::BlockPointer& pointer,
                                         const block::Bookmark& bookmark,
                                         const block::ReadContext& context) override;

    void prefetch(const format::BlockPointer& /*pointer*/,
                  const block::Bookmark& /*bookmark*/) override
    {
    }

    [[nodiscard]] Status
    write(std::span<block::WriteRequest> requests, Txg txg, unsigned pass) override;
    [[nodiscard]] Status born(const format::BlockPointer& pointer) override;
    [[nodiscard]] Status killed(const format::BlockPointer& pointer) override;

    [[nodiscard]] ByteCount chargedSize(const format::BlockPointer& pointer) const override
    {
        return pointer.physicalSize();
    }

    /// Addresses of blocks born and not killed.
    [[nodiscard]] std::set<std::uint64_t> inUse() const;
    /// What went wrong in calls of the ledger; empty when nothing did.
    [[nodiscard]] std::vector<std::string> complaints() const;
    /// Blocks written in the place of what they were before in the same txg.
    [[nodiscard]] std::size_t rewritten() const;

    [[nodiscard]] static std::uint64_t addressOf(const format::BlockPointer& pointer)
    {
        return pointer.dva(0).offset.value();
    }

private:
    mutable Mutex m_mutex;
    std::map<std::uint64_t, BufferRef> m_blocks MP_GUARDED_BY(m_mutex);
    std::set<std::uint64_t> m_inUse MP_GUARDED_BY(m_mutex);
    std::set<std::uint64_t> m_dying MP_GUARDED_BY(m_mutex); ///< given up in this txg
    std::set<std::uint64_t> m_dead MP_GUARDED_BY(m_mutex);  ///< in the one before
    Txg m_txg MP_GUARDED_BY(m_mutex);
    std::vector<std::string> m_complaints MP_GUARDED_BY(m_mutex);
    std::uint64_t m_next MP_GUARDED_BY(m_mutex) = 512;
    std::size_t m_rewritten MP_GUARDED_BY(m_mutex) = 0;
};

} // namespace millpond::test
