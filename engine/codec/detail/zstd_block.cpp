// SPDX-License-Identifier: GPL-3.0-or-later
#include "codec/detail/zstd_block.h"

#include "base/byte_order.h"

#include <fmt/format.h>

#define ZSTD_STATIC_LINKING_ONLY // the magicless format is libzstd's "experimental" parameter
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>

namespace millpond::codec {

namespace {

constexpr std::size_t kHeader = 8; ///< length and level-with-version, 32 bits big-endian each

constexpr std::uint8_t kMaxPlainLevel = 19;
constexpr std::uint8_t kFirstFastLevel = 103;
constexpr std::array<int, 21> kFastLevels{-1,  -2,  -3,  -4,  -5,  -6,  -7,  -8,   -9,   -10,  -20,
                                          -30, -40, -50, -60, -70, -80, -90, -100, -500, -1000};

/// The word is level and a 24-bit version whose top byte is zero in every release. Little-endian
/// writers put the level first, big-endian ones last.
std::optional<ZstdLevel> levelInHeader(Bytes in)
{
    const auto first = std::to_integer<std::uint8_t>(in[4]);
    const auto second = std::to_integer<std::uint8_t>(in[5]);
    const auto last = std::to_integer<std::uint8_t>(in[7]);
    const ZstdLevel level(second == 0 ? first : (first == 0 ? last : std::uint8_t{0}));
    return zstdLibraryLevel(level) ? std::optional(level) : std::nullopt;
}

std::unexpected<Error> noMemory()
{
    return fail(ErrorCode::OutOfMemory, "zstd: no memory for a context");
}

} // namespace

std::optional<int> zstdLibraryLevel(ZstdLevel level)
{
    const std::uint8_t stored = level.value();
    if (stored >= 1 && stored <= kMaxPlainLevel) {
        return stored;
    }
    if (stored >= kFirstFastLevel && stored < kFirstFastLevel + kFastLevels.size()) {
        return kFastLevels[stored - kFirstFastLevel];
    }
    return std::nullopt;
}

std::optional<ZstdLevel> zstdStoredLevel(int libraryLevel)
{
    if (libraryLevel >= 1 && libraryLevel <= kMaxPlainLevel) {
        return ZstdLevel(static_cast<std::uint8_t>(libraryLevel));
    }
    const auto fast = std::ranges::find(kFastLevels, libraryLevel);
    if (fast == kFastLevels.end()) {
        return std::nullopt;
    }
    return ZstdLevel(static_cast<std::uint8_t>(kFirstFastLevel + (fast - kFastLevels.begin())));
}

namespace detail {

void ZstdDecoder::Free::operator()(ZSTD_DCtx_s* context) const
{
    ZSTD_freeDCtx(context);
}

void ZstdEncoder::Free::operator()(ZSTD_CCtx_s* context) const
{
    ZSTD_freeCCtx(context);
}

Status ZstdDecoder::decompress(Bytes in, MutableBytes out)
{
    if (in.size() < kHeader) {
        return fail(ErrorCode::BadCompression, "zstd: no room for the header");
    }
    const std::size_t length = load<std::uint32_t>(in, 0, ByteOrder::Big);
    if (length > in.size() - kHeader || !levelInHeader(in)) {
        return fail(ErrorCode::BadCompression, "zstd: impossible length or level");
    }
    if (!m_context) {
        m_context.reset(ZSTD_createDCtx());
        if (!m_context) {
            return noMemory();
        }
        ZSTD_DCtx_setParameter(m_context.get(), ZSTD_d_format, ZSTD_f_zstd1_magicless);
    }
    const std::size_t decoded =
        ZSTD_decompressDCtx(m_context.get(), out.data(), out.size(), in.data() + kHeader, length);
    if (ZSTD_isError(decoded)) {
        return fail(ErrorCode::BadCompression, fmt::format("zstd: {}", ZSTD_getErrorName(decoded)));
    }
    if (decoded != out.size()) {
        return fail(ErrorCode::BadCompression, "zstd: wrong length");
    }
    return {};
}

Result<std::optional<std::size_t>>
ZstdEncoder::compress(Bytes in, MutableBytes out, ZstdLevel level)
{
    const auto libraryLevel = zstdLibraryLevel(level);
    if (!libraryLevel) {
        return fail(ErrorCode::InvalidArgument, fmt::format("zstd: level {}", level.value()));
    }
    if (!m_context) {
        m_context.reset(ZSTD_createCCtx());
        if (!m_context) {
            return noMemory();
        }
        ZSTD_CCtx_setParameter(m_context.get(), ZSTD_c_format, ZSTD_f_zstd1_magicless);
        ZSTD_CCtx_setParameter(m_context.get(), ZSTD_c_checksumFlag, 0);
        ZSTD_CCtx_setParameter(m_context.get(), ZSTD_c_contentSizeFlag, 0);
    }
    if (out.size() <= kHeader) {
        return std::optional<std::size_t>();
    }
    ZSTD_CCtx_setParameter(m_context.get(), ZSTD_c_compressionLevel, *libraryLevel);
    const std::size_t length = ZSTD_compress2(
        m_context.get(), out.data() + kHeader, out.size() - kHeader, in.data(), in.size());
    if (ZSTD_isError(length)) {
        if (ZSTD_getErrorCode(length) == ZSTD_error_memory_allocation) {
            return noMemory();
        }
        return std::optional<std::size_t>();
    }
    store(out, 0, static_cast<std::uint32_t>(length), ByteOrder::Big);
    store(out,
          4,
          std::uint32_t{level.value()} << 24 | (ZSTD_versionNumber() & 0xffffff),
          ByteOrder::Big);
    return std::optional(kHeader + length);
}

} // namespace detail

} // namespace millpond::codec
