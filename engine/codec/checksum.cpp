// SPDX-License-Identifier: GPL-3.0-or-later
//
// Theory of the codec layer.
//
// Purpose. Bytes in, bytes out: checksums, compression, parity. Nothing here knows a pool, a device
// or a block pointer; block/, vdev/ and intent_log/ call it with what those say. Encryption belongs
// here too (AES-CCM and AES-GCM through OpenSSL, as a fourth header encryption.h beside these
// three); it comes with encrypted datasets.
//
// Terms. A *word* is a 64-bit part of a checksum, held as a value. The *writer's order* is the byte
// order of the machine that wrote a block. A *verifier* stands in for the checksum while a block
// that carries its own is summed. A *column* is one device's share of a raidz row.
//
// On disk.
//   Checksums. Fletcher sums numbers in the writer's order. A digest is a string of bytes:
//   SHA-256's is read as big-endian words always (the first implementation did, on every machine),
//   those of SHA-512/256, Skein, Edon-R and BLAKE3 in the writer's order. Salt: Skein takes it as
//   its MAC key, BLAKE3 as its key, Edon-R hashes one block H(salt) H(H(salt)) in front of the
//   data. Embedded checksums: magic 0x0210da7ab10c7a11 and four words, all in the writer's order,
//   at the end of a label, gang header or old log block (zilog), or at byte 144 of a newer one
//   (zilog2), where the header's used length (at 136), rounded up to 4096, is what is summed. The
//   digest in them is stored in the writer's order too, also SHA-256's words. Compression. gzip is
//   a zlib stream. lz4 is one raw block behind its length (32 bits, big-endian). zstd is a frame
//   without magic, content size and checksum behind 8 bytes: length (big-endian) and a word with
//   level and version, level first as little-endian machines wrote it. lzjb and zle have no header.
//   All may be followed by padding up to a sector. Parity. GF(2^8) with x^8+x^4+x^3+x^2+1. Over
//   data columns D0 … Dn-1:
//     P = sum Di    Q = sum 2^(n-1-i) Di    R = sum 4^(n-1-i) Di
//   i.e. the *last* data column has the factor 1. Short columns count as zero-filled, but they keep
//   their place and factor.
//
// In memory. Plain functions over spans. Contexts (ChecksumContext, Decompressor, Compressor) keep
// what libraries want allocated; each belongs to one thread. ChecksumSalt is immutable and shared.
//
// Invariants.
//   INV-1  A function reads and writes only the spans it is given, whatever the bytes in them.
//   INV-2  A decompressor fills its output completely or fails.
//   INV-3  Every path (scalar, baseline vectors, AVX2) gives the same result.
//   INV-4  No global state; the path is chosen by what the CPU reports at each call.
//
// Concurrency. Any thread, no locks; a context by one thread at a time. Nothing blocks.
//
// Failure. Wrong bytes are ChecksumMismatch or BadCompression; an algorithm number that has no
// meaning is UnsupportedFeature; a mistake of the caller is InvalidArgument. There is nothing to
// crash: no state outlives a call.
//
// Cost. One pass over the data each; tests/bench/bench_codec prints figures. Verifying copies
// nothing: the verifier is fed between the parts of an embedded block.
//
// Sources. OpenZFS: zio_checksum.c, zfs_fletcher.c, sha2_zfs.c, skein_zfs.c, edonr_zfs.c, edonr.c,
// blake3_zfs.c, zio.h, zil.h, zio_compress.h, lzjb.c, zle.c, gzip.c, lz4_zfs.c, zfs_zstd.c, zstd.h,
// vdev_raidz.c. "The Skein Hash Function Family" 1.3; "BLAKE3: one function, fast everywhere";
// FIPS 180-4; RFC 1950.
#include "codec/checksum.h"

#include "codec/detail/blake3.h"
#include "codec/detail/digests.h"
#include "codec/detail/edonr.h"
#include "codec/detail/fletcher.h"
#include "codec/detail/skein.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::codec {

namespace {

constexpr std::uint64_t kSkeinOutputBits = 256;

constexpr std::array<std::string_view, 15> kNames{"inherit",
                                                  "on",
                                                  "off",
                                                  "label",
                                                  "gang_header",
                                                  "zilog",
                                                  "fletcher2",
                                                  "fletcher4",
                                                  "sha256",
                                                  "zilog2",
                                                  "noparity",
                                                  "sha512",
                                                  "skein",
                                                  "edonr",
                                                  "blake3"};

/// The first four of a digest's little-endian words, as a machine of `order` reads its bytes.
template <std::size_t N>
Checksum wordsInOrder(const std::array<std::uint64_t, N>& digest, ByteOrder order)
{
    Checksum checksum;
    for (std::size_t i = 0; i < checksum.words.size(); ++i) {
        checksum.words[i] = order == ByteOrder::Little ? digest[i] : swapBytes(digest[i]);
    }
    return checksum;
}

Checksum wordsInOrder(const detail::Blake3Digest& digest, ByteOrder order)
{
    std::array<std::uint64_t, 4> words{};
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = std::uint64_t{digest[2 * i + 1]} << 32 | digest[2 * i];
    }
    return wordsInOrder(words, order);
}

template <class Fletcher> Checksum fletcher(Bytes data, ByteOrder order)
{
    Fletcher sums;
    sums.update(data, order);
    return {sums.words()};
}

