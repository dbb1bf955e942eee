// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/block/memory_vdevs.h"

#include "base/check.h"
#include "base/clock.h"

namespace millpond::test {

using format::BlockPointer;

namespace {

void setDva(BlockPointer& pointer,
            std::size_t copy,
            std::uint32_t vdev,
            std::uint64_t offset,
            std::uint64_t size,
            bool gang)
{
    pointer.words[copy * 2] = divideRoundUp(size, 512) | (std::uint64_t{vdev} << 32U);
    pointer.words[copy * 2 + 1] = offset / 512 | (std::uint64_t{gang} << 63U);
}

BlockPointer describe(std::size_t logical, std::size_t physical, const WriteSpec& spec)
{
    BlockPointer pointer;
    pointer.words[6] = (logical / 512 - 1) | ((physical / 512 - 1) << 16U) |
                       (static_cast<std::uint64_t>(spec.compression) << 32U) |
                       (static_cast<std::uint64_t>(spec.checksum) << 40U) |
                       (std::uint64_t{spec.type} << 48U) | (std::uint64_t{spec.crypt} << 61U) |
                       (std::uint64_t{spec.order == ByteOrder::Little} << 63U);
    pointer.words[10] = spec.birth;
    pointer.words[11] = 1;
    return pointer;
}

void setChecksum(BlockPointer& pointer, Bytes stored, const WriteSpec& spec)
{
    const auto sum = codec::computeChecksum(spec.checksum, stored, spec.order, spec.salt);
    MP_CHECK(sum);
    for (std::size_t i = 0; i < 4; ++i) {
        pointer.words[12 + i] = sum->words[i];
    }
    if (spec.crypt) { // fletcher4: folded; the rest is an authentication code
        pointer.words[12] ^= sum->words[2];
        pointer.words[13] ^= sum->words[3];
        pointer.words[14] = 0x1111;
        pointer.words[15] = 0x2222;
    }
}

ByteVector stored(const ByteVector& content, const WriteSpec& spec)
{
    if (spec.compression == codec::CompressionAlgorithm::Off) {
        return content;
    }
    ByteVector out(content.size());
    const auto size = codec::compress(spec.compression, content, out);
    MP_CHECK(size && *size);
    out.resize(alignUp(**size, 512));
    return out;
}

} // namespace

BlockPointer writeBlock(MemoryVdevs& vdevs, const ByteVector& content, const WriteSpec& spec)
{
    const ByteVector bytes = stored(content, spec);
    BlockPointer pointer = describe(content.size(), bytes.size(), spec);
    setChecksum(pointer, bytes, spec);
    for (std::size_t copy = 0; copy < spec.vdevs.size(); ++copy) {
        const std::uint32_t vdev = spec.vdevs[copy];
        setDva(pointer, copy, vdev, vdevs[vdev].append(bytes), bytes.size(), false);
    }
    return pointer;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the test says
BlockPointer
writeGang(MemoryVdevs& vdevs, const ByteVector& content, const WriteSpec& spec, unsigned depth)
{
    const ByteVector bytes = stored(content, spec);
    BlockPointer pointer = describe(content.size(), bytes.size(), spec);
    setChecksum(pointer, bytes, spec);

    WriteSpec pieceSpec = spec;
    pieceSpec.compression = codec::CompressionAlgorithm::Off;
    pieceSpec.type = 0;
    format::GangHeader header;
    std::size_t at = 0;
    for (std::size_t i = 0; i < header.pointers.size() && at < bytes.size(); ++i) {
        const std::size_t left = header.pointers.size() - i;
        const std::size_t size =
            std::min(bytes.size() - at, alignUp((bytes.size() - at) / left, 512));
        const ByteVector piece(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                               bytes.begin() + static_cast<std::ptrdiff_t>(at + size));
        header.pointers[i] = depth > 0 ? writeGang(vdevs, piece, pieceSpec, depth - 1)
                                       : writeBlock(vdevs, piece, pieceSpec);
        at += size;
    }
    ByteVector raw(format::GangHeader::kBytes);
    header.encode(raw);
    for (std::size_t copy = 0; copy < spec.vdevs.size(); ++copy) {
        const std::uint32_t vdev = spec.vdevs[copy];
        const std::uint64_t offset = vdevs[vdev].append(raw);
        setDva(pointer, copy, vdev, offset, bytes.size() + 512, true);
    }
    const format::Dva first = pointer.dva(0);
    MP_CHECK(codec::sealEmbedded(codec::ChecksumAlgorithm::GangHeader,
                                 raw,
                                 codec::gangVerifier(first.vdev, first.offset, Txg(spec.birth))));
    for (std::size_t copy = 0; copy < spec.vdevs.size(); ++copy) {
        const format::Dva dva = pointer.dva(copy);
        std::memcpy(
            &vdevs[dva.vdev.value()].bytes().at(dva.offset.value()), raw.data(), raw.size());
    }
    return pointer;
}

ByteVector randomBytes(std::uint64_t seed, std::size_t size)
{
    SeededRandom random(seed);
    ByteVector bytes(size);
    for (std::byte& byte : bytes) {
        byte = std::byte(random.next());
    }
    return bytes;
}

ByteVector textBytes(std::size_t size)
{
    ByteVector bytes(size);
    for (std::size_t i = 0; i < size; ++i) {
        // With zeroes, because zle knows nothing else.
        bytes[i] =
            i / 100 % 2 == 0 ? std::byte("to be or not to be, that is "[i % 28]) : std::byte{0};
    }
    return bytes;
}

} // namespace millpond::test
