// SPDX-License-Identifier: GPL-3.0-or-later
#include "block/pointer_maker.h"

#include "base/check.h"

#include <algorithm>

namespace millpond::block {

using format::BlockPointer;

namespace {

constexpr std::size_t kPropertyWord = 6;
constexpr std::size_t kBirthWord = 10;
constexpr std::size_t kFillWord = 11;
constexpr std::size_t kChecksumWord = 12;

std::uint64_t sectorsLessOne(ByteCount size)
{
    MP_CHECK(size.value() % format::kSectorBytes == 0 && size.value() > 0 &&
             size.value() <= format::kMaxBlockBytes);
    return (size.value() >> format::kSectorShift) - 1;
}

/// What all pointers have in common.
BlockPointer describe(const PointerSpec& spec)
{
    BlockPointer pointer;
    pointer.words[kPropertyWord] =
        (std::uint64_t{spec.type} << 48U) | (std::uint64_t{spec.level.value()} << 56U);
    pointer.words[kBirthWord] = spec.birth.value();
    return pointer;
}

std::uint64_t compressionBits(const PointerSpec& spec)
{
    return static_cast<std::uint64_t>(spec.compression) << 32U;
}

constexpr std::uint64_t kLittleEndian = std::uint64_t{1} << 63U;
constexpr std::uint64_t kEmbedded = std::uint64_t{1} << 39U;

} // namespace

BlockPointer storedPointer(const PointerSpec& spec)
{
    BlockPointer pointer = describe(spec);
    pointer.words[kPropertyWord] |=
        sectorsLessOne(spec.logicalSize) | (sectorsLessOne(spec.physicalSize) << 16U) |
        compressionBits(spec) | (static_cast<std::uint64_t>(spec.checksum) << 40U) | kLittleEndian;
    pointer.words[kFillWord] = spec.fill;
    return pointer;
}

BlockPointer holePointer(const PointerSpec& spec)
{
    BlockPointer pointer = describe(spec);
    pointer.words[kPropertyWord] |= sectorsLessOne(spec.logicalSize);
    return pointer;
}

BlockPointer embeddedPointer(const PointerSpec& spec, Bytes payload)
{
    MP_CHECK(!payload.empty() && payload.size() <= BlockPointer::kMaxEmbeddedBytes);
    MP_CHECK(spec.logicalSize.value() > 0 && spec.logicalSize.value() <= 32 * MiB);
    BlockPointer pointer = describe(spec);
    pointer.words[kPropertyWord] |= (spec.logicalSize.value() - 1) |
                                    (std::uint64_t{payload.size() - 1} << 25U) |
                                    compressionBits(spec) | kEmbedded | kLittleEndian;
    std::size_t word = 0; // the first byte is the lowest of its word
    for (std::size_t at = 0; at < payload.size(); at += 8, ++word) {
        while (word == kPropertyWord || word == kBirthWord) {
            ++word;
        }
        std::uint64_t value = 0;
        const std::size_t end = std::min(payload.size(), at + 8);
        for (std::size_t i = at; i < end; ++i) {
            value |= std::to_integer<std::uint64_t>(payload[i]) << ((i - at) * 8);
        }
        pointer.words[word] = value;
    }
    return pointer;
}

void setDva(BlockPointer& pointer, std::size_t copy, const format::Dva& dva)
{
    MP_CHECK(copy < BlockPointer::kDvas);
    pointer.words[copy * 2] =
        (dva.allocated.value() >> format::kSectorShift) | (std::uint64_t{dva.vdev.value()} << 32U);
    pointer.words[copy * 2 + 1] =
        (dva.offset.value() >> format::kSectorShift) | (std::uint64_t{dva.gang} << 63U);
}

void setChecksum(BlockPointer& pointer, const codec::Checksum& checksum)
{
    std::ranges::copy(checksum.words, pointer.words.begin() + kChecksumWord);
}

} // namespace millpond::block
