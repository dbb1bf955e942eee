// SPDX-License-Identifier: GPL-3.0-or-later
#include "crash/pool_editor.h"

#include "codec/checksum.h"
#include "codec/compression.h"
#include "format/dnode.h"

#include <fmt/format.h>

#include <algorithm>
#include <lz4hc.h>

namespace millpond::test {

namespace {
using format::BlockPointer;

constexpr std::size_t kMetaDnodeOffset = 0; // in an object set's block
constexpr std::size_t kRootOffset = 128;    // of an object set, in a dataset's bonus

/// As tightly as lz4 can: what a kernel packed into so many sectors fits into them again.
bool packLz4(Bytes content, MutableBytes stored)
{
    const int size = LZ4_compress_HC(reinterpret_cast<const char*>(content.data()),
                                     reinterpret_cast<char*>(stored.data() + sizeof(std::uint32_t)),
                                     static_cast<int>(content.size()),
                                     static_cast<int>(stored.size() - sizeof(std::uint32_t)),
                                     LZ4HC_CLEVEL_MAX);
    store<std::uint32_t>(stored, 0, static_cast<std::uint32_t>(size), ByteOrder::Big);
    return size > 0;
}

/// Fills `stored` with the content compressed, and zeroes behind it. False: it does not fit.
Result<bool> pack(format::CompressionType how, Bytes content, MutableBytes stored)
{
    std::ranges::fill(stored, std::byte{0});
    if (how == format::CompressionType::Lz4) {
        return packLz4(content, stored);
    }
    const auto algorithm = static_cast<codec::CompressionAlgorithm>(how);
    return MP_TRY(codec::compress(algorithm, content, stored)).has_value();
}
} // namespace

Result<PoolEditor> PoolEditor::open(const QStringList& images)
{
    return PoolEditor(MP_TRY(PoolImages::open(images)));
}

Status PoolEditor::push(Path& path, const BlockPointer& pointer) const
{
    path.push_back({pointer, MP_TRY(m_images.readBlock(pointer)), 0});
    return {};
}

Status PoolEditor::descend(Path& path, std::size_t dnodeOffset, Level level, BlockIndex index) const
{
    const Bytes content = path.back().content;
    const auto dnode = MP_TRY(
        format::DnodeView::create(content.subspan(dnodeOffset), path.back().pointer.byteOrder()));
    const unsigned levelBits = dnode.header().indirectShift - 7U; // log2 of pointers in a block
    const auto slot = [&](unsigned at) { // of the pointer to the block at that level
        return index.value() >> (levelBits * (at - level.value()));
    };
    unsigned at = dnode.header().levels - 1U;
    if (slot(at) >= dnode.header().pointerCount) {
        return fail(ErrorCode::InvalidArgument, "no such block");
    }
    path.back().childOffset =
        dnodeOffset + format::kDnodeHeaderBytes + slot(at) * BlockPointer::kBytes;
    while (true) {
        MP_TRY(push(path,
                    BlockPointer::at(path.back().content,
                                     path.back().childOffset,
                                     path.back().pointer.byteOrder())));
        if (at == level.value()) {
            return {};
        }
        --at;
        const std::uint64_t inBlock = slot(at) & ((std::uint64_t{1} << levelBits) - 1);
        path.back().childOffset = static_cast<std::size_t>(inBlock) * BlockPointer::kBytes;
    }
}

Result<std::size_t> PoolEditor::descendToDnode(Path& path, ObjectId object) const
{
    constexpr std::uint64_t kPerBlock = format::kDnodeBlockBytes / format::kDnodeSlotBytes;
    MP_TRY(descend(path, kMetaDnodeOffset, Level(0), BlockIndex(object.value() / kPerBlock)));
    return static_cast<std::size_t>(object.value() % kPerBlock) * format::kDnodeSlotBytes;
}

Status PoolEditor::writeBack(Path& path)
{
    for (std::size_t i = path.size(); i-- > 0;) {
        Step& step = path[i];
        const auto size = static_cast<std::size_t>(step.pointer.physicalSize().value());
        std::vector<std::byte> stored(size);
        if (!MP_TRY(pack(step.pointer.compression(), step.content, stored))) {
            return fail(ErrorCode::TooMany, fmt::format("does not fit: {}", step.pointer.toText()));
        }
        const auto checksum = MP_TRY(codec::computeChecksum(
            static_cast<codec::ChecksumAlgorithm>(step.pointer.checksumType()),
            stored,
            step.pointer.byteOrder()));
        std::ranges::copy(checksum.words, step.pointer.words.begin() + 12);
        for (std::size_t copy = 0; copy < step.pointer.dvaCount(); ++copy) {
            MP_TRY(m_images.write(step.pointer.dva(copy), stored));
        }
        if (i > 0) {
            step.pointer.encode(MutableBytes(path[i - 1].content)
                                    .subspan(path[i - 1].childOffset, BlockPointer::kBytes),
                                path[i - 1].pointer.byteOrder());
        }
    }
    return m_images.setRoot(path.front().pointer);
}

Status PoolEditor::edit(const Place& place, Edit edit)
{
    Path path;
    MP_TRY(push(path, m_images.uberblock().root));
    if (place.objset != ObjsetId()) {
        const std::size_t dataset = MP_TRY(descendToDnode(path, ObjectId(place.objset.value())));
        const Bytes content = path.back().content;
        const auto dnode = MP_TRY(
            format::DnodeView::create(content.subspan(dataset), path.back().pointer.byteOrder()));
        const auto bonus = static_cast<std::size_t>(dnode.bonus().data() - content.data());
        path.back().childOffset = bonus + kRootOffset;
        MP_TRY(push(path, BlockPointer::at(content, bonus + kRootOffset, dnode.order())));
    }
    const std::size_t offset = MP_TRY(descendToDnode(path, place.object));
    if (place.block) {
        MP_TRY(descend(path, offset, place.level, place.index));
        MP_TRY(edit(path.back().content, path.back().pointer.byteOrder()));
    } else {
        const auto dnode = MP_TRY(format::DnodeView::create(
            Bytes(path.back().content).subspan(offset), path.back().pointer.byteOrder()));
        MP_TRY(edit(MutableBytes(path.back().content).subspan(offset, dnode.sizeBytes()),
                    path.back().pointer.byteOrder()));
    }
    return writeBack(path);
}

} // namespace millpond::test
