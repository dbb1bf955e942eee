// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/format/pool_blocks.h"

#include "codec/compression.h"
#include "format/gang.h"
#include "format/label.h"

#include <algorithm>

namespace millpond::test {

namespace {

constexpr std::uint64_t kMaxContentBytes = 64 * MiB;

std::unexpected<Error> failed(std::string what)
{
    return fail(ErrorCode::DeviceIo, std::move(what));
}

} // namespace

Status PoolBlocks::open(const QString& image)
{
    m_file.setFileName(image);
    if (!m_file.open(QIODevice::ReadOnly)) {
        return failed("cannot open the image");
    }
    const BlockBytes first = MP_TRY(label(0));
    const format::NvList config = MP_TRY(format::decodeLabelNvlist(
        Bytes(first).subspan(format::kLabelNvlistOffset, format::kLabelNvlistBytes)));
    const format::NvList* tree = MP_TRY(config.requireList("vdev_tree"));
    m_ashift = static_cast<unsigned>(MP_TRY(tree->requireU64("ashift")));
    bool found = false;
    for (std::size_t i = 0; i < format::kLabels; ++i) {
        const BlockBytes bytes = MP_TRY(label(i));
        const format::UberblockRing ring{Ashift(static_cast<std::uint8_t>(m_ashift))};
        for (std::size_t slot = 0; slot < ring.slots; ++slot) {
            const auto uberblock = format::Uberblock::decode(
                Bytes(bytes).subspan(ring.offset(slot).value(), ring.slotBytes));
            if (uberblock && (!found || uberblock->compareAge(m_uberblock) > 0)) {
                m_uberblock = *uberblock;
                found = true;
            }
        }
    }
    return found ? Status() : failed("no uberblock");
}

Result<BlockBytes> PoolBlocks::label(std::size_t index)
{
    const auto size = ByteCount(static_cast<std::uint64_t>(m_file.size()));
    return readRaw(MP_TRY(format::labelOffset(size, index)).value(), format::kLabelBytes);
}

Result<BlockBytes> PoolBlocks::readRaw(std::uint64_t offset, std::size_t size)
{
    BlockBytes bytes(size);
    if (!m_file.seek(static_cast<qint64>(offset)) ||
        m_file.read(reinterpret_cast<char*>(bytes.data()), static_cast<qint64>(size)) !=
            static_cast<qint64>(size)) {
        return failed("cannot read the image");
    }
    return bytes;
}

Result<BlockBytes> PoolBlocks::readStored(const format::BlockPointer& pointer, unsigned depth)
{
    const format::Dva dva = pointer.dva(0);
    const std::uint64_t place = dva.offset.value() + format::kLabelStartBytes;
    if (!pointer.isGang()) {
        return readRaw(place, pointer.physicalSize().value());
    }
    const BlockBytes raw = MP_TRY(readRaw(place, format::GangHeader::kBytes));
    const auto trailer = MP_TRY(format::EmbeddedChecksum::decode(raw));
    const auto gang = MP_TRY(format::GangHeader::decode(raw, trailer.order));
    BlockBytes joined;
    for (const format::BlockPointer& piece : gang.pointers) {
        if (!piece.isHole() && depth < format::GangHeader::kMaxDepth) {
            const BlockBytes bytes = MP_TRY(readStored(piece, depth + 1));
            joined.insert(joined.end(), bytes.begin(), bytes.end());
        }
    }
    return joined;
}

Result<PoolBlock> PoolBlocks::read(const format::BlockPointer& pointer)
{
    MP_TRY(pointer.validate());
    PoolBlock block;
    block.order = pointer.byteOrder();
    block.bytes.resize(pointer.logicalSize().value());
    if (pointer.isHole()) {
        return block;
    }
    BlockBytes stored;
    if (pointer.isEmbedded()) {
        const auto payload = MP_TRY(pointer.embeddedPayload());
        stored.assign(payload.used().begin(), payload.used().end());
    } else {
        stored = MP_TRY(readStored(pointer, 0));
    }
    MP_TRY(
        codec::decompress(codec::CompressionAlgorithm(pointer.compression()), stored, block.bytes));
    return block;
}

Status PoolBlocks::walkBelow(const format::BlockPointer& pointer, const PointerVisitor& visit)
{
    if (pointer.isHole()) {
        return {};
    }
    const PoolBlock block = MP_TRY(read(pointer));
    MP_TRY(visit(pointer, block));
    if (pointer.level().value() == 0) {
        return {};
    }
    for (std::size_t at = 0; at < block.bytes.size(); at += format::BlockPointer::kBytes) {
        MP_TRY(walkBelow(format::BlockPointer::at(block.bytes, at, block.order), visit));
    }
    return {};
}

Status PoolBlocks::walk(const format::DnodeView& dnode, const PointerVisitor& visit)
{
    for (std::size_t i = 0; i < dnode.header().pointerCount; ++i) {
        MP_TRY(walkBelow(dnode.pointer(i), visit));
    }
    return {};
}

namespace {

struct Collector
{
    PoolBlocks& pool;
    const format::DnodeView& dnode;
    PoolBlock& out;
    std::uint64_t index = 0;

