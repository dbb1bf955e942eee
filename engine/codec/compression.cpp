// SPDX-License-Identifier: GPL-3.0-or-later
#include "codec/compression.h"

#include "codec/detail/gzip.h"
#include "codec/detail/lz4_block.h"
#include "codec/detail/lzjb.h"
#include "codec/detail/zle.h"
#include "codec/detail/zstd_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace millpond::codec {

namespace {

/// More than any block: the libraries count in int.
constexpr std::size_t kMaxBytes = GiB;

constexpr std::array<std::string_view, 17> kNames{"inherit",
                                                  "on",
                                                  "off",
                                                  "lzjb",
                                                  "empty",
                                                  "gzip-1",
                                                  "gzip-2",
                                                  "gzip-3",
                                                  "gzip-4",
                                                  "gzip-5",
                                                  "gzip-6",
                                                  "gzip-7",
                                                  "gzip-8",
                                                  "gzip-9",
                                                  "zle",
                                                  "lz4",
                                                  "zstd"};

int gzipLevel(CompressionAlgorithm algorithm)
{
    return static_cast<int>(algorithm) - static_cast<int>(CompressionAlgorithm::Gzip1) + 1;
}

std::unexpected<Error> unsupported(CompressionAlgorithm algorithm)
{
    return fail(ErrorCode::UnsupportedFeature,
                fmt::format("compression algorithm {}", static_cast<unsigned>(algorithm)));
}

Status copyPlain(Bytes in, MutableBytes out)
{
    if (in.size() != out.size()) {
        return fail(ErrorCode::BadCompression,
                    fmt::format("plain block of {} bytes for {}", in.size(), out.size()));
    }
    std::ranges::copy(in, out.begin());
    return {};
}

std::optional<std::size_t> copyIfFits(Bytes in, MutableBytes out)
{
    if (in.size() > out.size()) {
        return std::nullopt;
    }
    std::ranges::copy(in, out.begin());
    return in.size();
}

} // namespace

std::string_view compressionName(CompressionAlgorithm algorithm)
{
    const auto number = static_cast<std::size_t>(algorithm);
    return number < kNames.size() ? kNames[number] : "unknown";
}

struct Decompressor::Contexts
{
    detail::Inflater inflater;
    detail::ZstdDecoder zstd;
};

Decompressor::Decompressor()
    : m_contexts(std::make_unique<Contexts>())
{
}

Decompressor::~Decompressor() = default;
Decompressor::Decompressor(Decompressor&&) noexcept = default;
Decompressor& Decompressor::operator=(Decompressor&&) noexcept = default;

Status Decompressor::decompress(CompressionAlgorithm algorithm, Bytes in, MutableBytes out)
{
    if (in.empty() || out.empty() || in.size() > kMaxBytes || out.size() > kMaxBytes) {
        return fail(ErrorCode::BadCompression,
                    fmt::format("block of {} bytes from {}", out.size(), in.size()));
    }
    switch (algorithm) {
    case CompressionAlgorithm::Off:
        return copyPlain(in, out);
    case CompressionAlgorithm::Lzjb:
        return detail::lzjbDecompress(in, out);
    case CompressionAlgorithm::Gzip1:
    case CompressionAlgorithm::Gzip2:
    case CompressionAlgorithm::Gzip3:
    case CompressionAlgorithm::Gzip4:
    case CompressionAlgorithm::Gzip5:
    case CompressionAlgorithm::Gzip6:
    case CompressionAlgorithm::Gzip7:
    case CompressionAlgorithm::Gzip8:
    case CompressionAlgorithm::Gzip9:
        return m_contexts->inflater.decompress(in, out);
    case CompressionAlgorithm::Zle:
        return detail::zleDecompress(in, out);
    case CompressionAlgorithm::Lz4:
        return detail::lz4Decompress(in, out);
    case CompressionAlgorithm::Zstd:
        return m_contexts->zstd.decompress(in, out);
    case CompressionAlgorithm::Inherit:
    case CompressionAlgorithm::On:
    case CompressionAlgorithm::Empty:
        break;
    }
    return unsupported(algorithm);
}

Status decompress(CompressionAlgorithm algorithm, Bytes in, MutableBytes out)
{
    return Decompressor().decompress(algorithm, in, out);
}

struct Compressor::Contexts
{
    detail::Deflater deflater;
    detail::Lz4Encoder lz4;
    detail::ZstdEncoder zstd;
};

Compressor::Compressor()
    : m_contexts(std::make_unique<Contexts>())
{
}

Compressor::~Compressor() = default;
Compressor::Compressor(Compressor&&) noexcept = default;
Compressor& Compressor::operator=(Compressor&&) noexcept = default;

Result<std::optional<std::size_t>>
Compressor::compress(CompressionAlgorithm algorithm, Bytes in, MutableBytes out, ZstdLevel level)
{
    if (in.empty() || in.size() > kMaxBytes || out.size() > kMaxBytes) {
        return fail(ErrorCode::InvalidArgument, fmt::format("block of {} bytes", in.size()));
    }
    switch (algorithm) {
    case CompressionAlgorithm::Off:
        return copyIfFits(in, out);
    case CompressionAlgorithm::Lzjb:
        return detail::lzjbCompress(in, out);
    case CompressionAlgorithm::Gzip1:
    case CompressionAlgorithm::Gzip2:
    case CompressionAlgorithm::Gzip3:
    case CompressionAlgorithm::Gzip4:
    case CompressionAlgorithm::Gzip5:
    case CompressionAlgorithm::Gzip6:
    case CompressionAlgorithm::Gzip7:
    case CompressionAlgorithm::Gzip8:
    case CompressionAlgorithm::Gzip9:
        return m_contexts->deflater.compress(in, out, gzipLevel(algorithm));
    case CompressionAlgorithm::Zle:
        return detail::zleCompress(in, out);
    case CompressionAlgorithm::Lz4:
        return m_contexts->lz4.compress(in, out);
    case CompressionAlgorithm::Zstd:
        return m_contexts->zstd.compress(in, out, level);
    case CompressionAlgorithm::Inherit:
    case CompressionAlgorithm::On:
    case CompressionAlgorithm::Empty:
        break;
    }
    return unsupported(algorithm);
}

Result<std::optional<std::size_t>>
compress(CompressionAlgorithm algorithm, Bytes in, MutableBytes out, ZstdLevel level)
{
    return Compressor().compress(algorithm, in, out, level);
}

} // namespace millpond::codec
