// SPDX-License-Identifier: GPL-3.0-or-later
#include "block/detail/block_encoder.h"

#include "block/pointer_maker.h"
#include "format/dnode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace millpond::block::detail {

using format::BlockPointer;
using format::ChecksumType;
using format::CompressionType;

namespace {

codec::ChecksumAlgorithm algorithmOf(ChecksumType type)
{
    return static_cast<codec::ChecksumAlgorithm>(static_cast<std::uint8_t>(type));
}

codec::CompressionAlgorithm algorithmOf(CompressionType type)
{
    return static_cast<codec::CompressionAlgorithm>(static_cast<std::uint8_t>(type));
}

bool isZero(Bytes bytes)
{
    constexpr std::size_t kStep = 16;
    const auto zero = [](std::byte byte) { return byte == std::byte{0}; };
    if (bytes.size() < kStep || !std::ranges::all_of(bytes.first(kStep), zero)) {
        return std::ranges::all_of(bytes, zero);
    }
    return std::memcmp(bytes.data(), bytes.data() + kStep, bytes.size() - kStep) == 0;
}

/// No two contents with one checksum are known, nor will be met by accident.
bool resistsCollisions(ChecksumType type)
{
    return type == ChecksumType::Sha256 || type == ChecksumType::Sha512 ||
           type == ChecksumType::Skein || type == ChecksumType::EdonR ||
           type == ChecksumType::Blake3;
}

/// The pointers of types that count what is below them have no room for content.
bool countsFill(std::uint8_t type)
{
    return type == format::number(format::ObjectType::Dnode) ||
           type == format::number(format::ObjectType::Objset);
}

bool sameContent(const BlockPointer& now, const BlockPointer& previous, unsigned copies)
{
    constexpr std::size_t kPropertyWord = 6;
    return !previous.isHole() && !previous.isEmbedded() && resistsCollisions(now.checksumType()) &&
           now.words[kPropertyWord] == previous.words[kPropertyWord] &&
           previous.dvaCount() == copies && now.checksum() == previous.checksum();
}

Status checkRequest(const WriteRequest& request)
{
    const WriteProperties& properties = request.properties;
    const std::size_t size = request.data ? request.data->size() : 0;
    if (size == 0 || size % format::kSectorBytes != 0 || size > format::kMaxBlockBytes) {
        return fail(ErrorCode::InvalidArgument, fmt::format("a block of {} bytes", size));
    }
    if (properties.copies < 1 || properties.copies > BlockPointer::kDvas) {
        return fail(ErrorCode::InvalidArgument, fmt::format("{} copies", properties.copies));
    }
    if (codec::isEmbedded(algorithmOf(properties.checksum))) {
        return fail(ErrorCode::InvalidArgument, "a checksum that blocks of objects can't have");
    }
    return {};
}

} // namespace

BlockEncoder::BlockEncoder(ContextPool& contexts,
                           const std::atomic<const codec::ChecksumSalt*>& salt,
                           const BlockWriterOptions& options)
    : m_contexts(contexts)
    , m_salt(salt)
    , m_options(options)
{
}

std::size_t BlockEncoder::roundUp(std::size_t size) const
{
    return static_cast<std::size_t>(alignUp(size, m_options.minimumAllocation.value()));
}

Result<BlockEncoder::Compressed> BlockEncoder::compress(const WriteRequest& request) const
{
    const Bytes data = request.data->bytes();
    // An eighth must be saved, in whole sectors. What can't save a sector may still be embedded.
    // zle needs more room while it works than it uses in the end.
    std::size_t room = data.size() - data.size() / 8;
    if (request.properties.compression != CompressionType::Zle) {
        room -= room % static_cast<std::size_t>(m_options.minimumAllocation.value());
    }
    if (room < m_options.minimumAllocation.value()) {
        room = BlockPointer::kMaxEmbeddedBytes;
    }
    Compressed out{.buffer = MP_TRY(Buffer::create(roundUp(room))), .size = 0};
    const ContextPool::Lease context = m_contexts.borrow();
    const auto used =
        MP_TRY(context->compressor.compress(algorithmOf(request.properties.compression),
                                            data,
                                            out.buffer.bytes().first(room),
                                            request.properties.zstdLevel));
    out.size = used.value_or(0);
    return out;
}

Status BlockEncoder::seal(BlockPointer& pointer, Bytes bytes) const
{
    const ContextPool::Lease context = m_contexts.borrow();
    setChecksum(pointer,
                MP_TRY(codec::computeChecksum(algorithmOf(pointer.checksumType()),
                                              bytes,
                                              ByteOrder::Little,
                                              m_salt,
                                              context->checksum)));
    return {};
}

Result<EncodedBlock> BlockEncoder::encode(const WriteRequest& request, Txg txg, unsigned pass) const
{
    MP_TRY(checkRequest(request));
    const WriteProperties& properties = request.properties;
    const Bytes data = request.data->bytes();
    PointerSpec spec{.type = properties.type,
                     .level = properties.level,
                     .checksum = properties.checksum,
                     .compression = CompressionType::Off,
                     .logicalSize = ByteCount(data.size()),
                     .physicalSize = ByteCount(data.size()),
                     .birth = txg,
                     .fill = properties.fill};
    EncodedBlock block;
    block.stored = data;

    const bool again = !request.previous.isHole() && request.previous.birth() == txg;
    if (properties.compression != CompressionType::Off) {
        if (isZero(data)) {
            block.stored = {};
            if (m_options.holeBirth && request.previous.birth() != Txg(0)) {
                block.pointer = holePointer(spec);
            }
            return block;
        }
        if (!again || pass < m_options.lastCompressedPass) {
            Compressed compressed = MP_TRY(compress(request));
            const std::size_t rounded = roundUp(compressed.size);
            spec.compression = properties.compression;
            if (compressed.size != 0 && compressed.size <= BlockPointer::kMaxEmbeddedBytes &&
                properties.mayEmbed && properties.level == Level(0) &&
                !countsFill(properties.type)) {
                block.stored = {};
                block.pointer =
                    embeddedPointer(spec, compressed.buffer.bytes().first(compressed.size));
                return block;
            }
            if (compressed.size != 0 && rounded < data.size()) {
                std::ranges::fill(compressed.buffer.bytes().first(rounded).subspan(compressed.size),
                                  std::byte{0});
                block.owned = std::move(compressed.buffer);
                block.owned.shrink(rounded);
                block.stored = block.owned.bytes();
                spec.physicalSize = ByteCount(rounded);
            } else {
                spec.compression = CompressionType::Off;
            }
        }
    }
    block.pointer = storedPointer(spec);
    MP_TRY(seal(block.pointer, block.stored));
    if (properties.nopwrite && sameContent(block.pointer, request.previous, properties.copies)) {
        block.pointer = request.previous;
        block.unchanged = true;
    }
    return block;
}

} // namespace millpond::block::detail
