// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/object/memory_objects.h"
#include "object/detail/zap_blocks.h"

#include <algorithm>

namespace millpond::test {

/// The blocks of one ZAP in plain memory, and an object set to read them through.
class MemoryZapBlocks final : public object::detail::ZapBlocks
{
public:
    explicit MemoryZapBlocks(std::uint32_t blockBytes = 512, bool longNames = false)
        : m_blockBytes(blockBytes)
        , m_longNames(longNames)
    {
    }

    [[nodiscard]] std::uint32_t blockBytes() const override { return m_blockBytes; }

    [[nodiscard]] Result<BufferRef> read(std::uint64_t block) override
    {
        ++reads;
        if (failAfter && reads > *failAfter) {
            return millpond::fail(ErrorCode::DeviceIo, "made to fail");
        }
        const auto found = blocks.find(block);
        if (found == blocks.end()) {
            return BufferRef();
        }
        return std::make_shared<const Buffer>(MP_TRY(Buffer::copyOf(found->second)));
    }

    [[nodiscard]] Status modify(std::uint64_t block,
                                FunctionRef<Status(MutableBytes)> change) override
    {
        ByteVector content(m_blockBytes);
        if (const auto found = blocks.find(block); found != blocks.end()) {
            content = found->second;
        }
        const ByteVector before = content;
        const Status status = change(content);
        if (!status) {
            MP_CHECK(content == before); // a change is whole or nothing
            return status;
        }
        ++changes;
        blocks[block] = std::move(content);
        return {};
    }

    [[nodiscard]] Status setBlockBytes(std::uint32_t bytes) override
    {
        MP_CHECK(blocks.empty() || blocks.rbegin()->first == 0);
        m_blockBytes = bytes;
        for (auto& [block, content] : blocks) {
            content.resize(bytes);
        }
        return {};
    }

    [[nodiscard]] Status free(std::uint64_t first, std::uint64_t count) override
    {
        blocks.erase(blocks.lower_bound(first), blocks.lower_bound(first + count));
        return {};
    }

    [[nodiscard]] bool allowsLongNames() const override { return m_longNames; }

    static constexpr std::uint64_t kObject = 5;

    /// Object kObject of a new object set.
    [[nodiscard]] std::shared_ptr<object::ObjectSet> objectSet(MemoryBlocks& memory,
                                                               const OrderChoice& order) const
    {
        ObjsetBuilder builder(memory);
        TreeSpec tree;
        tree.blockBytes = m_blockBytes;
        tree.order = order;
        tree.blocks = blocks;
        for (auto& [index, content] : tree.blocks) {
            if (order(index) == ByteOrder::Big) {
                object::detail::swapZapBlock(content, ByteOrder::Little);
            }
        }
        DnodeSpec dnode;
        dnode.type = format::number(format::ObjectType::Directory);
        builder.add(kObject, dnode, tree);
        return object::ObjectSet::open(memory, builder.build(), ObjsetId(9)).value();
    }

    std::map<std::uint64_t, ByteVector> blocks;
    std::size_t reads = 0;
    std::size_t changes = 0;
    std::optional<std::size_t> failAfter; ///< reads

private:
    std::uint32_t m_blockBytes;
    bool m_longNames;
};

} // namespace millpond::test