    Status collect(const format::BlockPointer& pointer, unsigned level)
    {
        const unsigned shift = level * (dnode.header().indirectShift - 7U);
        const std::uint64_t size = dnode.dataBlockSize().value();
        if (index * size >= out.bytes.size()) {
            return {};
        }
        if (pointer.isHole()) {
            index += std::uint64_t{1} << shift;
            return {};
        }
        const PoolBlock block = MP_TRY(pool.read(pointer));
        if (level == 0) {
            out.order = block.order;
            std::ranges::copy(block.bytes,
                              out.bytes.begin() + static_cast<std::ptrdiff_t>(index * size));
            ++index;
            return {};
        }
        for (std::size_t at = 0; at < block.bytes.size(); at += format::BlockPointer::kBytes) {
            MP_TRY(collect(format::BlockPointer::at(block.bytes, at, block.order), level - 1));
        }
        return {};
    }
};

Result<PoolZapEntry>
leafEntry(const format::ZapLeafView& leaf, const format::ZapLeafView::Entry& entry, bool wordKeys)
{
    PoolZapEntry found;
    if (wordKeys) {
        found.key = MP_TRY(leaf.key(entry));
    } else {
        found.name = MP_TRY(leaf.name(entry));
    }
    found.integerBytes = entry.integerBytes;
    found.values = MP_TRY(leaf.values(entry));
    return found;
}

} // namespace

Result<PoolBlock> PoolBlocks::content(const format::DnodeView& dnode)
{
    PoolBlock whole;
    whole.order = dnode.order();
    const std::uint64_t size = (dnode.header().maxBlockId + 1) * dnode.dataBlockSize().value();
    if (size > kMaxContentBytes) {
        return failed("object too large for this reader");
    }
    whole.bytes.resize(size);
    Collector collector{*this, dnode, whole};
    for (std::size_t i = 0; i < dnode.header().pointerCount; ++i) {
        MP_TRY(collector.collect(dnode.pointer(i), dnode.header().levels - 1U));
    }
    return whole;
}

Result<std::vector<PoolObject>> PoolBlocks::objects(const format::ObjsetPhys& objset)
{
    const auto meta = MP_TRY(format::DnodeView::create(objset.metaDnode, objset.order));
    const PoolBlock whole = MP_TRY(content(meta));
    std::vector<PoolObject> objects;
    const std::size_t blockSize = meta.dataBlockSize().value();
    for (std::size_t at = 0; at < whole.bytes.size();) {
        const std::size_t left = blockSize - at % blockSize;
        const Bytes rest = Bytes(whole.bytes).subspan(at, left);
        if (format::DnodeView::isFree(rest)) {
            at += format::kDnodeSlotBytes;
            continue;
        }
        const auto view = MP_TRY(format::DnodeView::create(rest, whole.order));
        objects.push_back({at / format::kDnodeSlotBytes,
                           BlockBytes(view.bytes().begin(), view.bytes().end()),
                           whole.order});
        at += view.sizeBytes();
    }
    return objects;
}

Result<std::vector<PoolZapEntry>> PoolBlocks::zap(const format::DnodeView& dnode)
{
    const PoolBlock whole = MP_TRY(content(dnode));
    const std::size_t blockSize = dnode.dataBlockSize().value();
    const Bytes first = Bytes(whole.bytes).first(blockSize);
    std::vector<PoolZapEntry> entries;
    if (MP_TRY(format::zapKind(first, whole.order)) == format::ZapKind::Micro) {
        const auto zap = MP_TRY(format::MicroZapView::create(first, whole.order));
        for (std::size_t slot = 0; slot < zap.slots(); ++slot) {
            if (const auto entry = zap.entry(slot)) {
                entries.push_back({std::string(entry->name), {}, 8, {entry->value}});
            }
        }
        return entries;
    }
    const auto zap = MP_TRY(format::FatZapHeaderView::create(first, whole.order));
    const bool wordKeys = (zap.header().flags & format::ZapFlag::kUint64Key) != 0;
    for (std::size_t at = blockSize; at < whole.bytes.size(); at += blockSize) {
        const Bytes block = Bytes(whole.bytes).subspan(at, blockSize);
        const auto leaf = format::ZapLeafView::create(block, whole.order);
        if (!leaf) {
            continue; // a part of the pointer table
        }
        for (const auto& entry : MP_TRY(leaf->entries())) {
            entries.push_back(MP_TRY(leafEntry(*leaf, entry, wordKeys)));
        }
    }
    return entries;
}

} // namespace millpond::test
