// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/byte_order.h"
#include "base/result.h"
#include "format/block_pointer.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace millpond::format {

/// A dedup table has one ZAP object per class, with five-word keys. The value is bytes: one byte
/// telling how the rest is compressed and in which order its words are, then the entry.
enum class DdtClass : std::uint8_t
{
    Ditto = 0, ///< obsolete
    Duplicate = 1,
    Unique = 2,
};
inline constexpr std::size_t kDdtClasses = 3;

/// Where the objects are named. Without fast_dedup in the pool directory:
/// "DDT-<checksum>-zap-<class>", and the statistics ZAP "DDT-statistics". With it: "DDT-<checksum>"
/// names a directory ZAP with the same names, "version", "flags" and the logs
/// "DDT-log-<checksum>-<0|1>".
inline constexpr std::string_view kDdtStatistics = "DDT-statistics";
inline constexpr std::string_view kDdtDirectoryVersion = "version";
inline constexpr std::string_view kDdtDirectoryFlags = "flags";
inline constexpr std::uint64_t kDdtVersionLegacy = 0;
inline constexpr std::uint64_t kDdtVersionFast = 1;
inline constexpr std::uint64_t kDdtFlagFlat = 1; ///< entries are flat
inline constexpr std::uint64_t kDdtFlagLog = 2;  ///< has logs
[[nodiscard]] std::string ddtObjectName(ChecksumType checksum, DdtClass ddtClass);
[[nodiscard]] std::string ddtDirectoryName(ChecksumType checksum);
[[nodiscard]] std::string ddtLogName(ChecksumType checksum, unsigned index);

struct DdtKey
{
    static constexpr std::size_t kWords = 5;
    static constexpr std::size_t kBytes = 40;

    ChecksumWords checksum{};
    std::uint64_t properties =
        0; ///< 0 logical size, 16 physical size, 32 compression (7), 39 encrypted

    [[nodiscard]] ByteCount logicalSize() const;
    [[nodiscard]] ByteCount physicalSize() const;

    [[nodiscard]] CompressionType compression() const
    {
        return CompressionType(bits(properties, 32, 7));
    }

    [[nodiscard]] bool encrypted() const { return bits(properties, 39, 1) != 0; }

    /// From a ZAP entry's key: BadBlockPointer for another number of words.
    [[nodiscard]] static Result<DdtKey> decode(std::span<const std::uint64_t> words);
    [[nodiscard]] static Result<DdtKey> decode(Bytes bytes, ByteOrder order);
    /// The key under which a block is found.
    [[nodiscard]] static DdtKey of(const BlockPointer& pointer);
    auto operator<=>(const DdtKey&) const = default;
};

/// One variant of an entry: where the block is and how often it is referred to.
struct DdtPhys
{
    std::array<Dva, BlockPointer::kDvas> dvas{};
    std::uint64_t references = 0;
    Txg physicalBirth;
    std::uint64_t classStart = 0; ///< flat entries: seconds since 1970
};

/// Legacy: four variants (obsolete ditto, then 1, 2 and 3 copies), 256 bytes. Flat: one, 72 bytes.
struct DdtEntry
{
    static constexpr std::size_t kLegacyVariants = 4;
    static constexpr std::size_t kLegacyBytes = 256;
    static constexpr std::size_t kFlatBytes = 72;

    bool flat = false;
    std::vector<DdtPhys> variants; ///< 4 or 1

    /// Decompressed words. BadBlockPointer for another size.
    [[nodiscard]] static Result<DdtEntry> decode(Bytes bytes, ByteOrder order);
    /// The block pointer this entry's variant stands for, as found in the tree of blocks (level 0,
    /// one of the table's checksum).
    [[nodiscard]] BlockPointer
    pointer(const DdtKey& key, ChecksumType checksum, std::size_t variant) const;
    [[nodiscard]] std::string toText() const;
};

/// The stored value taken apart: what follows is `compressed` with that function. BadBlockPointer
/// when empty.
struct DdtStoredValue
{
    CompressionType compression = CompressionType::Off;
    ByteOrder order = ByteOrder::Little; ///< of the decompressed words
    Bytes compressed;

    [[nodiscard]] static Result<DdtStoredValue> decode(Bytes value);
};

/// A dedup log's bonus: 0 version (8), 8 flags (8); words length, first txg, checkpoint key.
struct DdtLogHeader
{
    static constexpr std::size_t kBytes = 64;
    static constexpr std::uint8_t kFlushing = 1;
    static constexpr std::uint8_t kCheckpoint = 2;

    std::uint8_t version = 0;
    std::uint8_t flags = 0;
    std::uint64_t length = 0; ///< bytes
    Txg firstTxg;
    DdtKey checkpoint;

    [[nodiscard]] static Result<DdtLogHeader> decode(Bytes bonus, ByteOrder order);
};

/// Records of a dedup log: each adds or replaces an entry. Not across blocks of the object; a
/// record of type 0 ends the block.
struct DdtLogRecord
{
    std::uint8_t storageType = 0;
    DdtClass ddtClass = DdtClass::Duplicate;
    DdtKey key;
    DdtEntry entry;

    /// All of one block. BadBlockPointer.
    [[nodiscard]] static Result<std::vector<DdtLogRecord>> decodeBlock(Bytes block,
                                                                       ByteOrder order);
};

} // namespace millpond::format
