// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/byte_order.h"
#include "base/result.h"

#include <array>
#include <memory>
#include <string_view>

// Checksums of blocks. Theory statement: checksum.cpp.
// Everything here may be called from any thread; a ChecksumContext by one thread at a time.

namespace millpond::codec {

/// As numbered in block pointers and properties. A value from disk may be cast to this type without
/// a check: every function below refuses what it does not know.
enum class ChecksumAlgorithm : std::uint8_t
{
    Inherit = 0,
    On = 1,
    Off = 2,
    Label = 3,      ///< SHA-256 in the block's trailer, verifier: offset on the device
    GangHeader = 4, ///< SHA-256 in the block's trailer, verifier: vdev, offset, txg
    Zilog = 5,      ///< fletcher2 in the block's trailer, verifier: the pointer's checksum words
    Fletcher2 = 6,
    Fletcher4 = 7,
    Sha256 = 8,
    Zilog2 = 9, ///< fletcher4 in the log block's header, over the used part only
    NoParity = 10,
    Sha512 = 11, ///< SHA-512/256
    Skein = 12,  ///< Skein-512-256, salted
    EdonR = 13,  ///< Edon-R 512 cut to 256 bits, salted
    Blake3 = 14, ///< BLAKE3, salted
};

/// "fletcher4"; "unknown" for a number that is not in use.
[[nodiscard]] std::string_view checksumName(ChecksumAlgorithm algorithm);
/// Skein, Edon-R and BLAKE3 take the pool's salt.
[[nodiscard]] bool isSalted(ChecksumAlgorithm algorithm);
/// The checksum lies in the block itself: Label, GangHeader, Zilog, Zilog2.
[[nodiscard]] bool isEmbedded(ChecksumAlgorithm algorithm);

/// Four words, as values (the block pointer's decoder has dealt with the byte order).
struct Checksum
{
    std::array<std::uint64_t, 4> words{};

    bool operator==(const Checksum&) const = default;
};

/// "1a2b:3c:0:ff", lower-case hexadecimal.
[[nodiscard]] std::string toText(const Checksum& checksum);

/// The pool's 32 secret bytes, with what can be computed from them once. Immutable: one per pool,
/// shared by all threads.
class ChecksumSalt
{
public:
    static constexpr std::size_t kSize = 32;

    explicit ChecksumSalt(std::span<const std::byte, kSize> salt);

    [[nodiscard]] std::span<const std::byte, kSize> bytes() const { return m_bytes; }

    /// Skein's chaining value after key and configuration.
    [[nodiscard]] const std::array<std::uint64_t, 8>& skeinStart() const { return m_skein; }

    /// Edon-R's double pipe after the expanded salt.
    [[nodiscard]] const std::array<std::uint64_t, 16>& edonrStart() const { return m_edonr; }

private:
    std::array<std::byte, kSize> m_bytes;
    std::array<std::uint64_t, 8> m_skein;
    std::array<std::uint64_t, 16> m_edonr;
};

/// OpenSSL's digests, looked up once. Setting one up costs about as much as hashing one KiB: hold
/// one per thread where many blocks are verified. Move only; not for two threads at a time.
class ChecksumContext
{
public:
    ChecksumContext();
    ~ChecksumContext();
    ChecksumContext(ChecksumContext&&) noexcept;
    ChecksumContext& operator=(ChecksumContext&&) noexcept;

    struct Digests;

    [[nodiscard]] Digests& digests() { return *m_digests; }

private:
    std::unique_ptr<Digests> m_digests;
};

/// The checksum of a block that was written by a machine of `dataOrder` (the block pointer says).
/// Off and NoParity yield zeros. `salt` is looked at by salted algorithms only.
/// Fletcher sums whole words: blocks are multiples of 16 bytes, a shorter tail is not summed.
/// Errors: InvalidArgument (embedded algorithm: use the functions below; salted without a salt),
/// UnsupportedFeature (Inherit, On, unknown numbers).
[[nodiscard]] Result<Checksum> computeChecksum(ChecksumAlgorithm algorithm,
                                               Bytes data,
                                               ByteOrder dataOrder,
                                               const ChecksumSalt* salt,
                                               ChecksumContext& context);
[[nodiscard]] Result<Checksum> computeChecksum(ChecksumAlgorithm algorithm,
                                               Bytes data,
                                               ByteOrder dataOrder,
                                               const ChecksumSalt* salt = nullptr);

/// ChecksumMismatch when `data` does not have the checksum `expected`; otherwise as above.
[[nodiscard]] Status verifyChecksum(ChecksumAlgorithm algorithm,
                                    Bytes data,
                                    ByteOrder dataOrder,
                                    const Checksum& expected,
                                    const ChecksumSalt* salt,
                                    ChecksumContext& context);
[[nodiscard]] Status verifyChecksum(ChecksumAlgorithm algorithm,
                                    Bytes data,
                                    ByteOrder dataOrder,
                                    const Checksum& expected,
                                    const ChecksumSalt* salt = nullptr);

/// Plain SHA-256.
[[nodiscard]] std::array<std::byte, 32> sha256(Bytes data);

// Blocks that carry their own checksum (magic number and four words). It is computed with a
// verifier in its place that depends on where the block belongs, so that a stale or misdirected
// block does not pass. `block` is not changed by the verifying functions.

/// A label's or uberblock's place: its first byte's offset on the device, label start included.
[[nodiscard]] Checksum labelVerifier(ByteOffset offsetOnDevice);
/// The first DVA of the pointer to a gang block and the txg it was physically born in.
[[nodiscard]] Checksum gangVerifier(VdevId vdev, ByteOffset offsetInVdev, Txg physicalBirth);

/// Yields the byte order the block was written in. For Zilog and Zilog2 the verifier is the
/// checksum in the pointer to the log block.
/// Errors: ChecksumMismatch (also: no trailer magic, or a used length beyond the block),
/// InvalidArgument (not an embedded algorithm).
[[nodiscard]] Result<ByteOrder> verifyEmbedded(ChecksumAlgorithm algorithm,
                                               Bytes block,
                                               const Checksum& verifier,
                                               ChecksumContext& context);
[[nodiscard]] Result<ByteOrder>
verifyEmbedded(ChecksumAlgorithm algorithm, Bytes block, const Checksum& verifier);

[[nodiscard]] Result<ByteOrder> verifyLabelBlock(Bytes block, ByteOffset offsetOnDevice);
[[nodiscard]] Result<ByteOrder>
verifyGangHeader(Bytes block, VdevId vdev, ByteOffset offsetInVdev, Txg physicalBirth);
/// `algorithm` is Zilog or Zilog2, as the pointer to the block says.
[[nodiscard]] Result<ByteOrder>
verifyLogBlock(ChecksumAlgorithm algorithm, Bytes block, const Checksum& inPointer);

/// Writes magic and checksum into a block about to be written, little-endian. Errors:
/// InvalidArgument (not embedded, block too small, a used length beyond the block).
[[nodiscard]] Status
sealEmbedded(ChecksumAlgorithm algorithm, MutableBytes block, const Checksum& verifier);

} // namespace millpond::codec
