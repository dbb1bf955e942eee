// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/freeing_queue.h"
#include "engine/dataset/live_pool.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace millpond::test {

/// Blocks that are born, and freed once each; reading what was freed is a fault. Some can be made
/// unreadable.
class WatchedBlocks final : public block::BlockSource,
                            public object::BlockLedger,
                            public dataset::FreeSink
{
public:
    explicit WatchedBlocks(MemoryPool& storage)
        : m_storage(storage)
    {
    }

    std::set<std::uint64_t> unreadable;                  ///< addresses
    std::map<std::uint64_t, format::BlockPointer> inUse; ///< by address
    std::vector<std::string> complaints;

    [[nodiscard]] Result<BufferRef> read(const format::BlockPointer& pointer,
                                         const block::Bookmark& bookmark,
                                         const block::ReadContext& context) override
    {
        const std::uint64_t address = MemoryPool::addressOf(pointer);
        if (unreadable.contains(address)) {
            return fail(ErrorCode::ChecksumMismatch, "made unreadable");
        }
        if (!inUse.contains(address)) {
            complaints.push_back("read after it was freed: " + pointer.toText());
            return fail(ErrorCode::ChecksumMismatch, "freed");
        }
        return m_storage.read(pointer, bookmark, context);
    }

    void prefetch(const format::BlockPointer& pointer, const block::Bookmark& /*bookmark*/) override
    {
        if (!inUse.contains(MemoryPool::addressOf(pointer))) {
            complaints.push_back("prefetched after it was freed: " + pointer.toText());
        }
    }

    [[nodiscard]] Status born(const format::BlockPointer& pointer) override
    {
        inUse.emplace(MemoryPool::addressOf(pointer), pointer);
        return {};
    }

    [[nodiscard]] Status killed(const format::BlockPointer& pointer) override
    {
        inUse.erase(MemoryPool::addressOf(pointer));
        return {};
    }

    [[nodiscard]] ByteCount chargedSize(const format::BlockPointer& pointer) const override
    {
        return pointer.allocatedSize();
    }

    [[nodiscard]] Status free(const format::BlockPointer& pointer, Txg /*txg*/) override
    {
        if (inUse.erase(MemoryPool::addressOf(pointer)) == 0) {
            complaints.push_back("freed twice, or not its own: " + pointer.toText());
        }
        return {};
    }

    [[nodiscard]] dataset::BlockSums sums() const
    {
        dataset::BlockSums all;
        for (const auto& [address, pointer] : inUse) {
            const auto one = dataset::sumsOf(pointer, pointer.allocatedSize().value());
            all.allocated += one.allocated;
            all.compressed += one.compressed;
            all.uncompressed += one.uncompressed;
        }
        return all;
    }

private:
    MemoryPool& m_storage;
};

} // namespace millpond::test
