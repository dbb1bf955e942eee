// SPDX-License-Identifier: GPL-3.0-or-later
#include "crash/pool_images.h"

#include "codec/checksum.h"
#include "codec/compression.h"
#include "format/label.h"

#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>

namespace millpond::test {

namespace {
using format::BlockPointer;

constexpr std::uint64_t kAlignment = 4096; // of free ranges: fits every ashift in use

Result<std::vector<std::byte>> readAt(const QFile& image, std::uint64_t offset, std::size_t size)
{
    std::vector<std::byte> bytes(size);
    if (pread(image.handle(), bytes.data(), size, static_cast<off_t>(offset)) !=
        static_cast<ssize_t>(size)) {
        return fail(ErrorCode::DeviceIo, fmt::format("cannot read {} bytes at {}", size, offset));
    }
    return bytes;
}

Status writeAt(const QFile& image, std::uint64_t offset, Bytes bytes)
{
    if (pwrite(image.handle(), bytes.data(), bytes.size(), static_cast<off_t>(offset)) !=
        static_cast<ssize_t>(bytes.size())) {
        return fail(ErrorCode::DeviceIo,
                    fmt::format("cannot write {} bytes at {}", bytes.size(), offset));
    }
    return {};
}

bool isRight(const BlockPointer& pointer, Bytes stored)
{
    const auto algorithm = static_cast<codec::ChecksumAlgorithm>(pointer.checksumType());
    const codec::Checksum expected{pointer.checksum()};
    return codec::isSalted(algorithm) ||
           codec::verifyChecksum(algorithm, stored, pointer.byteOrder(), expected).has_value();
}

/// Multiplied by two in the field that raidz uses.
std::uint8_t doubled(std::uint8_t value)
{
    return static_cast<std::uint8_t>((value << 1U) ^ ((value & 0x80U) != 0 ? 0x1dU : 0U));
}

/// Parity column 0, 1 or 2 of the data columns, as long as the longest.
std::vector<std::byte>
parityOf(const std::vector<std::vector<std::byte>>& data, std::size_t which, std::size_t size)
{
    std::vector<std::byte> parity(size);
    for (const std::vector<std::byte>& column : data) {
        for (std::size_t i = 0; i < size; ++i) {
            auto sum = std::to_integer<std::uint8_t>(parity[i]);
            for (std::size_t power = 0; power < which; ++power) {
                sum = doubled(sum);
            }
            parity[i] = std::byte{sum} ^ (i < column.size() ? column[i] : std::byte{0});
        }
    }
    return parity;
}
} // namespace

Result<PoolImages> PoolImages::open(const QStringList& images)
{
    PoolImages pool;
    std::map<std::uint64_t, QFile*> byGuid;
    std::vector<format::NvList> trees;
    for (const QString& name : images) {
        auto file = std::make_unique<QFile>(name);
        if (!file->open(QIODevice::ReadWrite | QIODevice::Unbuffered)) {
            return fail(ErrorCode::DeviceIo, "cannot open " + name.toStdString());
        }
        const auto region =
            MP_TRY(readAt(*file, format::kLabelNvlistOffset, format::kLabelNvlistBytes));
        const auto label = format::decodeLabelNvlist(region);
        if (label && label->list("vdev_tree") != nullptr && label->list("vdev_tree")->has("id")) {
            byGuid[label->u64("guid").value_or(0)] = file.get();
            trees.push_back(*label->list("vdev_tree"));
            MP_TRY(pool.findUberblock(*file));
        }
        pool.m_files.push_back(std::move(file));
    }
    for (const format::NvList& tree : trees) {
        pool.addLeaves(byGuid, tree);
    }
    if (pool.m_slots.empty()) {
        return fail(ErrorCode::BadUberblock, "no uberblock with a right checksum");
    }
    return pool;
}

void PoolImages::addLeaves(const std::map<std::uint64_t, QFile*>& byGuid,
                           const format::NvList& tree)
{
    Top top;
    const auto add = [&](const format::NvList& leaf) {
        const auto found = byGuid.find(leaf.u64("guid").value_or(0));
        top.leaves.push_back(found == byGuid.end() ? nullptr : found->second);
    };
    top.ashift = static_cast<unsigned>(tree.u64("ashift").value_or(format::kSectorShift));
    top.parity = static_cast<std::size_t>(tree.u64("nparity").value_or(0));
    top.raidz = tree.text("type") == "raidz";
    if (tree.listArray("children").empty()) {
        add(tree);
    }
    for (const format::NvList& child : tree.listArray("children")) {
        add(child);
    }
    m_tops[static_cast<std::uint32_t>(tree.u64("id").value_or(0))] = std::move(top);
}

Status PoolImages::findUberblock(QFile& image)
{
    const ByteCount size(static_cast<std::uint64_t>(image.size()));
    const std::uint64_t first =
        MP_TRY(format::labelOffset(size, 0)).value() + format::kUberblockRingOffset;
    const auto ring = MP_TRY(readAt(image, first, format::kUberblockRingBytes));
    // The slot size follows from the ashift; a slot's checksum is only right for its own size.
    for (std::size_t bytes = KiB; bytes <= 8 * KiB; bytes *= 2) {
        for (std::size_t at = 0; at < ring.size(); at += bytes) {
            const Bytes slot = Bytes(ring).subspan(at, bytes);
            if (!codec::verifyLabelBlock(slot, ByteOffset(first + at))) {
                continue;
            }
            const auto found = format::Uberblock::decode(slot);
            if (!found || (!m_slots.empty() && found->compareAge(m_uberblock) < 0)) {
                continue;
            }
            if (m_slots.empty() || found->compareAge(m_uberblock) > 0) {
                m_slots.clear();
                m_uberblock = *found;
            }
            for (std::size_t label = 0; label < format::kLabels; ++label) {
                m_slots.push_back({&image,
                                   MP_TRY(format::labelOffset(size, label)).value() +
                                       format::kUberblockRingOffset + at,
                                   bytes});
            }
        }
    }
    return {};
}

const PoolImages::Top* PoolImages::top(VdevId vdev) const
{
    const auto found = m_tops.find(vdev.value());
    return found == m_tops.end() ? nullptr : &found->second;
}

// The map of OpenZFS module/zfs/vdev_raidz.c: sectors go round the leaves; the first columns, one
// longer where the block does not divide, begin with the parity.
std::vector<PoolImages::Column>
PoolImages::columnsOf(const Top& top, std::uint64_t offset, std::size_t size)
{
    const std::size_t sector = std::size_t{1} << top.ashift;
    const std::size_t width = top.leaves.size();
    const std::size_t sectors = (size + sector - 1) / sector;
    const std::size_t rows = sectors / (width - top.parity);
    const std::size_t rest = sectors % (width - top.parity);
    const std::size_t longer = rest == 0 ? 0 : rest + top.parity;
    const std::size_t used = rows == 0 ? longer : width;
    const std::uint64_t firstSector = offset >> top.ashift;
    std::vector<Column> columns;
    for (std::size_t i = 0; i < used; ++i) {
        const std::uint64_t place = firstSector % width + i;
        const std::uint64_t row = firstSector / width + (place >= width ? 1 : 0);
        columns.push_back({top.leaves[static_cast<std::size_t>(place % width)],
                           row << top.ashift,
                           (rows + (i < longer ? 1 : 0)) * sector});
    }
    if (top.parity == 1 && (offset & MiB) != 0 && columns.size() > 1) {
        std::swap(columns[0].leaf, columns[1].leaf);
        std::swap(columns[0].offset, columns[1].offset);
    }
    return columns;
}

std::vector<std::vector<std::byte>> PoolImages::candidates(const format::Dva& place,
                                                           std::size_t size) const
{
    std::vector<std::vector<std::byte>> found;
    const Top* const at = top(place.vdev);
    if (at == nullptr) {
        return found;
    }
    if (!at->raidz) {
        for (const QFile* leaf : at->leaves) {
            auto bytes = leaf == nullptr
                             ? Result<std::vector<std::byte>>(fail(ErrorCode::DeviceMissing, ""))
                             : readAt(*leaf, format::kLabelStartBytes + place.offset.value(), size);
            if (bytes) {
                found.push_back(std::move(*bytes));
            }
        }
        return found;
    }
    const auto columns = columnsOf(*at, place.offset.value(), size);
    std::vector<std::byte> whole;
    for (std::size_t i = at->parity; i < columns.size(); ++i) {
        const Column& column = columns[i];
        if (column.leaf == nullptr) {
            return found;
        }
        const auto bytes =
            readAt(*column.leaf, format::kLabelStartBytes + column.offset, column.size);
        if (!bytes) {
            return found;
        }
        whole.insert(whole.end(), bytes->begin(), bytes->end());
    }
    whole.resize(size);
    found.push_back(std::move(whole));
    return found;
}

Result<std::vector<std::byte>> PoolImages::readBlock(const BlockPointer& pointer) const
{
    MP_TRY(pointer.validate());
    if (pointer.isHole() || pointer.isEmbedded() || pointer.isGang() || pointer.dvaCount() == 0) {
        return fail(ErrorCode::InvalidArgument, "not a plain block");
    }
    for (std::size_t i = 0; i < pointer.dvaCount(); ++i) {
        const auto size = static_cast<std::size_t>(pointer.physicalSize().value());
        for (const auto& stored : candidates(pointer.dva(i), size)) {
            if (!isRight(pointer, stored)) {
                continue;
            }
            std::vector<std::byte> content(pointer.logicalSize().value());
            MP_TRY(codec::decompress(
                static_cast<codec::CompressionAlgorithm>(pointer.compression()), stored, content));
            return content;
        }
    }
    return fail(ErrorCode::ChecksumMismatch, "no copy is right");
}

Status PoolImages::write(const format::Dva& place, Bytes stored) const
{
    const Top* const at = top(place.vdev);
    if (at == nullptr) {
        return fail(ErrorCode::DeviceMissing, "no such vdev");
    }
    if (!at->raidz) {
        for (const QFile* leaf : at->leaves) {
            if (leaf != nullptr) {
                MP_TRY(writeAt(*leaf, format::kLabelStartBytes + place.offset.value(), stored));
            }
        }
        return {};
    }
    const auto columns = columnsOf(*at, place.offset.value(), stored.size());
    std::vector<std::vector<std::byte>> data;
    Bytes rest = stored;
    for (std::size_t i = at->parity; i < columns.size(); ++i) {
        const std::size_t take = std::min(rest.size(), columns[i].size);
        auto& column = data.emplace_back(rest.begin(), rest.begin() + static_cast<long>(take));
        column.resize(columns[i].size); // The last sector may end in padding.
        rest = rest.subspan(take);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto bytes =
            i < at->parity ? parityOf(data, i, columns[i].size) : data[i - at->parity];
        if (columns[i].leaf != nullptr) {
            MP_TRY(writeAt(*columns[i].leaf, format::kLabelStartBytes + columns[i].offset, bytes));
        }
    }
    return {};
}

Status PoolImages::setRoot(const BlockPointer& root)
{
    m_uberblock.root = root;
    for (const Slot& slot : m_slots) {
        std::vector<std::byte> bytes(slot.bytes);
        m_uberblock.encode(bytes);
        MP_TRY(codec::sealEmbedded(
            codec::ChecksumAlgorithm::Label, bytes, codec::labelVerifier(ByteOffset(slot.offset))));
        MP_TRY(writeAt(*slot.image, slot.offset, bytes));
    }
    return {};
}

std::uint64_t PoolImages::allocatedSize(VdevId vdev, std::uint64_t bytes) const
{
    const Top* const at = top(vdev);
    if (at == nullptr) {
        return bytes;
    }
    std::uint64_t sectors = (bytes + (std::uint64_t{1} << at->ashift) - 1) >> at->ashift;
    if (at->raidz) {
        const std::uint64_t width = at->leaves.size() - at->parity;
        sectors += at->parity * ((sectors + width - 1) / width);
        sectors = (sectors + at->parity) / (at->parity + 1) * (at->parity + 1);
    }
    return sectors << at->ashift;
}

Result<PoolImages::Free> PoolImages::findFree() const
{
    Free best;
    for (const auto& [id, at] : m_tops) {
        const QFile* const leaf = at.leaves.empty() ? nullptr : at.leaves.front();
        if (leaf == nullptr) {
            continue;
        }
        const std::uint64_t width = at.raidz ? at.leaves.size() : 1;
        const off_t end = static_cast<off_t>(leaf->size()) -
                          static_cast<off_t>(16 * MiB); // a vdev may not use its very end
        auto position = static_cast<off_t>(format::kLabelStartBytes);
        while (position < end) {
            const off_t hole = lseek(leaf->handle(), position, SEEK_HOLE);
            if (hole < 0 || hole >= end) {
                break;
            }
            const off_t data = lseek(leaf->handle(), hole, SEEK_DATA);
            position = data < 0 ? end : std::min(data, end);
            // The other leaves are written in the same places, but for a row or two.
            const std::uint64_t begin = alignUp(static_cast<std::uint64_t>(hole), kAlignment) +
                                        2 * kAlignment - format::kLabelStartBytes;
            const std::uint64_t stop =
                static_cast<std::uint64_t>(position) - format::kLabelStartBytes;
            if (stop > begin && (stop - begin) * width > best.end - best.begin) {
                best = {VdevId(id), begin * width, stop * width};
            }
        }
    }
    if (best.end - best.begin < 8 * MiB) {
        return fail(ErrorCode::InvalidArgument, "too little free space in the images");
    }
    return best;
}

} // namespace millpond::test
