// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks that carry their own checksum: labels, gang headers, log blocks.
#include "codec/checksum.h"
#include "codec/detail/digests.h"
#include "codec/detail/fletcher.h"

#include <fmt/format.h>

#include <optional>

namespace millpond::codec {

namespace {

constexpr std::uint64_t kMagic = 0x0210da7ab10c7a11;
constexpr std::size_t kMagicSize = 8;
constexpr std::size_t kWordsSize = 32;
constexpr std::size_t kTrailerSize = kMagicSize + kWordsSize;

// The header of a zilog2 block: padding, pointer to the next block, used length, trailer.
constexpr std::size_t kLogUsedOffset = 8 + 128;
constexpr std::size_t kLogTrailerOffset = kLogUsedOffset + 8;
constexpr std::uint64_t kLogRounding = 4096;

struct Layout
{
    ByteOrder order;
    std::size_t magicOffset;
    std::size_t summedSize; ///< from the start of the block

    [[nodiscard]] std::size_t wordsOffset() const { return magicOffset + kMagicSize; }
};

std::size_t magicOffsetIn(ChecksumAlgorithm algorithm, std::size_t blockSize)
{
    return algorithm == ChecksumAlgorithm::Zilog2 ? kLogTrailerOffset : blockSize - kTrailerSize;
}

std::size_t smallestBlock(ChecksumAlgorithm algorithm)
{
    return algorithm == ChecksumAlgorithm::Zilog2 ? kLogTrailerOffset + kTrailerSize : kTrailerSize;
}

/// What part of the block is summed; nothing when the used length does not fit the block.
std::optional<std::size_t> summedSizeOf(ChecksumAlgorithm algorithm, Bytes block, ByteOrder order)
{
    if (algorithm != ChecksumAlgorithm::Zilog2) {
        return block.size();
    }
    const auto used = load<std::uint64_t>(block, kLogUsedOffset, order);
    if (used > block.size() || alignUp(used, kLogRounding) > block.size()) {
        return std::nullopt;
    }
    // The words lie in the header, so less than a header is no log block.
    const std::size_t summed = alignUp(used, kLogRounding);
    return summed == 0 ? std::nullopt : std::optional(summed);
}

std::optional<ByteOrder> orderOf(std::uint64_t magicAsLittle)
{
    if (magicAsLittle == kMagic) {
        return ByteOrder::Little;
    }
    return magicAsLittle == swapBytes(kMagic) ? std::optional(ByteOrder::Big) : std::nullopt;
}

std::unexpected<Error> mismatch(ChecksumAlgorithm algorithm, std::string_view why)
{
    return fail(ErrorCode::ChecksumMismatch, fmt::format("{}: {}", checksumName(algorithm), why));
}

Result<Layout> layoutOf(ChecksumAlgorithm algorithm, Bytes block)
{
    if (block.size() < smallestBlock(algorithm)) {
        return mismatch(algorithm, "block too small for a checksum");
    }
    const std::size_t magicOffset = magicOffsetIn(algorithm, block.size());
    const auto order = orderOf(load<std::uint64_t>(block, magicOffset, ByteOrder::Little));
    if (!order) {
        return mismatch(algorithm, "no checksum in the block");
    }
    const auto summed = summedSizeOf(algorithm, block, *order);
    if (!summed) {
        return mismatch(algorithm, "used length beyond the block");
    }
    return Layout{*order, magicOffset, *summed};
}

Checksum loadWords(Bytes block, std::size_t offset, ByteOrder order)
{
    Checksum checksum;
    for (std::size_t i = 0; i < checksum.words.size(); ++i) {
        checksum.words[i] = load<std::uint64_t>(block, offset + 8 * i, order);
    }
    return checksum;
}

void storeWords(MutableBytes block, std::size_t offset, const Checksum& checksum, ByteOrder order)
{
    for (std::size_t i = 0; i < checksum.words.size(); ++i) {
        store(block, offset + 8 * i, checksum.words[i], order);
    }
}

template <class Fletcher> Checksum fletcherOf(std::span<const Bytes> parts, ByteOrder order)
{
    Fletcher sums;
    for (const Bytes part : parts) {
        sums.update(part, order);
    }
    return {sums.words()};
}

/// The checksum with `verifier` in the place of the stored words. Fletcher2 takes pairs of words
/// and may be fed in parts because the words of a trailer start at a multiple of 16 bytes counted
/// from a multiple of 16: the block's end less 32.
Checksum sumWithVerifier(ChecksumAlgorithm algorithm,
                         Bytes block,
                         const Layout& layout,
                         const Checksum& verifier,
                         ChecksumContext& context)
{
    std::array<std::byte, kWordsSize> inPlace;
    storeWords(inPlace, 0, verifier, layout.order);
    const std::size_t after = layout.wordsOffset() + kWordsSize;
    const std::array<Bytes, 3> parts{block.first(layout.wordsOffset()),
                                     inPlace,
                                     block.subspan(after, layout.summedSize - after)};
    switch (algorithm) {
    case ChecksumAlgorithm::Zilog:
        return fletcherOf<detail::Fletcher2>(parts, layout.order);
    case ChecksumAlgorithm::Zilog2:
        return fletcherOf<detail::Fletcher4>(parts, layout.order);
    default:
        return {context.digests().sha256Words(parts)};
    }
}

} // namespace

Checksum labelVerifier(ByteOffset offsetOnDevice)
{
    return {{offsetOnDevice.value(), 0, 0, 0}};
}

Checksum gangVerifier(VdevId vdev, ByteOffset offsetInVdev, Txg physicalBirth)
{
    return {{vdev.value(), offsetInVdev.value(), physicalBirth.value(), 0}};
}

Result<ByteOrder> verifyEmbedded(ChecksumAlgorithm algorithm,
                                 Bytes block,
                                 const Checksum& verifier,
                                 ChecksumContext& context)
{
    if (!isEmbedded(algorithm)) {
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("checksum {} is not embedded", checksumName(algorithm)));
    }
    const Layout layout = MP_TRY(layoutOf(algorithm, block));
    const Checksum actual = sumWithVerifier(algorithm, block, layout, verifier, context);
    const Checksum expected = loadWords(block, layout.wordsOffset(), layout.order);
    if (actual != expected) {
        return mismatch(algorithm,
                        fmt::format("is {} and should be {}", toText(actual), toText(expected)));
    }
    return layout.order;
}

