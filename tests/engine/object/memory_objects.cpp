// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/object/memory_objects.h"

#include "format/objset.h"

#include <algorithm>

namespace millpond::test {

using format::BlockPointer;

OrderChoice always(ByteOrder order)
{
    return [order](std::uint64_t) { return order; };
}

OrderChoice alternating()
{
    return [](std::uint64_t n) { return n % 2 == 0 ? ByteOrder::Little : ByteOrder::Big; };
}

ByteVector bytesFrom(std::string_view text)
{
    ByteVector bytes(text.size());
    std::ranges::transform(text, bytes.begin(), [](char c) { return std::byte(c); });
    return bytes;
}

void put64(ByteVector& bytes, std::size_t offset, std::uint64_t value, ByteOrder order)
{
    store<std::uint64_t>(bytes, offset, value, order);
}

void put32(ByteVector& bytes, std::size_t offset, std::uint32_t value, ByteOrder order)
{
    store<std::uint32_t>(bytes, offset, value, order);
}

void put16(ByteVector& bytes, std::size_t offset, std::uint16_t value, ByteOrder order)
{
    store<std::uint16_t>(bytes, offset, value, order);
}

std::uint64_t MemoryBlocks::addressOf(const BlockPointer& pointer)
{
    return pointer.dva(0).offset.value();
}

BlockPointer MemoryBlocks::add(ByteVector bytes, const Place& place)
{
    constexpr std::uint64_t kOff = 2;
    const std::uint64_t sectors = bytes.size() / 512;
    BlockPointer pointer;
    pointer.words[0] = sectors;
    pointer.words[1] = m_nextAddress / 512;
    pointer.words[6] = (sectors - 1) | ((sectors - 1) << 16U) | (kOff << 32U) | (kOff << 40U) |
                       (std::uint64_t{place.type} << 48U) | (std::uint64_t{place.level} << 56U) |
                       (std::uint64_t{place.order == ByteOrder::Little} << 63U);
    pointer.words[10] = 4;
    pointer.words[11] = place.fill;
    m_blocks[m_nextAddress] = std::move(bytes);
    m_nextAddress += 512;
    return pointer;
}

ByteVector& MemoryBlocks::content(const BlockPointer& pointer)
{
    return m_blocks.at(addressOf(pointer));
}

Result<BufferRef> MemoryBlocks::read(const BlockPointer& pointer,
                                     const block::Bookmark& /*bookmark*/,
                                     const block::ReadContext& context)
{
    ++m_reads;
    const std::uint64_t address = addressOf(pointer);
    const auto found = m_blocks.find(address);
    if (pointer.isHole() || found == m_blocks.end()) {
        return millpond::fail(ErrorCode::BadBlockPointer, "nothing is there");
    }
    if (m_failing.contains(address)) {
        return millpond::fail(ErrorCode::ChecksumMismatch, "made to fail");
    }
    if (m_cold && context.wait == block::Wait::CachedOnly && !m_warm.contains(address)) {
        return millpond::fail(ErrorCode::WouldBlock, "cold");
    }
    m_warm.insert(address);
    return std::make_shared<const Buffer>(MP_TRY(Buffer::copyOf(found->second)));
}

void MemoryBlocks::prefetch(const BlockPointer& pointer, const block::Bookmark& /*bookmark*/)
{
    ++m_prefetches;
    m_warm.insert(addressOf(pointer));
}

Tree buildTree(MemoryBlocks& blocks, const TreeSpec& spec)
{
    const std::uint64_t perBlock = std::uint64_t{1} << (spec.indirectShift - 7);
    std::map<std::uint64_t, BlockPointer> level;
    Tree tree;
    for (const auto& [index, content] : spec.blocks) {
        level[index] = blocks.add(content,
                                  {.type = spec.type,
                                   .level = 0,
                                   .order = spec.order(index),
                                   .fill = spec.fill ? spec.fill(content) : 1});
        tree.maxBlockId = std::max(tree.maxBlockId, index);
    }
    const auto fits = [&] { return level.empty() || level.rbegin()->first < spec.pointers; };
    while (!fits() || tree.levels < spec.levels) {
        std::map<std::uint64_t, BlockPointer> above;
        std::map<std::uint64_t, std::pair<ByteVector, std::uint64_t>> indirect;
        for (const auto& [index, pointer] : level) {
            const std::uint64_t parent = index / perBlock;
            auto& [bytes, fill] = indirect[parent];
            bytes.resize(perBlock * BlockPointer::kBytes);
            fill += pointer.fill();
            pointer.encode(MutableBytes(bytes).subspan(index % perBlock * BlockPointer::kBytes),
                           spec.order(parent));
        }
        for (auto& [index, made] : indirect) {
            above[index] = blocks.add(std::move(made.first),
                                      {.type = spec.type,
                                       .level = tree.levels,
                                       .order = spec.order(index),
                                       .fill = made.second});
        }
        level = std::move(above);
        ++tree.levels;
    }
    tree.pointers.resize(spec.pointers);
    for (const auto& [index, pointer] : level) {
        tree.pointers[index] = pointer;
    }
    return tree;
}

ByteVector
encodeDnode(const DnodeSpec& dnode, const TreeSpec& spec, const Tree& tree, ByteOrder order)
{
    ByteVector bytes(std::size_t{dnode.slots} * format::kDnodeSlotBytes);
    format::DnodeHeader header;
    header.type = dnode.type;
    header.indirectShift = spec.indirectShift;
    header.levels = tree.levels;
    header.pointerCount = static_cast<std::uint8_t>(tree.pointers.size());
    header.bonusType = dnode.bonusType;
    header.flags = format::DnodeFlag::kUsedBytes |
                   (dnode.spill ? format::DnodeFlag::kSpillPointer : std::uint8_t{0});
    header.dataBlockSectors = static_cast<std::uint16_t>(spec.blockBytes / 512);
    header.bonusLength = static_cast<std::uint16_t>(dnode.bonus.size());
    header.extraSlots = static_cast<std::uint8_t>(dnode.slots - 1);
    header.maxBlockId = tree.maxBlockId;
    format::encodeDnodeHeader(header, MutableBytes(bytes).first(64), order);
    std::size_t at = format::kDnodeHeaderBytes;
    for (const BlockPointer& pointer : tree.pointers) {
        pointer.encode(MutableBytes(bytes).subspan(at), order);
        at += BlockPointer::kBytes;
    }
    std::ranges::copy(dnode.bonus, bytes.begin() + static_cast<std::ptrdiff_t>(at));
    if (dnode.spill) {
        dnode.spill->encode(MutableBytes(bytes).last(BlockPointer::kBytes), order);
    }
    return bytes;
}

object::DnodeRef
makeDnode(const DnodeSpec& dnode, const TreeSpec& spec, const Tree& tree, ObjectId id)
{
    auto made = std::make_shared<object::Dnode>();
    made->id = id;
    made->objset = ObjsetId(77);
    made->order = spec.order(0);
    made->type = dnode.type;
    made->bonusType = dnode.bonusType;
    made->levels = tree.levels;
    made->indirectShift = spec.indirectShift;
    made->slots = dnode.slots;
    made->dataBlockBytes = spec.blockBytes;
    made->maxBlockId = tree.maxBlockId;
    made->pointers = tree.pointers;
    made->spill = dnode.spill;
    made->bonus = dnode.bonus;
    return made;
}

void ObjsetBuilder::add(std::uint64_t object, const DnodeSpec& dnode, const TreeSpec& spec)
{
    TreeSpec typed = spec;
    typed.type = dnode.type;
    m_objects[object] = {dnode, typed, buildTree(m_blocks, typed), {}};
}

void ObjsetBuilder::addRaw(std::uint64_t object, ByteVector bytes)
{
    m_objects[object].raw = std::move(bytes);
}

BlockPointer ObjsetBuilder::build(std::uint8_t levels)
{
    constexpr std::uint64_t kPerBlock = format::kDnodeBlockBytes / format::kDnodeSlotBytes;
    TreeSpec spec;
    spec.type = format::number(format::ObjectType::Dnode);
    spec.blockBytes = format::kDnodeBlockBytes;
    spec.pointers = 3;
    spec.levels = levels;
    spec.order = m_order;
    std::map<std::uint64_t, std::uint64_t> dnodes; // in each block
    for (const auto& [object, pending] : m_objects) {
        const std::uint64_t index = object / kPerBlock;
        ByteVector& block = spec.blocks[index];
        block.resize(format::kDnodeBlockBytes);
        const ByteVector bytes =
            pending.raw.empty()
                ? encodeDnode(pending.dnode, pending.spec, pending.tree, m_order(index))
                : pending.raw;
        std::ranges::copy(bytes,
                          block.begin() + static_cast<std::ptrdiff_t>(object % kPerBlock *
                                                                      format::kDnodeSlotBytes));
        ++dnodes[index];
    }
    auto next = dnodes.begin(); // buildTree() asks in the order of blocks
    spec.fill = [&](const ByteVector&) { return (next++)->second; };
    const Tree tree = buildTree(m_blocks, spec);

    const ByteOrder order = m_order(1);
    ByteVector root(2048);
    DnodeSpec meta;
    meta.type = spec.type;
    std::ranges::copy(encodeDnode(meta, spec, tree, order), root.begin());
    put64(root, 704, 2, order); // a file system
    return m_blocks.add(std::move(root),
                        {.type = format::number(format::ObjectType::Objset), .order = order});
}

} // namespace millpond::test
