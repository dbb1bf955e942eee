// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/dataset/single_disk_pool.h"

#include "codec/compression.h"
#include "format/dsl.h"
#include "format/gang.h"
#include "format/label.h"
#include "format/nvlist.h"
#include "format/uberblock.h"
#include "object/zap.h"

namespace millpond::test {

using format::BlockPointer;

Result<std::unique_ptr<SingleDiskPool>> SingleDiskPool::open(const QString& image)
{
    std::unique_ptr<SingleDiskPool> pool(new SingleDiskPool);
    pool->m_file.setFileName(image);
    if (!pool->m_file.open(QIODevice::ReadOnly)) {
        return fail(ErrorCode::NoSuchDevice, "cannot open " + image.toStdString());
    }
    MP_TRY(pool->findUberblock());
    pool->m_mos = MP_TRY(object::ObjectSet::open(*pool, pool->m_root, ObjsetId(0)));
    MP_TRY(pool->loadSalt());
    return pool;
}

Result<Buffer> SingleDiskPool::readAt(std::uint64_t offset, std::uint64_t size)
{
    Buffer buffer = MP_TRY(Buffer::createZeroed(size));
    if (!m_file.seek(static_cast<qint64>(offset)) ||
        m_file.read(reinterpret_cast<char*>(buffer.bytes().data()), static_cast<qint64>(size)) !=
            static_cast<qint64>(size)) {
        return fail(ErrorCode::DeviceIo, "short read from the image");
    }
    return buffer;
}

Status SingleDiskPool::findUberblock()
{
    const Buffer label = MP_TRY(readAt(0, format::kLabelBytes));
    const auto config = MP_TRY(format::decodeLabelNvlist(
        Bytes(label.bytes()).subspan(format::kLabelNvlistOffset, format::kLabelNvlistBytes)));
    m_name = MP_TRY(config.requireText("name"));
    const format::NvList* tree = MP_TRY(config.requireList("vdev_tree"));
    const format::UberblockRing ring(
        Ashift(static_cast<std::uint8_t>(MP_TRY(tree->requireU64("ashift")))));
    std::optional<format::Uberblock> newest;
    for (std::size_t slot = 0; slot < ring.slots; ++slot) {
        const Bytes bytes = Bytes(label.bytes()).subspan(ring.offset(slot).value(), ring.slotBytes);
        const auto uberblock = format::Uberblock::decode(bytes);
        if (uberblock && codec::verifyLabelBlock(bytes, ring.offset(slot)) &&
            (!newest || uberblock->compareAge(*newest) > 0)) {
            newest = *uberblock;
        }
    }
    if (!newest) {
        return fail(ErrorCode::BadUberblock, "no uberblock in the first label");
    }
    m_version = newest->version;
    m_root = newest->root;
    return {};
}

Status SingleDiskPool::loadSalt()
{
    const auto directory = MP_TRY(object::Zap::open(*m_mos, format::kPoolDirectoryObject));
    const auto entry = directory.lookup(format::kPoolChecksumSalt);
    if (entry) {
        const std::string salt = entry->text();
        std::array<std::byte, format::kChecksumSaltBytes> bytes{};
        std::memcpy(bytes.data(), salt.data(), std::min(bytes.size(), salt.size()));
        m_salt.emplace(bytes);
    }
    return {};
}

Result<Buffer> SingleDiskPool::gang(const format::Dva& dva, const BlockPointer& pointer)
{
    const Buffer header =
        MP_TRY(readAt(format::kLabelStartBytes + dva.offset.value(), format::kSectorBytes));
    constexpr std::size_t kPointers = 3;
    Buffer whole = MP_TRY(Buffer::createZeroed(pointer.physicalSize().value()));
    std::size_t at = 0;
    for (std::size_t i = 0; i < kPointers; ++i) {
        const auto part =
            BlockPointer::at(header.bytes(), i * BlockPointer::kBytes, pointer.byteOrder());
        if (!part.isHole()) {
            const Buffer piece = MP_TRY(stored(part));
            std::memcpy(whole.bytes().data() + at,
                        piece.bytes().data(),
                        std::min(piece.size(), whole.size() - at));
            at += piece.size();
        }
    }
    return whole;
}

Result<Buffer> SingleDiskPool::stored(const BlockPointer& pointer)
{
    const format::Dva dva = pointer.dva(0);
    if (dva.gang) {
        return gang(dva, pointer);
    }
    return readAt(format::kLabelStartBytes + dva.offset.value(), pointer.physicalSize().value());
}

Result<BufferRef> SingleDiskPool::read(const BlockPointer& pointer,
                                       const block::Bookmark& bookmark,
                                       const block::ReadContext& context)
{
    const std::uint64_t key = pointer.dva(0).offset.value();
    if (!pointer.isEmbedded()) {
        const auto cached = m_cache.find(key);
        if (cached != m_cache.end()) {
            return cached->second;
        }
        if (context.wait == block::Wait::CachedOnly) {
            return fail(ErrorCode::WouldBlock, "not read yet", bookmark.context());
        }
    }
    Buffer block = MP_TRY(Buffer::createZeroed(pointer.logicalSize().value()));
    const auto algorithm =
        static_cast<codec::CompressionAlgorithm>(static_cast<unsigned>(pointer.compression()));
    if (pointer.isEmbedded()) {
        const auto payload = MP_TRY(pointer.embeddedPayload());
        MP_TRY(codec::decompress(algorithm, payload.used(), block.bytes()));
        return std::make_shared<const Buffer>(std::move(block));
    }
    const Buffer packed = MP_TRY(stored(pointer));
    const auto checksum =
        static_cast<codec::ChecksumAlgorithm>(static_cast<unsigned>(pointer.checksumType()));
    const auto verified = codec::verifyChecksum(checksum,
                                                packed.bytes(),
                                                pointer.byteOrder(),
                                                codec::Checksum{pointer.checksum()},
                                                m_salt ? &*m_salt : nullptr);
    if (!verified) {
        return fail(Error(verified.error()).at(bookmark.context()));
    }
    MP_TRY(codec::decompress(algorithm, packed.bytes(), block.bytes()));
    return m_cache.emplace(key, std::make_shared<const Buffer>(std::move(block))).first->second;
}

} // namespace millpond::test