Result<ByteOrder> verifyEmbedded(ChecksumAlgorithm algorithm, Bytes block, const Checksum& verifier)
{
    ChecksumContext context;
    return verifyEmbedded(algorithm, block, verifier, context);
}

Result<ByteOrder> verifyLabelBlock(Bytes block, ByteOffset offsetOnDevice)
{
    return verifyEmbedded(ChecksumAlgorithm::Label, block, labelVerifier(offsetOnDevice));
}

Result<ByteOrder>
verifyGangHeader(Bytes block, VdevId vdev, ByteOffset offsetInVdev, Txg physicalBirth)
{
    return verifyEmbedded(
        ChecksumAlgorithm::GangHeader, block, gangVerifier(vdev, offsetInVdev, physicalBirth));
}

Result<ByteOrder>
verifyLogBlock(ChecksumAlgorithm algorithm, Bytes block, const Checksum& inPointer)
{
    if (algorithm != ChecksumAlgorithm::Zilog && algorithm != ChecksumAlgorithm::Zilog2) {
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("checksum {} in a log block", checksumName(algorithm)));
    }
    return verifyEmbedded(algorithm, block, inPointer);
}

Status sealEmbedded(ChecksumAlgorithm algorithm, MutableBytes block, const Checksum& verifier)
{
    if (!isEmbedded(algorithm) || block.size() < smallestBlock(algorithm)) {
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("no room for checksum {}", checksumName(algorithm)));
    }
    const auto summed = summedSizeOf(algorithm, block, ByteOrder::Little);
    if (!summed) {
        return fail(ErrorCode::InvalidArgument, "used length beyond the log block");
    }
    const Layout layout{ByteOrder::Little, magicOffsetIn(algorithm, block.size()), *summed};
    store(block, layout.magicOffset, kMagic);
    ChecksumContext context;
    const Checksum sum = sumWithVerifier(algorithm, block, layout, verifier, context);
    storeWords(block, layout.wordsOffset(), sum, ByteOrder::Little);
    return {};
}

} // namespace millpond::codec
