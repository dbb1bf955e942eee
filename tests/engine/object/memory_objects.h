// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "block/block_source.h"
#include "format/block_pointer.h"
#include "format/dnode.h"
#include "object/object_set.h"

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

// Object sets made in memory, block by block, in either byte order: for tests of whatever reads
// objects. The inverse of engine/object, written independently of it.

namespace millpond::test {

using ByteVector = std::vector<std::byte>;

/// Blocks by made-up addresses. Not for several threads, but for prefetch() and the counters.
class MemoryBlocks final : public block::BlockSource
{
public:
    struct Place
    {
        std::uint8_t type = 0;
        std::uint8_t level = 0;
        ByteOrder order = ByteOrder::Little;
        std::uint64_t fill = 1;
    };

    /// A pointer that reads as these bytes (a multiple of 512).
    format::BlockPointer add(ByteVector bytes, const Place& place);
    /// What a pointer made by add() reads as from now on.
    ByteVector& content(const format::BlockPointer& pointer);

    [[nodiscard]] Result<BufferRef> read(const format::BlockPointer& pointer,
                                         const block::Bookmark& bookmark,
                                         const block::ReadContext& context) override;
    void prefetch(const format::BlockPointer& pointer, const block::Bookmark& bookmark) override;

    /// Blocks that CachedOnly reads find: all (the default), or those read or prefetched before.
    void setCold(bool cold) { m_cold = cold; }

    void fail(const format::BlockPointer& pointer) { m_failing.insert(addressOf(pointer)); }

    [[nodiscard]] std::size_t reads() const { return m_reads; }

    [[nodiscard]] std::size_t prefetches() const { return m_prefetches; }

    void forgetCounts() { m_reads = m_prefetches = 0; }

private:
    static std::uint64_t addressOf(const format::BlockPointer& pointer);

    std::map<std::uint64_t, ByteVector> m_blocks;
    std::unordered_set<std::uint64_t> m_warm;
    std::unordered_set<std::uint64_t> m_failing;
    std::uint64_t m_nextAddress = 512;
    bool m_cold = false;
    std::size_t m_reads = 0;
    std::size_t m_prefetches = 0;
};

/// The byte order a block is written in, by its number.
using OrderChoice = std::function<ByteOrder(std::uint64_t)>;
[[nodiscard]] OrderChoice always(ByteOrder order);
[[nodiscard]] OrderChoice alternating();

struct TreeSpec
{
    std::uint8_t type = format::number(format::ObjectType::PlainFile);
    std::uint32_t blockBytes = 512;
    std::uint8_t indirectShift = 12;
    std::uint8_t levels = 0; ///< 0: as few as possible
    std::uint8_t pointers = 1;
    OrderChoice order = always(ByteOrder::Little);
    /// By block number; what is not there is a hole. For dnode blocks give `fill`.
    std::map<std::uint64_t, ByteVector> blocks;
    std::function<std::uint64_t(const ByteVector&)> fill; ///< of level 0; null: 1
};

struct Tree
{
    std::vector<format::BlockPointer> pointers;
    std::uint8_t levels = 1;
    std::uint64_t maxBlockId = 0;
};

[[nodiscard]] Tree buildTree(MemoryBlocks& blocks, const TreeSpec& spec);

/// A dnode's bytes, 512 for each slot.
struct DnodeSpec
{
    std::uint8_t type = format::number(format::ObjectType::PlainFile);
    std::uint8_t bonusType = format::number(format::ObjectType::None);
    ByteVector bonus;
    std::uint8_t slots = 1;
    std::optional<format::BlockPointer> spill;
};

[[nodiscard]] ByteVector
encodeDnode(const DnodeSpec& dnode, const TreeSpec& spec, const Tree& tree, ByteOrder order);

/// The same as a decoded dnode, without an object set around it.
[[nodiscard]] object::DnodeRef
makeDnode(const DnodeSpec& dnode, const TreeSpec& spec, const Tree& tree, ObjectId id);

/// Collects objects and makes an object set of them.
class ObjsetBuilder
{
public:
    explicit ObjsetBuilder(MemoryBlocks& blocks, OrderChoice order = always(ByteOrder::Little))
        : m_blocks(blocks)
        , m_order(std::move(order))
    {
    }

    MemoryBlocks& blocks() { return m_blocks; }

    void add(std::uint64_t object, const DnodeSpec& dnode, const TreeSpec& spec);
    /// Raw bytes of one or more slots.
    void addRaw(std::uint64_t object, ByteVector bytes);
    /// The pointer to the object set's root block. `levels` 0: as few as possible.
    [[nodiscard]] format::BlockPointer build(std::uint8_t levels = 0);

private:
    struct Pending
    {
        DnodeSpec dnode;
        TreeSpec spec;
        Tree tree;
        ByteVector raw;
    };

    MemoryBlocks& m_blocks;
    OrderChoice m_order;
    std::map<std::uint64_t, Pending> m_objects;
};

[[nodiscard]] ByteVector bytesFrom(std::string_view text);
void put64(ByteVector& bytes, std::size_t offset, std::uint64_t value, ByteOrder order);
void put32(ByteVector& bytes, std::size_t offset, std::uint32_t value, ByteOrder order);
void put16(ByteVector& bytes, std::size_t offset, std::uint16_t value, ByteOrder order);

} // namespace millpond::test
