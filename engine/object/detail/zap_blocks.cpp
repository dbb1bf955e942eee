// SPDX-License-Identifier: GPL-3.0-or-later
#include "object/detail/zap_blocks.h"

#include "format/zap.h"
#include "object/detail/zap_leaf_edit.h"

namespace millpond::object::detail {

using format::MicroZapView;
using format::ZapLeafView;

namespace {

template <std::unsigned_integral T> void swapAt(MutableBytes block, std::size_t offset)
{
    store(block, offset, swapBytes(load<T>(block, offset, kHostOrder)), kHostOrder);
}

void swapWords(MutableBytes block)
{
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= block.size();
         at += sizeof(std::uint64_t)) {
        swapAt<std::uint64_t>(block, at);
    }
}

void swapMicro(MutableBytes block)
{
    constexpr std::size_t kHeaderWords = 3;
    constexpr std::size_t kCollisionOffset = 8;
    for (std::size_t word = 0; word < kHeaderWords; ++word) {
        swapAt<std::uint64_t>(block, word * sizeof(std::uint64_t));
    }
    for (std::size_t at = MicroZapView::kEntryBytes; at + MicroZapView::kEntryBytes <= block.size();
         at += MicroZapView::kEntryBytes) {
        swapAt<std::uint64_t>(block, at);
        swapAt<std::uint32_t>(block, at + kCollisionOffset);
    }
}

void swapLeaf(MutableBytes block)
{
    swapAt<std::uint64_t>(block, 0);
    swapAt<std::uint64_t>(block, LeafLayout::kPrefix);
    swapAt<std::uint32_t>(block, LeafLayout::kMagic);
    for (const std::size_t at : {LeafLayout::kFreeChunks,
                                 LeafLayout::kEntries,
                                 LeafLayout::kPrefixLength,
                                 LeafLayout::kFreeList}) {
        swapAt<std::uint16_t>(block, at);
    }
    const LeafLayout layout(block.size());
    for (std::size_t slot = 0; slot < layout.hashSlots(); ++slot) {
        swapAt<std::uint16_t>(block, LeafLayout::chain(slot));
    }
    for (std::size_t chunk = 0; chunk < layout.chunks(); ++chunk) {
        const std::size_t at = layout.chunk(chunk);
        switch (static_cast<ZapLeafView::ChunkType>(block[at])) {
        case ZapLeafView::ChunkType::Entry:
            for (std::size_t field = LeafLayout::kNext; field < LeafLayout::kCollision;
                 field += sizeof(std::uint16_t)) {
                swapAt<std::uint16_t>(block, at + field);
            }
            swapAt<std::uint32_t>(block, at + LeafLayout::kCollision);
            swapAt<std::uint64_t>(block, at + LeafLayout::kHash);
            break;
        case ZapLeafView::ChunkType::Array:
        case ZapLeafView::ChunkType::Free:
            swapAt<std::uint16_t>(block, at + LeafLayout::kNextChunk);
            break;
        }
    }
}

} // namespace

void swapZapBlock(MutableBytes block, ByteOrder from)
{
    if (block.size() < sizeof(std::uint64_t)) {
        return;
    }
    switch (load<std::uint64_t>(block, 0, from)) {
    case format::kZapMicroBlock:
        swapMicro(block);
        break;
    case format::kZapLeafBlock:
        if (ZapLeafView::create(block, from)) {
            swapLeaf(block);
        } // else damaged: whoever reads it will say so
        break;
    default:
        swapWords(block);
    }
}

} // namespace millpond::object::detail
