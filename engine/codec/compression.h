// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <memory>
#include <optional>
#include <string_view>

// Compression of blocks. Theory statement: checksum.cpp.

namespace millpond::codec {

/// As numbered in block pointers and properties. A value from disk may be cast to this type without
/// a check: every function below refuses what it does not know.
enum class CompressionAlgorithm : std::uint8_t
{
    Inherit = 0,
    On = 1,
    Off = 2,
    Lzjb = 3,
    Empty = 4, ///< the block is all zeros and was not written: never seen with data
    Gzip1 = 5,
    Gzip2 = 6,
    Gzip3 = 7,
    Gzip4 = 8,
    Gzip5 = 9,
    Gzip6 = 10,
    Gzip7 = 11,
    Gzip8 = 12,
    Gzip9 = 13,
    Zle = 14,
    Lz4 = 15,
    Zstd = 16,
};

/// "gzip-6"; "unknown" for a number that is not in use.
[[nodiscard]] std::string_view compressionName(CompressionAlgorithm algorithm);

/// A zstd level as stored in block headers and properties: 1 to 19 are themselves, the fast levels
/// are numbered from 103 on.
using ZstdLevel = Strong<struct ZstdLevelTag, std::uint8_t>;
inline constexpr ZstdLevel kZstdDefaultLevel{3};
/// zstd's own level (negative for the fast ones), if `level` is one.
[[nodiscard]] std::optional<int> zstdLibraryLevel(ZstdLevel level);
/// The stored form of 1..19 and of -1..-10, -20..-100 by tens, -500, -1000.
[[nodiscard]] std::optional<ZstdLevel> zstdStoredLevel(int libraryLevel);

/// Holds the libraries' working memory (made at first use, some 200 KiB) between blocks.
/// One per thread: not for two threads at a time. Move only.
class Decompressor
{
public:
    Decompressor();
    ~Decompressor();
    Decompressor(Decompressor&&) noexcept;
    Decompressor& operator=(Decompressor&&) noexcept;

    /// Fills exactly `out` from `in`, which may have padding behind its end (blocks are rounded up
    /// to sectors). The buffers do not overlap. Off copies and wants equal sizes.
    /// Any bytes are safe as input; after an error `out` holds garbage.
    /// Errors: BadCompression (also: an empty buffer or one over 1 GiB), UnsupportedFeature
    /// (Inherit, On, Empty, unknown numbers), OutOfMemory.
    [[nodiscard]] Status decompress(CompressionAlgorithm algorithm, Bytes in, MutableBytes out);

private:
    struct Contexts;
    std::unique_ptr<Contexts> m_contexts;
};

/// With a Decompressor of its own: for the odd block.
[[nodiscard]] Status decompress(CompressionAlgorithm algorithm, Bytes in, MutableBytes out);

/// The counterpart; the same rules.
class Compressor
{
public:
    Compressor();
    ~Compressor();
    Compressor(Compressor&&) noexcept;
    Compressor& operator=(Compressor&&) noexcept;

    /// The bytes used of `out`, or nothing when the result did not fit into it (callers offer as
    /// much as makes compression worth while). `level` is for Zstd only.
    /// Errors: UnsupportedFeature (Inherit, On, Empty, unknown numbers), InvalidArgument (level; no
    /// input, or over 1 GiB), OutOfMemory.
    [[nodiscard]] Result<std::optional<std::size_t>> compress(CompressionAlgorithm algorithm,
                                                              Bytes in,
                                                              MutableBytes out,
                                                              ZstdLevel level = kZstdDefaultLevel);

private:
    struct Contexts;
    std::unique_ptr<Contexts> m_contexts;
};

[[nodiscard]] Result<std::optional<std::size_t>> compress(CompressionAlgorithm algorithm,
                                                          Bytes in,
                                                          MutableBytes out,
                                                          ZstdLevel level = kZstdDefaultLevel);

} // namespace millpond::codec
