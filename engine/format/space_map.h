// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/byte_order.h"
#include "base/result.h"
#include "base/types.h"

#include <array>
#include <optional>
#include <string>

namespace millpond::format {

/// A space map's bonus [space_map_phys_t]: words 0 object, 1 length of the log in bytes, 2
/// allocated (signed), 3 zero (5), 8 histogram of free runs (32 words, feature spacemap_histogram).
/// Old pools have 24 bytes.
struct SpaceMapPhys
{
    static constexpr std::size_t kBytesV0 = 24;
    static constexpr std::size_t kBytes = 320;
    static constexpr std::size_t kHistogramSize = 32;

    ObjectId object;
    ByteCount length;           ///< a multiple of 8
    std::int64_t allocated = 0; ///< bytes
    bool hasHistogram = false;
    /// Entry i: free runs of 2^(i+shift) up to 2^(i+shift+1) bytes.
    std::array<std::uint64_t, kHistogramSize> histogram{};

    /// BadSpaceMap when shorter than kBytesV0 or the length is odd.
    [[nodiscard]] static Result<SpaceMapPhys> decode(Bytes bonus, ByteOrder order);
    /// kBytes with a histogram, else kBytesV0.
    void encode(MutableBytes out, ByteOrder order = ByteOrder::Little) const;
    [[nodiscard]] std::string toText() const;
};

/// One entry of a space map, a log. Offsets and runs are in units of 1 << shift bytes (the vdev's
/// ashift; 512 bytes in a log space map). An entry of one word: 0 run-1 (15), 15 type, 16 offset
/// (47), 63 zero. Of two words: 0 vdev (24), 24 run-1 (36), 62 binary 11; then offset (63), 63
/// type. Debug: 62 binary 10: 0 txg (50), 50 sync pass (10), 60 action (2); all zero: padding
/// before a block's end.
struct SpaceMapEntry
{
    enum class Type : std::uint8_t
    {
        Allocate = 0,
        Free = 1,
    };

    Type type = Type::Allocate;
    std::uint64_t offset = 0; ///< units
    std::uint64_t run = 0;    ///< units, at least 1
    /// Of entries of two words; means something only in log space maps (elsewhere it is 0).
    std::optional<VdevId> vdev;

    bool operator==(const SpaceMapEntry&) const = default;
};

struct SpaceMapDebug
{
    SpaceMapEntry::Type action = SpaceMapEntry::Type::Allocate;
    std::uint64_t syncPass = 0;
    Txg txg;
};

/// Reads the words of one block of a space map, which entries never straddle.
class SpaceMapReader
{
public:
    /// The bytes must outlive the reader; a trailing part of a word is ignored.
    SpaceMapReader(Bytes block, ByteOrder order)
        : m_block(block)
        , m_order(order)
    {
    }

    /// The next entry, skipping debug words; nothing at the end. BadSpaceMap for an entry cut in
    /// half or one whose end overflows.
    [[nodiscard]] Result<std::optional<SpaceMapEntry>> next();

    /// What the last debug word said.
    [[nodiscard]] const SpaceMapDebug& debug() const { return m_debug; }

private:
    Bytes m_block;
    ByteOrder m_order;
    std::size_t m_position = 0;
    SpaceMapDebug m_debug;
};

/// Words of an entry: one where it fits and has no vdev, else two.
struct SpaceMapWords
{
    std::array<std::uint64_t, 2> words{};
    std::size_t count = 1;
};

[[nodiscard]] SpaceMapWords encodeSpaceMapEntry(const SpaceMapEntry& entry);

/// A debug word; all zero: padding.
[[nodiscard]] std::uint64_t encodeSpaceMapDebug(const SpaceMapDebug& debug);

/// A top-level vdev's metaslabs: the object "metaslab_array" of its configuration holds one word
/// per metaslab, the space map's object (0: never written); metaslab i covers 1 << metaslab_shift
/// bytes from i << metaslab_shift.
[[nodiscard]] constexpr std::uint64_t metaslabCount(std::uint64_t asize, unsigned metaslabShift)
{
    return metaslabShift < 64 ? asize >> metaslabShift : 0;
}

/// Log space maps: a ZAP txg -> space map, keys one word (unhashed binary, uint64 key); and per
/// metaslab the txg up to which its own map is complete (object named by kVdevUnflushedTxgs of the
/// vdev's ZAP, one word each).
inline constexpr std::size_t kUnflushedTxgBytes = 8;

} // namespace millpond::format