Checksum
saltedChecksum(ChecksumAlgorithm algorithm, Bytes data, ByteOrder order, const ChecksumSalt& salt)
{
    if (algorithm == ChecksumAlgorithm::Skein) {
        return wordsInOrder(detail::skein512(salt.skeinStart(), data), order);
    }
    if (algorithm == ChecksumAlgorithm::EdonR) {
        return wordsInOrder(detail::edonr512After(salt.edonrStart(), data), order);
    }
    return wordsInOrder(detail::blake3Keyed(salt.bytes(), data), order);
}

detail::EdonrPipe edonrStartFor(Bytes salt)
{
    std::array<std::byte, 128> block;
    const auto storeDigest = [&](std::size_t offset, const std::array<std::uint64_t, 8>& digest) {
        for (std::size_t i = 0; i < digest.size(); ++i) {
            store(block, offset + 8 * i, digest[i]);
        }
    };
    storeDigest(0, detail::edonr512(salt));
    storeDigest(64, detail::edonr512(Bytes(block).first(64)));
    return detail::edonr512FirstBlock(block);
}

} // namespace

std::string_view checksumName(ChecksumAlgorithm algorithm)
{
    const auto number = static_cast<std::size_t>(algorithm);
    return number < kNames.size() ? kNames[number] : "unknown";
}

bool isSalted(ChecksumAlgorithm algorithm)
{
    return algorithm == ChecksumAlgorithm::Skein || algorithm == ChecksumAlgorithm::EdonR ||
           algorithm == ChecksumAlgorithm::Blake3;
}

bool isEmbedded(ChecksumAlgorithm algorithm)
{
    return algorithm == ChecksumAlgorithm::Label || algorithm == ChecksumAlgorithm::GangHeader ||
           algorithm == ChecksumAlgorithm::Zilog || algorithm == ChecksumAlgorithm::Zilog2;
}

std::string toText(const Checksum& checksum)
{
    return fmt::format("{:x}:{:x}:{:x}:{:x}",
                       checksum.words[0],
                       checksum.words[1],
                       checksum.words[2],
                       checksum.words[3]);
}

ChecksumSalt::ChecksumSalt(std::span<const std::byte, kSize> salt)
    : m_skein(detail::skein512Start(salt, kSkeinOutputBits))
    , m_edonr(edonrStartFor(salt))
{
    std::ranges::copy(salt, m_bytes.begin());
}

ChecksumContext::ChecksumContext()
    : m_digests(std::make_unique<Digests>())
{
}

ChecksumContext::~ChecksumContext() = default;
ChecksumContext::ChecksumContext(ChecksumContext&&) noexcept = default;
ChecksumContext& ChecksumContext::operator=(ChecksumContext&&) noexcept = default;

Result<Checksum> computeChecksum(ChecksumAlgorithm algorithm,
                                 Bytes data,
                                 ByteOrder dataOrder,
                                 const ChecksumSalt* salt,
                                 ChecksumContext& context)
{
    switch (algorithm) {
    case ChecksumAlgorithm::Off:
    case ChecksumAlgorithm::NoParity:
        return Checksum{};
    case ChecksumAlgorithm::Fletcher2:
        return fletcher<detail::Fletcher2>(data, dataOrder);
    case ChecksumAlgorithm::Fletcher4:
        return fletcher<detail::Fletcher4>(data, dataOrder);
    case ChecksumAlgorithm::Sha256:
        return Checksum{context.digests().sha256Words(std::array{data})};
    case ChecksumAlgorithm::Sha512:
        return wordsInOrder(context.digests().sha512Words(data), dataOrder);
    case ChecksumAlgorithm::Skein:
    case ChecksumAlgorithm::EdonR:
    case ChecksumAlgorithm::Blake3:
        if (salt == nullptr) {
            return fail(
                ErrorCode::InvalidArgument,
                fmt::format("checksum {} without the pool's salt", checksumName(algorithm)));
        }
        return saltedChecksum(algorithm, data, dataOrder, *salt);
    case ChecksumAlgorithm::Label:
    case ChecksumAlgorithm::GangHeader:
    case ChecksumAlgorithm::Zilog:
    case ChecksumAlgorithm::Zilog2:
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("checksum {} is embedded in its block", checksumName(algorithm)));
    case ChecksumAlgorithm::Inherit:
    case ChecksumAlgorithm::On:
        break;
    }
    return fail(ErrorCode::UnsupportedFeature,
                fmt::format("checksum algorithm {}", static_cast<unsigned>(algorithm)));
}

Result<Checksum> computeChecksum(ChecksumAlgorithm algorithm,
                                 Bytes data,
                                 ByteOrder dataOrder,
                                 const ChecksumSalt* salt)
{
    ChecksumContext context;
    return computeChecksum(algorithm, data, dataOrder, salt, context);
}

Status verifyChecksum(ChecksumAlgorithm algorithm,
                      Bytes data,
                      ByteOrder dataOrder,
                      const Checksum& expected,
                      const ChecksumSalt* salt,
                      ChecksumContext& context)
{
    const Checksum actual = MP_TRY(computeChecksum(algorithm, data, dataOrder, salt, context));
    if (actual != expected) {
        return fail(ErrorCode::ChecksumMismatch,
                    fmt::format("{} is {} and should be {}",
                                checksumName(algorithm),
                                toText(actual),
                                toText(expected)));
    }
    return {};
}

Status verifyChecksum(ChecksumAlgorithm algorithm,
                      Bytes data,
                      ByteOrder dataOrder,
                      const Checksum& expected,
                      const ChecksumSalt* salt)
{
    ChecksumContext context;
    return verifyChecksum(algorithm, data, dataOrder, expected, salt, context);
}

std::array<std::byte, 32> sha256(Bytes data)
{
    ChecksumContext context;
    return context.digests().sha256(std::array{data});
}

} // namespace millpond::codec
